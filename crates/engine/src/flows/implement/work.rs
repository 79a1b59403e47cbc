//! What every part of an implementation works with: the plan, the settings, the places.

use super::checks::{CheckPlaces, CheckResult};
use super::flags::ImplementFlags;
use super::reading::Specification;
use crate::panel::{Panel, PanelContext};
use crate::ports::worktrees::{IntegrationBase, Worktrees};
use crate::ports::{PortError, Verifier};
use crate::run::Run;
use crate::step::StepError;
use charrette_model::config::{ImplementSettings, VerifySettings};
use charrette_model::implement::{ImplementTask, TaskPlan};
use std::sync::Arc;

/// Context of an implementation. Cheap to clone.
#[derive(Clone)]
pub(super) struct Work(Arc<WorkContext>);

/// Members of [`Work`].
#[derive(Clone)]
pub(super) struct WorkContext {
    /// Run id.
    pub(super) run: String,
    pub(super) flags: ImplementFlags,
    pub(super) settings: ImplementSettings,
    pub(super) verify: VerifySettings,
    pub(super) specification: Specification,
    pub(super) base: IntegrationBase,
    /// Results of the verify commands on the untouched base.
    pub(super) baseline: Vec<CheckResult>,
    /// Commands that failed on the untouched base, by name: their failure is no fault of a task.
    pub(super) red_before: Vec<String>,
    /// Folders of charrette's own files, relative to the root of the repository.
    pub(super) own_folders: Vec<String>,
    pub(super) panel: Panel,
    pub(super) places: Arc<CheckPlaces>,
    pub(super) worktrees: Arc<dyn Worktrees>,
    pub(super) verifier: Arc<dyn Verifier>,
}

impl std::ops::Deref for Work {
    type Target = WorkContext;

    fn deref(&self) -> &WorkContext {
        &self.0
    }
}

impl Work {
    pub(super) fn new(context: WorkContext) -> Work {
        Work(Arc::new(context))
    }

    /// The same work, with the results of the verify commands before it.
    pub(super) fn with_baseline(&self, baseline: Vec<CheckResult>) -> Work {
        let red = baseline.iter().filter(|result| !result.is_green);
        let red_before = red.map(|result| result.name.clone()).collect();
        Work::new(WorkContext { baseline, red_before, ..(*self.0).clone() })
    }

    pub(super) fn plan(&self) -> &TaskPlan {
        &self.specification.plan
    }

    /// A task of the plan.
    pub(super) fn task(&self, id: &str) -> Option<&ImplementTask> {
        self.plan().tasks.iter().find(|task| task.id == id)
    }

    /// Maximum number of tasks at work at the same time.
    pub(super) fn lanes(&self) -> usize {
        match self.flags {
            ImplementFlags { sequential: true, .. } => 1,
            ImplementFlags { parallel: Some(number), .. } => number.max(1),
            _ => self.settings.parallel.max(1),
        }
    }
}

/// Panel of an implementation.
pub(super) fn panel_for(run: &Run<'_>) -> Panel {
    let order = run.order();
    Panel::new(PanelContext {
        feature: order.feature.clone(),
        spec_path: order.spec_path.clone(),
        date: order.date.clone(),
        summary_words: order.summary_words,
        roles: order.roles.clone(),
        relevant_files: Vec::new(),
        sources: Vec::new(),
        seats: super::FLOW.seat_tables(),
        artifacts: super::artifacts::ARTIFACTS,
    })
}

/// Error of a port, as the error of the step that used it.
pub(super) fn step_error(error: PortError) -> StepError {
    match error {
        PortError::Refused(reason) => StepError::Refused(reason),
        PortError::Failed(reason) => StepError::Failed(reason),
        PortError::Interrupted => StepError::Interrupted,
    }
}
