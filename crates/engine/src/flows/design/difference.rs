//! How two texts differ, for a person to see.

use similar::TextDiff;

/// How many lines of a difference are shown; all of it can be seen with any tool for that.
const MOST: usize = 60;

/// The lines that differ, with one line around each.
pub(super) fn difference(before: &str, now: &str) -> String {
    let text = TextDiff::from_lines(before, now).unified_diff().context_radius(1).to_string();
    let mut lines: Vec<&str> = text.lines().take(MOST).collect();
    if text.lines().count() > MOST {
        lines.push("…");
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_shown_and_a_long_difference_is_cut() {
        assert_eq!(difference("a\nb\nc\nd\n", "a\nb\nx\nd\n"), "@@ -2,3 +2,3 @@\n b\n-c\n+x\n d");
        let long = "line\n".repeat(200);
        assert_eq!(difference("", &long).lines().count(), MOST + 1);
    }
}
