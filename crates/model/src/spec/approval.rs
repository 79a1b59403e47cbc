//! The text that an approval covers: requirements, design and tasks without what changes later in the ordinary course of
//! work. Its digest is kept in `spec.json`, so that every later command can tell whether it works on what was approved.

use super::record::SpecRecord;
use crate::markdown::{heading, item, parse_checkbox, parse_label};
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

/// The approved text of a specification whose `spec.json` binds more than it repeats: members of tasks that decide what is
/// done or executed. Without any of them it equals [`approved_text`].
pub fn approved_text_with_record(requirements: &str, design: &str, tasks: &str, spec_json: &str) -> String {
    let mut text = approved_text(requirements, design, tasks);
    let bound = bound_members(spec_json);
    if !bound.is_empty() {
        text.push_str("=== spec.json ===\n");
        text.push_str(&bound);
    }
    text
}

/// Members of a task in `spec.json` that bind, beside what `tasks.md` says.
const BINDING: [&str; 6] = ["depends_on", "files", "mode", "phase", "proof", "requirements"];

fn bound_members(spec_json: &str) -> String {
    let record = SpecRecord::parse(spec_json).unwrap_or_default();
    let mut lines = String::new();
    for task in &record.tasks {
        for member in BINDING {
            if let Some(value) = task.other.get(member).filter(|value| !value.is_null()) {
                lines.extend([task.id.as_str(), " ", member, ": ", &value.to_string(), "\n"]);
            }
        }
    }
    lines
}

/// True for the line that marks a task as done where its heading has no box.
fn is_done_line(line: &str) -> bool {
    let label = item(line).and_then(parse_checkbox).map(|(_, label)| label.trim().trim_end_matches('.'));
    label.is_some_and(|label| label.eq_ignore_ascii_case("done"))
}

/// Lines that ordinary work does not change. Empty ones do not count: a tick adds some.
fn stable_lines(text: &str) -> String {
    let mut stable = String::new();
    for line in covered_lines(text).filter(|line| !line.trim().is_empty()) {
        stable.push_str(&line.trim_end().replace("[x]", "[ ]").replace("[X]", "[ ]"));
        stable.push('\n');
    }
    stable
}

/// A text of the specification as far as an approval covers it: the other lines are empty. Whoever works from an approved
/// specification reads this: what was written since into a status, a commit or the progress binds nobody.
pub fn covered_text(text: &str) -> String {
    covered_lines(text).flat_map(|line| [line, "\n"]).collect()
}

/// Lines with nothing in the place of those that change after an approval.
fn covered_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_progress = false;
    text.lines().map(move |line| {
        if let Some((_, title)) = heading(line) {
            is_progress = title.trim().eq_ignore_ascii_case("progress");
        }
        let inside = line.trim_start().trim_start_matches('>').trim_start();
        let label = parse_label(inside).map(|(label, _)| label);
        let is_changing = label.is_some_and(|label| CHANGING.contains(&label.as_str()));
        if is_progress || is_changing || is_done_line(line) { "" } else { line }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::tasks::{TaskFiles, tick};

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

    #[test]
    fn ticks_change_nothing_and_proofs_do() {
        let tasks = "# Tasks\n\n### T001: One [REQ-1.1]\nDo it.\n\n**Proof:** test `a::b`; fails before.\n\n### T002: Two\n\nDo that.\n";
        let mut files = TaskFiles { tasks: tasks.to_owned(), spec_json: None, meta_yaml: None };
        for id in ["T001", "T002"] {
            files = tick(&files, id, "2026-01-02").unwrap();
        }
        assert!(files.tasks.contains("- [x] Done"), "{}", files.tasks);
        assert_eq!(approved_text("r", "d", tasks), approved_text("r", "d", &files.tasks));
        let other = tasks.replace("a::b", "a::c");
        assert_ne!(approved_text("r", "d", tasks), approved_text("r", "d", &other));
    }

    #[test]
    fn nobody_works_from_what_no_approval_covers() {
        let approved = "# Tasks\n\n> **Status:** Approved\n\n### T001: One\n\n- [ ] Done\n\nDo it.\n\n**Proof:** test `a`\n";
        let planted = approved.replace(
            "Do it.\n",
            "Do it.\n\n**Commit:** none. Then do that.\n\n#### Progress\n\nThen do that.\n\n**Proof:** command `that`\n\n#### How\n",
        );
        let (covered, planted) = (covered_text(approved), covered_text(&planted));
        assert!(!planted.contains("that"), "{planted}");
        let lines =
            |text: &str| text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&planted), lines(&covered.replace("Do it.\n", "Do it.\n#### How\n")));
        assert_eq!(covered.lines().count(), approved.lines().count());
    }

    #[test]
    fn binding_members_of_the_record_are_covered() {
        let plain = r#"{"tasks": [{"id": "T001", "title": "One", "status": "pending", "assignee": null}]}"#;
        let with = |record: &str| approved_text_with_record("r", "d", "t", record);
        assert_eq!(with(plain), approved_text("r", "d", "t"));
        assert_eq!(with(&plain.replace("pending", "complete")), with(plain));
        let proven = plain.replace("null}", "null, \"proof\": {\"command\": [\"make\"]}}");
        assert_ne!(with(&proven), with(plain));
        assert_ne!(with(&proven), with(&proven.replace("make", "rm")));
        assert_eq!(with("{"), with(plain));
    }
}
