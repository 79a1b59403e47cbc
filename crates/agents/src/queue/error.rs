//! Errors of the queue.

use charrette_model::escape::printable;
use charrette_model::queue::EndReason;
use charrette_store::StoreError;
use charrette_store::atomic::ReplaceError;
use std::io;

/// Failed operation on a queue.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("'{}' is not the id of a call", printable(.0))]
    InvalidId(String),
    #[error("the queue has no call {0}")]
    Unknown(String),
    #[error("call {0} already has an answer; this one was not taken")]
    Answered(String),
    #[error("call {id} is over ({reason}); this answer was not taken")]
    Over { id: String, reason: EndReason },
    /// A second process asks the same question.
    #[error("another process already waits for the answer to call {0}")]
    Driven(String),
    #[error("the queue is locked: {0}")]
    Locked(#[from] StoreError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl From<ReplaceError> for QueueError {
    fn from(error: ReplaceError) -> QueueError {
        match error {
            ReplaceError::BeforeRename(error) | ReplaceError::AfterRename(error) => QueueError::Io(error),
        }
    }
}
