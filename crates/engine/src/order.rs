//! The order of a run: its request, flags and settings, in the same shape for every command.

use crate::roles::PinnedRoles;
use crate::start_check::RecordedApproval;
use charrette_model::config::Settings;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Request, flags and settings of a run.
#[derive(Debug, Clone)]
pub struct RunOrder {
    /// Feature name; path segments of a nested one are joined with `.`.
    pub feature: String,
    /// Absolute path of the specification folder, with a trailing `/`.
    pub spec_path: String,
    /// Path of the specification folder, relative to the root of the repository.
    pub spec_folder: String,
    /// Start date of the run, for its files.
    pub date: String,
    /// Flags, as stored in the document.
    pub flags: Map<String, Value>,
    /// Last phase to run; all phases if none.
    pub until: Option<String>,
    /// Maximum number of words of a summary.
    pub summary_words: usize,
    /// Role texts, as pinned at the start of the run.
    pub roles: PinnedRoles,
    /// Templates of the team: path and text.
    pub templates: Vec<(String, String)>,
    /// Settings of the site.
    pub settings: Settings,
    /// Vendor by agent.
    pub vendors: BTreeMap<String, String>,
    /// Approval of the specification that its design recorded.
    pub recorded_approval: Option<RecordedApproval>,
    /// Steps that were done when the run was opened, if another version of charrette began it.
    pub steps_of_other_version: BTreeSet<String>,
}

impl Default for RunOrder {
    fn default() -> RunOrder {
        RunOrder {
            feature: String::new(),
            spec_path: String::new(),
            spec_folder: String::new(),
            date: String::new(),
            flags: Map::new(),
            until: None,
            summary_words: charrette_model::words::MAX_SUMMARY_WORDS,
            roles: PinnedRoles::built_in(crate::flows::seats()),
            templates: Vec::new(),
            settings: Settings::default(),
            vendors: BTreeMap::new(),
            recorded_approval: None,
            steps_of_other_version: BTreeSet::new(),
        }
    }
}

impl RunOrder {
    /// True if a switch is set.
    pub fn is_set(&self, flag: &str) -> bool {
        self.flags.get(flag).and_then(Value::as_bool).unwrap_or_default()
    }

    /// True if another version of charrette, which does not know a step, took the run past it: to the end of a `later`
    /// one. The step would change nothing any more.
    pub fn is_past(&self, step: &str, later: &str) -> bool {
        self.steps_of_other_version.contains(later) && !self.steps_of_other_version.contains(step)
    }

    /// Value of a flag that takes a text.
    pub fn text(&self, flag: &str) -> Option<&str> {
        self.flags.get(flag).and_then(Value::as_str)
    }
}
