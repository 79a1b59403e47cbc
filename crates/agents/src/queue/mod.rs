//! Calls that a person or any program answers: agents of kind `queue`.
//!
//! [`call_queue`] is the queue on disk: a run enqueues calls, servers lease and answer them. [`call_folder`] is the folder
//! of one call, [`waiting`] the run's wait for its answer. The records and their states are in `model::queue`; the pool
//! makes the calls.

mod call_folder;
mod call_queue;
mod error;
mod waiting;

pub use call_queue::{CallQueue, CallRequest, LeaseRequest, LeasedCall, ListedCall, queue_folder};
pub use error::QueueError;
pub use waiting::{CallAnswer, WaitingCall};
