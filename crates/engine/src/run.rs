//! The handles a flow works with: the run, and a phase of it.

use crate::artifact::Artifact;
use crate::batch::Staged;
use crate::event::{Ending, EventKind};
use crate::gate::{Answers, Gate, GateView, Reply, Standing};
use crate::ports::{Asker, BoxFuture, Call, Journal, Launcher};
use crate::step::{Step, StepContext, StepDone, StepError};
use crate::stop::{Flow, Stop};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A run of a flow.
pub struct Run<'j> {
    pub(crate) journal: Arc<dyn Journal + 'j>,
    pub(crate) launcher: Arc<dyn Launcher>,
    pub(crate) asker: Arc<dyn Asker>,
    parallel: usize,
}

impl<'j> Run<'j> {
    /// A run that is remembered by `journal`; at most `parallel` branches work at the same time.
    pub fn new(
        journal: Arc<dyn Journal + 'j>,
        launcher: Arc<dyn Launcher>,
        asker: Arc<dyn Asker>,
        parallel: usize,
    ) -> Run<'j> {
        Run { journal, launcher, asker, parallel: parallel.max(1) }
    }

    /// A phase of the run.
    pub fn phase<'r>(&'r self, name: &str) -> PhaseHandle<'r> {
        PhaseHandle { run: self, name: name.to_owned() }
    }

    pub(crate) fn limit(&self) -> usize {
        self.parallel
    }

    pub(crate) fn files(&self) -> PathBuf {
        self.journal.files()
    }

    pub(crate) fn collect(&self, staged: Vec<Staged>) -> Flow<()> {
        self.journal.collect(staged)
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

    pub(crate) async fn once(
        &self,
        step: Step,
        body: impl FnOnce(StepContext) -> BoxFuture<'static, Result<StepDone, StepError>> + Send + 'static,
    ) -> Flow<crate::ports::Recorded> {
        let Step { id, reads, touches_checkout, reaches_out } = step;
        let call = Call { phase: self.name.clone(), id, reads, touches_checkout, reaches_out };
        self.run.journal.once(call, Box::new(body)).await
    }

    /// Asks a person, and returns what was answered.
    ///
    /// Without anybody to ask, the flow waits here: the questions are on record, and anybody may answer them.
    pub async fn gate(&self, gate: Gate) -> Flow<Answers> {
        let journal = &self.run.journal;
        loop {
            let view = match journal.stand(&self.name, &gate)? {
                Standing::Settled(answers) => return Ok(answers),
                Standing::Open(view) => view,
            };
            match self.run.asker.ask(&view).await {
                Reply::Answers(answers) => {
                    let usable = view.usable(answers);
                    if usable.is_empty() {
                        return Err(waiting(view));
                    }
                    journal.answer(&gate, usable)?;
                }
                Reply::Nobody if gate.goes_on => journal.answer(&gate, view.recommended())?,
                Reply::Nobody if view.is_rejected || gate.refuses => {
                    return Err(Stop::Refused(gate.rejection()));
                }
                Reply::Interrupted => return Err(Stop::Interrupted),
                Reply::Nobody | Reply::Pause => return Err(waiting(view)),
            }
        }
    }

    /// A numbered stage begins: people get to see where the run is.
    pub fn stage(&self, number: &'static str) -> Stage<'_> {
        self.stage_with(number, None)
    }

    /// The same, with something worth knowing from the start.
    pub fn stage_with(&self, number: &'static str, payload: Option<String>) -> Stage<'_> {
        self.run.journal.tell(EventKind::StageBegan { number, payload });
        Stage { journal: &*self.run.journal, number }
    }

    /// A stage that has begun already.
    pub fn ongoing(&self, number: &'static str) -> Stage<'_> {
        Stage { journal: &*self.run.journal, number }
    }

    /// Tells people something they should know; it is repeated at the end.
    pub fn warn(&self, message: impl Into<String>) {
        self.run.journal.tell(EventKind::Warning { message: message.into() });
    }

    /// Whoever may take a seat right now, in order. What a flow makes of it must be recorded by a step.
    pub fn chain(&self, seat: &str) -> Vec<String> {
        self.run.launcher.chain(seat)
    }

    /// The phase is through; `summary` is what the next phase needs to know.
    pub fn finish(&self, summary: Option<&Artifact>) -> Flow<()> {
        self.finish_with(summary, &[])
    }

    /// The same for the last phase: the run is through as well.
    pub fn finish_run(&self, summary: Option<&Artifact>) -> Flow<()> {
        self.run.journal.finish_last_phase(&self.name, summary.map(Artifact::name))
    }

    /// The same, with the names of the files it leaves to people.
    pub fn finish_with(&self, summary: Option<&Artifact>, files: &[&str]) -> Flow<()> {
        let files: Vec<String> = files.iter().map(|&file| file.to_owned()).collect();
        self.run.journal.finish_phase(&self.name, summary.map(Artifact::name), &files)
    }
}

/// A numbered stage of a flow. Nothing depends on it: it says how to show what happens.
pub struct Stage<'r> {
    journal: &'r dyn Journal,
    number: &'static str,
}

impl Stage<'_> {
    /// It is done, and this came of it.
    pub fn done(&self, payload: impl Into<String>) {
        self.end(Ending::Done, payload.into());
    }

    /// There was nothing to do.
    pub fn skipped(&self, payload: impl Into<String>) {
        self.end(Ending::Skipped, payload.into());
    }

    /// Something about it needs attention; it is repeated at the end.
    pub fn warn(&self, payload: impl Into<String>) {
        self.end(Ending::Warning, payload.into());
    }

    /// Who works beside each other here: steps, and what people call them.
    pub fn lanes(&self, title: &str, lanes: impl IntoIterator<Item = (String, String)>) {
        self.journal.tell(EventKind::Lanes { title: title.to_owned(), lanes: lanes.into_iter().collect() });
    }

    /// A file that is worth reading now.
    pub fn show(&self, heading: &str, artifact: &str) {
        let path = self.journal.files().join(artifact);
        let (heading, name) = (heading.to_owned(), artifact.to_owned());
        self.journal.tell(EventKind::Document { heading, name, path });
    }

    /// A line worth reading, exactly as it is.
    pub fn say(&self, text: impl Into<String>) {
        self.journal.tell(EventKind::Line { text: text.into() });
    }

    /// Votes were counted.
    pub fn tallied(&self, about: &str, outcomes: BTreeMap<String, usize>) {
        self.journal.tell(EventKind::VoteTallied { about: about.to_owned(), outcomes });
    }

    fn end(&self, ending: Ending, payload: String) {
        self.journal.tell(EventKind::StageEnded { number: self.number, ending, payload });
    }
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stage").field(&self.number).finish()
    }
}

fn waiting(view: GateView) -> Stop {
    Stop::Waiting(vec![crate::stop::Wait { gate: view.gate, questions: view.open }])
}
