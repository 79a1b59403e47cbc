//! What the six files are made from.

use serde::{Deserialize, Serialize};

/// Everything that goes into the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Materials {
    /// The name of the feature, which is the id of its specification.
    pub feature: String,
    /// The project it lies in.
    pub parent_project: Option<String>,
    /// The feature it lies in.
    pub parent_feature: Option<String>,
    /// Today, as `YYYY-MM-DD`.
    pub today: String,
    /// The day the specification was first made, if that was not today.
    pub created: Option<String>,
    /// The writer's draft of `requirements.md`.
    pub requirements: String,
    /// The writer's draft of `design.md`.
    pub design: String,
    /// The writer's draft of `tasks.md`.
    pub tasks: String,
    /// `context-summary.md`.
    pub context_summary: String,
    /// `dialectic-resolutions.md`, if there was a debate.
    pub resolutions: Option<String>,
    /// `voting-tally.md`, if there was a review.
    pub tally: Option<String>,
    /// `contested-decisions.md`, if there was a synthesis.
    pub contested: Option<String>,
    /// Who sat where.
    pub vendors: Vec<SeatTaken>,
}

/// A seat and who took it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatTaken {
    /// The id of the seat.
    pub seat: String,
    /// The agent, as the configuration calls it.
    pub agent: String,
    /// Who makes it.
    pub vendor: String,
}

/// Why there are no files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliverableError {
    /// A template cannot be filled in.
    #[error("{file}:{line}: {message}")]
    Template {
        /// The template, as it was named.
        file: String,
        /// The line that is wrong.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// There is no template of that name to replace.
    #[error("{file} replaces no template; those that can be replaced are {known}")]
    UnknownTemplate {
        /// What was given.
        file: String,
        /// What there is.
        known: String,
    },
    /// What a template gave lacks something the file must have.
    #[error("{file}: the file it makes has no {missing}")]
    NotWhole {
        /// The template, as it was named.
        file: String,
        /// What is missing.
        missing: &'static str,
    },
}
