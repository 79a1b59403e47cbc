//! Ports: the survey of a repository, and the embedded agent that needs no model.

use super::BoxFuture;
use std::collections::BTreeMap;

/// Surveys the repository without a model.
pub trait Surveyor: Send + Sync {
    /// Survey of the repository for a request, as JSON.
    fn survey(&self, request: String) -> BoxFuture<'static, Result<String, String>>;
}

/// The embedded agent: answers without a model, from a seat's inputs and the survey of the repository.
pub trait EmbeddedAgent: Send + Sync {
    /// Answers for a seat, in its grammar; none if it does not support the seat. `reads` are texts by name.
    fn answer(&self, seat: &str, reads: &BTreeMap<String, String>) -> Option<Result<String, String>>;
}
