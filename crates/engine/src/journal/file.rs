//! Doing a step once: reuse it, or run it, and put on record what came of it.

use super::gates;
use super::lane::{Lane, lane_name};
use super::record::{Record, Watcher};
use crate::artifact::{Artifact, Artifacts};
use crate::batch::{Batch, Staged};
use crate::cancel::Cancel;
use crate::event::EventKind;
use crate::explain::Why;
use crate::gate::{Gate, GateView, Standing};
use crate::ports::{Body, BoxFuture, Call, Clock, Journal, Recorded};
use crate::step::{StepContext, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::checkpoint::incidents;
use charrette_model::checkpoint::progress::{self, Finished};
use charrette_model::checkpoint::transition::{self, Circumstances};
use charrette_model::checkpoint::{
    Checkpoint, DocumentName, GateRecord, GateState, PhaseStatus, Step, StepStatus, TransitionError,
};
use charrette_store::tree::Change;
use charrette_store::{Documents, Workspace};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
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
    /// Who answers, if somebody does so here; asked only then.
    pub by: Box<dyn Fn() -> String + Send + Sync>,
}

impl FileJournal {
    /// The journal of that run.
    pub fn new(place: RunPlace, clock: Arc<dyn Clock>, cancel: Cancel, watcher: Watcher) -> FileJournal {
        let RunPlace { documents, name, document, workspace, by } = place;
        let record = Record::new(documents, name, workspace, document, (clock, watcher, by));
        FileJournal { record: Arc::new(record), cancel, is_closed: AtomicBool::new(false) }
    }

    /// Where the artifacts are.
    pub fn workspace(&self) -> &Workspace {
        &self.record.workspace
    }

    /// The request to end that this run listens to.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
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
        self.begin(&call, &inputs, &why)?;
        let attempt = record.step(&call.phase, &call.id).and_then(|step| step.attempt).unwrap_or(1);
        let lane = Arc::new(Lane::new(record.clone(), call.clone(), attempt));
        match body(StepContext { lane: lane.clone() }).await {
            Ok(done) => {
                let finished = Finished {
                    outputs: lane.outputs(),
                    value: done.value,
                    agent: done.agent,
                    fallback_from: done.fallback_from,
                    usage: done.usage,
                    prompt: done.prompt,
                };
                self.finish(&call, &finished)
            }
            Err(StepError::Interrupted) => Err(Stop::Interrupted),
            Err(StepError::Paused) => Err(self.pause(&call, lane.name())),
            Err(StepError::Failed(error)) => Err(self.fail(&call, lane.name(), &error)),
            Err(StepError::Said(error)) => {
                self.fail(&call, lane.name(), &error);
                Err(Stop::Failed(error))
            }
            Err(StepError::Refused(reason)) => {
                self.fail(&call, lane.name(), &reason);
                Err(Stop::Refused(reason))
            }
        }
    }

    /// Puts on record that a phase is through, unless it is there, with what its summary says.
    fn end_phase(
        &self,
        phase: &str,
        summary: Option<&str>,
        change: impl Fn(Checkpoint, Option<&str>, &Circumstances) -> Result<Checkpoint, TransitionError>,
    ) -> Flow<()> {
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
            return Ok(());
        }
        self.record.change_if_possible(&format!("finish phase {phase}"), |document, circumstances| {
            change(document, text.as_deref(), circumstances)
        })?;
        self.record.tell(EventKind::PhaseFinished { phase: phase.to_owned() });
        Ok(())
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

    fn begin(&self, call: &Call, inputs: &BTreeMap<String, String>, why: &Why) -> Flow<()> {
        let record = &self.record;
        let is_new_phase = |document: &Checkpoint| {
            document.phases.get(&call.phase).is_none_or(|phase| phase.status != PhaseStatus::InProgress)
        };
        if is_new_phase(&record.document()) {
            record.tell(EventKind::PhaseStarted { phase: call.phase.clone() });
        }
        let begin = |document: Checkpoint, circumstances: &_| {
            progress::begin_step(document, &call.phase, &call.id, inputs.clone(), circumstances)
        };
        let label = format!("begin {}", call.id);
        if call.touches_checkout || call.reaches_out {
            record.change(&label, begin).map_err(|error| {
                Stop::Failed(format!(
                    "{} was not begun, because that could not be put on record: {error}",
                    call.id
                ))
            })?;
        } else {
            record.change_if_possible(&label, begin)?;
        }
        let attempt = record.step(&call.phase, &call.id).and_then(|step| step.attempt).unwrap_or(1);
        let (phase, step) = (call.phase.clone(), call.id.clone());
        record.tell(EventKind::StepStarted { phase, step, attempt, why: why.to_string() });
        Ok(())
    }

    fn finish(&self, call: &Call, finished: &Finished) -> Flow<Recorded> {
        let outputs = finished.outputs.keys().cloned().collect();
        self.record.change_if_possible(&format!("finish {}", call.id), |document, circumstances| {
            progress::finish_step(document, &call.phase, &call.id, finished.clone(), circumstances)
        })?;
        let step = self.record.step(&call.phase, &call.id).unwrap_or_else(missing_step);
        self.record.tell(EventKind::StepFinished {
            phase: call.phase.clone(),
            step: call.id.clone(),
            outputs,
        });
        self.recorded(call, &step)
    }

    fn fail(&self, call: &Call, lane: &str, error: &str) -> Stop {
        // Whether or not that can be put on record, this is why the run stops.
        let _ = self.record.change_if_possible(&format!("fail {}", call.id), |document, circumstances| {
            progress::fail_step(document, &call.phase, &call.id, error, circumstances)
        });
        let _ = self.record.workspace.discard(lane);
        self.record.tell(EventKind::StepFailed {
            phase: call.phase.clone(),
            step: call.id.clone(),
            error: error.to_owned(),
        });
        Stop::Failed(format!("{}: {error}", call.id))
    }

    fn pause(&self, call: &Call, lane: &str) -> Stop {
        let paused =
            self.record.change_if_possible(&format!("pause {}", call.id), |document, circumstances| {
                incidents::pause_step(document, &call.phase, &call.id, circumstances)
            });
        let _ = self.record.workspace.discard(lane);
        paused.err().unwrap_or(Stop::Waiting(Vec::new()))
    }

    /// What is known of a step that is done; what it staged is collected, now or with its batch.
    fn recorded(&self, call: &Call, step: &Step) -> Flow<Recorded> {
        let names: Vec<String> = step.outputs.keys().cloned().collect();
        let lane = lane_name(&call.phase, &call.id, step.attempt.unwrap_or(1));
        if self.record.workspace.has_left(&lane, &names) {
            self.record.set_producer(&lane, names.iter().cloned());
            if let Some(staged) = Batch::add(Staged { lane, names: names.clone() }) {
                self.collect(vec![staged])?;
            }
        }
        let outputs = Artifacts(names.into_iter().map(Artifact::named).collect());
        let value = self.record.value(&call.phase, &call.id);
        Ok(Recorded { value, outputs, agent: step.agent.clone() })
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
}

impl Journal for FileJournal {
    fn once(&self, call: Call, body: Body) -> BoxFuture<'_, Flow<Recorded>> {
        Box::pin(self.do_once(call, body))
    }

    fn collect(&self, staged: Vec<Staged>) -> Flow<()> {
        for Staged { lane, names } in staged {
            let workspace = &self.record.workspace;
            workspace.collect(&lane, names).and_then(|()| workspace.clean(&lane)).map_err(|error| {
                Stop::Failed(format!("cannot move what was written into the workspace: {error}"))
            })?;
        }
        Ok(())
    }

    fn files(&self) -> PathBuf {
        self.record.workspace.folder().to_owned()
    }

    fn stand(&self, phase: &str, gate: &Gate) -> Flow<Standing> {
        gates::stand(&self.record, phase, gate)
    }

    fn answer(&self, gate: &Gate, answers: Map<String, Value>) -> Flow<()> {
        gates::answer(&self.record, gate, &answers)
    }

    fn finish_phase(&self, phase: &str, summary: Option<&str>, files: &[String]) -> Flow<()> {
        self.end_phase(phase, summary, |document, text, circumstances| {
            progress::finish_phase(document, phase, (text, files), circumstances)
        })
    }

    fn finish_last_phase(&self, phase: &str, summary: Option<&str>) -> Flow<()> {
        self.end_phase(phase, summary, |document, text, circumstances| {
            let finished = progress::finish_phase(document, phase, (text, &[]), circumstances)?;
            transition::complete(Some(finished), circumstances)
        })?;
        self.finish_run()
    }

    fn tree(&self, phase: &str, step: &str) -> Vec<Change> {
        let noted = self.record.step(phase, step).map(|step| incidents::tree(&step)).unwrap_or_default();
        noted.into_iter().filter_map(|change| serde_json::from_value(change).ok()).collect()
    }

    fn withdraw(&self, gates: &dyn Fn(&str) -> bool) -> Flow<()> {
        let is_open = |gate: &GateRecord| gate.state == GateState::Pending;
        let document = self.record.document().gates.clone();
        let names: Vec<String> = document
            .into_iter()
            .filter(|(name, gate)| is_open(gate) && gates(name))
            .map(|(name, _)| name)
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        self.record
            .change_if_possible(&format!("withdraw {}", names.join(", ")), |document, circumstances| {
                incidents::withdraw_gates(document, &names, circumstances)
            })
    }

    fn refresh(&self) -> Flow<Vec<GateView>> {
        self.record.refresh()?;
        Ok(gates::waiting(&self.record.document()))
    }

    fn finish_run(&self) -> Flow<()> {
        if self.record.document().completed_at.is_none() {
            self.record.complete()?;
        }
        if !self.is_closed.swap(true, Ordering::Relaxed) {
            // What attempts that were interrupted left there is of no use any more.
            let _ = self.record.workspace.close();
        }
        Ok(())
    }

    fn tell(&self, event: EventKind) {
        self.record.tell(event);
    }
}

/// What stands in for a step whose record somebody removed while it was being worked on.
fn missing_step() -> Step {
    Step::new(StepStatus::Done)
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal").field("document", &self.record.name).finish_non_exhaustive()
    }
}
