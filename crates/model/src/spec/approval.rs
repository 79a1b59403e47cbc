//! The text that an approval covers: requirements, design and tasks without what changes later in the ordinary course of
//! work. Its digest is kept in `spec.json`, so that every later command can tell whether it works on what was approved.

use crate::markdown::{heading, parse_label};
use serde::{Deserialize, Serialize};

/// Approval of a specification, in `spec.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// SHA-256 of [`approved_text`].
    pub digest: String,
    /// Name of the person.
    pub by: String,
    /// Time of the approval.
    pub at: String,
}

/// Labels whose values change after the approval.
const CHANGING: [&str; 7] = ["status", "created", "updated", "linear", "issue", "commit", "commits"];

/// Requirements, design and tasks without status, dates, ticks, progress, commits and tracker ids.
pub fn approved_text(requirements: &str, design: &str, tasks: &str) -> String {
    let files = [("requirements.md", requirements), ("design.md", design), ("tasks.md", tasks)];
    files.map(|(name, text)| format!("=== {name} ===\n{}", stable_lines(text))).concat()
}

fn stable_lines(text: &str) -> String {
    let mut stable = String::new();
    let mut is_progress = false;
    for line in text.lines() {
        if let Some((_, title)) = heading(line) {
            is_progress = title.trim().eq_ignore_ascii_case("progress");
        }
        let inside = line.trim_start().trim_start_matches('>').trim_start();
        let label = parse_label(inside).map(|(label, _)| label);
        if is_progress || label.is_some_and(|label| CHANGING.contains(&label.as_str())) {
            continue;
        }
        stable.push_str(&line.trim_end().replace("[x]", "[ ]").replace("[X]", "[ ]"));
        stable.push('\n');
    }
    stable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_work_changes_nothing_that_was_approved() {
        let before = "# Tasks\n\n> **Status:** Draft\n> **Created:** 2026-01-01\n\n### T001: One [REQ-1.1]\nDo it.\n\n## Progress\n\n**Total:** 0/1 tasks complete\n\n## Completion Criteria\n\n1. [ ] It works.\n";
        let after = before
            .replace("Draft", "Approved")
            .replace("0/1", "1/1")
            .replace("[ ] It", "[x] It")
            .replace("Do it.\n", "Do it.\n**Commit:** abc\n");
        assert_eq!(approved_text("r", "d", before), approved_text("r", "d", &after));
        assert_ne!(
            approved_text("r", "d", before),
            approved_text("r", "d", &before.replace("Do it", "Do that"))
        );
        assert_ne!(approved_text("r", "d", before), approved_text("r2", "d", before));
    }
}
