//! Diff of two texts, for display.

use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;

/// Maximum number of diff lines that are shown.
const MAX_LINES: usize = 60;

/// Unified diff with one line of context.
pub(crate) fn difference(before: &str, now: &str) -> String {
    let text = TextDiff::from_lines(before, now).unified_diff().context_radius(1).to_string();
    let mut lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    if text.lines().count() > MAX_LINES {
        lines.push("…");
    }
    lines.join("\n")
}

/// Diff of texts that consist of files, each after a line `=== NAME ===`: first which files changed and by how many
/// lines, then the diff of each.
pub(crate) fn difference_by_file(before: &str, now: &str) -> String {
    let (before, now) = (files(before), files(now));
    let (mut listed, mut details) = (String::new(), String::new());
    for (name, text) in &now {
        let old = before.iter().find(|(other, _)| other == name).map_or("", |(_, text)| text.as_str());
        let changes = || TextDiff::from_lines(old, text);
        let count =
            |tag: ChangeTag| changes().iter_all_changes().filter(|change| change.tag() == tag).count();
        let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        if added + removed == 0 {
            let _ = writeln!(listed, "- {name}: unchanged");
        } else {
            let _ = writeln!(listed, "- {name}: {added} lines added, {removed} removed");
            let _ = write!(details, "\n{name}:\n\n```diff\n{}\n```\n", difference(old, text));
        }
    }
    format!("{listed}{details}").trim_end().to_owned()
}

/// Splits a text into its files: name and content.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("=== ").and_then(|rest| rest.strip_suffix(" ==="));
        match (name, files.last_mut()) {
            (Some(name), _) => files.push((name.to_owned(), String::new())),
            (None, Some((_, content))) => content.push_str(line),
            (None, None) => files.push(("the text".to_owned(), line.to_owned())),
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_listed_by_file() {
        let before = "=== design.md ===\na\nb\n=== tasks.md ===\nt\n";
        let now = "=== design.md ===\na\nc\n=== tasks.md ===\nt\n";
        assert_eq!(
            difference_by_file(before, now),
            "- design.md: 1 lines added, 1 removed\n- tasks.md: unchanged\n\ndesign.md:\n\n```diff\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n```"
        );
    }

    #[test]
    fn long_diffs_are_truncated() {
        assert_eq!(difference("a\nb\nc\nd\n", "a\nb\nx\nd\n"), "@@ -2,3 +2,3 @@\n b\n-c\n+x\n d");
        let long = "line\n".repeat(200);
        assert_eq!(difference("", &long).lines().count(), MAX_LINES + 1);
    }
}
