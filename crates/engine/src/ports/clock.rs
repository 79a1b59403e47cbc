//! Port: the clock.

use charrette_model::stamp::Now;

/// Source of the timestamps in documents.
pub trait Clock: Send + Sync {
    fn now(&self) -> Now;
}
