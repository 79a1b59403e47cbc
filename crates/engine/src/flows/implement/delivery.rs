//! Delivery: ticks and progress as part of the integrated change, the landing, the report, and what is cleaned up.

use super::artifacts::{REPORT, SPEC_JSON, SPEC_META, SPEC_TASKS, VALIDATION_SUMMARY};
use super::beginning::{SPEC_FILES, spec_path};
use super::integration::advance_ref;
use super::messages::run_message;
use super::report::{RunCosts, render_report};
use super::state::RunState;
use super::validation::ValidationOutcome;
use super::work::{Work, step_error};
use crate::artifact::{Artifact, Input};
use crate::order::RunOrder;
use crate::ports::worktrees::{Advance, CommitOrder, FileEdit, LandOrder, Landing, ObjectId};
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::implement::TaskState;
use charrette_model::spec::record::with_status;
use charrette_model::spec::tasks::tick::{TaskFiles, tick};
use charrette_model::words;
use serde::{Deserialize, Serialize};

/// Record of the landing, for the closing page.
pub(super) const LANDING: &str = "landing.json";

/// Record of the landing, for the closing page.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LandingRecord {
    #[serde(flatten)]
    pub(super) landing: Landing,
    /// Ids of the tasks that are not done.
    #[serde(default)]
    pub(super) open: Vec<String>,
}

/// Delivery of validated work.
pub(super) struct Delivery<'a> {
    pub(super) phase: &'a PhaseHandle<'a>,
    pub(super) work: &'a Work,
    pub(super) state: &'a RunState,
    pub(super) outcome: &'a ValidationOutcome,
}

impl Delivery<'_> {
    /// Ticks, lands and reports.
    pub(super) async fn deliver(&self) -> FlowResult<()> {
        let stage = self.phase.stage("6");
        let tip = self.tick_tasks().await?;
        let landing = if tip == self.work.base.head { None } else { Some(self.land(&tip).await?) };
        self.write_report(&tip, landing.as_ref()).await?;
        stage.show_document("Implementation Report", REPORT);
        let Some(landing) = landing else {
            stage.finish("nothing to land");
            return Ok(());
        };
        match landing {
            Landing::Landed { branch, warnings } => {
                for warning in &warnings {
                    self.phase.warn(warning);
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

    fn order(&self) -> &RunOrder {
        self.phase.run.order()
    }

    /// Ticks the integrated tasks in the specification, as a commit of its own. Returns the newest commit.
    async fn tick_tasks(&self) -> FlowResult<ObjectId> {
        let Delivery { phase, work, state, outcome } = self;
        let tip = &outcome.tip;
        let done: Vec<String> = state.integrated.keys().cloned().collect();
        if done.is_empty() {
            return Ok(tip.clone());
        }
        let all_done = self.open_tasks().is_empty();
        let step =
            Step::new("tick/tree").reads(&Input::given("done", &(&done, all_done, tip))).revises(SPEC_FILES);
        let (worktrees, base) = (work.worktrees.clone(), tip.clone());
        let (folder, date) = (self.order().spec_folder.clone(), self.order().date.clone());
        let tree: ObjectId = phase
            .step(step, move |context| async move {
                let edits = ticked_files(&context, &done, all_done, &folder, &date)?;
                worktrees.edit_tree(base, edits).await.map_err(step_error)
            })
            .await?;
        let subject = format!("progress of {}", self.order().feature);
        let order = CommitOrder {
            run: work.run.clone(),
            name: "progress".to_owned(),
            tree: tree.clone(),
            parent: tip.clone(),
            message: run_message(&work.run, "docs", &subject, None),
        };
        let step = Step::new("tick/commit").reads(&Input::given("tree", &(&tree, tip)));
        let worktrees = work.worktrees.clone();
        let commit: ObjectId = phase
            .step(step, move |_| async move { worktrees.commit(order).await.map_err(step_error) })
            .await?;
        match advance_ref(phase, work, "tick/integrate", tip, &commit).await? {
            Advance::Moved => Ok(commit),
            Advance::Elsewhere(other) => Err(Stop::Failed(format!(
                "the integration ref is at {other} instead of {tip}; progress was not recorded"
            ))),
        }
    }

    /// Fast-forwards the user's checkout, where its state allows that.
    async fn land(&self, tip: &ObjectId) -> FlowResult<Landing> {
        let Delivery { phase, work, .. } = self;
        let folder = &self.order().spec_folder;
        let order = LandOrder {
            run: work.run.clone(),
            base: work.base.clone(),
            commit: tip.clone(),
            specification: SPEC_FILES.iter().map(|name| spec_path(folder, name)).collect(),
            archive: format!("{}/replaced", phase.run.journal().location()),
        };
        // Git changes files of the specification in the checkout.
        let step = Step::new("land").reads(&Input::given("tip", tip)).touches_checkout().delegates();
        let worktrees = work.worktrees.clone();
        let landing: Landing =
            phase.step(step, move |_| async move { worktrees.land(order).await.map_err(step_error) }).await?;
        let record = LandingRecord { landing: landing.clone(), open: self.open_tasks() };
        let text = serde_json::to_string_pretty(&record).unwrap_or_default();
        let step = Step::new("landing").reads(&Input::given("landing", &text));
        phase.make(Artifact::fixed(LANDING), step, |_| async move { Ok(text) }).await?;
        Ok(landing)
    }

    /// Ids of the tasks that are not done after this run.
    fn open_tasks(&self) -> Vec<String> {
        let tasks = self.work.plan().tasks.iter();
        let open = tasks.filter(|task| self.state.state(&task.id) != TaskState::Integrated);
        open.map(|task| task.id.clone()).collect()
    }

    /// Writes the report and the summary of the phase.
    async fn write_report(&self, tip: &ObjectId, landing: Option<&Landing>) -> FlowResult<()> {
        let Delivery { phase, work, state, outcome } = self;
        let costs = RunCosts::read(phase.run).await;
        let report = render_report(&self.order().feature, work, state, outcome, &costs, (tip, landing));
        let summary = words::cut_at_sentence(&self.summary(), self.order().summary_words).to_owned();
        let step = Step::new("report").reads(&Input::given("report", &(&report, &summary)));
        phase
            .step::<(), _>(step, move |context| async move {
                context.write(REPORT, report)?;
                context.write(VALIDATION_SUMMARY, summary)
            })
            .await
    }

    fn summary(&self) -> String {
        let Delivery { work, state, outcome, .. } = self;
        format!(
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
        )
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
