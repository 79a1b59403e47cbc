//! Materials of the six files.

use crate::authorship::Authorship;

/// Everything the files are made from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Materials {
    /// Feature name; also the id of the specification.
    pub feature: String,
    pub parent_project: Option<String>,
    pub parent_feature: Option<String>,
    /// Current date, as `YYYY-MM-DD`.
    pub today: String,
    /// Date of the first version, if that was not today.
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
    /// `walkthroughs.md`, if scenarios were walked through.
    pub walkthroughs: Option<String>,
    /// Participants of the run.
    pub authorship: Authorship,
}

/// Error when the files cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliverableError {
    /// A template cannot be rendered.
    #[error("{file}:{line}: {message}; edit the template, or delete it to use the built-in one")]
    Template {
        /// Path of the template.
        file: String,
        line: usize,
        message: String,
    },
    /// An override of a template that does not exist.
    #[error("{file} is not a known template; known templates: {known}")]
    UnknownTemplate { file: String, known: String },
    /// The rendered file lacks a required part.
    #[error("{file}: the rendered file has no {missing}")]
    MissingPart {
        /// Path of the template.
        file: String,
        missing: &'static str,
    },
}
