//! The handles a flow works with: the run, and a phase of it.

use crate::artifact::Artifact;
use crate::batch;
use crate::gate::{Answers, Gate, GateStanding, GateView, Reply};
use crate::order::Order;
use crate::ports::journal::{Call, PhaseEnd, Recorded};
use crate::ports::{BoxFuture, Journal};
use crate::room::Ports;
use crate::stage::Stage;
use crate::step::{Step, StepContext, StepDone, StepError};
use crate::stop::{Flow, Stop, Wait};
use charrette_model::progress::Stage as StageSpec;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A run of a flow.
pub struct Run<'j> {
    pub(crate) journal: Arc<dyn Journal + 'j>,
    pub(crate) ports: Ports,
    pub(crate) order: Arc<Order>,
    stages: &'static [StageSpec],
    parallel: usize,
}

impl<'j> Run<'j> {
    /// A run that is remembered by `journal`. `stages` are those of its flow.
    pub fn new(
        journal: Arc<dyn Journal + 'j>,
        ports: Ports,
        order: Arc<Order>,
        stages: &'static [StageSpec],
    ) -> Run<'j> {
        Run { journal, ports, order, stages, parallel: 4 }
    }

    /// The same, with at most so many branches at work at the same time.
    #[must_use]
    pub fn with_parallel(mut self, branches: usize) -> Run<'j> {
        self.parallel = branches.max(1);
        self
    }

    /// A phase of the run.
    pub fn phase<'r>(&'r self, name: &str) -> PhaseHandle<'r> {
        PhaseHandle { run: self, name: name.to_owned() }
    }

    /// What was asked for.
    pub fn order(&self) -> &Arc<Order> {
        &self.order
    }

    /// What the outside world provides.
    pub fn ports(&self) -> &Ports {
        &self.ports
    }

    /// The memory of the run.
    pub fn journal(&self) -> &(dyn Journal + 'j) {
        &*self.journal
    }

    pub(crate) fn limit(&self) -> usize {
        self.parallel
    }

    /// The run was asked to go no further than this phase.
    pub fn enough_after(&self, phase: &str) -> Flow<()> {
        if self.order.until.as_deref() == Some(phase) { Err(Stop::Enough) } else { Ok(()) }
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
    /// Does something once: computes a value, writes artifacts, changes the outside world.
    pub async fn step<T, Work>(
        &self,
        step: Step,
        body: impl FnOnce(StepContext) -> Work + Send + 'static,
    ) -> Flow<T>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        Work: Future<Output = Result<T, StepError>> + Send + 'static,
    {
        let recorded = self.once(step, move |context| {
            Box::pin(async move {
                let value = serde_json::to_value(body(context).await?)
                    .map_err(|error| StepError::Failed(format!("the result cannot be recorded: {error}")))?;
                Ok(StepDone { value, ..StepDone::default() })
            })
        });
        let value = recorded.await?.value;
        serde_json::from_value(value).map_err(|error| {
            Stop::Failed(format!("a recorded result has another shape than the flow expects: {error}"))
        })
    }

    /// Makes one file from what the step reads, and hands it on.
    pub async fn make<Work>(
        &self,
        file: Artifact,
        step: Step,
        body: impl FnOnce(StepContext) -> Work + Send + 'static,
    ) -> Flow<Artifact>
    where
        Work: Future<Output = Result<String, StepError>> + Send + 'static,
    {
        let name = file.name().to_owned();
        let written = move |context: StepContext| async move {
            let text = body(context.clone()).await?;
            context.write(&name, text)
        };
        self.step::<(), _>(step, written).await?;
        Ok(file)
    }

    pub(crate) async fn once(
        &self,
        step: Step,
        body: impl FnOnce(StepContext) -> BoxFuture<'static, Result<StepDone, StepError>> + Send + 'static,
    ) -> Flow<Recorded> {
        let Step { id, reads, revises, touches_checkout, reaches_out, agent } = step;
        let (phase, branch) = (self.name.clone(), batch::branch());
        let call = Call { phase, branch, id, reads, revises, touches_checkout, reaches_out, agent };
        self.run.journal.once(call, Box::new(body)).await
    }

    /// Asks a person, and returns what was answered.
    ///
    /// Without a person to ask, the flow waits here: the questions are on record, and anybody may answer them.
    pub async fn gate(&self, gate: Gate) -> Flow<Answers> {
        let journal = &self.run.journal;
        loop {
            let view = match journal.stand(&self.name, &gate).await? {
                GateStanding::Settled(answers) => return Ok(answers),
                GateStanding::Open(view) => view,
            };
            match self.run.ports.asker.ask(&view).await {
                Reply::Answers(answers) => {
                    let usable = view.usable(answers);
                    if usable.is_empty() {
                        return Err(waiting(view));
                    }
                    journal.answer(&gate.name, usable).await?;
                }
                Reply::Nobody if gate.goes_on => journal.answer(&gate.name, view.recommended()).await?,
                Reply::Nobody if view.is_rejected || gate.refuses => {
                    return Err(Stop::Refused(gate.rejection()));
                }
                Reply::Interrupted => return Err(Stop::Interrupted),
                Reply::Nobody | Reply::Pause => return Err(waiting(view)),
            }
        }
    }

    /// A numbered stage of the flow begins: people get to see where the run is.
    pub fn stage(&self, number: &str) -> Stage<'_> {
        self.stage_with(number, None)
    }

    /// The same, with something worth knowing from the start.
    pub fn stage_with(&self, number: &str, payload: Option<String>) -> Stage<'_> {
        let stage = self.ongoing(number);
        stage.begin(payload);
        stage
    }

    /// A stage that has begun already.
    pub fn ongoing(&self, number: &str) -> Stage<'_> {
        Stage::new(&*self.run.journal, number, self.run.stages)
    }

    /// Tells people something they should know; it is repeated at the end.
    pub fn warn(&self, message: impl Into<String>) {
        self.run.journal.tell(crate::event::EventKind::Warning { message: message.into() });
    }

    /// Whoever may take a seat right now, in order. What a flow makes of it must be recorded by a step.
    pub fn chain(&self, seat: &str) -> Vec<String> {
        self.run.ports.launcher.chain(seat)
    }

    /// The phase is through; `summary` is what the next phase needs to know.
    pub async fn finish(&self, summary: Option<&Artifact>) -> Flow<()> {
        self.end(summary, &[], false).await
    }

    /// The same for the last phase: the run is through as well.
    pub async fn finish_run(&self, summary: Option<&Artifact>) -> Flow<()> {
        self.end(summary, &[], true).await
    }

    /// The same, with the names of the files it leaves to people.
    pub async fn finish_with(&self, summary: Option<&Artifact>, files: &[&str]) -> Flow<()> {
        self.end(summary, files, false).await
    }

    async fn end(&self, summary: Option<&Artifact>, files: &[&str], ends_run: bool) -> Flow<()> {
        let end = PhaseEnd {
            phase: self.name.clone(),
            summary: summary.map(|summary| summary.name().to_owned()),
            files: files.iter().map(|&file| file.to_owned()).collect(),
            ends_run,
        };
        self.run.journal.finish_phase(end).await
    }
}

pub(crate) fn waiting(view: GateView) -> Stop {
    Stop::Waiting(vec![Wait { gate: view.gate, questions: view.open }])
}
