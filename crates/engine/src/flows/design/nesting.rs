//! Nested designs: delegates the heavy part to a worker process, and exports the results to a calling run.
//!
//! A worker drives the same run, with the same document, workspace and flow, up to the end of its part. Afterwards this
//! flow replays that part from the record.

use super::artifacts::{ACCEPTED, DIAGRAM, DIAGRAM_CANDIDATE, OUT_OF_SCOPE, PLAN, REJECTED, TALLY};
use super::brief::Brief;
use crate::artifact::{Artifact, Input};
use crate::event::EventKind;
use crate::gate::{GateView, Reply};
use crate::ports::{ArtifactStore, PortError};
use crate::run::{PhaseHandle, waiting_at};
use crate::run_ports::ProcessRole;
use crate::step::{Step, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::nesting::heavy::{PRESENT, SUBSTANTIVE};
use charrette_model::nesting::{HeavyStatus, texts, verify_status};
use std::collections::BTreeMap;

/// Files of the worker that are shown: heading and name.
const SHOWN_FILES: [(&str, &str); 4] = [
    ("Implementation Plan", PLAN),
    ("Voting Tally and Reviewer Competition Scoreboard", TALLY),
    ("Plan Review Findings (Voted In)", ACCEPTED),
    ("Out-of-Scope Observations", OUT_OF_SCOPE),
];

/// Delegates the heavy part to the worker, if there is one. If it fails, nothing of that part is done here.
pub(super) async fn delegate_to_worker(phase: &PhaseHandle<'_>, brief: &Brief) -> FlowResult<()> {
    let ProcessRole::Delegator(worker) = phase.run.ports.process_role.clone() else { return Ok(()) };
    let journal = &phase.run.journal;
    let before = WorkerFiles::read(&*journal.artifacts()).await;
    loop {
        let outstanding = worker.outstanding();
        if !outstanding.is_empty() {
            phase.stage_handle("2a").hand_over();
        }
        let is_done = outstanding.is_empty();
        let step = Step::new("worker")
            .reads(&Input::given("outstanding", &outstanding))
            .external_effect()
            .delegates();
        let process = worker.clone();
        let output: Option<String> = phase
            .step(step, move |_| async move {
                if outstanding.is_empty() {
                    Ok(None)
                } else {
                    process.work().await.map(Some).map_err(step_error)
                }
            })
            .await?;
        if is_done {
            return Ok(());
        }
        journal.reload().await?;
        let files = WorkerFiles::read(&*journal.artifacts()).await;
        let size = |name: &str| files.0.get(name).map(|bytes| bytes.len() as u64);
        match verify_status(HeavyStatus::parse(&output.unwrap_or_default()), size) {
            HeavyStatus::Complete => {
                if phase.run.ports.caller.is_none() {
                    show_worker_files(phase, brief, &files, &before);
                }
                return Ok(());
            }
            HeavyStatus::Failed(reason) => {
                let open = journal.waiting_gates().await?;
                let gates: Vec<GateView> =
                    open.into_iter().filter(|view| is_gate_of_kind(view, &reason)).collect();
                if gates.is_empty() {
                    return Err(report_failure(phase, &reason));
                }
                for view in gates {
                    ask_person(phase, view).await?;
                }
            }
        }
    }
}

fn step_error(error: PortError) -> StepError {
    match error {
        PortError::Refused(reason) => StepError::Refused(reason),
        PortError::Failed(reason) => StepError::Verbatim(reason),
        PortError::Interrupted => StepError::Interrupted,
    }
}

/// True if the gate is of this kind. Gate names are `<kind>/<instance>`.
fn is_gate_of_kind(view: &GateView, kind: &str) -> bool {
    view.gate.split_once('/').is_some_and(|(prefix, _)| prefix == kind)
}

/// Asks the person a question that the worker could not decide.
async fn ask_person(phase: &PhaseHandle<'_>, view: GateView) -> FlowResult<()> {
    match phase.run.ports.asker.ask(&view).await {
        Reply::Answers(answers) => {
            let usable = view.accepted_answers(answers);
            if usable.is_empty() {
                return Err(waiting_at(view));
            }
            let aborts =
                usable.values().any(|answer| answer.as_str().is_some_and(|text| text.trim() == "abort"));
            phase.run.journal.answer_gate(&view.gate, usable).await?;
            if aborts {
                return Err(Stop::Refused(
                    "stopped: files changed while read-only agents were running".to_owned(),
                ));
            }
            Ok(())
        }
        Reply::Interrupted => Err(Stop::Interrupted),
        Reply::Unattended | Reply::Pause => Err(waiting_at(view)),
    }
}

fn report_failure(phase: &PhaseHandle<'_>, reason: &str) -> Stop {
    match &phase.run.ports.caller {
        Some(caller) => {
            caller.withdraw();
            phase.warn(texts::worker_failed_nested(reason));
        }
        None => phase.warn(texts::worker_failed(reason, &phase.run.journal.location())),
    }
    Stop::Failed(format!("the worker did not complete the heavy part of the design: {reason}"))
}

/// Contents of the files that the worker may have written.
struct WorkerFiles(BTreeMap<&'static str, Vec<u8>>);

impl WorkerFiles {
    async fn read(store: &dyn ArtifactStore) -> WorkerFiles {
        let names = SUBSTANTIVE.into_iter().chain(PRESENT);
        let shown = SHOWN_FILES.iter().map(|(_, name)| *name).chain([DIAGRAM, DIAGRAM_CANDIDATE, REJECTED]);
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

/// Shows the files that the worker wrote, but no earlier ones.
fn show_worker_files(phase: &PhaseHandle<'_>, brief: &Brief, now: &WorkerFiles, before: &WorkerFiles) {
    let journal = &phase.run.journal;
    let is_new = |name: &str| now.0.get(name) != before.0.get(name);
    let show = |heading: &str, name: &str| {
        journal.emit(EventKind::DocumentReplayed { heading: heading.to_owned(), name: name.to_owned() });
    };
    for (heading, name) in SHOWN_FILES {
        if is_new(name) && now.is_filled(name) {
            show(heading, name);
        }
    }
    if !brief.auto {
        // The diagram is not drawn yet; the rejected findings are shown by their own stage.
        let names = is_new(REJECTED).then(|| REJECTED.to_owned()).into_iter().collect();
        journal.emit(EventKind::DocumentsWrittenElsewhere { names });
        return;
    }
    if now.is_filled(DIAGRAM) {
        if is_new(DIAGRAM) {
            show("Architecture Diagram", DIAGRAM);
        }
    } else if now.0.contains_key(DIAGRAM_CANDIDATE) {
        phase.warn(texts::DIAGRAM_REJECTED);
    } else {
        phase.warn(texts::DIAGRAM_FAILED);
    }
    match (is_new(REJECTED), now.is_filled(REJECTED)) {
        (false, _) => {}
        (true, true) => show("Unimplemented Plan Review Suggestions", REJECTED),
        (true, false) => journal.emit(EventKind::Line { text: texts::ALL_IMPLEMENTED.to_owned() }),
    }
}

/// Exports the accepted out-of-scope findings to the caller, which tracks them.
pub(super) async fn export_out_of_scope(phase: &PhaseHandle<'_>, accepted: &Artifact) -> FlowResult<()> {
    let Some(caller) = phase.run.ports.caller.clone() else { return Ok(()) };
    let step = Step::new("hand-over/out-of-scope")
        .reads(accepted)
        .reads(&Input::given("caller", &caller.identity()));
    let name = accepted.name().to_owned();
    let problem: Option<String> = phase
        .step(step, move |context| async move {
            let findings = context.text(&name)?;
            Ok(caller.take_out_of_scope(findings.as_bytes()).err())
        })
        .await?;
    if let Some(problem) = problem {
        phase.warn(format!("cannot export the accepted out-of-scope findings: {problem}"));
    }
    Ok(())
}

/// Exports the design to the calling run. If that fails, the run is not finished; resuming it retries.
pub(super) async fn export_design(phase: &PhaseHandle<'_>) -> FlowResult<()> {
    let Some(caller) = phase.run.ports.caller.clone() else { return Ok(()) };
    let exported = charrette_model::manifest::ARTIFACTS.iter().map(|artifact| Input::optional(artifact.file));
    let inputs: Vec<Input> = exported.collect();
    let step =
        Step::new("hand-over/export").reads(&inputs).reads(&Input::given("caller", &caller.identity()));
    let place = phase.run.journal.location();
    let outcome: FlowResult<()> = phase
        .step(step, move |_| async move {
            caller.export().map_err(|problem| {
                StepError::Verbatim(format!(
                    "the design is complete, but exporting its manifest failed: {problem}"
                ))
            })
        })
        .await;
    if outcome.is_err() {
        phase.warn(texts::export_failed(&place));
    }
    outcome
}
