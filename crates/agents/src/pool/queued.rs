//! Calls of agents of kind `queue`, which a person or any program answers.

use super::call::AgentCall;
use super::state::AgentPool;
use crate::outcome::{FailureKind, Outcome, output_exceeded};
use crate::queue::{CallAnswer, CallQueue, CallRequest, QueueError, WaitingCall};
use crate::stream::clean;
use crate::supervisor::{ActivityMonitor, CallReport, CallTimeouts};
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::ports::Clock;
use charrette_store::Holder;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs that have enqueued calls. When their driver ends in order, the calls whose answers were taken are over; an
/// interrupted run may still have to record them.
#[derive(Debug)]
pub(super) struct QueueUse {
    queue: CallQueue,
    runs: Mutex<BTreeSet<String>>,
    clock: ClockHandle,
    cancel: Cancel,
}

struct ClockHandle(Arc<dyn Clock>);

impl QueueUse {
    pub(super) fn new(
        state_folder: &std::path::Path,
        purpose: &str,
        clock: Arc<dyn Clock>,
        cancel: Cancel,
    ) -> QueueUse {
        let holder = Holder::of_this_process(clock.now().stamp().to_string(), purpose.to_owned());
        let queue = CallQueue::new(state_folder, holder);
        QueueUse { queue, runs: Mutex::default(), clock: ClockHandle(clock), cancel }
    }
}

impl Drop for QueueUse {
    fn drop(&mut self) {
        if self.cancel.is_requested() {
            return;
        }
        let runs = std::mem::take(self.runs.get_mut().unwrap_or_else(PoisonError::into_inner));
        for run in runs {
            // A call that stays is answered from the queue if its question is asked again.
            let _ = self.queue.end_taken(&run, self.clock.0.now());
        }
    }
}

impl AgentPool {
    /// Says which run is driven, so that its answered calls are over when it ends in order, even if this session
    /// enqueues none.
    pub fn drives_run(&self, run: &str) {
        let runs = &self.queue_use().runs;
        runs.lock().unwrap_or_else(PoisonError::into_inner).insert(run.to_owned());
    }

    /// Enqueues a call and waits for its answer. An interrupted call stays in the queue.
    pub(super) async fn call_queue(&self, call: AgentCall<'_>, timeouts: CallTimeouts) -> CallReport {
        let clock = ActivityMonitor::start();
        let outcome = match self.enqueue(&call) {
            Ok(waiting) => self.wait_for_answer(&waiting, timeouts, &clock).await,
            Err(error) => Err(error),
        };
        let outcome = outcome.unwrap_or_else(|error| {
            Outcome::failed(FailureKind::Start, format!("its call cannot be enqueued: {error}"))
        });
        let bytes = outcome.answer.as_ref().map_or(0, |text| text.len() as u64);
        CallReport { elapsed: clock.elapsed(), bytes, ..CallReport::without_process(outcome) }
    }

    fn enqueue(&self, call: &AgentCall<'_>) -> Result<WaitingCall, QueueError> {
        let AgentCall { agent, origin, .. } = call;
        let repository = &self.host().folder;
        let folder = call.folder.unwrap_or(repository);
        let request = CallRequest {
            run: call.run.to_owned(),
            feature: self.feature().map(str::to_owned),
            phase: origin.phase.to_owned(),
            step: origin.step.to_owned(),
            seat: call.seat.to_owned(),
            agent: agent.name.clone(),
            vendor: agent.profile.vendor.clone(),
            model: agent.model.clone(),
            effort: agent.effort.clone(),
            repository: repository.to_string_lossy().into_owned(),
            folder: folder.to_string_lossy().into_owned(),
            writing: call.writing,
            web: origin.web,
            prompt: call.prompt.to_owned(),
            timeout: call.timeout,
        };
        let in_use = self.queue_use();
        in_use.runs.lock().unwrap_or_else(PoisonError::into_inner).insert(request.run.clone());
        in_use.queue.enqueue(&request, self.now())
    }

    async fn wait_for_answer(
        &self,
        waiting: &WaitingCall,
        timeouts: CallTimeouts,
        clock: &ActivityMonitor,
    ) -> Result<Outcome, QueueError> {
        let max_bytes = self.policy().output_bytes;
        // Nobody sees the one who answers at work.
        let only_total = CallTimeouts { first_byte: None, idle: None, ..timeouts };
        let timed_out = clock.timed_out(&only_total);
        tokio::pin!(timed_out);
        loop {
            let answer = tokio::select! {
                biased;
                () = self.cancel().wait_for(Urgency::Soon) => {
                    return Ok(Outcome::failed(FailureKind::Interrupted, "interrupted"));
                }
                () = waiting.wait() => waiting.take(max_bytes, self.now())?,
                timeout = &mut timed_out => match waiting.time_out(max_bytes, self.now())? {
                    None => {
                        let message = only_total.message(timeout, clock.elapsed());
                        return Ok(Outcome::failed(FailureKind::Timeout(timeout), message));
                    }
                    answer => answer,
                },
            };
            if let Some(answer) = answer {
                return Ok(outcome(answer, max_bytes));
            }
        }
    }
}

fn outcome(answer: CallAnswer, max_bytes: u64) -> Outcome {
    match answer {
        CallAnswer::Text(text) => Outcome::answered(clean::text(&text)),
        CallAnswer::TooLarge => {
            Outcome::failed(FailureKind::OutputLimit, output_exceeded(max_bytes, "limits.output_mb"))
        }
        CallAnswer::Empty => Outcome::failed(FailureKind::NoAnswer, "its answer is empty"),
        CallAnswer::Ended(reason) => {
            Outcome::failed(FailureKind::NoAnswer, format!("its call was ended: {reason}"))
        }
        CallAnswer::Removed => Outcome::failed(FailureKind::NoAnswer, "its call was removed from the queue"),
    }
}

impl std::fmt::Debug for ClockHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Clock")
    }
}
