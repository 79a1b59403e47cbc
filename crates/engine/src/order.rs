//! What a run was asked for, and what its flow must know about the place: the same shape for every command.

use crate::roles::PinnedRoles;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What a run was asked for.
#[derive(Debug, Clone)]
pub struct Order {
    /// The name of the feature; of something nested, its path with `.` between the segments.
    pub feature: String,
    /// The folder of its specification: absolute, with `/` at the end.
    pub spec_path: String,
    /// The same, as a person at the root of the repository would type it.
    pub spec_folder: String,
    /// The day the run began, which its files carry.
    pub date: String,
    /// The flags it goes by, as its document keeps them.
    pub flags: Map<String, Value>,
    /// The last phase to go through; all of them if that is not said.
    pub until: Option<String>,
    /// How many words a summary may have.
    pub summary_words: usize,
    /// What each role is told.
    pub roles: PinnedRoles,
    /// The team's own templates: path and text.
    pub templates: Vec<(String, String)>,
    /// The vendor of each agent.
    pub vendors: BTreeMap<String, String>,
}

impl Default for Order {
    fn default() -> Order {
        Order {
            feature: String::new(),
            spec_path: String::new(),
            spec_folder: String::new(),
            date: String::new(),
            flags: Map::new(),
            until: None,
            summary_words: charrette_model::words::MAX_SUMMARY_WORDS,
            roles: PinnedRoles::built_in(crate::flows::seats()),
            templates: Vec::new(),
            vendors: BTreeMap::new(),
        }
    }
}

impl Order {
    /// Whether a flag is set.
    pub fn is_set(&self, flag: &str) -> bool {
        self.flags.get(flag).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The text of a flag that has one.
    pub fn text(&self, flag: &str) -> Option<&str> {
        self.flags.get(flag).and_then(Value::as_str)
    }
}
