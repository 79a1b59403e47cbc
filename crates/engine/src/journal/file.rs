//! The journal in files: doing a step once means to reuse it, or to run it, and to put on record what came of it.

use super::files::RecordFiles;
use super::gates;
use super::lane::{FileLane, lane_name};
use super::record::Record;
use crate::batch::Batch;
use crate::cancel::Cancel;
use crate::event::{Broadcast, EventKind};
use crate::explain::Why;
use crate::gate::{Gate, GateStanding, GateView};
use crate::ports::journal::{Body, Call, Journal, Lane as _, PhaseEnd, Recorded, Staged};
use crate::ports::{ArtifactStore, BoxFuture, Clock};
use crate::step::{PresentFile, StepContext, StepDone, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::checkpoint::incidents;
use charrette_model::checkpoint::progress::{self, Finished};
use charrette_model::checkpoint::run::stop_run;
use charrette_model::checkpoint::transition::{self, Circumstances};
use charrette_model::checkpoint::{
    Checkpoint, DocumentName, GateState, PhaseStatus, Step, StepStatus, TransitionError,
};
use charrette_model::tree::Change;
use charrette_store::workspace::sha256;
use charrette_store::{Documents, Workspace};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The journal of a run whose record is a state document.
pub struct FileJournal {
    record: Arc<Record>,
    cancel: Cancel,
    is_closed: AtomicBool,
}

/// Where a run's record is kept.
pub struct RunPlace {
    /// The documents of the repository.
    pub documents: Documents,
    /// Which of them.
    pub name: DocumentName,
    /// The document, as just read or begun.
    pub document: Checkpoint,
    /// The artifacts.
    pub workspace: Workspace,
    /// Who answers, if a person does so here; asked only then.
    pub by: Box<dyn Fn() -> String + Send + Sync>,
}

impl FileJournal {
    /// The journal of that run. Its events go to `broadcast`.
    pub fn new(place: RunPlace, clock: Arc<dyn Clock>, cancel: Cancel, broadcast: Broadcast) -> FileJournal {
        let RunPlace { documents, name, document, workspace, by } = place;
        let record = Record::new(documents, name, workspace, document, by, (clock, broadcast));
        FileJournal { record: Arc::new(record), cancel, is_closed: AtomicBool::new(false) }
    }

    async fn do_once(&self, call: Call, body: Body) -> Flow<Recorded> {
        let record = &self.record;
        let inputs = record.digests(&call.reads)?;
        let before = record.step(&call.phase, &call.id);
        let Some(why) = self.why(before.as_ref(), &call, &inputs)? else {
            record.tell(EventKind::StepReused { phase: call.phase.clone(), step: call.id.clone() });
            return self.recorded(&call, &before.unwrap_or_else(missing_step));
        };
        if self.cancel.is_requested() {
            return Err(Stop::Interrupted);
        }
        let _checkout = if call.touches_checkout { Some(self.take_checkout()?) } else { None };
        let attempt = before.and_then(|step| step.attempt).unwrap_or(0) + 1;
        self.begin(&call, &inputs, attempt, &why)?;
        let lane = Arc::new(FileLane::new(record.clone(), &call, attempt));
        let context = self.context(&call, lane.clone()).await?;
        let writes = context.writes();
        match body(context).await {
            Ok(done) => self.finish(&call, inputs, &lane, done, writes.take()),
            Err(error) => Err(self.stopped(&call, &inputs, &lane, error)),
        }
    }

    /// Everything the step named, as it is now.
    async fn context(&self, call: &Call, lane: Arc<FileLane>) -> Flow<StepContext> {
        let record = &self.record;
        let problem = |error: std::io::Error| Stop::Failed(format!("{}: {error}", call.id));
        let mut present = BTreeMap::new();
        for name in &call.revises {
            let bytes = record.workspace.read(name, record.produced_by(name).as_deref()).map_err(problem)?;
            let is_own = bytes.as_ref().is_none_or(|bytes| record.document().wrote(name, &sha256(bytes)));
            present.insert(name.clone(), PresentFile { bytes, is_own });
        }
        let files = RecordFiles(record.clone());
        StepContext::load(call, record.run_id.clone(), lane, &files, present).await.map_err(problem)
    }

    /// Why the step must be executed; none if it was done with the same inputs and what it wrote is there.
    fn why(
        &self,
        before: Option<&Step>,
        call: &Call,
        inputs: &BTreeMap<String, String>,
    ) -> Flow<Option<Why>> {
        let why = Why::of(before, inputs);
        let (None, Some(step)) = (&why, before) else { return Ok(why) };
        let lane = lane_name(&call.phase, &call.id, step.attempt.unwrap_or(1));
        for name in step.outputs.keys() {
            let found = self.record.workspace.current(name, Some(&lane)).map(|path| path.is_file());
            if !found.map_err(|error| Stop::Failed(error.to_string()))? {
                return Ok(Some(Why::OutputMissing(name.clone())));
            }
        }
        Ok(None)
    }

    /// Puts on record that a step begins, unless it can be done again at no cost: that is put on record when it is done.
    fn begin(&self, call: &Call, inputs: &BTreeMap<String, String>, attempt: u32, why: &Why) -> Flow<()> {
        let record = &self.record;
        let is_new_phase = |document: &Checkpoint| {
            document.phases.get(&call.phase).is_none_or(|phase| phase.status != PhaseStatus::InProgress)
        };
        if is_new_phase(&record.document()) {
            record.tell(EventKind::PhaseStarted { phase: call.phase.clone() });
        }
        let agent = call.agent.as_deref().filter(|agent| !agent.is_empty());
        let begin = |document: Checkpoint, circumstances: &Circumstances| match agent {
            Some(agent) => progress::begin_agent_step(
                document,
                &call.phase,
                &call.id,
                inputs.clone(),
                agent,
                circumstances,
            ),
            None => progress::begin_step(document, &call.phase, &call.id, inputs.clone(), circumstances),
        };
        if !call.is_local() {
            record.change(&format!("begin {}", call.id), begin).map_err(|error| match agent {
                Some(agent) => Stop::Failed(format!(
                    "{}: {agent} was not launched, because that could not be put on record: {error}",
                    call.id
                )),
                None => Stop::Failed(format!(
                    "{} was not begun, because that could not be put on record: {error}",
                    call.id
                )),
            })?;
        }
        let (phase, step) = (call.phase.clone(), call.id.clone());
        record.tell(EventKind::StepStarted { phase, step, attempt, why: why.to_string() });
        Ok(())
    }

    /// Keeps what a step wrote, and puts it on record.
    fn finish(
        &self,
        call: &Call,
        inputs: BTreeMap<String, String>,
        lane: &FileLane,
        done: StepDone,
        writes: BTreeMap<String, Vec<u8>>,
    ) -> Flow<Recorded> {
        let outputs = match self.keep(call, &lane.name(), writes) {
            Ok(outputs) => outputs,
            Err(error) => {
                return Err(self.stopped(call, &inputs, lane, StepError::Failed(error.to_string())));
            }
        };
        let report = EventKind::StepFinished {
            phase: call.phase.clone(),
            step: call.id.clone(),
            outputs: outputs.keys().cloned().collect(),
        };
        let finished = Finished {
            outputs,
            value: done.value,
            agent: done.agent,
            fallback_from: done.fallback_from,
            usage: done.usage,
            prompt: done.prompt,
        };
        let (phase, id) = (call.phase.clone(), call.id.clone());
        if call.is_local() {
            let change = move |document: Checkpoint, circumstances: &Circumstances| {
                progress::record_step(document, &phase, &id, inputs.clone(), finished.clone(), circumstances)
            };
            self.record.hold(change, report)?;
        } else {
            self.record.change_if_possible(&format!("finish {id}"), |document, circumstances| {
                progress::finish_step(document, &phase, &id, finished.clone(), circumstances)
            })?;
            self.record.tell(report);
        }
        let step = self.record.step(&call.phase, &call.id).unwrap_or_else(missing_step);
        self.recorded(call, &step)
    }

    /// What a step that runs alone wrote goes to the workspace; inside a group it is staged until that is collected.
    fn keep(
        &self,
        call: &Call,
        lane: &str,
        writes: BTreeMap<String, Vec<u8>>,
    ) -> std::io::Result<BTreeMap<String, String>> {
        if writes.is_empty() {
            return Ok(BTreeMap::new());
        }
        let files: Vec<(&str, &[u8])> =
            writes.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        // What is delivered outside the workspace is moved there only when it is on record that this run wrote it.
        let digests = if Batch::is_open() || call.touches_checkout {
            self.record.workspace.stage_all(lane, &files)?
        } else {
            self.record.workspace.publish(&files)?
        };
        Ok(writes.into_keys().zip(digests).collect())
    }

    /// A step did not end well: that is put on record, and the run stops.
    fn stopped(
        &self,
        call: &Call,
        inputs: &BTreeMap<String, String>,
        lane: &FileLane,
        error: StepError,
    ) -> Stop {
        let (message, stop) = match error {
            StepError::Interrupted => return Stop::Interrupted,
            StepError::Paused => return self.pause(call, lane, Stop::Waiting(Vec::new())),
            StepError::Stopped(stop @ Stop::Waiting(_)) => return self.pause(call, lane, stop),
            StepError::Failed(message) => (message.clone(), Stop::Failed(format!("{}: {message}", call.id))),
            StepError::Said(message) => (message.clone(), Stop::Failed(message)),
            StepError::Refused(reason) => (reason.clone(), Stop::Refused(reason)),
            StepError::Stopped(stop) => (stop.to_string(), stop),
        };
        let (phase, id) = (&call.phase, &call.id);
        // Whether or not that can be put on record, this is why the run stops.
        let _ = self.record.change_if_possible(&format!("fail {id}"), |document, circumstances| {
            let document = if call.is_local() {
                progress::begin_step(document, phase, id, inputs.clone(), circumstances)?
            } else {
                document
            };
            progress::fail_step(document, phase, id, &message, circumstances)
        });
        let _ = self.record.workspace.discard(&lane.name());
        let (phase, step) = (phase.clone(), id.clone());
        self.record.tell(EventKind::StepFailed { phase, step, error: message });
        stop
    }

    fn pause(&self, call: &Call, lane: &FileLane, stop: Stop) -> Stop {
        let paused =
            self.record.change_if_possible(&format!("pause {}", call.id), |document, circumstances| {
                incidents::pause_step(document, &call.phase, &call.id, circumstances)
            });
        let _ = self.record.workspace.discard(&lane.name());
        paused.err().unwrap_or(stop)
    }

    /// What is known of a step that is done; what it staged is collected, now or with its batch.
    fn recorded(&self, call: &Call, step: &Step) -> Flow<Recorded> {
        let names: Vec<String> = step.outputs.keys().cloned().collect();
        let lane = lane_name(&call.phase, &call.id, step.attempt.unwrap_or(1));
        if self.record.workspace.has_left(&lane, &names) {
            self.record.set_producer(&lane, names.iter().cloned());
            if let Some(staged) = Batch::add(Staged { lane, names: names.clone() }) {
                self.collect_now(&[staged])?;
            }
        }
        let value = self.record.value(&call.phase, &call.id);
        Ok(Recorded { value, outputs: names, agent: step.agent.clone() })
    }

    fn collect_now(&self, staged: &[Staged]) -> Flow<()> {
        let workspace = &self.record.workspace;
        let all: Vec<(&str, &[String])> =
            staged.iter().map(|staged| (staged.lane.as_str(), staged.names.as_slice())).collect();
        let collected = workspace
            .collect_all(all.iter().copied())
            .and_then(|()| all.iter().try_for_each(|(lane, _)| workspace.clean(lane)));
        collected.map_err(|error| {
            Stop::Failed(format!("cannot move what was written into the workspace: {error}"))
        })
    }

    fn take_checkout(&self) -> Flow<charrette_store::Lease> {
        self.record.documents.checkout().map_err(|error| match error {
            charrette_store::StoreError::Locked { holder, .. } => Stop::Refused(format!(
                "this checkout is in use{}; wait for it, or work in a tree of your own: git worktree add ../NAME",
                charrette_store::Holder::described(holder.as_ref())
            )),
            other => Stop::Failed(other.to_string()),
        })
    }

    /// Puts on record that a phase is through, unless it is there, with what its summary says.
    fn end_phase(&self, end: &PhaseEnd) -> Flow<()> {
        let PhaseEnd { phase, summary, files, ends_run } = end;
        let text = match summary {
            None => None,
            Some(name) => {
                let bytes = self.record.workspace.read(name, self.record.produced_by(name).as_deref());
                let bytes = bytes.map_err(|error| Stop::Failed(format!("cannot read {name}: {error}")))?;
                bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned())
            }
        };
        let is_same = self.record.document().phases.get(phase).is_some_and(|found| {
            found.status == PhaseStatus::Complete && (text.is_none() || found.context_summary == text)
        });
        if is_same {
            return self.record.flush();
        }
        let change = |document: Checkpoint, circumstances: &Circumstances| -> Result<_, TransitionError> {
            let finished =
                progress::finish_phase(document, phase, (text.as_deref(), files.as_slice()), circumstances)?;
            if *ends_run { transition::complete(Some(finished), circumstances) } else { Ok(finished) }
        };
        self.record.change_if_possible(&format!("finish phase {phase}"), change)?;
        self.record.tell(EventKind::PhaseFinished { phase: phase.clone() });
        Ok(())
    }

    fn end_run(&self) -> Flow<()> {
        if self.record.document().completed_at.is_none() {
            self.record.complete()?;
        }
        self.record.flush()?;
        if !self.is_closed.swap(true, Ordering::Relaxed) {
            // What attempts that were interrupted left there is of no use any more.
            let _ = self.record.workspace.close();
        }
        Ok(())
    }
}

impl Journal for FileJournal {
    fn run_id(&self) -> String {
        self.record.run_id.clone()
    }

    fn artifacts(&self) -> Arc<dyn ArtifactStore> {
        Arc::new(RecordFiles(self.record.clone()))
    }

    fn place(&self) -> String {
        self.record.workspace.folder().display().to_string()
    }

    fn once(&self, call: Call, body: Body) -> BoxFuture<'_, Flow<Recorded>> {
        Box::pin(self.do_once(call, body))
    }

    fn collect(&self, staged: Vec<Staged>) -> BoxFuture<'_, Flow<()>> {
        Box::pin(async move { self.collect_now(&staged) })
    }

    fn stand<'a>(&'a self, phase: &'a str, gate: &'a Gate) -> BoxFuture<'a, Flow<GateStanding>> {
        Box::pin(async move { gates::stand(&self.record, phase, gate) })
    }

    fn answer<'a>(&'a self, gate: &'a str, answers: Map<String, Value>) -> BoxFuture<'a, Flow<()>> {
        Box::pin(async move { gates::answer(&self.record, gate, &answers) })
    }

    fn waiting(&self) -> BoxFuture<'_, Flow<Vec<GateView>>> {
        Box::pin(async move { Ok(gates::waiting(&self.record.document())) })
    }

    fn withdraw(&self, gates: Vec<String>) -> BoxFuture<'_, Flow<()>> {
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
            self.record.change_if_possible(&label, |document, circumstances| {
                incidents::withdraw_gates(document, &names, circumstances)
            })
        })
    }

    fn finish_phase(&self, end: PhaseEnd) -> BoxFuture<'_, Flow<()>> {
        Box::pin(async move {
            self.end_phase(&end)?;
            if end.ends_run { self.end_run() } else { Ok(()) }
        })
    }

    fn finish_run(&self) -> BoxFuture<'_, Flow<()>> {
        Box::pin(async move { self.end_run() })
    }

    fn stop_run<'a>(&'a self, stop: &'a Stop) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(kind) = stop.kind() else {
                // The phases that were asked for are through: there is nothing to say about it.
                let _ = self.record.flush();
                return;
            };
            let message = stop.to_string();
            let _ = self.record.change_if_possible("stop", |document, circumstances| {
                stop_run(document, kind, &message, circumstances)
            });
        })
    }

    fn tree_changes<'a>(&'a self, phase: &'a str, step: &'a str) -> BoxFuture<'a, Vec<Change>> {
        Box::pin(async move {
            let noted = self.record.step(phase, step).map(|step| incidents::tree(&step)).unwrap_or_default();
            noted.into_iter().filter_map(|change| serde_json::from_value(change).ok()).collect()
        })
    }

    fn refresh(&self) -> BoxFuture<'_, Flow<()>> {
        Box::pin(async move { self.record.refresh() })
    }

    fn tell(&self, event: EventKind) {
        self.record.tell(event);
    }
}

/// What stands in for a step whose record was removed while it was being worked on.
fn missing_step() -> Step {
    Step::new(StepStatus::Done)
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal").field("document", &self.record.name).finish_non_exhaustive()
    }
}
