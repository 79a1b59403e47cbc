//! The brief of a design: flags, paths, roles and templates, besides the files of its workspace.

use crate::deliverable::Templates;
use crate::flow::EMBEDDED_FLAG;
use crate::order::RunOrder;
use crate::roles::PinnedRoles;
use crate::stop::{FlowResult, Stop};
use charrette_model::spec::resolver::SpecLevel;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The phases of the command, in order.
pub const PHASES: [&str; 3] = [RESEARCH, WRITE, VALIDATE];
pub(super) const RESEARCH: &str = "research";
pub(super) const WRITE: &str = "write";
pub(super) const VALIDATE: &str = "validate";

/// Flags of a design, stored in the document of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct DesignFlags {
    /// Skip the question rounds (steps 1c, 1d and 3.5).
    pub auto: bool,
    /// Two generic sketches instead of four with a lens.
    pub quick: bool,
    /// Pass both gates without asking, and so without approval.
    pub no_checkpoint: bool,
    /// Open the post-design gate although `no_checkpoint` is set.
    pub approve: bool,
    /// Let the embedded agent take the place of agents that failed, without a question.
    pub embedded: bool,
    pub level: SpecLevel,
}

impl DesignFlags {
    /// Parses the flags of a document.
    pub fn from_map(flags: &Map<String, Value>) -> DesignFlags {
        let is_set = |name: &str| flags.get(name).and_then(Value::as_bool).unwrap_or_default();
        let level = flags.get(LEVEL).and_then(Value::as_str).and_then(SpecLevel::from_name);
        DesignFlags {
            auto: is_set("auto"),
            quick: is_set("quick"),
            no_checkpoint: is_set("no-checkpoint"),
            approve: is_set(APPROVE),
            embedded: is_set(EMBEDDED_FLAG),
            level: level.unwrap_or_default(),
        }
    }

    /// The flags as stored in the document.
    pub fn to_map(self) -> Map<String, Value> {
        let all = [("auto", self.auto), ("quick", self.quick), ("no-checkpoint", self.no_checkpoint)];
        let flags = all.into_iter().map(|(name, set)| (name.to_owned(), Value::from(set)));
        let level =
            (self.level != SpecLevel::Spec).then(|| (LEVEL.to_owned(), Value::from(self.level.as_str())));
        let late = [(EMBEDDED_FLAG, self.embedded), (APPROVE, self.approve)].into_iter();
        let late = late.filter(|(_, is_set)| *is_set).map(|(name, _)| (name.to_owned(), Value::from(true)));
        flags.chain(late).chain(level).collect()
    }

    /// True if the post-design gate asks a person.
    pub(super) fn asks_approval(self) -> bool {
        self.approve || !self.no_checkpoint
    }
}

/// Flag that opens the post-design gate of a run that passed it with `--no-checkpoint`.
pub(super) const APPROVE: &str = "approve";

/// Flag with the level; a specification by default.
const LEVEL: &str = "level";

/// Inputs of a design besides the files of its workspace.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command by itself")]
pub(super) struct Brief {
    /// Feature path, with `.` between the segments.
    pub(super) feature: String,
    pub(super) level: SpecLevel,
    /// Folder of the specification: absolute, ends with `/`.
    pub(super) spec_path: String,
    /// The same folder as a path from the root of the repository.
    pub(super) spec_folder: String,
    /// Date of the start of the run, used in its files.
    pub(super) date: String,
    pub(super) auto: bool,
    pub(super) quick: bool,
    /// True if the pre-design gate is passed without asking.
    pub(super) no_checkpoint: bool,
    /// True if the post-design gate asks a person.
    pub(super) asks_approval: bool,
    /// Maximum number of words of a summary.
    pub(super) summary_words: usize,
    pub(super) roles: PinnedRoles,
    pub(super) templates: Templates,
    /// Vendors by agent.
    pub(super) vendors: BTreeMap<String, String>,
}

impl Brief {
    /// Brief of a run. Fails if a team's template is invalid.
    pub(super) fn from_order(order: &RunOrder) -> FlowResult<Brief> {
        let flags = DesignFlags::from_map(&order.flags);
        let DesignFlags { auto, quick, no_checkpoint, level, .. } = flags;
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
            asks_approval: flags.asks_approval(),
            summary_words: order.summary_words,
            roles: order.roles.clone(),
            templates: templates.map_err(|error| Stop::Failed(error.to_string()))?,
            vendors: order.vendors.clone(),
        })
    }

    /// Last segment of the feature path.
    pub(super) fn name(&self) -> &str {
        self.feature.rsplit('.').next().unwrap_or(&self.feature)
    }

    /// Project and feature that contain a specification.
    pub(super) fn parents(&self) -> (Option<String>, Option<String>) {
        let mut outer = self.feature.rsplit('.').skip(1).map(str::to_owned);
        let feature = outer.next();
        (outer.next(), feature)
    }
}
