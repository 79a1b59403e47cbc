//! What a design is made from, besides the files of its workspace.

use crate::deliverable::Templates;
use crate::order::Order;
use crate::roles::PinnedRoles;
use crate::stop::{Flow, Stop};
use charrette_model::spec::resolver::Level;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The phases of the command, in order.
pub const PHASES: [&str; 3] = [RESEARCH, WRITE, VALIDATE];
pub(super) const RESEARCH: &str = "research";
pub(super) const WRITE: &str = "write";
pub(super) const VALIDATE: &str = "validate";

/// How a design was asked for. It is kept with the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DesignFlags {
    /// No questions in between (steps 1c, 1d and 3.5).
    pub auto: bool,
    /// Two plain sketches instead of four.
    pub quick: bool,
    /// The two gates are passed without asking, and so without approval.
    pub no_checkpoint: bool,
    /// What is designed.
    pub level: Level,
}

impl DesignFlags {
    /// As the document of a run has them.
    pub fn of(flags: &Map<String, Value>) -> DesignFlags {
        let is_set = |name: &str| flags.get(name).and_then(Value::as_bool).unwrap_or_default();
        let level = flags.get(LEVEL).and_then(Value::as_str).and_then(Level::named);
        DesignFlags {
            auto: is_set("auto"),
            quick: is_set("quick"),
            no_checkpoint: is_set("no-checkpoint"),
            level: level.unwrap_or_default(),
        }
    }

    /// As they are kept.
    pub fn to_map(self) -> Map<String, Value> {
        let all = [("auto", self.auto), ("quick", self.quick), ("no-checkpoint", self.no_checkpoint)];
        let flags = all.into_iter().map(|(name, set)| (name.to_owned(), Value::from(set)));
        let level = (self.level != Level::Spec).then(|| (LEVEL.to_owned(), Value::from(self.level.as_str())));
        flags.chain(level).collect()
    }
}

/// The flag that says what is designed; a specification if it is not there.
const LEVEL: &str = "level";

/// What a design is made from.
#[derive(Debug, Clone)]
pub(super) struct Brief {
    /// The name of the feature; of something nested, its path with `.` between the segments.
    pub(super) feature: String,
    /// What is designed: a project, a feature of one, or a specification.
    pub(super) level: Level,
    /// The folder of its specification: absolute, with `/` at the end.
    pub(super) spec_path: String,
    /// The same, as a person at the root of the repository would type it.
    pub(super) spec_folder: String,
    /// The day the run began, which its files carry.
    pub(super) date: String,
    /// No questions in between.
    pub(super) auto: bool,
    /// Two plain sketches instead of four.
    pub(super) quick: bool,
    /// The two gates are passed without asking.
    pub(super) no_checkpoint: bool,
    /// How many words a summary may have.
    pub(super) summary_words: usize,
    /// What each role is told.
    pub(super) roles: PinnedRoles,
    /// What the files of a specification are made from.
    pub(super) templates: Templates,
    /// The vendor of each agent.
    pub(super) vendors: BTreeMap<String, String>,
}

impl Brief {
    /// The brief of a run. A team's template that cannot be used stops it.
    pub(super) fn of(order: &Order) -> Flow<Brief> {
        let DesignFlags { auto, quick, no_checkpoint, level } = DesignFlags::of(&order.flags);
        let templates = Templates::with_overrides(order.templates.clone());
        Ok(Brief {
            feature: order.feature.clone(),
            level,
            spec_path: order.spec_path.clone(),
            spec_folder: order.spec_folder.clone(),
            date: order.date.clone(),
            auto,
            quick,
            no_checkpoint,
            summary_words: order.summary_words,
            roles: order.roles.clone(),
            templates: templates.map_err(|error| Stop::Failed(error.to_string()))?,
            vendors: order.vendors.clone(),
        })
    }

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
