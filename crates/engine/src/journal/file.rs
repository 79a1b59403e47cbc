//! The durable journal: reuses a step or runs it, and records the result in the state document.

use super::artifacts::RecordArtifacts;
use super::gates;
use super::lane::{FileLane, kept_lane, lane_name};
use super::lookup::Found;
use super::record::Record;
use crate::batch::Batch;
use crate::cancel::Cancel;
use crate::event::{Broadcast, EventKind};
use crate::explain::RunReason;
use crate::gate::{Gate, GateStatus, GateView};
use crate::ports::journal::{
    Journal, Lane as _, PhaseEnd, StagedFiles, StepBody, StepCall, StepOutcome, StepReach,
};
use crate::ports::{ArtifactStore, BoxFuture, Clock};
use crate::step::{RevisedFile, StepContext, StepError, StepOutput};
use crate::stop::{FlowResult, Stop};
use charrette_model::checkpoint::incidents;
use charrette_model::checkpoint::progress::{self, StepResult};
use charrette_model::checkpoint::run::stop_run;
use charrette_model::checkpoint::tasks::{self, TaskNotes};
use charrette_model::checkpoint::transition::{self, TransitionContext};
use charrette_model::checkpoint::{
    Checkpoint, DocumentName, GateState, PhaseStatus, StepRecord, StepStatus, TransitionError, Usage,
};
use charrette_model::tree::TreeChange;
use charrette_store::workspace::sha256;
use charrette_store::{Documents, Workspace};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Durable journal of a run: a state document and a workspace.
pub struct FileJournal {
    pub(super) record: Arc<Record>,
    cancel: Cancel,
    is_closed: AtomicBool,
}

/// Document and workspace of a run.
pub struct RunStorage {
    pub documents: Documents,
    pub name: DocumentName,
    /// The document, as just read or created.
    pub document: Checkpoint,
    pub workspace: Workspace,
    /// Looks up the name of the user; called only when a person answers in this process.
    pub user_name: Box<dyn Fn() -> String + Send + Sync>,
}

impl FileJournal {
    /// Opens the journal of a run. Its events go to `broadcast`.
    pub fn new(
        storage: RunStorage,
        clock: Arc<dyn Clock>,
        cancel: Cancel,
        broadcast: Broadcast,
    ) -> FileJournal {
        let RunStorage { documents, name, document, workspace, user_name } = storage;
        let record = Record::new(documents, name, workspace, document, user_name, clock, broadcast);
        FileJournal { record: Arc::new(record), cancel, is_closed: AtomicBool::new(false) }
    }

    async fn do_once(&self, call: StepCall, body: StepBody) -> FlowResult<StepOutcome> {
        let record = &self.record;
        let (inputs, before, reason) = match self.look_up(&call)? {
            Found::Done(outcome) => return Ok(outcome),
            Found::Due { inputs, before, reason } => (inputs, before, reason),
        };
        if self.cancel.is_requested() {
            return Err(Stop::Interrupted);
        }
        record.require_leases()?;
        record.begin_custody()?;
        let attempt = before.and_then(|step| step.attempt).unwrap_or(0) + 1;
        self.begin(&call, &inputs, attempt, &reason)?;
        let lane = Arc::new(FileLane::new(record.clone(), &call, attempt));
        let context = self.context(&call, lane.clone()).await?;
        let writes = context.writes();
        let at_work = call.agent.is_some().then(|| record.agent_at_work());
        let outcome = body(context).await;
        drop(at_work);
        if call.delegates {
            record.accept_document()?;
        }
        if call.agent.is_some() {
            let foreign = record.take_foreign_changes();
            lane.record_changes(&foreign.changes).await.map_err(Stop::Failed)?;
            foreign.into_result()?;
        }
        let is_agent = call.agent.is_some();
        let (outcome, keeps_answers) = match outcome {
            Ok(output) => {
                let outcome = self.finish(&call, inputs, &lane, output, writes.take());
                // An answer that cannot be placed or recorded is as good as any: it is not paid for again.
                let keeps = outcome.is_err() || record.is_unsaved();
                (outcome, keeps)
            }
            Err(error) => {
                let error = if self.cancel.is_requested() { error.of_interruption() } else { error };
                let keeps =
                    matches!(&error, StepError::Interrupted | StepError::Paused | StepError::Unrecorded(_));
                (Err(self.fail(&call, &inputs, &lane, error)), keeps)
            }
        };
        if is_agent && !keeps_answers {
            // The step is on record, or its answers were of no use.
            let _ = record.workspace.discard(&kept_lane(&call.phase, &call.id));
        }
        outcome
    }

    /// Loads the files that the step named, as they are now.
    async fn context(&self, call: &StepCall, lane: Arc<FileLane>) -> FlowResult<StepContext> {
        let record = &self.record;
        let problem = |error: std::io::Error| Stop::Failed(format!("{}: {error}", call.id));
        let mut present = BTreeMap::new();
        for name in &call.revises {
            let bytes = record.workspace.read(name, record.producer_of(name).as_deref()).map_err(problem)?;
            let is_own =
                bytes.as_ref().is_none_or(|bytes| record.document().has_output(name, &sha256(bytes)));
            present.insert(name.clone(), RevisedFile { bytes, is_own });
        }
        let files = RecordArtifacts(record.clone());
        StepContext::load(call, record.run_id.clone(), lane, &files, present).await.map_err(problem)
    }

    /// Records the start of a step. A local step can be redone at no cost: it is recorded when it is done.
    fn begin(
        &self,
        call: &StepCall,
        inputs: &BTreeMap<String, String>,
        attempt: u32,
        reason: &RunReason,
    ) -> FlowResult<()> {
        let record = &self.record;
        let is_new_phase = |document: &Checkpoint| {
            document.phases.get(&call.phase).is_none_or(|phase| phase.status != PhaseStatus::InProgress)
        };
        if is_new_phase(&record.document()) {
            record.emit(EventKind::PhaseStarted { phase: call.phase.clone() });
        }
        let agent = call.agent.as_deref().filter(|agent| !agent.is_empty());
        let begin = |document: Checkpoint, context: &TransitionContext| match agent {
            Some(agent) => {
                progress::begin_agent_step(document, &call.phase, &call.id, inputs.clone(), agent, context)
            }
            None => progress::begin_step(document, &call.phase, &call.id, inputs.clone(), context),
        };
        if !call.is_local() {
            record.change(&format!("begin {}", call.id), begin).map_err(|error| match agent {
                Some(agent) => Stop::Failed(format!(
                    "{}: {agent} was not launched: cannot record the launch: {error}",
                    call.id
                )),
                None => {
                    Stop::Failed(format!("{} was not started: cannot record the start: {error}", call.id))
                }
            })?;
        }
        let (phase, step) = (call.phase.clone(), call.id.clone());
        record.emit(EventKind::StepStarted { phase, step, attempt, why: reason.to_string() });
        Ok(())
    }

    /// Stores the files of a step, and records it as done.
    fn finish(
        &self,
        call: &StepCall,
        inputs: BTreeMap<String, String>,
        lane: &FileLane,
        output: StepOutput,
        writes: BTreeMap<String, Vec<u8>>,
    ) -> FlowResult<StepOutcome> {
        let outputs = match self.store_outputs(call, &lane.name(), writes) {
            Ok(outputs) => outputs,
            Err(error) => {
                return Err(self.fail(call, &inputs, lane, StepError::Failed(error.to_string())));
            }
        };
        let event = EventKind::StepFinished {
            phase: call.phase.clone(),
            step: call.id.clone(),
            outputs: outputs.keys().cloned().collect(),
        };
        let finished = StepResult {
            outputs,
            value: output.value,
            agent: output.agent,
            fallback_from: output.fallback_from,
            usage: output.usage,
            prompt: output.prompt,
        };
        let (phase, id) = (call.phase.clone(), call.id.clone());
        if call.is_local() {
            let change = move |document: Checkpoint, context: &TransitionContext| {
                progress::record_step(document, &phase, &id, inputs.clone(), finished.clone(), context)
            };
            self.record.defer(change, event)?;
        } else {
            self.record.change_best_effort(&format!("finish {id}"), |document, context| {
                progress::finish_step(document, &phase, &id, finished.clone(), context)
            })?;
            self.record.emit(event);
        }
        let step = self.record.step(&call.phase, &call.id).unwrap_or_else(missing_step);
        self.step_outcome(call, &step)
    }

    /// Writes the files of a step into the workspace; inside a parallel group stages them until the group is collected.
    fn store_outputs(
        &self,
        call: &StepCall,
        lane: &str,
        writes: BTreeMap<String, Vec<u8>>,
    ) -> std::io::Result<BTreeMap<String, String>> {
        if writes.is_empty() {
            return Ok(BTreeMap::new());
        }
        let files: Vec<(&str, &[u8])> =
            writes.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        // Files for a place outside the workspace are moved only after the record says that this run wrote them.
        let digests = if Batch::is_open() || call.reach == StepReach::Checkout {
            self.record.workspace.stage_all(lane, &files)?
        } else {
            self.record.workspace.publish(&files)?
        };
        Ok(writes.into_keys().zip(digests).collect())
    }

    /// Records the failure of a step, and returns the stop of the flow.
    fn fail(
        &self,
        call: &StepCall,
        inputs: &BTreeMap<String, String>,
        lane: &FileLane,
        error: StepError,
    ) -> Stop {
        let (message, stop) = match error {
            StepError::Interrupted => return Stop::Interrupted,
            StepError::Paused => return self.pause(call, lane, Stop::Waiting(Vec::new())),
            StepError::ChildStopped(stop @ Stop::Waiting(_)) => return self.pause(call, lane, stop),
            StepError::Failed(message) | StepError::Unrecorded(message) => {
                (message.clone(), Stop::Failed(format!("{}: {message}", call.id)))
            }
            StepError::Verbatim(message) => (message.clone(), Stop::Failed(message)),
            StepError::Refused(reason) => (reason.clone(), Stop::Refused(reason)),
            StepError::ChildStopped(stop) => (stop.to_string(), stop),
        };
        let (phase, id) = (&call.phase, &call.id);
        // The run stops for this reason even if the failure cannot be recorded.
        let _ = self.record.change_best_effort(&format!("fail {id}"), |document, context| {
            let document = if call.is_local() {
                progress::begin_step(document, phase, id, inputs.clone(), context)?
            } else {
                document
            };
            progress::fail_step(document, phase, id, &message, context)
        });
        let _ = self.record.workspace.discard(&lane.name());
        let (phase, step) = (phase.clone(), id.clone());
        self.record.emit(EventKind::StepFailed { phase, step, error: message });
        stop
    }

    fn pause(&self, call: &StepCall, lane: &FileLane, stop: Stop) -> Stop {
        let paused = self.record.change_best_effort(&format!("pause {}", call.id), |document, context| {
            incidents::pause_step(document, &call.phase, &call.id, context)
        });
        let _ = self.record.workspace.discard(&lane.name());
        paused.err().unwrap_or(stop)
    }

    /// Outcome of a recorded step. Its staged files are collected now, or with the batch around it.
    pub(super) fn step_outcome(&self, call: &StepCall, step: &StepRecord) -> FlowResult<StepOutcome> {
        let names: Vec<String> = step.outputs.keys().cloned().collect();
        let lane = lane_name(&call.phase, &call.id, step.attempt.unwrap_or(1));
        if self.record.workspace.has_leftovers(&lane, &names) {
            self.drop_forged_outputs(&lane, step)?;
            self.record.set_producer(&lane, names.iter().cloned());
            if let Some(staged) = Batch::add(StagedFiles { lane, names: names.clone() }) {
                self.collect_now(&[staged])?;
            }
        }
        let value = self.record.value(&call.phase, &call.id);
        Ok(StepOutcome { value, outputs: names, agent: step.agent.clone() })
    }

    /// Drops staged files that are not what the step recorded: they were planted or changed before this process began.
    fn drop_forged_outputs(&self, lane: &str, step: &StepRecord) -> FlowResult<()> {
        for (name, digest) in &step.outputs {
            let workspace = &self.record.workspace;
            let problem = |error: std::io::Error| Stop::Failed(format!("cannot read {name}: {error}"));
            let staged = workspace.read_staged(lane, name).map_err(problem)?;
            if staged.is_some_and(|bytes| sha256(&bytes) != *digest) {
                workspace.remove_staged(lane, name).map_err(problem)?;
            }
        }
        Ok(())
    }

    fn collect_now(&self, staged: &[StagedFiles]) -> FlowResult<()> {
        self.record.require_leases()?;
        let workspace = &self.record.workspace;
        let all: Vec<(&str, &[String])> =
            staged.iter().map(|staged| (staged.lane.as_str(), staged.names.as_slice())).collect();
        let collected = workspace
            .collect_all(all.iter().copied())
            .and_then(|()| all.iter().try_for_each(|(lane, _)| workspace.remove_scratch(lane)));
        collected
            .map_err(|error| Stop::Failed(format!("cannot move staged files into the workspace: {error}")))
    }

    /// Records that a phase is complete, with its summary, unless that is on record.
    fn end_phase(&self, end: &PhaseEnd) -> FlowResult<()> {
        self.record.take_foreign_changes().into_result()?;
        let PhaseEnd { phase, summary, files, ends_run } = end;
        let text = match summary {
            None => None,
            Some(name) => {
                let bytes = self.record.workspace.read(name, self.record.producer_of(name).as_deref());
                let bytes = bytes.map_err(|error| Stop::Failed(format!("cannot read {name}: {error}")))?;
                bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned())
            }
        };
        let is_recorded = self.record.document().phases.get(phase).is_some_and(|recorded| {
            recorded.status == PhaseStatus::Complete && (text.is_none() || recorded.context_summary == text)
        });
        if is_recorded {
            return self.record.flush();
        }
        let change = |document: Checkpoint, context: &TransitionContext| -> Result<_, TransitionError> {
            let finished =
                progress::finish_phase(document, phase, text.as_deref(), files.as_slice(), context)?;
            if *ends_run { transition::complete(Some(finished), context) } else { Ok(finished) }
        };
        self.record.change_best_effort(&format!("finish phase {phase}"), change)?;
        self.record.emit(EventKind::PhaseFinished { phase: phase.clone() });
        Ok(())
    }

    fn end_run(&self) -> FlowResult<()> {
        self.record.require_leases()?;
        if self.record.document().completed_at.is_none() {
            self.record.complete()?;
        }
        self.record.flush()?;
        if !self.is_closed.swap(true, Ordering::Relaxed) && !self.record.is_unsaved() {
            // Removes the staged files of interrupted attempts.
            let _ = self.record.workspace.remove_staging();
        }
        Ok(())
    }
}

impl Journal for FileJournal {
    fn run_id(&self) -> String {
        self.record.run_id.clone()
    }

    fn artifacts(&self) -> Arc<dyn ArtifactStore> {
        Arc::new(RecordArtifacts(self.record.clone()))
    }

    fn location(&self) -> String {
        self.record.workspace.folder().display().to_string()
    }

    fn once(&self, call: StepCall, body: StepBody) -> BoxFuture<'_, FlowResult<StepOutcome>> {
        Box::pin(self.do_once(call, body))
    }

    fn reuse(&self, call: &StepCall) -> FlowResult<Option<StepOutcome>> {
        Ok(match self.look_up(call)? {
            Found::Done(outcome) => Some(outcome),
            Found::Due { .. } => None,
        })
    }

    fn collect(&self, staged: Vec<StagedFiles>) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move { self.collect_now(&staged) })
    }

    fn open_gate<'a>(&'a self, phase: &'a str, gate: &'a Gate) -> BoxFuture<'a, FlowResult<GateStatus>> {
        Box::pin(async move { gates::open_gate(&self.record, phase, gate) })
    }

    fn answer_gate<'a>(
        &'a self,
        gate: &'a str,
        answers: Map<String, Value>,
    ) -> BoxFuture<'a, FlowResult<()>> {
        Box::pin(async move {
            let has_edited = self.record.accept_files();
            gates::answer_gate(&self.record, gate, &answers)?;
            // Steps before the gate may have read what the person has edited meanwhile: they are looked up again, and the
            // gate asks again if it is about something else then.
            if has_edited? { Err(Stop::Revise) } else { Ok(()) }
        })
    }

    fn waiting_gates(&self) -> BoxFuture<'_, FlowResult<Vec<GateView>>> {
        Box::pin(async move { Ok(gates::waiting_gates(&self.record.document())) })
    }

    fn withdraw_gates(&self, gates: Vec<String>) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move {
            let is_open = |name: &String| {
                let document = self.record.document();
                document.gates.get(name).is_some_and(|gate| gate.state == GateState::Pending)
            };
            let names: Vec<String> = gates.into_iter().filter(is_open).collect();
            if names.is_empty() {
                return Ok(());
            }
            let label = format!("withdraw {}", names.join(", "));
            self.record.change_best_effort(&label, |document, context| {
                incidents::withdraw_gates(document, &names, context)
            })
        })
    }

    fn note_tasks<'a>(&'a self, phase: &'a str, notes: TaskNotes) -> BoxFuture<'a, FlowResult<()>> {
        Box::pin(async move {
            if tasks::has_notes(&self.record.document(), phase, &notes) {
                return Ok(());
            }
            self.record.change_best_effort("note tasks", |document, context| {
                tasks::note_tasks(document, phase, &notes, context)
            })
        })
    }

    fn usage<'a>(&'a self, phase: &'a str) -> BoxFuture<'a, Vec<(String, Usage)>> {
        Box::pin(async move {
            let document = self.record.document();
            let steps = document.phases.get(phase).and_then(|phase| phase.steps.as_ref());
            let steps = steps.into_iter().flatten();
            steps.filter_map(|(id, step)| Some((id.clone(), step.usage.clone()?))).collect()
        })
    }

    fn finish_phase(&self, end: PhaseEnd) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move {
            self.end_phase(&end)?;
            if end.ends_run { self.end_run() } else { Ok(()) }
        })
    }

    fn finish_run(&self) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move { self.end_run() })
    }

    fn stop_run<'a>(&'a self, stop: &'a Stop) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(kind) = stop.kind() else {
                // The requested phases are complete: there is no stop to record.
                let _ = self.record.flush();
                return;
            };
            let message = stop.to_string();
            let _ = self
                .record
                .change_best_effort("stop", |document, context| stop_run(document, kind, &message, context));
        })
    }

    fn tree_changes<'a>(&'a self, phase: &'a str, step: &'a str) -> BoxFuture<'a, Vec<TreeChange>> {
        Box::pin(async move {
            let recorded =
                self.record.step(phase, step).map(|step| incidents::tree_changes(&step)).unwrap_or_default();
            recorded.into_iter().filter_map(|change| serde_json::from_value(change).ok()).collect()
        })
    }

    fn reload(&self) -> BoxFuture<'_, FlowResult<()>> {
        Box::pin(async move { self.record.reload() })
    }

    fn emit(&self, event: EventKind) {
        self.record.emit(event);
    }
}

/// Placeholder for a step whose record was removed while it was running.
pub(super) fn missing_step() -> Arc<StepRecord> {
    Arc::new(StepRecord::new(StepStatus::Done))
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal").field("document", &self.record.name).finish_non_exhaustive()
    }
}
