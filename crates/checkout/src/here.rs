//! The work tree of one run: what is known about it, and what it remembers between entering and branching.

use crate::facts::{Facts, FactsError};
use crate::mainline::{FETCH_TIMEOUT, Mainline};
use crate::tree::Snapshot;
use crate::{BranchOrder, Branched, Entrance, Refusal, branching, delivery, entrance};
use charrette_engine::Cancel;
use charrette_engine::ports::Clock;
use charrette_git::{CallError, CallLimits, Git};
use charrette_model::checkpoint::progress::note_branch;
use charrette_model::checkpoint::{DocumentName, TransitionError};
use charrette_model::config::Settings;
use charrette_model::feature::name::FeaturePath;
use charrette_model::tree::Own;
use charrette_store::Documents;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Where a run is, and what it goes by.
#[derive(Clone)]
pub struct CheckoutPlace {
    /// The top of the work tree; outside a repository, the folder the run works in.
    pub root: PathBuf,
    /// Whether there is a repository.
    pub in_repository: bool,
    /// What the configuration says.
    pub settings: Settings,
    /// Our own places in the tree, which are nobody's dirt.
    pub own: Own,
    /// The run.
    pub name: DocumentName,
    /// What a caller says about the branch, as typed.
    pub branch_info: Option<String>,
    /// Where the run's document is.
    pub documents: Documents,
    /// The time to write into it.
    pub clock: Arc<dyn Clock>,
    /// The request to end, which a call to a remote listens to.
    pub cancel: Cancel,
    /// Whether the environment names the program by which git reaches remotes.
    pub ssh_is_chosen: bool,
}

impl fmt::Debug for CheckoutPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, name, .. } = self;
        f.debug_struct("CheckoutPlace").field("root", root).field("name", name).finish_non_exhaustive()
    }
}

/// The work tree of one run. Clones remember together.
#[derive(Debug, Clone)]
pub struct CheckoutHere {
    pub(crate) place: Arc<CheckoutPlace>,
    timeout: Duration,
    memory: Arc<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    /// Filled when the remote has been asked: once is enough for entering and for branching.
    fetched: OnceLock<Result<(), CallError>>,
    /// What was last found out about branches.
    facts: Mutex<Option<Facts>>,
}

impl CheckoutHere {
    /// The work tree at this place.
    pub fn new(place: CheckoutPlace) -> CheckoutHere {
        CheckoutHere { place: Arc::new(place), timeout: FETCH_TIMEOUT, memory: Arc::default() }
    }

    /// The same with another limit for the remote to answer.
    #[must_use]
    pub fn with_fetch_timeout(self, timeout: Duration) -> CheckoutHere {
        CheckoutHere { timeout, ..self }
    }

    /// Looks at the branch, passes the entry gate, and makes sure that main is clean and up to date where the gate asks
    /// for that.
    pub fn enter(&self) -> Result<Entrance, Refusal> {
        entrance::enter(self)
    }

    /// Goes to the branch that the run works on, or stays.
    pub fn branch(&self, order: &BranchOrder) -> Result<Branched, Refusal> {
        branching::branch(self, order)
    }

    /// Whether the repository has such a file or folder. Paths come from agents: none above the root is there.
    pub fn is_there(&self, path: &str) -> bool {
        delivery::is_there(&self.place.root, path)
    }

    /// How many lines a file of the repository has; none if there is no such file, or it is not text.
    pub fn lines(&self, path: &str) -> Option<usize> {
        delivery::lines(&self.place.root, path)
    }

    /// Puts a file where the user wants it: `path` is one from the top of the work tree, or an absolute one. What is
    /// there is replaced only if its SHA-256 is `replaces`.
    pub fn deliver(&self, path: &str, text: &str, replaces: Option<&str>) -> Result<(), Refusal> {
        delivery::deliver(&self.place.root.join(path), text, replaces)
    }

    pub(crate) fn git(&self) -> Git<'_> {
        Git::new(&self.place.root)
    }

    /// What is known about branches, and still true.
    pub(crate) fn facts(&self) -> Result<Facts, FactsError> {
        let mut known = self.memory.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let CheckoutPlace { root, settings, .. } = &*self.place;
        let facts = match known.take() {
            Some(facts) => facts.renewed(root, settings)?,
            None => Facts::find(root, settings)?,
        };
        Ok(known.insert(facts).clone())
    }

    /// Whether a submodule does not stand where the commit wants it.
    pub(crate) fn has_moved_submodules(&self) -> bool {
        let root = &self.place.root;
        root.join(".gitmodules").exists()
            && Snapshot::take(root).is_ok_and(|tree| tree.has_moved_submodules())
    }

    /// The feature's name, or the command's if it has none.
    pub(crate) fn feature(&self) -> &str {
        let name = &self.place.name;
        name.feature().map_or(name.command(), FeaturePath::as_str)
    }

    /// The branch that charrette made for this feature, if it has.
    pub(crate) fn made_branch(&self) -> Option<String> {
        self.place.documents.load(&self.place.name).ok()??.document.run?.branch
    }

    /// Puts on record that a branch is made for this feature.
    pub(crate) fn note_branch(&self, branch: &str) -> Result<(), String> {
        let CheckoutPlace { documents, name, clock, .. } = &*self.place;
        let noted = documents.transition(name, "branch", clock.now(), |on_disk, circumstances| {
            note_branch(on_disk.ok_or(TransitionError::Gone)?, branch, circumstances)
        });
        noted.map(drop).map_err(|error| error.to_string())
    }

    /// Whether the remote has been asked.
    pub(crate) fn has_asked_remote(&self) -> bool {
        self.memory.fetched.get().is_some()
    }

    /// Asks the remote what it has, unless that was done before.
    pub(crate) fn fetch(&self, main: Mainline<'_>) -> Result<(), CallError> {
        let is_cancelled = || self.place.cancel.is_requested();
        let limits = CallLimits {
            timeout: self.timeout,
            ssh_is_chosen: self.place.ssh_is_chosen,
            is_cancelled: &is_cancelled,
        };
        self.memory.fetched.get_or_init(|| main.fetch(limits)).clone()
    }
}
