//! Ports: the survey of a repository, and the embedded agent that needs no model.

use super::BoxFuture;
use std::collections::BTreeMap;

/// Survey of a repository for a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SurveyTexts {
    /// The whole survey, as JSON.
    pub json: String,
    /// The survey condensed for a prompt, as Markdown.
    pub digest: String,
}

/// Surveys the repository without a model.
pub trait Surveyor: Send + Sync {
    /// Survey of the repository for a request.
    fn survey(&self, request: String) -> BoxFuture<'static, Result<SurveyTexts, String>>;
}

/// The embedded agent: answers without a model, from a seat's inputs and the survey of the repository.
pub trait EmbeddedAgent: Send + Sync {
    /// Answers for a seat, in its grammar; none if it does not support the seat. `reads` are texts by name.
    fn answer(&self, seat: &str, reads: &BTreeMap<String, String>) -> Option<Result<String, String>>;
}
