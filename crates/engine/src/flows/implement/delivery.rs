//! Delivery: ticks and progress as part of the integrated change, the report, the follow-ups, the landing, and what is
//! cleaned up.

use super::artifacts::{FOLLOW_UPS, REPORT, SPEC_JSON, SPEC_META, SPEC_TASKS, VALIDATION_SUMMARY};
use super::beginning::{SPEC_FILES, spec_path};
use super::integration::advance_ref;
use super::messages::run_message;
use super::report::{RunCosts, render_report};
use super::state::RunState;
use super::validation::ValidationOutcome;
use super::work::{Work, step_error};
use crate::artifact::{Artifact, Input};
use crate::ports::worktrees::{Advance, CommitOrder, FileEdit, LandOrder, Landing, ObjectId};
use crate::run::{PhaseHandle, Run};
use crate::step::{Step, StepContext, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::implement::TaskState;
use charrette_model::implement::follow_ups::{FollowUp, render_follow_ups};
use charrette_model::spec::record::with_status;
use charrette_model::spec::tasks::tick::{TaskFiles, tick};
use charrette_model::words;
use serde::{Deserialize, Serialize};

/// Record of the landing, for the closing page.
pub(super) const LANDING: &str = "landing.json";

/// Ticks, reports and lands.
pub(super) async fn deliver(
    run: &Run<'_>,
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
    outcome: &ValidationOutcome,
) -> FlowResult<()> {
    let stage = phase.stage("6");
    let tip = tick_tasks(run, phase, work, state, &outcome.tip).await?;
    let landing = if tip == work.base.head { None } else { Some(land(run, phase, work, state, &tip).await?) };
    write_reports(run, phase, work, state, outcome, (&tip, landing.as_ref())).await?;
    stage.show_document("Implementation Report", REPORT);
    let Some(landing) = landing else {
        stage.finish("nothing to land");
        return Ok(());
    };
    match landing {
        Landing::Landed { branch, warnings } => {
            for warning in &warnings {
                phase.warn(warning);
            }
            let place = if branch.is_empty() { "HEAD".to_owned() } else { branch };
            stage.finish(format!("landed on {place}"));
        }
        Landing::Waiting { reason, command } => {
            stage.warn(format!("not landed: {reason}; take it with: {command}"));
        }
    }
    Ok(())
}

/// Ticks the integrated tasks in the specification, as a commit of its own.
async fn tick_tasks(
    run: &Run<'_>,
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
    tip: &ObjectId,
) -> FlowResult<ObjectId> {
    let done: Vec<String> = state.integrated.keys().cloned().collect();
    if done.is_empty() {
        return Ok(tip.clone());
    }
    let all_done = work.plan().tasks.iter().all(|task| state.state(&task.id) == TaskState::Integrated);
    let step =
        Step::new("tick/tree").reads(&Input::given("done", &(&done, all_done, tip))).revises(SPEC_FILES);
    let (worktrees, base) = (work.worktrees.clone(), tip.clone());
    let (folder, date) = (run.order().spec_folder.clone(), run.order().date.clone());
    let tree: ObjectId = phase
        .step(step, move |context| async move {
            let edits = ticked_files(&context, &done, all_done, &folder, &date)?;
            worktrees.edit_tree(base, edits).await.map_err(step_error)
        })
        .await?;
    let subject = format!("progress of {}", run.order().feature);
    let order = CommitOrder {
        run: work.run.clone(),
        name: "progress".to_owned(),
        tree: tree.clone(),
        parent: tip.clone(),
        message: run_message(&work.run, "docs", &subject, None),
    };
    let step = Step::new("tick/commit").reads(&Input::given("tree", &(&tree, tip)));
    let worktrees = work.worktrees.clone();
    let commit: ObjectId =
        phase.step(step, move |_| async move { worktrees.commit(order).await.map_err(step_error) }).await?;
    match advance_ref(phase, work, "tick/integrate", tip, &commit).await? {
        Advance::Moved => Ok(commit),
        Advance::Elsewhere(other) => Err(Stop::Failed(format!(
            "the integration ref is at {other} instead of {tip}; progress was not recorded"
        ))),
    }
}

/// Files of the specification as they are now, with ticks and progress.
fn ticked_files(
    context: &StepContext,
    done: &[String],
    all_done: bool,
    folder: &str,
    date: &str,
) -> Result<Vec<FileEdit>, StepError> {
    let mut files = TaskFiles {
        tasks: context.optional_text(SPEC_TASKS)?.unwrap_or_default(),
        spec_json: context.optional_text(SPEC_JSON)?,
        meta_yaml: context.optional_text(SPEC_META)?,
    };
    for id in done {
        // A task that only spec.json lists has no line to tick.
        if let Ok(ticked) = tick(&files, id, date) {
            files = ticked;
        }
    }
    if let (true, Some(text)) = (all_done, &files.spec_json) {
        files.spec_json = with_status(text, "implemented", date).ok().or(files.spec_json);
    }
    let mut edits = Vec::new();
    for name in SPEC_FILES {
        let text = match name {
            SPEC_TASKS => Some(files.tasks.clone()).filter(|text| !text.is_empty()),
            SPEC_JSON => files.spec_json.clone(),
            SPEC_META => files.meta_yaml.clone(),
            other => context.optional_text(other)?,
        };
        let content = text.map(String::into_bytes);
        edits.extend(
            content.map(|content| FileEdit { path: spec_path(folder, name), content: Some(content) }),
        );
    }
    Ok(edits)
}

/// Drafts of issues: what was accepted by vote and is out of scope, and what reviewers of accepted tasks noticed elsewhere.
fn follow_ups(state: &RunState, outcome: &ValidationOutcome) -> Vec<FollowUp> {
    let voted = outcome.findings.out_of_scope.iter();
    let mut drafts: Vec<FollowUp> = voted.map(|(title, concern)| FollowUp::new(title, concern, "")).collect();
    for (task, rounds) in &state.rounds {
        let last = rounds.last().filter(|_| state.integrated.contains_key(task));
        for (title, concern) in last.iter().flat_map(|round| &round.out_of_scope) {
            if drafts.iter().all(|draft| draft.title != *title) {
                let concern = format!("{}\n\nNoticed by the reviewer of {task}.", concern.trim());
                drafts.push(FollowUp::new(title, &concern, ""));
            }
        }
    }
    drafts
}

/// Writes the report, the follow-ups and the summary of the phase.
async fn write_reports(
    run: &Run<'_>,
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
    outcome: &ValidationOutcome,
    end: (&ObjectId, Option<&Landing>),
) -> FlowResult<()> {
    let feature = run.order().feature.clone();
    let costs = RunCosts::read(run).await;
    let report = render_report(&feature, work, state, outcome, &costs, end);
    let drafts = follow_ups(state, outcome);
    let follow_ups = (!drafts.is_empty()).then(|| render_follow_ups(&feature, &drafts));
    let summary = format!(
        "{} of {} tasks are integrated. Verify commands: {}. Findings repaired: {}. Drift: {}.\n",
        state.integrated.len(),
        work.plan().tasks.len(),
        outcome
            .results
            .iter()
            .map(|result| format!("{} {}", result.name, if result.is_green { "green" } else { "red" }))
            .collect::<Vec<_>>()
            .join(", "),
        if outcome.repair.is_some() { outcome.findings.accepted.len() } else { 0 },
        if outcome.drift.remarks().is_empty() {
            "none".to_owned()
        } else {
            outcome.drift.remarks().join("; ")
        },
    );
    let summary = words::cut_at_sentence(&summary, run.order().summary_words).to_owned();
    let step = Step::new("report").reads(&Input::given("report", &(&report, &follow_ups, &summary)));
    phase
        .step::<(), _>(step, move |context| async move {
            context.write(REPORT, report)?;
            if let Some(follow_ups) = follow_ups {
                context.write(FOLLOW_UPS, follow_ups)?;
            }
            context.write(VALIDATION_SUMMARY, summary)
        })
        .await
}

/// Record of the landing, for the closing page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LandingRecord {
    #[serde(flatten)]
    pub(super) landing: Landing,
    /// Ids of the tasks that are not done.
    #[serde(default)]
    pub(super) open: Vec<String>,
}

/// Ids of the tasks that are not done after this run.
fn open_tasks(work: &Work, state: &RunState) -> Vec<String> {
    let open = work.plan().tasks.iter().filter(|task| state.state(&task.id) != TaskState::Integrated);
    open.map(|task| task.id.clone()).collect()
}

/// Fast-forwards the user's checkout, where its state allows that.
async fn land(
    run: &Run<'_>,
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
    tip: &ObjectId,
) -> FlowResult<Landing> {
    let folder = &run.order().spec_folder;
    let order = LandOrder {
        run: work.run.clone(),
        base: work.base.clone(),
        commit: tip.clone(),
        specification: SPEC_FILES.iter().map(|name| spec_path(folder, name)).collect(),
        archive: format!("{}/replaced", run.journal().location()),
    };
    // Git changes files of the specification in the checkout.
    let step = Step::new("land").reads(&Input::given("tip", tip)).touches_checkout().delegates();
    let worktrees = work.worktrees.clone();
    let landing: Landing =
        phase.step(step, move |_| async move { worktrees.land(order).await.map_err(step_error) }).await?;
    let text = serde_json::to_string_pretty(&LandingRecord {
        landing: landing.clone(),
        open: open_tasks(work, state),
    })
    .unwrap_or_default();
    let step = Step::new("landing").reads(&Input::given("landing", &text));
    phase.make(Artifact::fixed(LANDING), step, |_| async move { Ok(text) }).await?;
    Ok(landing)
}

/// Removes worktrees and refs that the run needs no more.
pub(super) async fn clean_up(phase: &PhaseHandle<'_>, work: &Work) -> FlowResult<()> {
    let (worktrees, run) = (work.worktrees.clone(), work.run.clone());
    let step = Step::new("clean-up");
    phase
        .step::<(), _>(
            step,
            move |_| async move { worktrees.clean_up(run, Vec::new()).await.map_err(step_error) },
        )
        .await
}
