//! Work tree of one run, with what it caches between entering and branching.

use crate::facts::{BranchFacts, BranchFactsError};
use crate::mainline::{FETCH_TIMEOUT, Mainline};
use crate::sources::CitedSources;
use crate::tree::Snapshot;
use crate::{BranchOrder, BranchReport, EntryReport, PortError, branching, delivery, entrance};
use charrette_engine::ports::Clock;
use charrette_engine::{Cancel, FlowSpec};
use charrette_git::{CallError, Git, RemoteCallOptions};
use charrette_model::checkpoint::progress::{forget_move, record_branch, record_move};
use charrette_model::checkpoint::transition::TransitionContext;
use charrette_model::checkpoint::{CheckoutMove, Checkpoint, DocumentName, StepStatus, TransitionError};
use charrette_model::config::Settings;
use charrette_model::feature::name::FeaturePath;
use charrette_model::tree::OwnPaths;
use charrette_store::Documents;
use charrette_store::layout::check_folder;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Options of a run's checkout.
#[derive(Clone)]
pub struct CheckoutOptions {
    /// Root of the work tree; outside a repository, the folder the run works in.
    pub root: PathBuf,
    pub in_repository: bool,
    pub settings: Settings,
    /// Charrette's own paths in the tree, which never count as dirty.
    pub own: OwnPaths,
    pub name: DocumentName,
    /// The caller's `--branch-info`, as typed.
    pub branch_info: Option<String>,
    pub documents: Documents,
    /// Time source for the run's document.
    pub clock: Arc<dyn Clock>,
    /// Cancels a fetch.
    pub cancel: Cancel,
    /// True if the environment names an ssh program for git.
    pub has_custom_ssh: bool,
}

impl fmt::Debug for CheckoutOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, name, .. } = self;
        f.debug_struct("CheckoutOptions").field("root", root).field("name", name).finish_non_exhaustive()
    }
}

/// Work tree of one run. Clones share their cache.
#[derive(Debug, Clone)]
pub struct RunCheckout {
    pub(crate) options: Arc<CheckoutOptions>,
    timeout: Duration,
    cache: Arc<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    /// Result of the only fetch, shared by entering and branching.
    fetched: OnceLock<Result<(), CallError>>,
    /// The branch facts that were read last.
    facts: Mutex<Option<BranchFacts>>,
}

impl RunCheckout {
    /// Checks what can be checked without asking the remote, before a run is created: the branch and a clean main.
    pub fn check_entry(&self) -> Result<(), PortError> {
        entrance::check(self)
    }

    pub fn new(options: CheckoutOptions) -> RunCheckout {
        RunCheckout { options: Arc::new(options), timeout: FETCH_TIMEOUT, cache: Arc::default() }
    }

    /// Sets the timeout of a fetch.
    #[must_use]
    pub fn with_fetch_timeout(self, timeout: Duration) -> RunCheckout {
        RunCheckout { timeout, ..self }
    }

    /// Probes the branch, passes the entry gate, and runs the preflight (main is clean and up to date) where the gate
    /// asks for it.
    pub fn enter(&self) -> Result<EntryReport, PortError> {
        entrance::enter(self)
    }

    /// Switches to the branch that the run works on, or stays.
    pub fn switch_branch(&self, order: &BranchOrder) -> Result<BranchReport, PortError> {
        branching::branch(self, order)
    }

    /// True if the repository has such a file or folder. Paths come from agents: none above the root exists.
    pub fn exists(&self, path: &str) -> bool {
        delivery::is_there(&self.options.root, path)
    }

    /// Facts about the files that agents cite, also below the absolute folders `outside`.
    pub fn sources(&self, outside: &[String]) -> CitedSources {
        CitedSources::new(&self.options.root, self.options.in_repository, outside)
    }

    /// Writes a file to `path`, which is relative to the root of the work tree or absolute. An existing file is
    /// replaced only if its SHA-256 is `replaces`.
    pub fn deliver(&self, path: &str, text: &str, replaces: Option<&str>) -> Result<(), PortError> {
        delivery::deliver(&self.options.root.join(path), text, replaces)
    }

    pub(crate) fn git(&self) -> Git<'_> {
        Git::new(&self.options.root)
    }

    /// The branch facts, read again if a branch has moved.
    pub(crate) fn facts(&self) -> Result<BranchFacts, BranchFactsError> {
        let mut known = self.cache.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let CheckoutOptions { root, settings, .. } = &*self.options;
        let facts = match known.take() {
            Some(facts) => facts.refresh(root, settings)?,
            None => BranchFacts::read(root, settings)?,
        };
        Ok(known.insert(facts).clone())
    }

    /// True if a submodule is not at the commit that the repository records.
    pub(crate) fn has_moved_submodules(&self) -> bool {
        let root = &self.options.root;
        root.join(".gitmodules").exists()
            && Snapshot::take(root).is_ok_and(|tree| tree.has_moved_submodules())
    }

    /// The feature's name, or the command's if it has none.
    pub(crate) fn feature(&self) -> &str {
        let name = &self.options.name;
        name.feature().map_or(name.command(), FeaturePath::as_str)
    }

    /// The branch that the run's document says charrette made for this feature.
    pub(crate) fn recorded_branch(&self) -> Option<String> {
        self.options.documents.load(&self.options.name).ok()??.document.run?.branch
    }

    /// The move of the checkout that the run's document says was begun; none once the run has its branch.
    pub(crate) fn recorded_move(&self) -> Option<CheckoutMove> {
        let document = self.options.documents.load(&self.options.name).ok()??.document;
        let mut steps =
            document.phases.values().filter_map(|phase| phase.steps.as_ref()?.get(FlowSpec::BRANCH_STEP));
        if document.completed_at.is_some() || steps.any(|step| step.status == StepStatus::Done) {
            return None;
        }
        let moving = document.run?.moving?;
        // Documents can be edited, and git takes names and options, too.
        let is_commit =
            |id: &str| matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_commit(&moving.from) && is_commit(&moving.to)).then_some(moving)
    }

    /// Folder in the run's workspace for what is kept of the work tree.
    pub(crate) fn evidence_folder(&self) -> Option<PathBuf> {
        let CheckoutOptions { documents, name, root, .. } = &*self.options;
        let workspace = documents.load(name).ok()??.document.run?.workspace?;
        let is_inside = Path::new(&workspace).components().all(|part| matches!(part, Component::Normal(_)));
        let folder = root.join(workspace).join("evidence");
        (is_inside && check_folder(root, &folder).is_ok()).then_some(folder)
    }

    /// Records in the run's document that a branch is made for this feature, with the move that switching to it is.
    pub(crate) fn note_branch(&self, branch: &str, moving: Option<&CheckoutMove>) -> Result<(), String> {
        self.note("branch", |document, context| record_branch(document, branch, moving.cloned(), context))
    }

    /// Records in the run's document that a move of the checkout is begun.
    pub(crate) fn note_move(&self, moving: &CheckoutMove) -> Result<(), String> {
        self.note("move", |document, context| record_move(document, moving.clone(), context))
    }

    /// Forgets the move of the checkout that the run's document says was begun.
    pub(crate) fn forget_move(&self) -> Result<(), String> {
        self.note("move", forget_move)
    }

    fn note(
        &self,
        label: &str,
        change: impl Fn(Checkpoint, &TransitionContext) -> Result<Checkpoint, TransitionError>,
    ) -> Result<(), String> {
        let CheckoutOptions { documents, name, clock, .. } = &*self.options;
        let noted = documents.transition(name, label, clock.now(), |on_disk, context| {
            change(on_disk.ok_or(TransitionError::Gone)?, context)
        });
        noted.map(drop).map_err(|error| error.to_string())
    }

    /// True if the remote has been fetched, successfully or not.
    pub(crate) fn has_fetched(&self) -> bool {
        self.cache.fetched.get().is_some()
    }

    /// Fetches main from the remote, at most once.
    pub(crate) fn fetch(&self, main: Mainline<'_>) -> Result<(), CallError> {
        let is_cancelled = || self.options.cancel.is_requested();
        let options = RemoteCallOptions {
            timeout: self.timeout,
            has_custom_ssh: self.options.has_custom_ssh,
            is_cancelled: &is_cancelled,
        };
        self.cache.fetched.get_or_init(|| main.fetch(options)).clone()
    }
}
