//! The studio of this site, as the engine asks for it. Everything here takes its time, so it is done on threads.

use super::mainline::{Mainline, PATIENCE};
use super::{branching, drawing, entrance};
use crate::env_vars;
use crate::git::{Git, Undone};
use crate::room::SiteClock;
use crate::site::Site;
use charrette_agents::room::Rules;
use charrette_engine::Cancel;
use charrette_engine::flows::design::{BranchOrder, Branched, Entrance, Refusal, Studio};
use charrette_engine::ports::{BoxFuture, Clock as _};
use charrette_model::checkpoint::progress::note_branch;
use charrette_model::checkpoint::{DocumentName, TransitionError};
use charrette_model::config::Settings;
use charrette_model::feature::name::FeaturePath;
use charrette_model::stamp::Now;
use charrette_store::Documents;
use charrette_store::tree::{Own, Snapshot};
use charrette_survey::{Ask, survey};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How many files a survey names.
const FILES: usize = 20;

/// The studio of one run in this work tree.
#[derive(Debug, Clone)]
pub(crate) struct StudioHere {
    pub(super) root: PathBuf,
    pub(super) in_repository: bool,
    pub(super) settings: Settings,
    pub(super) name: DocumentName,
    /// What a caller says about the branch, as typed.
    pub(super) branch_info: Option<String>,
    pub(super) patience: Duration,
    pub(super) cancel: Cancel,
    documents: Documents,
    now: Now,
    pub(super) cache: Option<PathBuf>,
    /// Filled when the remote has been asked: once is enough for entering and for branching.
    fetched: Arc<OnceLock<Result<(), Undone>>>,
}

impl StudioHere {
    /// The studio of a run here. `branch_info` is what the user gave with `--branch-info`.
    pub(crate) fn of(
        site: &Site,
        name: &DocumentName,
        branch_info: Option<&str>,
        cancel: &Cancel,
    ) -> StudioHere {
        StudioHere {
            root: site.root.clone(),
            in_repository: site.repository.is_some(),
            settings: site.settings.clone(),
            name: name.clone(),
            branch_info: branch_info.map(str::to_owned),
            patience: PATIENCE,
            cancel: cancel.clone(),
            documents: site.documents(),
            now: site.now,
            cache: env_vars::user_state_folder().map(|folder| folder.join("survey")),
            fetched: Arc::default(),
        }
    }

    pub(super) fn git(&self) -> Git<'_> {
        Git(&self.root)
    }

    /// Our own places in the tree, which are nobody's dirt.
    pub(super) fn own(&self) -> Own {
        Rules::configured(&self.settings).own
    }

    /// Whether anything was ever committed.
    pub(super) fn has_commits(&self) -> bool {
        self.git().find(&["for-each-ref", "--count=1", "--format=x", "refs/heads"]).is_some()
    }

    /// Whether a submodule does not stand where the commit wants it.
    pub(super) fn has_moved_submodules(&self) -> bool {
        self.root.join(".gitmodules").exists()
            && Snapshot::take(&self.root).is_ok_and(|tree| tree.has_moved_submodules())
    }

    /// The feature's name, or the command's if it has none.
    pub(super) fn feature(&self) -> &str {
        self.name.feature().map_or(self.name.command(), FeaturePath::as_str)
    }

    /// The branch that charrette made for this feature, if it has.
    pub(super) fn made_branch(&self) -> Option<String> {
        self.documents.load(&self.name).ok()??.document.run?.branch
    }

    /// Puts on record that a branch is made for this feature.
    pub(super) fn note_branch(&self, branch: &str) -> Result<(), String> {
        let now = SiteClock(self.now).now();
        let noted = self.documents.transition(&self.name, "branch", now, |on_disk, circumstances| {
            note_branch(on_disk.ok_or(TransitionError::Gone)?, branch, circumstances)
        });
        noted.map(drop).map_err(|error| error.to_string())
    }

    /// Whether the remote has been asked by this studio.
    pub(super) fn has_asked_remote(&self) -> bool {
        self.fetched.get().is_some()
    }

    /// Asks the remote what it has, unless that was done before.
    pub(super) fn fetched(&self, main: Mainline<'_>) -> Result<(), Undone> {
        self.fetched.get_or_init(|| main.fetch(self.patience, &self.cancel)).clone()
    }
}

impl Studio for StudioHere {
    fn enter(&self) -> BoxFuture<'static, Result<Entrance, Refusal>> {
        let here = self.clone();
        on_a_thread(move || entrance::enter(&here), Refusal::Failed)
    }

    fn branch(&self, order: BranchOrder) -> BoxFuture<'static, Result<Branched, Refusal>> {
        let here = self.clone();
        on_a_thread(move || branching::branch(&here, &order), Refusal::Failed)
    }

    fn is_there(&self, path: &str) -> bool {
        let inside =
            Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        inside && !path.is_empty() && self.root.join(path).symlink_metadata().is_ok()
    }

    fn survey(&self, request: String) -> BoxFuture<'static, Result<String, String>> {
        let (root, cache) = (self.root.clone(), self.cache.clone());
        let look = move || {
            let ask = Ask { root: &root, request: &request, top: FILES, cache: cache.as_deref() };
            let found = survey(ask).map_err(|error| error.to_string())?;
            let text = serde_json::to_string_pretty(&found).map_err(|error| error.to_string())?;
            Ok(text + "\n")
        };
        on_a_thread(look, |problem| problem)
    }

    fn draw(&self, diagram: String) -> BoxFuture<'static, Result<String, String>> {
        on_a_thread(move || drawing::draw(&diagram), |problem| problem)
    }
}

/// Does something on a thread of its own; `failed` is for the case that the thread does not survive it.
fn on_a_thread<T: Send + 'static, E: Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
    failed: impl FnOnce(String) -> E + Send + 'static,
) -> BoxFuture<'static, Result<T, E>> {
    Box::pin(async move {
        let done = tokio::task::spawn_blocking(work).await;
        done.unwrap_or_else(|error| Err(failed(format!("it broke off: {error}"))))
    })
}
