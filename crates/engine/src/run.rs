//! The handles a flow works with: the run and its phases.

use crate::artifact::Artifact;
use crate::batch;
use crate::gate::{Answers, Gate, GateStatus, GateView, Reply};
use crate::order::RunOrder;
use crate::participation::Participation;
use crate::ports::journal::{PhaseEnd, StepCall, StepOutcome, StepReach};
use crate::ports::{BoxFuture, Journal};
use crate::run_ports::Ports;
use crate::stage::StageHandle;
use crate::step::{Step, StepContext, StepError, StepOutput};
use crate::stop::{FlowResult, PendingGate, Stop};
use charrette_model::progress::StageSpec;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A run of a flow.
pub struct Run<'j> {
    pub(crate) journal: Arc<dyn Journal + 'j>,
    pub(crate) ports: Ports,
    pub(crate) order: Arc<RunOrder>,
    pub(crate) participation: Participation,
    stages: &'static [StageSpec],
    parallel: usize,
}

impl<'j> Run<'j> {
    /// Makes a run that is recorded in `journal`. `stages` are those of its flow.
    pub fn new(
        journal: Arc<dyn Journal + 'j>,
        ports: Ports,
        order: Arc<RunOrder>,
        stages: &'static [StageSpec],
    ) -> Run<'j> {
        Run { journal, ports, order, participation: Participation::default(), stages, parallel: 4 }
    }

    /// Sets the maximum number of parallel branches (default 4).
    #[must_use]
    pub fn with_parallel(mut self, branches: usize) -> Run<'j> {
        self.parallel = branches.max(1);
        self
    }

    pub fn phase<'r>(&'r self, name: &str) -> PhaseHandle<'r> {
        PhaseHandle { run: self, name: name.to_owned() }
    }

    pub fn order(&self) -> &Arc<RunOrder> {
        &self.order
    }

    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    pub fn journal(&self) -> &(dyn Journal + 'j) {
        &*self.journal
    }

    pub(crate) fn max_parallel(&self) -> usize {
        self.parallel
    }

    /// Stops the flow if this is the last requested phase.
    pub fn stop_if_last_requested(&self, phase: &str) -> FlowResult<()> {
        if self.order.until.as_deref() == Some(phase) { Err(Stop::RequestedPhasesDone) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("parallel", &self.parallel).finish_non_exhaustive()
    }
}

/// A phase of a run.
#[derive(Debug)]
pub struct PhaseHandle<'r> {
    pub(crate) run: &'r Run<'r>,
    pub(crate) name: String,
}

impl PhaseHandle<'_> {
    /// Runs a step once: it computes a value, writes artifacts or changes the outside world.
    pub async fn step<T, Work>(
        &self,
        step: Step,
        body: impl FnOnce(StepContext) -> Work + Send + 'static,
    ) -> FlowResult<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        Work: Future<Output = Result<T, StepError>> + Send + 'static,
    {
        let id = step.id.clone();
        let recorded = self.once(step, move |context| {
            Box::pin(async move {
                let value = serde_json::to_value(body(context).await?).map_err(|error| {
                    StepError::Failed(format!("cannot record the result of the step: {error}"))
                })?;
                Ok(StepOutput { value, ..StepOutput::default() })
            })
        });
        let value = recorded.await?.value;
        serde_json::from_value(value).map_err(|error| {
            let phase = &self.name;
            Stop::Failed(format!("step {id} of phase {phase}: unexpected record of the result: {error}"))
        })
    }

    /// Runs a step that makes one file, and returns the file.
    pub async fn make<Work>(
        &self,
        file: Artifact,
        step: Step,
        body: impl FnOnce(StepContext) -> Work + Send + 'static,
    ) -> FlowResult<Artifact>
    where
        Work: Future<Output = Result<String, StepError>> + Send + 'static,
    {
        let name = file.name().to_owned();
        let write = move |context: StepContext| async move {
            let text = body(context.clone()).await?;
            context.write(&name, text)
        };
        self.step::<(), _>(step, write).await?;
        Ok(file)
    }

    /// Recorded outcome of an agent's step, if it need not be executed again. Nothing is prepared for that.
    pub(crate) fn reuse(&self, step: Step) -> FlowResult<Option<StepOutcome>> {
        self.run.journal.reuse(&self.step_call(step))
    }

    fn step_call(&self, step: Step) -> StepCall {
        let Step { id, reads, revises, reach, delegates, agent } = step;
        let (phase, branch) = (self.name.clone(), batch::branch_path());
        StepCall { phase, branch, id, reads, revises, reach, delegates, agent }
    }

    pub(crate) async fn once(
        &self,
        step: Step,
        body: impl FnOnce(StepContext) -> BoxFuture<'static, Result<StepOutput, StepError>> + Send + 'static,
    ) -> FlowResult<StepOutcome> {
        let call = self.step_call(step);
        let touches_checkout = call.reach == StepReach::Checkout;
        if touches_checkout {
            self.run.ports.tree.expect_change();
        }
        let outcome = self.run.journal.once(call, Box::new(body)).await;
        if touches_checkout {
            self.run.ports.tree.expect_change();
        }
        outcome
    }

    /// Asks a person the questions of a gate, and returns the answers.
    ///
    /// In an unattended run the flow waits here: the questions are on record and can be answered from elsewhere.
    pub async fn gate(&self, gate: Gate) -> FlowResult<Answers> {
        let journal = &self.run.journal;
        let mut was_answered = false;
        loop {
            let view = match journal.open_gate(&self.name, &gate).await? {
                GateStatus::Settled(answers) => return Ok(answers),
                // The person has just said no. It can be answered differently when the run is resumed.
                GateStatus::Open(view) if view.is_rejected && was_answered => {
                    return Err(Stop::Refused(gate.rejection()));
                }
                GateStatus::Open(view) => view,
            };
            let reply = self.run.ports.asker.ask(&view).await;
            // The person may have edited the tree meanwhile.
            self.run.ports.tree.expect_change();
            match reply {
                Reply::Answers(answers) => {
                    let accepted = view.accepted_answers(answers);
                    if accepted.is_empty() {
                        return Err(waiting_at(view));
                    }
                    journal.answer_gate(&gate.name, accepted).await?;
                    was_answered = true;
                }
                Reply::Unattended if gate.accept_recommended => {
                    journal.answer_gate(&gate.name, view.recommended()).await?;
                }
                Reply::Unattended if view.is_rejected || gate.refuse_unattended => {
                    return Err(Stop::Refused(gate.rejection()));
                }
                Reply::Interrupted => return Err(Stop::Interrupted),
                Reply::Unattended | Reply::Pause => return Err(waiting_at(view)),
            }
        }
    }

    /// Starts a numbered stage, for the display.
    pub fn stage(&self, number: &str) -> StageHandle<'_> {
        self.stage_with(number, None)
    }

    /// Starts a numbered stage with a text beside its name.
    pub fn stage_with(&self, number: &str, payload: Option<String>) -> StageHandle<'_> {
        let stage = self.stage_handle(number);
        stage.begin(payload);
        stage
    }

    /// Handle to a stage that was started before.
    pub fn stage_handle(&self, number: &str) -> StageHandle<'_> {
        StageHandle::new(&*self.run.journal, number, self.run.stages)
    }

    /// Emits a warning; warnings are repeated on the closing page.
    pub fn warn(&self, message: impl Into<String>) {
        self.run.journal.emit(crate::event::EventKind::warning(message));
    }

    /// Agents that are available for a seat now, in order. A flow must record any decision based on it in a step.
    pub fn chain(&self, seat: &str) -> Vec<String> {
        self.run.ports.launcher.chain(seat)
    }

    /// Vendor of an agent; its own name if the vendor is not known.
    pub(crate) fn vendor(&self, agent: &str) -> String {
        self.run.order.vendors.get(agent).cloned().unwrap_or_else(|| agent.to_owned())
    }

    /// Completes the phase; `summary` is the file with the context for the next phase.
    pub async fn finish(&self, summary: Option<&Artifact>) -> FlowResult<()> {
        self.end(summary, &[], false).await
    }

    /// Completes the last phase, and the run with it.
    pub async fn finish_run(&self, summary: Option<&Artifact>) -> FlowResult<()> {
        self.end(summary, &[], true).await
    }

    /// Completes the phase and records its files for people.
    pub async fn finish_with_files(&self, summary: Option<&Artifact>, files: &[&str]) -> FlowResult<()> {
        self.end(summary, files, false).await
    }

    async fn end(&self, summary: Option<&Artifact>, files: &[&str], ends_run: bool) -> FlowResult<()> {
        let end = PhaseEnd {
            phase: self.name.clone(),
            summary: summary.map(|summary| summary.name().to_owned()),
            files: files.iter().map(|&file| file.to_owned()).collect(),
            ends_run,
        };
        self.withdraw_fallback_gates().await?;
        self.run.journal.finish_phase(end).await
    }
}

/// Stop of a flow that waits at this gate.
pub(crate) fn waiting_at(view: GateView) -> Stop {
    Stop::Waiting(vec![PendingGate { gate: view.gate, questions: view.open }])
}
