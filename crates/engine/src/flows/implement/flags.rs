//! Flags of an implementation, as they are stored with its run.

use charrette_model::implement::task::normalise_id;
use serde_json::{Map, Value};

/// Flag that asks for tracker issues.
pub(super) const ISSUES: &str = "issues";

/// Flags of `charrette implement`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ImplementFlags {
    /// Ids of the selected tasks; all if empty.
    pub tasks: Vec<String>,
    /// Number of the selected phase of `tasks.md`.
    pub task_phase: Option<u32>,
    pub from: Option<String>,
    pub until: Option<String>,
    /// A number of tasks, or `phase`.
    pub pause_after: Option<String>,
    pub sequential: bool,
    pub parallel: Option<usize>,
    pub no_review: bool,
    pub force: bool,
    /// Create tracker issues for follow-ups.
    pub issues: bool,
}

impl ImplementFlags {
    pub fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        let mut set = |name: &str, value: Option<Value>| {
            map.extend(value.map(|value| (name.to_owned(), value)));
        };
        set("task", (!self.tasks.is_empty()).then(|| Value::from(self.tasks.join(","))));
        set("phase", self.task_phase.map(|number| Value::from(number.to_string())));
        set("from", self.from.clone().map(Value::from));
        set("until", self.until.clone().map(Value::from));
        set("pause-after", self.pause_after.clone().map(Value::from));
        set("parallel", self.parallel.map(|number| Value::from(number.to_string())));
        for (name, is_set) in [
            ("sequential", self.sequential),
            ("no-review", self.no_review),
            ("force", self.force),
            (ISSUES, self.issues),
        ] {
            set(name, is_set.then_some(Value::Bool(true)));
        }
        map
    }

    /// Maximum number of tasks in a wave. Those of a wave begin at the same commit; how many of them are at work at the
    /// same time is another limit.
    pub(super) fn wave_limit(&self) -> usize {
        if self.sequential { 1 } else { usize::MAX }
    }

    pub fn from_map(map: &Map<String, Value>) -> ImplementFlags {
        let text = |name: &str| map.get(name).and_then(Value::as_str).map(str::to_owned);
        let is_set = |name: &str| map.get(name).and_then(Value::as_bool).unwrap_or_default();
        let tasks = text("task").unwrap_or_default();
        let ids = tasks.split([',', ' ']).filter(|id| !id.is_empty());
        ImplementFlags {
            tasks: ids.map(normalise_id).collect(),
            task_phase: text("phase").and_then(|number| number.parse().ok()),
            from: text("from").map(|id| normalise_id(&id)),
            until: text("until").map(|id| normalise_id(&id)),
            pause_after: text("pause-after"),
            sequential: is_set("sequential"),
            parallel: text("parallel").and_then(|number| number.parse().ok()),
            no_review: is_set("no-review"),
            force: is_set("force"),
            issues: is_set(ISSUES),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_survive_the_document() {
        let flags = ImplementFlags {
            tasks: vec!["T001".to_owned(), "T003".to_owned()],
            task_phase: Some(2),
            from: Some("T002".to_owned()),
            until: None,
            pause_after: Some("phase".to_owned()),
            sequential: true,
            parallel: Some(3),
            no_review: true,
            force: false,
            issues: true,
        };
        assert_eq!(ImplementFlags::from_map(&flags.to_map()), flags);
        assert_eq!(ImplementFlags::from_map(&Map::new()), ImplementFlags::default());
    }
}
