//! What a design is made from, besides the files of its workspace.

use super::caller::Caller;
use super::flow::design;
use super::heavy::{Heavy, HeavyWorker};
use super::studio::Studio;
use super::tracker::Tracker;
use crate::deliverable::Templates;
use crate::driver::FlowDefinition;
use crate::ports::BoxFuture;
use crate::roles::PinnedRoles;
use crate::run::Run;
use crate::stop::Flow;
use charrette_model::spec::resolver::Level;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The phases of the command, in order.
pub const PHASES: [&str; 3] = ["research", "write", "validate"];

/// What a design is made from.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The name of the feature; of something nested, its path with `.` between the segments.
    pub feature: String,
    /// What is designed: a project, a feature of one, or a specification.
    pub level: Level,
    /// The folder of its specification: absolute, with `/` at the end.
    pub spec_path: String,
    /// The same, as a person at the root of the repository would type it.
    pub spec_folder: String,
    /// The day the run began, which its files carry.
    pub date: String,
    /// Nobody is asked in between (steps 1c, 1d and 3.5).
    pub auto: bool,
    /// Two plain sketches instead of four.
    pub quick: bool,
    /// The two gates are passed without asking, and so without approval.
    pub no_checkpoint: bool,
    /// The last phase to go through.
    pub until: &'static str,
    /// How many words a summary may have.
    pub summary_words: usize,
    /// What each role is told.
    pub roles: PinnedRoles,
    /// What the files of a specification are made from.
    pub templates: Templates,
    /// The vendor of each agent.
    pub vendors: BTreeMap<String, String>,
}

impl Brief {
    /// What it is called among its siblings.
    pub(super) fn name(&self) -> &str {
        self.feature.rsplit('.').next().unwrap_or(&self.feature)
    }

    /// The project and the feature that a specification lies in.
    pub(super) fn parents(&self) -> (Option<String>, Option<String>) {
        let mut outer = self.feature.rsplit('.').skip(1).map(str::to_owned);
        let feature = outer.next();
        (outer.next(), feature)
    }
}

/// The flow of `charrette design`.
#[derive(Clone)]
pub struct Design {
    pub(super) brief: Arc<Brief>,
    pub(super) studio: Arc<dyn Studio>,
    pub(super) tracker: Arc<dyn Tracker>,
    pub(super) caller: Option<Arc<dyn Caller>>,
    pub(super) heavy: Heavy,
}

impl Design {
    /// A design of that brief, in that place, with that tracker.
    pub fn new(brief: Brief, studio: Arc<dyn Studio>, tracker: Arc<dyn Tracker>) -> Design {
        Design { brief: Arc::new(brief), studio, tracker, caller: None, heavy: Heavy::default() }
    }

    /// The same, called by another run: files are handed over, and what is told says so.
    #[must_use]
    pub fn called_by(mut self, caller: Arc<dyn Caller>) -> Design {
        self.caller = Some(caller);
        self
    }

    /// The same, with the heavy part done by a worker.
    #[must_use]
    pub fn with_worker(mut self, worker: Arc<dyn HeavyWorker>) -> Design {
        self.heavy = Heavy::Worker(worker);
        self
    }

    /// The same, up to the end of the heavy part: what a worker does.
    #[must_use]
    pub fn only_heavy(mut self) -> Design {
        self.heavy = Heavy::Only;
        self
    }

    /// Whether this is the worker of another run.
    pub(super) fn is_worker(&self) -> bool {
        matches!(self.heavy, Heavy::Only)
    }
}

impl FlowDefinition for Design {
    fn command(&self) -> &'static str {
        "design"
    }

    fn phases(&self) -> &'static [&'static str] {
        &PHASES
    }

    fn flow<'a>(&'a self, run: &'a Run<'a>) -> BoxFuture<'a, Flow<()>> {
        Box::pin(design(run, self))
    }
}

impl fmt::Debug for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Design").field("brief", &self.brief).finish_non_exhaustive()
    }
}
