//! What a design is made from, besides the files of its workspace.

use super::flow::design;
use super::studio::Studio;
use crate::deliverable::Templates;
use crate::driver::FlowDefinition;
use crate::ports::BoxFuture;
use crate::roles::PinnedRoles;
use crate::run::Run;
use crate::stop::Flow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The phases of the command, in order.
pub const PHASES: [&str; 3] = ["research", "write", "validate"];

/// What a design is made from.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The name of the feature.
    pub feature: String,
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

/// The flow of `charrette design`.
#[derive(Clone)]
pub struct Design {
    pub(super) brief: Arc<Brief>,
    pub(super) studio: Arc<dyn Studio>,
}

impl Design {
    /// A design of that brief, in that place.
    pub fn new(brief: Brief, studio: Arc<dyn Studio>) -> Design {
        Design { brief: Arc::new(brief), studio }
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
