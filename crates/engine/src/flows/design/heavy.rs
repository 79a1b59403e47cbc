//! The heavy part of a design, from the sketches to the review: done here, or by a worker in another process.
//!
//! A worker drives the same run: same document, same workspace, same flow, only that it goes no further than the
//! heavy part. So when it is done, this flow goes through what it did and finds all of it on record.

use super::brief::Design;
use super::studio::Refusal;
use crate::artifact::Input;
use crate::event::EventKind;
use crate::gate::{Gate, GateView, Reply};
use crate::ports::BoxFuture;
use crate::run::PhaseHandle;
use crate::stop::{Flow, Stop, Wait};
use charrette_model::nesting::{HeavyStatus, judged, texts};
use std::sync::Arc;

/// Who does the heavy part.
#[derive(Clone, Default)]
pub(super) enum Heavy {
    /// This flow, like everything else.
    #[default]
    Inline,
    /// A worker.
    Worker(Arc<dyn HeavyWorker>),
    /// This flow, and nothing after it: we are the worker.
    Only,
}

/// Does the heavy part of this run in another process.
pub trait HeavyWorker: Send + Sync {
    /// Whether anything of it is left to do.
    fn is_needed(&self) -> bool;

    /// Has it done, and returns what the worker printed.
    fn work(&self) -> BoxFuture<'static, Result<String, Refusal>>;

    /// An artifact as it is now.
    fn read(&self, name: &str) -> Option<Vec<u8>>;
}

/// What is shown of a worker's files: heading and name.
const SHOWN: [(&str, &str); 4] = [
    ("Implementation Plan", "plan.txt"),
    ("Voting Tally and Reviewer Competition Scoreboard", "voting-tally.md"),
    ("Plan Review Findings (Voted In)", "accepted-plan-findings.md"),
    ("Out-of-Scope Observations", "oos.md"),
];
const DIAGRAM: &str = "architecture-diagram.md";
const CANDIDATE: &str = "architecture-diagram.candidate.md";
const REJECTED: &str = "rejected-findings.md";

/// Has the worker do the heavy part, if there is a worker. Nothing of it is done here if that fails.
pub(super) async fn hand_over(write: &PhaseHandle<'_>, design: &Design) -> Flow<()> {
    let Heavy::Worker(worker) = &design.heavy else { return Ok(()) };
    if !worker.is_needed() {
        return Ok(());
    }
    let journal = &write.run.journal;
    journal.tell(EventKind::HandedOver { number: "2a" });
    let before = shown(&**worker);
    loop {
        let printed = worker.work().await.map_err(stopped)?;
        let open = journal.refresh()?;
        let size = |name: &str| worker.read(name).map(|bytes| bytes.len() as u64);
        match judged(HeavyStatus::parse(&printed), size) {
            HeavyStatus::Complete => break,
            HeavyStatus::Failed(reason) => {
                let asked: Vec<GateView> = open.into_iter().filter(|view| is_about(view, &reason)).collect();
                if asked.is_empty() {
                    return Err(failed(write, design, &reason));
                }
                for view in asked {
                    ask(write, view).await?;
                }
            }
        }
    }
    if design.caller.is_none() {
        replay(write, design, &**worker, &before);
    }
    Ok(())
}

fn stopped(refusal: Refusal) -> Stop {
    match refusal {
        Refusal::Refused(reason) => Stop::Refused(reason),
        Refusal::Failed(reason) => Stop::Failed(reason),
        Refusal::Interrupted => Stop::Interrupted,
    }
}

/// Whether a worker stopped at that question. Its gate is called after the sort of incident and its place.
fn is_about(view: &GateView, reason: &str) -> bool {
    view.gate.split_once('/').is_some_and(|(sort, _)| sort == reason)
}

/// What a worker may not decide, a person does, here.
async fn ask(write: &PhaseHandle<'_>, view: GateView) -> Flow<()> {
    let journal = &write.run.journal;
    let waiting = |view: GateView| Stop::Waiting(vec![Wait { gate: view.gate, questions: view.open }]);
    match write.run.asker.ask(&view).await {
        Reply::Answers(answers) => {
            let usable = view.usable(answers);
            if usable.is_empty() {
                return Err(waiting(view));
            }
            let aborts =
                usable.values().any(|answer| answer.as_str().is_some_and(|said| said.trim() == "abort"));
            journal.answer(&Gate::new(&view.gate, &[] as &[Input]), usable)?;
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

fn failed(write: &PhaseHandle<'_>, design: &Design, reason: &str) -> Stop {
    let workspace = write.run.files();
    match &design.caller {
        Some(caller) => {
            caller.withdraw();
            write.warn(texts::worker_failed_nested(reason));
        }
        None => write.warn(texts::worker_failed(reason, &workspace.display().to_string())),
    }
    Stop::Failed(format!("the heavy part of the design was not done: {reason}"))
}

/// The files people would have seen if all had been done here, as they are.
fn shown(worker: &dyn HeavyWorker) -> Vec<Option<Vec<u8>>> {
    let names = SHOWN.iter().map(|(_, name)| *name).chain([DIAGRAM, REJECTED]);
    names.map(|name| worker.read(name)).collect()
}

/// Shows what the worker wrote, and nothing that was there before.
fn replay(write: &PhaseHandle<'_>, design: &Design, worker: &dyn HeavyWorker, before: &[Option<Vec<u8>>]) {
    let now = shown(worker);
    let is_new = |n: usize| now[n] != before[n];
    let is_filled =
        |n: usize| now[n].as_ref().is_some_and(|bytes| !bytes.iter().all(u8::is_ascii_whitespace));
    let journal = &write.run.journal;
    let tell = |heading: &str, name: &str| {
        let path = write.run.files().join(name);
        journal.tell(EventKind::Replayed { heading: heading.to_owned(), path });
    };
    for (n, (heading, name)) in SHOWN.iter().enumerate() {
        if is_new(n) && is_filled(n) {
            tell(heading, name);
        }
    }
    let (diagram, rejected) = (SHOWN.len(), SHOWN.len() + 1);
    if !design.brief.auto {
        // The diagram is still to be made, and these are shown when this flow comes to them.
        let names = is_new(rejected).then(|| REJECTED.to_owned()).into_iter().collect();
        journal.tell(EventKind::WrittenElsewhere { names });
        return;
    }
    if is_filled(diagram) {
        if is_new(diagram) {
            tell("Architecture Diagram", DIAGRAM);
        }
    } else if worker.read(CANDIDATE).is_some() {
        write.warn(texts::DIAGRAM_REJECTED);
    } else {
        write.warn(texts::DIAGRAM_FAILED);
    }
    match (is_new(rejected), is_filled(rejected)) {
        (false, _) => {}
        (true, true) => tell("Unimplemented Plan Review Suggestions", REJECTED),
        (true, false) => journal.tell(EventKind::Line { text: texts::ALL_IMPLEMENTED.to_owned() }),
    }
}
