//! Tasks of one specification, with the texts they were read from.

use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use crate::spec_choice::named_or_only;
use crate::spec_location::SpecLocator;
use crate::start_facts::{approval_command, approved_file, read_inside, recorded_approval, start_error};
use crate::workspaces::spec_folder;
use charrette_engine::flows::implement::{SpecTexts, judge_approval};
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::feature::name::FeaturePath;
use charrette_model::implement::{ImplementTask, PlanProblem, TaskPlan};
use std::path::PathBuf;

/// The tasks of a specification.
#[derive(Debug, Clone)]
pub struct SpecTasks {
    /// Name of the specification, as it is typed.
    pub feature: String,
    pub plan: TaskPlan,
    /// Folder of the specification.
    pub folder: PathBuf,
    pub(super) texts: SpecTexts,
    name: DocumentName,
}

impl SpecTasks {
    /// Reads the tasks of the specification with this name, or of the only one with open tasks. `command` is for messages.
    pub fn open(site: &Site, command: &str, typed: Option<&str>) -> Result<SpecTasks, AppError> {
        let has_open_tasks = |feature: &FeaturePath| {
            let tasks = SpecTasks::read(site, feature);
            tasks.is_ok_and(|tasks| tasks.plan.tasks.iter().any(|task| !task.done))
        };
        SpecTasks::read(site, &named_or_only(site, command, typed, has_open_tasks)?)
    }

    /// Reads the tasks of all specifications that have any.
    pub fn open_all(site: &Site) -> Result<Vec<SpecTasks>, AppError> {
        let all = SpecLocator::open(site, "check")?.specs_with_tasks();
        all.iter().map(|feature| SpecTasks::read(site, feature)).collect()
    }

    fn read(site: &Site, feature: &FeaturePath) -> Result<SpecTasks, AppError> {
        let name = DocumentName::new(Command::Implement, Some(feature.clone()));
        let folder = site.root.join(spec_folder(site, &name));
        let texts = SpecTexts::read(|file| read_inside(site, &folder.join(file)));
        let feature = feature.folder();
        let plan = TaskPlan::read(&texts.tasks, &texts.record).map_err(|refusal| {
            let mut lines = refusal.problems.iter().map(ToString::to_string);
            let first = lines.next().unwrap_or_default();
            let error = AppError::usage(format!("{feature}: {first}"));
            lines.fold(error, AppError::more).hint(format!("See all problems: charrette check {feature}"))
        })?;
        Ok(SpecTasks { feature, plan, folder, texts, name })
    }

    /// The task with this id, in any spelling of it.
    pub fn task(&self, id: &str) -> Result<&ImplementTask, AppError> {
        self.plan.task(id).ok_or_else(|| {
            AppError::usage(PlanProblem::UnknownTask { id: id.to_owned(), known: self.plan.ids() })
                .hint(format!("See what can be done now: charrette next {}", self.feature))
        })
    }

    /// Number of tasks that are done.
    pub fn done_count(&self) -> usize {
        self.plan.tasks.iter().filter(|task| task.done).count()
    }

    /// Ids of the prerequisites of a task that are not done.
    pub fn open_prerequisites(&self, task: &ImplementTask) -> Vec<String> {
        let is_open = |id: &&String| !self.plan.task(id).is_some_and(|first| first.done);
        task.depends_on.iter().filter(is_open).cloned().collect()
    }

    /// Refuses a specification that is not approved, or was changed since: its proofs are an agent's text, and are run.
    pub fn require_approval(&self, site: &Site) -> Result<(), AppError> {
        let approved = |file: &str| approved_file(site, &self.name, file);
        let recorded = recorded_approval(site, &self.name);
        judge_approval(&self.texts, false, recorded.as_ref(), &approved).map_err(|problem| {
            let mut error = start_error(&problem);
            error.kind = ErrorKind::Refused;
            error.message = format!("{}: {}", self.feature, error.message);
            error
                .hint(format!("Approve it: {}", approval_command(&self.feature)))
                .hint("Or take back what was changed since")
        })
    }

    /// True if an implementation by agents is under way: its tasks are ticked when it lands.
    pub fn is_implemented_by_agents(&self, site: &Site) -> bool {
        let document = site.documents().load(&self.name).ok().flatten();
        document.is_some_and(|loaded| loaded.document.completed_at.is_none())
    }
}
