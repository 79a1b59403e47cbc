//! Waves: tasks that may be at work at the same time are implemented side by side, then integrated in the order of the
//! plan. When nothing else can go on, a person is asked about everything that waits.

use super::attempt::{Attempt, AttemptEnd, AttemptOutcome, Cause, make_attempt, open_workplace};
use super::decisions::{Decision, Question, QuestionKind, ask_decisions, pause_if_due};
use super::integration::{Integration, Piece, Reopened, integrate};
use super::progress_notes::note_progress;
use super::state::{AcceptedWork, IntegratedTask, ParkedTask, RunState};
use super::work::{Work, step_error};
use crate::artifact::Input;
use crate::ports::worktrees::{Worktree, WorktreeOrder};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::implement::{ImplementTask, TaskState, initial_states, next_tasks};
use std::collections::BTreeMap;

/// Maximum number of times that a task is re-opened before a person is asked.
const MAX_REOPENED: usize = 2;

/// An attempt that is due: the task, and why.
struct DueAttempt<'a> {
    task: &'a ImplementTask,
    cause: Cause,
}

/// Implements all selected tasks.
pub(super) async fn implement_tasks(phase: &PhaseHandle<'_>, work: &Work) -> FlowResult<RunState> {
    let mut state = RunState {
        states: initial_states(work.plan(), &work.specification.selection),
        ..RunState::default()
    };
    // Further attempts by task.
    let mut again: BTreeMap<String, Cause> = BTreeMap::new();
    let mut paused: Vec<String> = Vec::new();
    let mut wave = 0;
    loop {
        // Tasks with a further attempt are at work for the schedule, so that nothing touches their files.
        for id in again.keys() {
            state.set(id, TaskState::Running);
        }
        let next = next_tasks(work.plan(), &state.states, work.flags.wave_limit());
        for id in next.skipped {
            state.skipped.insert(id.clone(), "a task that it depends on is left out".to_owned());
            state.set(&id, TaskState::Skipped);
        }
        let due = due_attempts(work, &next.start, &std::mem::take(&mut again));
        if due.is_empty() {
            note_progress(phase, work, &state, &[]).await?;
            if !ask_person(phase, work, &mut state, &mut again, &next.ask).await? {
                return Ok(state);
            }
            continue;
        }
        wave += 1;
        show_wave(phase, wave, &due);
        let at_work: Vec<&str> = due.iter().map(|due| due.task.id.as_str()).collect();
        note_progress(phase, work, &state, &at_work).await?;
        run_wave(phase, work, &mut state, &mut again, wave, due).await?;
        pause_if_due(phase, work, &state, &mut paused).await?;
    }
}

/// Attempts of a wave in the order of the plan, none of which may touch the files of another.
fn due_attempts<'a>(
    work: &'a Work,
    start: &[String],
    again: &BTreeMap<String, Cause>,
) -> Vec<DueAttempt<'a>> {
    let tasks = work.plan().tasks.iter();
    let due = tasks.filter_map(|task| match again.get(&task.id) {
        Some(cause) => Some(DueAttempt { task, cause: cause.clone() }),
        None if start.contains(&task.id) => Some(DueAttempt { task, cause: Cause::First }),
        None => None,
    });
    due.collect()
}

fn show_wave(phase: &PhaseHandle<'_>, wave: usize, due: &[DueAttempt<'_>]) {
    let names: Vec<String> = due.iter().map(|due| due.task.id.clone()).collect();
    let stage = phase.stage_handle("2");
    stage.print_line(format!("Wave {wave}: {}", names.join(", ")));
    stage.show_lanes(
        &format!("Wave {wave}"),
        due.iter().map(|due| {
            (format!("{}/implement-1", due.task.id), format!("{} {}", due.task.id, due.task.title))
        }),
    );
}

/// Runs the attempts of a wave side by side and integrates what was accepted, in the order of the plan.
async fn run_wave(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &mut RunState,
    again: &mut BTreeMap<String, Cause>,
    wave: usize,
    due: Vec<DueAttempt<'_>>,
) -> FlowResult<()> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for attempt in &due {
        let number = state.attempts.entry(attempt.task.id.clone()).or_default();
        *number += 1;
        numbers.insert(attempt.task.id.clone(), *number);
    }
    let integrated = &state.integrated;
    let branches = due.iter().map(|due| (due.task.id.clone(), due));
    let outcomes: Vec<AttemptOutcome> = phase
        .parallel_within(work.lanes(), &format!("wave-{wave}"), branches, |due| {
            make_attempt(Attempt {
                phase,
                work,
                task: due.task,
                number: numbers.get(&due.task.id).copied().unwrap_or(1),
                cause: due.cause.clone(),
                before: prerequisites(due.task, integrated),
            })
        })
        .await?;
    for (due, outcome) in due.into_iter().zip(outcomes) {
        let task = due.task;
        state.rounds.entry(task.id.clone()).or_default().extend(outcome.rounds);
        match outcome.end {
            AttemptEnd::Parked(parked) => park(state, task, parked),
            AttemptEnd::Accepted(accepted) => {
                let number = numbers.get(&task.id).copied().unwrap_or(1);
                settle(phase, work, state, again, (task, number), &accepted).await?;
            }
        }
    }
    Ok(())
}

fn park(state: &mut RunState, task: &ImplementTask, parked: ParkedTask) {
    state.parked.insert(task.id.clone(), parked);
    state.set(&task.id, TaskState::Parked);
}

/// Integrates accepted work, or re-opens its task.
async fn settle(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &mut RunState,
    again: &mut BTreeMap<String, Cause>,
    (task, number): (&ImplementTask, usize),
    accepted: &AcceptedWork,
) -> FlowResult<()> {
    let name = if number == 1 { task.id.clone() } else { format!("{}-{number}", task.id) };
    let piece = Piece { phase, work, name, task, accepted };
    match integrate(&piece).await? {
        Integration::Integrated(done) => finish_task(phase, work, state, task, done).await,
        Integration::Reopened(reopened) => {
            let times = state.reopened.entry(task.id.clone()).or_default();
            *times += 1;
            phase.warn(format!("{}: re-opened: {}", task.id, reopened.reasons.join("; ")));
            if *times <= MAX_REOPENED {
                again.insert(task.id.clone(), reopened.cause);
            } else {
                let parked = parked_conflict(&piece, *reopened).await?;
                park(state, task, parked);
            }
            Ok(())
        }
    }
}

/// A task that still does not fit after it was re-opened, laid out in its worktree for a person.
async fn parked_conflict(piece: &Piece<'_>, reopened: Reopened) -> FlowResult<ParkedTask> {
    let Reopened { reasons, evidence, base, content, .. } = reopened;
    let order = WorktreeOrder {
        run: piece.work.run.clone(),
        name: piece.task.id.clone(),
        content: content.clone(),
        overlay: None,
        reset: true,
        includes: true,
    };
    let step =
        Step::new(format!("{}/parked", piece.name)).reads(&Input::given("content", &(&base, &content)));
    let worktrees = piece.work.worktrees.clone();
    let made: Worktree = piece
        .phase
        .step(step, move |_| async move { worktrees.prepare(order).await.map_err(step_error) })
        .await?;
    Ok(ParkedTask {
        reasons,
        evidence: Some(evidence),
        base,
        content,
        folder: made.path,
        ..ParkedTask::default()
    })
}

/// Notes an integrated task, and removes its worktree.
async fn finish_task(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &mut RunState,
    task: &ImplementTask,
    done: IntegratedTask,
) -> FlowResult<()> {
    let commit = done.commit.clone();
    let (worktrees, run, name) = (work.worktrees.clone(), work.run.clone(), task.id.clone());
    let step = Step::new(format!("{}/done", task.id)).reads(&Input::given("commit", &commit));
    phase
        .step::<(), _>(step, move |_| async move { worktrees.remove(run, name).await.map_err(step_error) })
        .await?;
    let short: String = commit.unwrap_or_default().chars().take(9).collect();
    let shown = if short.is_empty() { "nothing to commit".to_owned() } else { short };
    phase.stage_handle("2").print_line(format!("{} integrated ({shown}): {}", task.id, task.title));
    state.integrated.insert(task.id.clone(), done);
    state.parked.remove(&task.id);
    state.set(&task.id, TaskState::Integrated);
    state.count += 1;
    Ok(())
}

/// Results of the tasks that a task depends on, as far as this run integrated them.
fn prerequisites(task: &ImplementTask, integrated: &BTreeMap<String, IntegratedTask>) -> Vec<IntegratedTask> {
    task.depends_on.iter().filter_map(|id| integrated.get(id).cloned()).collect()
}

/// Asks a person about all tasks that wait for one; false if there is none.
async fn ask_person(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &mut RunState,
    again: &mut BTreeMap<String, Cause>,
    people: &[String],
) -> FlowResult<bool> {
    let mut questions = Vec::new();
    let parked = state.parked.clone();
    for task in &work.plan().tasks {
        let kind = if let Some(parked) = parked.get(&task.id) {
            if parked.is_by_hand { hand_question(parked) } else { QuestionKind::Parked(parked) }
        } else if people.contains(&task.id) {
            let parked = open_for_person(phase, work, state, task).await?;
            state.parked.insert(task.id.clone(), parked.clone());
            hand_question(&parked)
        } else {
            continue;
        };
        let number = state.gates.get(&task.id).copied().unwrap_or_default() + 1;
        questions.push(Question { task, kind, number });
    }
    if questions.is_empty() {
        return Ok(false);
    }
    for (id, decision) in ask_decisions(phase, &questions).await? {
        *state.gates.entry(id.clone()).or_default() += 1;
        let Some(task) = work.task(&id) else { continue };
        let before = state.parked.remove(&id).unwrap_or_default();
        state.decisions.insert(id.clone(), decision.describe());
        match decision {
            Decision::Again(cause) => {
                state.reopened.remove(&id);
                again.insert(id, cause);
            }
            Decision::ByHand => {
                let waiting = ParkedTask { is_by_hand: true, ..before };
                park(state, task, waiting);
            }
            Decision::Take => {
                let taken = before.takeable.map(|taken| AcceptedWork { is_taken: true, ..taken });
                let number = state.attempts.get(&id).copied().unwrap_or(1);
                if let Some(taken) = taken {
                    phase.warn(format!("{id}: taken as it is by a person: {}", before.reasons.join("; ")));
                    settle(phase, work, state, again, (task, number), &taken).await?;
                }
            }
            Decision::AskAgain(why) => {
                let mut asked = before;
                asked.reasons.retain(|reason| *reason != why);
                asked.reasons.push(why);
                park(state, task, asked);
            }
            Decision::Skip(why) => {
                state.skipped.insert(id.clone(), why);
                state.set(&id, TaskState::Skipped);
            }
        }
    }
    Ok(true)
}

fn hand_question(parked: &ParkedTask) -> QuestionKind<'static> {
    QuestionKind::Hand {
        folder: parked.folder.clone(),
        base: parked.base.clone(),
        why: parked.reasons.clone(),
    }
}

/// Prepares the worktree in which a person does a task.
async fn open_for_person(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &mut RunState,
    task: &ImplementTask,
) -> FlowResult<ParkedTask> {
    let number = state.attempts.entry(task.id.clone()).or_default();
    *number += 1;
    let attempt = Attempt {
        phase,
        work,
        task,
        number: *number,
        cause: Cause::First,
        before: prerequisites(task, &state.integrated),
    };
    let place = open_workplace(&attempt).await?;
    state.set(&task.id, TaskState::Parked);
    Ok(ParkedTask {
        folder: place.folder,
        base: place.base.clone(),
        content: place.base,
        is_by_hand: true,
        ..ParkedTask::default()
    })
}
