//! Port: asks a person.

use super::BoxFuture;
use crate::gate::{GateView, Reply};

/// Asks a person the questions of gates.
pub trait Asker: Send + Sync {
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply>;
}
