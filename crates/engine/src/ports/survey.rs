//! What a repository says for itself, and the agent that needs no model.

use super::BoxFuture;
use std::collections::BTreeMap;

/// Looks at the repository without a model.
pub trait Surveyor: Send + Sync {
    /// What the repository says about a request, as JSON.
    fn survey(&self, request: String) -> BoxFuture<'static, Result<String, String>>;
}

/// The agent inside charrette: it answers without a model, from what a seat reads and what the repository says.
pub trait EmbeddedAgent: Send + Sync {
    /// The answer of a seat, in its grammar; none if it does not sit there. `reads` are texts by name.
    fn answer(&self, seat: &str, reads: &BTreeMap<String, String>) -> Option<Result<String, String>>;
}
