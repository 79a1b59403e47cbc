//! The time that is written into documents.

use charrette_model::stamp::Now;

/// Knows the time.
pub trait Clock: Send + Sync {
    /// The time to write into documents.
    fn now(&self) -> Now;
}
