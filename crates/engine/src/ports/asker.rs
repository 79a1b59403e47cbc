//! Asking a person.

use super::BoxFuture;
use crate::gate::{GateView, Reply};

/// Asks a person.
pub trait Asker: Send + Sync {
    /// Asks the open questions of a gate.
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply>;
}
