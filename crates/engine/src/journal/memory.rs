//! The memory journal: passes the same conformance rules for as long as its [`MemoryRun`] lives. For tests, and as proof that
//! the trait can be implemented from its signatures alone.

mod state;

use self::state::{MemoryGate, StepState};
use super::gates::answered_event;
use crate::artifact::Input;
use crate::batch::Batch;
use crate::cancel::Cancel;
use crate::event::{Broadcast, EVENT_VERSION, Event, EventKind};
use crate::gate::{Answers, FEEDBACK, Gate, GateStatus, GateView};
use crate::ports::journal::{Journal, Lane, PhaseEnd, StagedFiles, StepBody, StepCall, StepOutcome};
use crate::ports::{ArtifactStore, BoxFuture};
use crate::step::{RevisedFile, StepContext, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::checkpoint::GateState;
use charrette_model::tree::TreeChange;
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::state::MemoryRun;

/// Journal of one driver of a [`MemoryRun`].
#[derive(Debug, Clone)]
pub struct MemoryJournal {
    run: MemoryRun,
    cancel: Cancel,
    broadcast: Broadcast,
    /// Lane of each file that is still staged, by name.
    producers: Arc<Mutex<BTreeMap<String, String>>>,
}

impl MemoryJournal {
    /// Opens the journal for a new driver.
    pub fn open(run: &MemoryRun, cancel: Cancel, broadcast: Broadcast) -> MemoryJournal {
        MemoryJournal { run: run.clone(), cancel, broadcast, producers: Arc::default() }
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let lane = self.producers().get(name).cloned();
        let state = self.run.state();
        let staged = lane.and_then(|lane| state.staged.get(&lane)?.get(name).cloned());
        staged.or_else(|| state.files.get(name).cloned())
    }

    fn producers(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.producers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn digests(&self, reads: &[Input]) -> FlowResult<BTreeMap<String, String>> {
        let digest = |input: &Input| -> FlowResult<String> {
            let file = |name: &str| self.read(name).map(|bytes| sha256(&bytes));
            Ok(match input {
                Input::Artifact(name) => {
                    file(name).ok_or_else(|| Stop::Failed(format!("{name} is missing from the run")))?
                }
                Input::Optional(name) => file(name).unwrap_or_else(|| "absent".to_owned()),
                Input::Given { digest, .. } => digest.clone(),
                Input::Answers(gate) => self.answers_digest(gate, None),
                Input::Answer { gate, key } => self.answers_digest(gate, Some(key)),
            })
        };
        reads.iter().map(|input| Ok((input.label(), digest(input)?))).collect()
    }

    /// Fingerprint of all answers of a gate, or of one.
    fn answers_digest(&self, gate: &str, key: Option<&str>) -> String {
        let state = self.run.state();
        let answers = state.gates.get(gate).map(|gate| gate.answers.clone()).unwrap_or_default();
        match key {
            Some(key) => format!("{:?}", answers.get(key)),
            None => format!("{:?}", answers.iter().collect::<BTreeMap<_, _>>()),
        }
    }

    async fn do_once(&self, call: StepCall, body: StepBody) -> FlowResult<StepOutcome> {
        let key = (call.phase.clone(), call.id.clone());
        let inputs = self.digests(&call.reads)?;
        let before = self.run.state().steps.get(&key).cloned().unwrap_or_default();
        let has_outputs = || before.outputs.iter().all(|name| self.has_output(&call, &before, name));
        if before.is_done && before.inputs == inputs && has_outputs() {
            self.emit(EventKind::StepReused { phase: call.phase.clone(), step: call.id.clone() });
            return Ok(self.step_outcome(&call, before));
        }
        if self.cancel.is_requested() {
            return Err(Stop::Interrupted);
        }
        let attempt = before.attempt + 1;
        let started = StepState { attempt, is_done: false, ..before };
        self.run.state().steps.insert(key.clone(), started);
        let (phase, step) = key.clone();
        self.emit(EventKind::StepStarted { phase, step, attempt, why: "not done yet".to_owned() });
        let lane = Arc::new(MemoryLane { journal: self.clone(), key: key.clone(), attempt });
        let context = self.context(&call, lane.clone()).await?;
        let writes = context.writes();
        let output = match body(context).await {
            Ok(output) => output,
            Err(error) => return Err(self.fail(&call, error)),
        };
        let written = writes.take();
        let outputs: Vec<String> = written.keys().cloned().collect();
        self.run.state().staged.insert(lane.name(), written);
        let recorded = {
            let mut state = self.run.state();
            let record = state.steps.entry(key).or_default();
            record.is_done = true;
            record.inputs = inputs;
            record.outputs.clone_from(&outputs);
            record.value = output.value;
            record.agent = output.agent;
            record.clone()
        };
        let (phase, step) = (call.phase.clone(), call.id.clone());
        self.emit(EventKind::StepFinished { phase, step, outputs });
        Ok(self.step_outcome(&call, recorded))
    }

    fn has_output(&self, call: &StepCall, step: &StepState, name: &str) -> bool {
        let lane = lane_name(&call.phase, &call.id, step.attempt);
        let state = self.run.state();
        state.files.contains_key(name)
            || state.staged.get(&lane).is_some_and(|files| files.contains_key(name))
    }

    fn step_outcome(&self, call: &StepCall, step: StepState) -> StepOutcome {
        let lane = lane_name(&call.phase, &call.id, step.attempt);
        let is_staged = self.run.state().staged.contains_key(&lane);
        if is_staged {
            self.producers().extend(step.outputs.iter().map(|name| (name.clone(), lane.clone())));
            if let Some(staged) = Batch::add(StagedFiles { lane, names: step.outputs.clone() }) {
                self.collect_now(&[staged]);
            }
        }
        StepOutcome { value: step.value, outputs: step.outputs, agent: step.agent }
    }

    fn collect_now(&self, staged: &[StagedFiles]) {
        let mut state = self.run.state();
        for StagedFiles { lane, names } in staged {
            for (name, bytes) in state.staged.remove(lane).unwrap_or_default() {
                if names.contains(&name) {
                    state.own.insert((name.clone(), sha256(&bytes)));
                    state.files.insert(name, bytes);
                }
            }
        }
    }

    async fn context(&self, call: &StepCall, lane: Arc<MemoryLane>) -> FlowResult<StepContext> {
        let present = call.revises.iter().map(|name| {
            let bytes = self.read(name);
            let digest = bytes.as_ref().map(|bytes| (name.clone(), sha256(bytes)));
            let is_own = digest.is_none_or(|digest| self.run.state().own.contains(&digest));
            (name.clone(), RevisedFile { bytes, is_own })
        });
        let present = present.collect();
        let run = self.run_id();
        StepContext::load(call, run, lane, self, present)
            .await
            .map_err(|error| Stop::Failed(error.to_string()))
    }

    fn fail(&self, call: &StepCall, error: StepError) -> Stop {
        let stop = match error {
            StepError::Interrupted => return Stop::Interrupted,
            StepError::Paused => return Stop::Waiting(Vec::new()),
            StepError::ChildStopped(stop) => stop,
            StepError::Failed(why) | StepError::Unrecorded(why) => {
                Stop::Failed(format!("{}: {why}", call.id))
            }
            StepError::Verbatim(why) => Stop::Failed(why),
            StepError::Refused(why) => Stop::Refused(why),
        };
        if !matches!(stop, Stop::Waiting(_)) {
            let (phase, step, error) = (call.phase.clone(), call.id.clone(), stop.to_string());
            self.emit(EventKind::StepFailed { phase, step, error });
        }
        stop
    }

    fn gate_status(&self, gate: &Gate) -> FlowResult<GateStatus> {
        let subject = format!("{:?}", self.digests(&gate.subject)?);
        let labels = gate.subject.iter().map(Input::label).collect();
        let mut state = self.run.state();
        let record = state.gates.entry(gate.name.clone()).or_default();
        // Feedback is heard even if the subject was edited since.
        if record.state == Some(GateState::Revise) {
            let name = format!("feedback-round{}.md", record.round - 1);
            let feedback = record.answers.get(FEEDBACK).and_then(Value::as_str).unwrap_or_default();
            let text = format!("{feedback}\n").into_bytes();
            record.state = None;
            state.files.insert(name, text);
            return Err(Stop::Revise);
        }
        if record.state.is_none() || record.subject != subject {
            let round = record.round.max(1);
            *record = MemoryGate {
                subject,
                questions: gate.questions.clone(),
                state: Some(GateState::Pending),
                round,
                ..MemoryGate::default()
            };
            let page = (gate.page_file(round), gate.render_page(&gate.questions).into_bytes());
            let view = record.view(&gate.name, labels, &gate.page);
            state.files.insert(page.0, page.1);
            return Ok(GateStatus::Open(view));
        }
        match record.state {
            Some(GateState::Answered | GateState::Approved) => {
                let (answers, at) = (record.answers.clone(), record.at.clone());
                Ok(GateStatus::Settled(Answers::new(gate.name.clone(), answers, at)))
            }
            _ => Ok(GateStatus::Open(record.view(&gate.name, labels, &gate.page))),
        }
    }
}

impl Journal for MemoryJournal {
    fn run_id(&self) -> String {
        self.run.state().id.clone()
    }

    fn artifacts(&self) -> Arc<dyn ArtifactStore> {
        Arc::new(self.clone())
    }

    fn location(&self) -> String {
        "memory".to_owned()
    }

    fn once(&self, call: StepCall, body: StepBody) -> BoxFuture<'_, FlowResult<StepOutcome>> {
        Box::pin(self.do_once(call, body))
    }

    fn collect(&self, staged: Vec<StagedFiles>) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move {
            self.collect_now(&staged);
            Ok(())
        })
    }

    fn open_gate<'a>(&'a self, _phase: &'a str, gate: &'a Gate) -> BoxFuture<'a, FlowResult<GateStatus>> {
        Box::pin(async move { self.gate_status(gate) })
    }

    fn answer_gate<'a>(
        &'a self,
        gate: &'a str,
        answers: Map<String, Value>,
    ) -> BoxFuture<'a, FlowResult<()>> {
        Box::pin(async move {
            if !self.run.answer(gate, answers) {
                return Err(Stop::Failed(format!("unknown gate {gate}")));
            }
            let state = self.run.state().gates.get(gate).and_then(|gate| gate.state);
            if let Some(event) = state.and_then(|state| answered_event(gate, state)) {
                self.emit(event);
            }
            Ok(())
        })
    }

    fn waiting_gates(&self) -> BoxFuture<'_, FlowResult<Vec<GateView>>> {
        Box::pin(async move {
            let state = self.run.state();
            let open = state.gates.iter().filter(|(_, gate)| gate.state == Some(GateState::Pending));
            Ok(open.map(|(name, gate)| gate.view(name, Vec::new(), "")).collect())
        })
    }

    fn withdraw_gates(&self, gates: Vec<String>) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move {
            let is_kept = |name: &String, gate: &MemoryGate| {
                !gates.contains(name) || gate.state != Some(GateState::Pending)
            };
            self.run.state().gates.retain(|name, gate| is_kept(name, gate));
            Ok(())
        })
    }

    fn finish_phase(&self, end: PhaseEnd) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move {
            let is_new = {
                let mut state = self.run.state();
                state.is_complete |= end.ends_run;
                let is_new = !state.finished_phases.contains(&end.phase);
                if is_new {
                    state.finished_phases.push(end.phase.clone());
                }
                is_new
            };
            if is_new {
                self.emit(EventKind::PhaseFinished { phase: end.phase });
            }
            Ok(())
        })
    }

    fn finish_run(&self) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move {
            let mut state = self.run.state();
            state.is_complete = true;
            state.stopped = None;
            Ok(())
        })
    }

    fn stop_run<'a>(&'a self, stop: &'a Stop) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.run.state().stopped = Some(stop.to_string()) })
    }

    fn tree_changes<'a>(&'a self, phase: &'a str, step: &'a str) -> BoxFuture<'a, Vec<TreeChange>> {
        let key = (phase.to_owned(), step.to_owned());
        Box::pin(
            async move { self.run.state().steps.get(&key).map(|step| step.tree.clone()).unwrap_or_default() },
        )
    }

    fn reload(&self) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async { Ok(()) })
    }

    fn emit(&self, event: EventKind) {
        let run = self.run_id();
        self.broadcast.send(&Event { v: EVENT_VERSION, at: String::new(), run, kind: event });
    }
}

impl ArtifactStore for MemoryJournal {
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async move {
            self.run.edit(name, bytes);
            Ok(sha256(bytes))
        })
    }

    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Vec<u8>>>> {
        Box::pin(async move { Ok(self.read(name)) })
    }

    fn digest<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<String>>> {
        Box::pin(async move { Ok(self.read(name).map(|bytes| sha256(&bytes))) })
    }

    fn list(&self) -> BoxFuture<'_, io::Result<Vec<String>>> {
        Box::pin(async move { Ok(self.run.state().files.keys().cloned().collect()) })
    }
}

fn lane_name(phase: &str, id: &str, attempt: u32) -> String {
    format!("{phase}-{}-{attempt}", id.replace('/', "."))
}

struct MemoryLane {
    journal: MemoryJournal,
    key: (String, String),
    attempt: u32,
}

impl Lane for MemoryLane {
    fn name(&self) -> String {
        lane_name(&self.key.0, &self.key.1, self.attempt)
    }

    fn attempt(&self) -> u32 {
        self.attempt
    }

    fn record_agent<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let mut state = self.journal.run.state();
            state.steps.entry(self.key.clone()).or_default().agent = Some(agent.to_owned());
            Ok(())
        })
    }

    fn record_changes<'a>(&'a self, changes: &'a [TreeChange]) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let mut state = self.journal.run.state();
            let tree = &mut state.steps.entry(self.key.clone()).or_default().tree;
            let new = changes.iter().filter(|change| !tree.contains(change)).cloned().collect::<Vec<_>>();
            tree.extend(new);
            Ok(())
        })
    }

    fn keep_evidence<'a>(&'a self, agent: &'a str, text: &'a str) -> BoxFuture<'a, String> {
        Box::pin(async move {
            let name = format!("evidence/{}-{agent}.txt", self.name());
            self.journal.run.edit(&name, text);
            name
        })
    }

    fn emit(&self, event: EventKind) {
        self.journal.emit(event);
    }
}
