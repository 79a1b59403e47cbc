//! Port: a worker process that drives a part of this run.

use super::{BoxFuture, PortError};

/// Drives a part of this run in another process, under the same lease, document and workspace.
pub trait Worker: Send + Sync {
    /// Outstanding work, as a text that changes only when the work does; empty when there is none.
    fn outstanding(&self) -> String;

    /// Runs the worker to its end and returns its output.
    fn work(&self) -> BoxFuture<'static, Result<String, PortError>>;
}
