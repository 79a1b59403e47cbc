//! Decisions of a person: tasks that wait for one, tasks that only a person can do, and pauses.

use super::attempt::Cause;
use super::state::{ParkedTask, RunState};
use super::work::Work;
use crate::artifact::Input;
use crate::gate::{FEEDBACK, Gate};
use crate::run::PhaseHandle;
use crate::stop::{FlowResult, PendingGate, Stop};
use charrette_model::implement::ImplementTask;
use std::fmt::Write as _;

/// Key of the decision in a gate about a task.
pub(super) const DECISION: &str = "decision";
/// Gates about tasks: `task/T001-1`.
pub(super) const TASK_GATE: &str = "task";
/// Gates after a number of tasks: `pause/3`.
pub(super) const PAUSE_GATE: &str = "pause";

/// Decision about a task.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decision {
    /// Another attempt for this cause.
    Again(Cause),
    /// Take the work as it is.
    Take,
    /// A person does it in the worktree, and says when it is done.
    ByHand,
    /// Leave it out, and everything that depends on it.
    Skip(String),
    /// The answer cannot be followed, for this reason: the task is asked about again.
    AskAgain(String),
}

impl Decision {
    /// The decision in words, for the report.
    pub(super) fn describe(&self) -> String {
        match self {
            Decision::Again(Cause::Retry { hint, .. }) if !hint.is_empty() => {
                format!("another attempt: {hint}")
            }
            Decision::Again(Cause::Hand { .. }) => "done by hand".to_owned(),
            Decision::Again(_) => "another attempt".to_owned(),
            Decision::Take => "taken as it is".to_owned(),
            Decision::ByHand => "to be done by hand".to_owned(),
            Decision::Skip(why) => format!("left out: {why}"),
            Decision::AskAgain(why) => format!("asked again: {why}"),
        }
    }
}

/// A task that a person is asked about.
pub(super) struct Question<'a> {
    pub(super) task: &'a ImplementTask,
    pub(super) kind: QuestionKind<'a>,
    /// Number of the gate of this task, from 1.
    pub(super) number: usize,
}

/// Kind of a question about a task.
pub(super) enum QuestionKind<'a> {
    /// The agents gave up.
    Parked(&'a ParkedTask),
    /// A person does the work in this folder, from this commit.
    Hand { folder: String, base: String, why: Vec<String> },
}

/// Asks about all tasks that wait. Those that were answered go on, even if others still wait.
pub(super) async fn ask_decisions(
    phase: &PhaseHandle<'_>,
    questions: &[Question<'_>],
) -> FlowResult<Vec<(String, Decision)>> {
    let mut decisions = Vec::new();
    let mut waiting: Vec<PendingGate> = Vec::new();
    for question in questions {
        match phase.gate(gate(question)).await {
            Ok(answers) => {
                let decision = read_decision(question, answers.get(DECISION), answers.get(FEEDBACK));
                decisions.push((question.task.id.clone(), decision));
            }
            Err(Stop::Waiting(more)) => waiting.extend(more),
            Err(stop) => return Err(stop),
        }
    }
    if decisions.is_empty() { Err(Stop::Waiting(waiting)) } else { Ok(decisions) }
}

fn gate(question: &Question<'_>) -> Gate {
    let task = question.task;
    let name = format!("{TASK_GATE}/{}-{}", task.id, question.number);
    let mut page = format!("# {}: {}\n\n", task.id, task.title);
    let (subject, text, recommended) = match &question.kind {
        QuestionKind::Parked(parked) => {
            page.push_str("The agents did not get it done:\n\n");
            // Writing to a string cannot fail.
            for reason in &parked.reasons {
                let _ = writeln!(page, "- {reason}");
            }
            if let Some(evidence) = &parked.evidence {
                let _ = write!(page, "\nEvidence: {evidence}\n");
            }
            let _ = write!(page, "\nIts worktree: {}\n", parked.folder);
            let take = if parked.takeable.is_some() { "take (as it is), " } else { "" };
            let text = format!(
                "What now? retry: HINT (another attempt with your hint), {take}hand (do it in the worktree, then say \
                 done), skip (and everything that depends on it), stop."
            );
            (Input::given("task", &(&parked.reasons, &parked.content)), text, "retry")
        }
        QuestionKind::Hand { folder, base, why } => {
            let _ = write!(page, "{}\n\nWork in this folder: {folder}\n", task.text.trim());
            for reason in why {
                let _ = write!(page, "\n- {reason}");
            }
            let text = "Is it done? done (it is verified by the same commands), skip (and everything that depends on \
                        it), stop."
                .to_owned();
            (Input::given("task", &(base, why)), text, "done")
        }
    };
    let gate = Gate::new(&name, &subject).page(page);
    match question.kind {
        // A task is never marked as done by the word of a model.
        QuestionKind::Parked(_) => gate.ask(DECISION, &text, recommended).delegable(&["retry", "skip"]),
        QuestionKind::Hand { .. } => gate.ask_freely(DECISION, &text).delegable(&["skip"]),
    }
}

/// Reads an answer. Whatever is not understood is a hint for another attempt.
fn read_decision(question: &Question<'_>, answer: &str, feedback: &str) -> Decision {
    let answer = answer.trim();
    let (word, rest) = answer.split_once([':', ' ', ',']).unwrap_or((answer, ""));
    let word = word.trim().to_lowercase();
    let hint = [rest.trim(), feedback.trim()].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    let hint = hint.join("\n");
    match (&question.kind, word.as_str()) {
        (_, "skip") => Decision::Skip(if hint.is_empty() { "skipped by a person".to_owned() } else { hint }),
        (QuestionKind::Hand { base, .. }, _) => Decision::Again(Cause::Hand { base: base.clone() }),
        (QuestionKind::Parked(parked), "take") if parked.takeable.is_some() => Decision::Take,
        (QuestionKind::Parked(_), "take") => Decision::AskAgain(
            "it cannot be taken as it is: nothing was changed, or a rule refuses what was".to_owned(),
        ),
        (QuestionKind::Parked(_), "hand" | "by-hand" | "by") => Decision::ByHand,
        (QuestionKind::Parked(parked), word) => {
            let hint = if matches!(word, "retry" | "again") { hint } else { answer.to_owned() };
            Decision::Again(Cause::Retry {
                hint,
                base: parked.base.clone(),
                content: parked.content.clone(),
                evidence: parked.evidence.clone(),
            })
        }
    }
}

/// Pauses after a number of integrated tasks, or after a phase of `tasks.md`, if that was asked for.
pub(super) async fn pause_if_due(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
    paused: &mut Vec<String>,
) -> FlowResult<()> {
    let Some(after) = work.flags.pause_after.as_deref() else { return Ok(()) };
    let due = match after.parse::<usize>() {
        Ok(number) if number > 0 => {
            let times = state.count / number;
            (times > 0 && has_open_tasks(work, state)).then(|| (times * number).to_string())
        }
        _ => finished_phase(work, state),
    };
    let Some(due) = due.filter(|due| !paused.contains(due)) else { return Ok(()) };
    let about = match after {
        "phase" => format!("phase {due} of tasks.md is integrated"),
        _ => format!("{} tasks are integrated", state.count),
    };
    let gate = Gate::new(&format!("{PAUSE_GATE}/{due}"), &Input::given("due", &due))
        .incidental()
        .page(format!("Pause: {about}."))
        .ask(PAUSE_GATE, "Go on? go, or stop.", "go");
    phase.gate(gate).await?;
    paused.push(due);
    Ok(())
}

/// True if tasks are left, so that a pause has something to wait before.
fn has_open_tasks(work: &Work, state: &RunState) -> bool {
    use charrette_model::implement::TaskState::{Integrated, Left, Skipped};
    work.plan().tasks.iter().any(|task| !matches!(state.state(&task.id), Integrated | Left | Skipped))
}

/// The last phase of `tasks.md` of which every selected task is done, if tasks of others are still open.
fn finished_phase(work: &Work, state: &RunState) -> Option<String> {
    use charrette_model::implement::TaskState::{Integrated, Left, Skipped};
    let is_open = |task: &&ImplementTask| !matches!(state.state(&task.id), Integrated | Left | Skipped);
    let open: Vec<u32> = work.plan().tasks.iter().filter(is_open).map(|task| task.phase).collect();
    let phases = work.plan().phases.iter().map(|phase| phase.number);
    let done = phases.filter(|phase| !open.contains(phase) && open.iter().all(|other| other > phase));
    done.max().filter(|_| !open.is_empty()).map(|phase| phase.to_string())
}
