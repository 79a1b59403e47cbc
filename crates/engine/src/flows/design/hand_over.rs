//! What leaves this process: the part of a design that a worker does, and what a calling run is given.
//!
//! A worker drives the same run: same document, same workspace, same flow, only that it goes no further than its part. So
//! when it is done, this flow goes through what it did and finds all of it on record.

use super::artifacts::{ACCEPTED, DIAGRAM, DIAGRAM_CANDIDATE, OUT_OF_SCOPE, PLAN, REJECTED, TALLY};
use super::brief::Brief;
use crate::artifact::{Artifact, Input};
use crate::event::EventKind;
use crate::gate::{GateView, Reply};
use crate::ports::{ArtifactStore, Refusal};
use crate::room::Part;
use crate::run::{PhaseHandle, waiting};
use crate::step::{Step, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::nesting::heavy::{PRESENT, SUBSTANTIVE};
use charrette_model::nesting::{HeavyStatus, judged, texts};
use std::collections::BTreeMap;

/// What is shown of a worker's files: heading and name.
const SHOWN: [(&str, &str); 4] = [
    ("Implementation Plan", PLAN),
    ("Voting Tally and Reviewer Competition Scoreboard", TALLY),
    ("Plan Review Findings (Voted In)", ACCEPTED),
    ("Out-of-Scope Observations", OUT_OF_SCOPE),
];

/// Has the worker do its part, if there is a worker. Nothing of it is done here if that fails.
pub(super) async fn hand_over(write: &PhaseHandle<'_>, brief: &Brief) -> Flow<()> {
    let Part::HandedOver(worker) = write.run.ports.part.clone() else { return Ok(()) };
    let journal = &write.run.journal;
    let before = WorkerFiles::read(&*journal.artifacts()).await;
    loop {
        let left = worker.outstanding();
        if !left.is_empty() {
            write.ongoing("2a").hand_over();
        }
        let is_done = left.is_empty();
        let step = Step::new("worker").reads(&Input::given("outstanding", &left)).reaches_out();
        let hand = worker.clone();
        let printed: Option<String> = write
            .step(step, move |_| async move {
                if left.is_empty() { Ok(None) } else { hand.work().await.map(Some).map_err(refused) }
            })
            .await?;
        if is_done {
            return Ok(());
        }
        journal.refresh().await?;
        let files = WorkerFiles::read(&*journal.artifacts()).await;
        let size = |name: &str| files.0.get(name).map(|bytes| bytes.len() as u64);
        match judged(HeavyStatus::parse(&printed.unwrap_or_default()), size) {
            HeavyStatus::Complete => {
                if write.run.ports.caller.is_none() {
                    replay(write, brief, &files, &before);
                }
                return Ok(());
            }
            HeavyStatus::Failed(reason) => {
                let open = journal.waiting().await?;
                let asked: Vec<GateView> = open.into_iter().filter(|view| is_about(view, &reason)).collect();
                if asked.is_empty() {
                    return Err(failed(write, &reason));
                }
                for view in asked {
                    ask(write, view).await?;
                }
            }
        }
    }
}

fn refused(refusal: Refusal) -> StepError {
    match refusal {
        Refusal::Refused(reason) => StepError::Refused(reason),
        Refusal::Failed(reason) => StepError::Said(reason),
        Refusal::Interrupted => StepError::Interrupted,
    }
}

/// Whether a worker stopped at that question. Its gate is called after the sort of incident and its place.
fn is_about(view: &GateView, reason: &str) -> bool {
    view.gate.split_once('/').is_some_and(|(sort, _)| sort == reason)
}

/// What a worker may not decide, a person does, here.
async fn ask(write: &PhaseHandle<'_>, view: GateView) -> Flow<()> {
    match write.run.ports.asker.ask(&view).await {
        Reply::Answers(answers) => {
            let usable = view.usable(answers);
            if usable.is_empty() {
                return Err(waiting(view));
            }
            let aborts =
                usable.values().any(|answer| answer.as_str().is_some_and(|said| said.trim() == "abort"));
            write.run.journal.answer(&view.gate, usable).await?;
            if aborts {
                return Err(Stop::Refused(
                    "stopped, because files changed while agents that may only read were at work".to_owned(),
                ));
            }
            Ok(())
        }
        Reply::Interrupted => Err(Stop::Interrupted),
        Reply::Nobody | Reply::Pause => Err(waiting(view)),
    }
}

fn failed(write: &PhaseHandle<'_>, reason: &str) -> Stop {
    match &write.run.ports.caller {
        Some(caller) => {
            caller.withdraw();
            write.warn(texts::worker_failed_nested(reason));
        }
        None => write.warn(texts::worker_failed(reason, &write.run.journal.place())),
    }
    Stop::Failed(format!("the heavy part of the design was not done: {reason}"))
}

/// The files people would have seen if all had been done here, as they are.
struct WorkerFiles(BTreeMap<&'static str, Vec<u8>>);

impl WorkerFiles {
    async fn read(store: &dyn ArtifactStore) -> WorkerFiles {
        let names = SUBSTANTIVE.into_iter().chain(PRESENT);
        let shown = SHOWN.iter().map(|(_, name)| *name).chain([DIAGRAM, DIAGRAM_CANDIDATE, REJECTED]);
        let mut files = BTreeMap::new();
        for name in names.chain(shown) {
            if let Ok(Some(bytes)) = store.get(name).await {
                files.insert(name, bytes);
            }
        }
        WorkerFiles(files)
    }

    fn is_filled(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|bytes| !bytes.iter().all(u8::is_ascii_whitespace))
    }
}

/// Shows what the worker wrote, and nothing that was there before.
fn replay(write: &PhaseHandle<'_>, brief: &Brief, now: &WorkerFiles, before: &WorkerFiles) {
    let journal = &write.run.journal;
    let is_new = |name: &str| now.0.get(name) != before.0.get(name);
    let tell = |heading: &str, name: &str| {
        journal.tell(EventKind::Replayed { heading: heading.to_owned(), name: name.to_owned() });
    };
    for (heading, name) in SHOWN {
        if is_new(name) && now.is_filled(name) {
            tell(heading, name);
        }
    }
    if !brief.auto {
        // The diagram is still to be made, and these are shown when this flow comes to them.
        let names = is_new(REJECTED).then(|| REJECTED.to_owned()).into_iter().collect();
        journal.tell(EventKind::WrittenElsewhere { names });
        return;
    }
    if now.is_filled(DIAGRAM) {
        if is_new(DIAGRAM) {
            tell("Architecture Diagram", DIAGRAM);
        }
    } else if now.0.contains_key(DIAGRAM_CANDIDATE) {
        write.warn(texts::DIAGRAM_REJECTED);
    } else {
        write.warn(texts::DIAGRAM_FAILED);
    }
    match (is_new(REJECTED), now.is_filled(REJECTED)) {
        (false, _) => {}
        (true, true) => tell("Unimplemented Plan Review Suggestions", REJECTED),
        (true, false) => journal.tell(EventKind::Line { text: texts::ALL_IMPLEMENTED.to_owned() }),
    }
}

/// What was accepted although it is out of scope is the caller's to track.
pub(super) async fn hand_out_of_scope(write: &PhaseHandle<'_>, accepted: &Artifact) -> Flow<()> {
    let Some(caller) = write.run.ports.caller.clone() else { return Ok(()) };
    let step = Step::new("hand-over/out-of-scope")
        .reads(accepted)
        .reads(&Input::given("caller", &caller.identity()));
    let name = accepted.name().to_owned();
    let problem: Option<String> = write
        .step(step, move |context| async move {
            let findings = context.text(&name)?;
            Ok(caller.take_out_of_scope(findings.as_bytes()).err())
        })
        .await?;
    if let Some(problem) = problem {
        write.warn(format!("what was accepted out of scope was not handed over: {problem}"));
    }
    Ok(())
}

/// The design is handed to the run that asked for it. A run that cannot do that is not through: going on with it
/// tries again.
pub(super) async fn export(validate: &PhaseHandle<'_>) -> Flow<()> {
    let Some(caller) = validate.run.ports.caller.clone() else { return Ok(()) };
    let exported = charrette_model::manifest::ARTIFACTS.iter().map(|artifact| Input::optional(artifact.file));
    let inputs: Vec<Input> = exported.collect();
    let step =
        Step::new("hand-over/export").reads(&inputs).reads(&Input::given("caller", &caller.identity()));
    let place = validate.run.journal.place();
    let outcome: Flow<()> = validate
        .step(step, move |_| async move {
            caller.export().map_err(|problem| {
                StepError::Said(format!("the design was made, but its manifest was not exported: {problem}"))
            })
        })
        .await;
    if outcome.is_err() {
        validate.warn(texts::export_failed(&place));
    }
    outcome
}
