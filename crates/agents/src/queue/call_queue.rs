//! The queue of calls in the user's state folder: `queue/<agent>/<call>/`.
//!
//! Every change is made under one kernel lock for the whole queue, held for milliseconds; a lease of a call is a record
//! with an expiry, because the command that takes a call and the one that answers it are different processes.

use super::call_folder::{CallFolder, create_private_folder};
use super::error::QueueError;
use super::waiting::WaitingCall;
use charrette_model::queue::{
    CALL_ID_DIGITS, CallLease, CallState, EndReason, QUEUE_VERSION, QueuedCall, call_state, is_call_id,
};
use charrette_model::seats::is_agent_name;
use charrette_model::stamp::{Now, Stamp};
use charrette_store::Holder;
use charrette_store::lock::DocumentLock;
use charrette_store::workspace::sha256;
use jiff::{SignedDuration, Timestamp};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time after which the record of a call that is over is removed.
const KEEP_OVER: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Time after the end of its clock after which a call that nobody came back for is removed.
const KEEP_SUSPENDED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Folder of the queue.
pub fn queue_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("queue")
}

/// The queue of a user.
#[derive(Debug, Clone)]
pub struct CallQueue {
    folder: PathBuf,
    /// This process, for the messages of others.
    holder: Holder,
}

/// A call to be enqueued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRequest {
    pub run: String,
    pub feature: Option<String>,
    pub phase: String,
    pub step: String,
    pub seat: String,
    pub agent: String,
    pub vendor: String,
    pub model: Option<String>,
    pub effort: Option<String>,
    pub repository: String,
    pub folder: String,
    pub writing: bool,
    pub web: bool,
    pub prompt: String,
    /// Clock of the seat.
    pub timeout: Duration,
}

impl CallRequest {
    /// Its id, the same for the same question of the same step: a resumed run finds its own call again.
    pub fn id(&self) -> String {
        let prompt = sha256(self.prompt.as_bytes());
        let parts = [&self.repository, &self.run, &self.step, &self.agent, &prompt].map(String::as_str);
        sha256(parts.join("\0").as_bytes())[..CALL_ID_DIGITS].to_owned()
    }
}

/// Request of a server for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseRequest<'a> {
    /// Only calls of this agent.
    pub agent: Option<&'a str>,
    /// Name of the server, for people.
    pub holder: &'a str,
    pub duration: Duration,
}

/// A call that a server has taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedCall {
    pub call: QueuedCall,
    pub lease: CallLease,
    /// File with the prompt.
    pub prompt: PathBuf,
    /// File that the answer becomes.
    pub answer: PathBuf,
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCall {
    pub call: QueuedCall,
    pub state: CallState,
    /// The current lease.
    pub lease: Option<CallLease>,
    /// True if a process waits for the answer.
    pub driven: bool,
    /// File with the prompt.
    pub prompt: PathBuf,
}

impl CallQueue {
    pub fn new(state_folder: &Path, holder: Holder) -> CallQueue {
        CallQueue { folder: queue_folder(state_folder), holder }
    }

    /// Enqueues a call, or finds it again: with its answer, if it was given in the meantime, and with its lease.
    pub fn enqueue(&self, request: &CallRequest, now: Now) -> Result<WaitingCall, QueueError> {
        if !is_agent_name(&request.agent) {
            let problem = format!("'{}' cannot be the name of a folder", request.agent.escape_debug());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem).into());
        }
        let _lock = self.lock()?;
        let agent_folder = self.folder.join(&request.agent);
        create_private_folder(&agent_folder)?;
        remove_old(&agent_folder, now.at());
        let id = request.id();
        let folder = CallFolder::at(agent_folder.join(&id));
        let found = folder.call().filter(|_| folder.end().is_none());
        let attempt = match &found {
            Some(call) => call.attempt,
            None => next_attempt(&agent_folder, request),
        };
        let created_at = found.as_ref().map_or_else(|| now.stamp(), |call| call.created_at.clone());
        let call = request.record(&id, attempt, created_at, now);
        let (folder, lease) = if found.is_some() {
            let lease = folder.drive(&self.holder, &id)?;
            folder.replace_call(&call)?;
            (folder, lease)
        } else {
            folder.remove()?;
            let folder = CallFolder::create(folder.path().to_owned(), &call, &request.prompt)?;
            let lease = folder.drive(&self.holder, &id)?;
            (folder, lease)
        };
        Ok(WaitingCall::new(self.clone(), folder, id, lease))
    }

    /// Leases the oldest open call to a server; `None` if there is none.
    pub fn lease_next(&self, request: LeaseRequest<'_>, now: Now) -> Result<Option<LeasedCall>, QueueError> {
        let Some(_lock) = self.lock_existing()? else { return Ok(None) };
        let mut open: Vec<(CallFolder, QueuedCall)> = self
            .unanswered(now)
            .into_iter()
            .filter(|(_, listed)| listed.state == CallState::Open)
            .map(|(folder, listed)| (folder, listed.call))
            .filter(|(_, call)| request.agent.is_none_or(|agent| agent == call.agent))
            .collect();
        open.sort_by(|(_, a), (_, b)| (&a.created_at, &a.id).cmp(&(&b.created_at, &b.id)));
        let Some((folder, call)) = open.into_iter().next() else { return Ok(None) };
        let lease = CallLease {
            v: QUEUE_VERSION,
            holder: request.holder.to_owned(),
            since: now.stamp(),
            expires_at: later(now.at(), request.duration),
        };
        folder.replace_lease(&lease)?;
        Ok(Some(LeasedCall { call, lease, prompt: folder.prompt(), answer: folder.answer() }))
    }

    /// Gives the answer to a call. The first answer counts, whoever holds the lease.
    pub fn answer(&self, id: &str, text: &str) -> Result<QueuedCall, QueueError> {
        if !is_call_id(id) {
            return Err(QueueError::InvalidId(id.to_owned()));
        }
        let unknown = || QueueError::Unknown(id.to_owned());
        let _lock = self.lock_existing()?.ok_or_else(unknown)?;
        let folder =
            self.folders().into_iter().find(|folder| folder.path().ends_with(id)).ok_or_else(unknown)?;
        let call = folder.call().ok_or_else(unknown)?;
        if let Some(end) = folder.end() {
            return Err(QueueError::Over { id: id.to_owned(), reason: end.reason });
        }
        if folder.is_answered() {
            return Err(QueueError::Answered(id.to_owned()));
        }
        folder.write_answer(text)?;
        Ok(call)
    }

    /// All calls without an answer, oldest first.
    pub fn list(&self, now: Now) -> Result<Vec<ListedCall>, QueueError> {
        let Some(_lock) = self.lock_existing()? else { return Ok(Vec::new()) };
        let mut calls: Vec<ListedCall> = self.unanswered(now).into_iter().map(|(_, listed)| listed).collect();
        calls.sort_by(|a, b| (&a.call.created_at, &a.call.id).cmp(&(&b.call.created_at, &b.call.id)));
        Ok(calls)
    }

    /// Ends the calls of a run whose answers were taken: the run has recorded them, or will ask again.
    pub fn end_taken(&self, run: &str, now: Now) -> Result<(), QueueError> {
        self.end_where(run, EndReason::Answered, now, CallFolder::is_taken)
    }

    /// Ends all calls of a run that is archived.
    pub fn end_run(&self, run: &str, now: Now) -> Result<(), QueueError> {
        self.end_where(run, EndReason::Abandoned, now, |_| true)
    }

    fn end_where(
        &self,
        run: &str,
        reason: EndReason,
        now: Now,
        ends: impl Fn(&CallFolder) -> bool,
    ) -> Result<(), QueueError> {
        let Some(_lock) = self.lock_existing()? else { return Ok(()) };
        for folder in self.folders() {
            let is_of_run = folder.call().is_some_and(|call| call.run == run);
            if is_of_run && folder.end().is_none() && ends(&folder) {
                folder.finish(reason, now.stamp())?;
            }
        }
        Ok(())
    }

    /// Takes the lock of the queue, which is created.
    pub(super) fn lock(&self) -> Result<DocumentLock, QueueError> {
        if let Some(state_folder) = self.folder.parent() {
            fs_err::create_dir_all(state_folder)?;
        }
        create_private_folder(&self.folder)?;
        Ok(DocumentLock::acquire(&self.lock_file(), &self.holder)?)
    }

    /// Takes the lock of the queue; `None` if nothing was ever enqueued.
    fn lock_existing(&self) -> Result<Option<DocumentLock>, QueueError> {
        if !self.folder.is_dir() {
            return Ok(None);
        }
        Ok(Some(DocumentLock::acquire(&self.lock_file(), &self.holder)?))
    }

    fn lock_file(&self) -> PathBuf {
        self.folder.join(".lock")
    }

    /// Calls without an answer, with their state.
    fn unanswered(&self, now: Now) -> Vec<(CallFolder, ListedCall)> {
        let mut calls = Vec::new();
        for folder in self.folders() {
            if folder.end().is_some() || folder.is_answered() {
                continue;
            }
            let Some(call) = folder.call() else { continue };
            let (lease, driven) = (folder.lease(), folder.is_driven());
            let state = call_state(&call, lease.as_ref(), driven, now.at());
            let lease = lease.filter(|_| state == CallState::Leased);
            let prompt = folder.prompt();
            calls.push((folder, ListedCall { call, state, lease, driven, prompt }));
        }
        calls
    }

    /// Folders of all calls.
    fn folders(&self) -> Vec<CallFolder> {
        entries(&self.folder).iter().flat_map(|agent| call_folders(agent)).collect()
    }
}

impl CallRequest {
    fn record(&self, id: &str, attempt: u32, created_at: Stamp, now: Now) -> QueuedCall {
        QueuedCall {
            v: QUEUE_VERSION,
            id: id.to_owned(),
            run: self.run.clone(),
            feature: self.feature.clone(),
            phase: self.phase.clone(),
            step: self.step.clone(),
            seat: self.seat.clone(),
            agent: self.agent.clone(),
            vendor: self.vendor.clone(),
            model: self.model.clone(),
            effort: self.effort.clone(),
            attempt,
            repository: self.repository.clone(),
            folder: self.folder.clone(),
            writing: self.writing,
            web: self.web,
            created_at,
            deadline: later(now.at(), self.timeout),
        }
    }
}

/// Number of the next question of a step: one more than those that it has asked this agent.
fn next_attempt(agent_folder: &Path, request: &CallRequest) -> u32 {
    if request.step.is_empty() {
        return 1;
    }
    let asked =
        call_folders(agent_folder).into_iter().filter(|folder| folder.end().is_none() && folder.is_taken());
    let calls = asked.filter_map(|folder| folder.call());
    let of_step = calls.filter(|call| call.run == request.run && call.step == request.step);
    1 + u32::try_from(of_step.count()).unwrap_or(u32::MAX - 1)
}

/// Removes calls that are long over, and those that nobody came back for. Failures wait for the next time.
fn remove_old(agent_folder: &Path, now: Timestamp) {
    for folder in call_folders(agent_folder) {
        let is_old = match (folder.end(), folder.call()) {
            (Some(end), _) => now.duration_since(end.at.at()) > KEEP_OVER,
            (None, Some(call)) => now.duration_since(call.deadline.at()) > KEEP_SUSPENDED,
            (None, None) => false,
        };
        if is_old && !folder.is_driven() {
            let _ = folder.remove();
        }
    }
}

fn call_folders(agent_folder: &Path) -> Vec<CallFolder> {
    let is_call = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(is_call_id);
    entries(agent_folder).into_iter().filter(is_call).map(CallFolder::at).collect()
}

/// Visible folders in a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else { return Vec::new() };
    let is_visible = |name: &std::ffi::OsStr| !name.to_string_lossy().starts_with('.');
    let folders = entries
        .filter_map(Result::ok)
        .filter(|entry| is_visible(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

fn later(at: Timestamp, duration: Duration) -> Stamp {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    Stamp::new(at.checked_add(duration).unwrap_or(Timestamp::MAX))
}
