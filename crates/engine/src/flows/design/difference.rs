//! Diff of two texts, for display.

use similar::TextDiff;

/// Maximum number of diff lines that are shown.
const MAX_LINES: usize = 60;

/// Unified diff with one line of context.
pub(super) fn difference(before: &str, now: &str) -> String {
    let text = TextDiff::from_lines(before, now).unified_diff().context_radius(1).to_string();
    let mut lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    if text.lines().count() > MAX_LINES {
        lines.push("…");
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_diffs_are_truncated() {
        assert_eq!(difference("a\nb\nc\nd\n", "a\nb\nx\nd\n"), "@@ -2,3 +2,3 @@\n b\n-c\n+x\n d");
        let long = "line\n".repeat(200);
        assert_eq!(difference("", &long).lines().count(), MAX_LINES + 1);
    }
}
