//! The queue of calls that a person or any program answers: take the next call, answer it, list what is open.

use crate::agent_pool::{self, SiteClock};
use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use charrette_agents::pool::AgentPolicy;
use charrette_agents::queue::{CallQueue, LeaseRequest, LeasedCall, ListedCall, QueueError};
use charrette_engine::ports::Clock as _;
use charrette_model::queue::QueuedCall;
use charrette_model::seats::is_agent_name;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Pause between two looks into the queue.
const POLL: Duration = Duration::from_millis(200);

/// Leases the oldest open call, and waits for one if there is none; `None` if none came in time.
pub fn take_next(
    site: &Site,
    request: LeaseRequest<'_>,
    wait: Duration,
) -> Result<Option<LeasedCall>, AppError> {
    refuse_inside_agent(site, "take the call of another seat")?;
    if let Some(name) = request.agent.filter(|name| !is_agent_name(name)) {
        let name = charrette_model::escape::printable(name);
        return Err(AppError::usage(format!("'{name}' is not a name of an agent"))
            .hint("List agents: charrette agents"));
    }
    let (queue, started) = (queue(site), Instant::now());
    loop {
        let found = queue.lease_next(request, SiteClock(site.now).now()).map_err(queue_error)?;
        let left = wait.saturating_sub(started.elapsed());
        if found.is_some() || left.is_zero() {
            return Ok(found);
        }
        sleep(POLL.min(left));
    }
}

/// Gives the answer to a call; secrets of this environment are redacted.
pub fn answer(site: &Site, id: &str, text: &str) -> Result<QueuedCall, AppError> {
    refuse_inside_agent(site, "answer for another seat")?;
    if text.trim().is_empty() {
        return Err(AppError::usage("the answer is empty"));
    }
    let text = site.environment.redactor().redact(text).into_owned();
    queue(site).answer(id, &text).map_err(queue_error)
}

/// Maximum size of an answer in bytes.
pub fn max_answer_bytes(site: &Site) -> u64 {
    AgentPolicy::from_settings(&site.settings).output_bytes
}

/// All calls without an answer, oldest first.
pub fn open_calls(site: &Site) -> Result<Vec<ListedCall>, AppError> {
    queue(site).list(SiteClock(site.now).now()).map_err(queue_error)
}

/// Ends the calls of an archived run. A failure is a warning: nobody waits for the answers.
pub fn end_run(site: &Site, run: &str) {
    if let Err(error) = queue(site).end_run(run, SiteClock(site.now).now()) {
        site.notices.note(format!("Warning: its calls cannot be removed from the queue: {error}"));
    }
}

fn queue(site: &Site) -> CallQueue {
    CallQueue::new(&agent_pool::state_folder(site), site.holder())
}

fn queue_error(error: QueueError) -> AppError {
    let kind = match &error {
        QueueError::InvalidId(_) => ErrorKind::Usage,
        QueueError::Answered(_) | QueueError::Over { .. } => ErrorKind::Refused,
        _ => ErrorKind::Failed,
    };
    let is_about_a_call = matches!(
        error,
        QueueError::InvalidId(_) | QueueError::Unknown(_) | QueueError::Answered(_) | QueueError::Over { .. }
    );
    let error = AppError::new(kind, error);
    if is_about_a_call { error.hint("List open calls: charrette seats list") } else { error }
}
