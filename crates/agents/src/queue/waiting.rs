//! A run's wait for the answer to its call.

use super::call_folder::CallFolder;
use super::call_queue::CallQueue;
use super::error::QueueError;
use charrette_model::queue::EndReason;
use charrette_model::stamp::Now;
use charrette_store::Lease;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pauses between two looks at the folder: short at first, because a program may answer at once.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LAST_PAUSE: Duration = Duration::from_millis(250);

/// A call that this process waits for. Dropping it leaves the call in the queue.
#[derive(Debug)]
pub struct WaitingCall {
    queue: CallQueue,
    folder: CallFolder,
    id: String,
    _lease: Lease,
}

/// Answer or end of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallAnswer {
    Text(String),
    /// The answer is larger than the limit in bytes.
    TooLarge,
    /// Nothing but white space, or not a file.
    Empty,
    /// The call was ended by another process.
    Ended(EndReason),
    /// The folder of the call was removed.
    Removed,
}

impl WaitingCall {
    pub(super) fn new(queue: CallQueue, folder: CallFolder, id: String, lease: Lease) -> WaitingCall {
        WaitingCall { queue, folder, id, _lease: lease }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// File that the answer becomes.
    pub fn answer_file(&self) -> PathBuf {
        self.folder.answer()
    }

    /// Waits until there is something to [`WaitingCall::take`].
    pub async fn wait(&self) {
        let mut pause = FIRST_PAUSE;
        while self.is_waiting() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST_PAUSE);
        }
    }

    /// Takes the answer, if there is one: it stays in the queue until the run ends in order, for a run that is killed
    /// before it records the answer. An answer that cannot be used ends the call.
    pub fn take(&self, max_bytes: u64, now: Now) -> Result<Option<CallAnswer>, QueueError> {
        let _lock = self.queue.lock()?;
        self.take_locked(max_bytes, now)
    }

    /// Ends the call because its clock ended, unless an answer came at the last moment.
    pub fn time_out(&self, max_bytes: u64, now: Now) -> Result<Option<CallAnswer>, QueueError> {
        let _lock = self.queue.lock()?;
        let taken = self.take_locked(max_bytes, now)?;
        if taken.is_none() {
            self.folder.finish(EndReason::Timeout, now.stamp())?;
        }
        Ok(taken)
    }

    fn is_waiting(&self) -> bool {
        !self.folder.is_answered() && self.folder.end().is_none() && self.folder.path().is_dir()
    }

    fn take_locked(&self, max_bytes: u64, now: Now) -> Result<Option<CallAnswer>, QueueError> {
        if let Some(end) = self.folder.end() {
            return Ok(Some(CallAnswer::Ended(end.reason)));
        }
        if !self.folder.path().is_dir() {
            return Ok(Some(CallAnswer::Removed));
        }
        let is_taken = self.folder.is_taken();
        let file = if is_taken { self.folder.taken() } else { self.folder.answer() };
        let Some(answer) = read_answer(&file, max_bytes)? else { return Ok(None) };
        if !matches!(answer, CallAnswer::Text(_)) {
            self.folder.finish(EndReason::Unusable, now.stamp())?;
        } else if !is_taken {
            self.folder.mark_taken()?;
        }
        Ok(Some(answer))
    }
}

/// Reads an answer within a limit; `None` if there is no such file.
fn read_answer(path: &Path, max_bytes: u64) -> Result<Option<CallAnswer>, QueueError> {
    // A link is no answer: its target may vanish, or lie elsewhere.
    match fs_err::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if !metadata.is_file() => return Ok(Some(CallAnswer::Empty)),
        other => other?,
    };
    let file = fs_err::File::open(path)?;
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Ok(Some(CallAnswer::TooLarge));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Some(if text.trim().is_empty() { CallAnswer::Empty } else { CallAnswer::Text(text) }))
}
