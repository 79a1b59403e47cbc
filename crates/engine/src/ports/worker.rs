//! A worker: another process that does a part of this run.

use super::{BoxFuture, Refusal};

/// Does a part of this run in another process, under the same lease, document and workspace.
pub trait Worker: Send + Sync {
    /// What is left of it, as a text that is the same for as long as the same is left; empty when nothing is.
    fn outstanding(&self) -> String;

    /// Has it done, and returns what the worker printed.
    fn work(&self) -> BoxFuture<'static, Result<String, Refusal>>;
}
