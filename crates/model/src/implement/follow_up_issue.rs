//! Text of the tracker issue of a follow-up. Agents wrote the draft: control characters are escaped and lengths limited.

use super::follow_ups::FollowUp;
use crate::escape::one_line;
use std::fmt::Write as _;

/// Maximum number of characters of a title; trackers refuse longer ones.
const MAX_TITLE_CHARS: usize = 200;
/// Maximum number of characters of a concern or a suggestion in an issue.
const MAX_TEXT_CHARS: usize = 10_000;
/// Maximum number of places that an issue names.
const MAX_PLACES: usize = 20;

/// What was implemented when a follow-up was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueOrigin {
    pub feature: String,
    /// Folder of its specification, as a path in the repository.
    pub spec_folder: String,
    /// Its issue in the tracker, if it has one.
    pub issue: Option<String>,
}

/// The title of a draft on one line, escaped and cut.
pub fn headline(draft: &FollowUp) -> String {
    let words: Vec<&str> = draft.title.split_whitespace().collect();
    let title = cut(&one_line(&words.join(" ")), MAX_TITLE_CHARS);
    if title.is_empty() { "Follow-up".to_owned() } else { title }
}

/// Description of the issue of a draft, as Markdown. `after` names the issues that it comes after.
pub fn issue_description(draft: &FollowUp, origin: &IssueOrigin, after: &[String]) -> String {
    let limited = |text: &str| cut(&escaped_lines(text.trim()), MAX_TEXT_CHARS);
    let mut text = format!("{}\n\n", limited(&draft.concern));
    // Writing to a string cannot fail.
    if !draft.suggestion.trim().is_empty() {
        let _ = write!(text, "**Suggestion:** {}\n\n", limited(&draft.suggestion));
    }
    if let Some(severity) = draft.severity {
        let _ = writeln!(text, "- **Severity:** {}", severity.name());
    }
    if !draft.places.is_empty() {
        let places = draft.places.iter().take(MAX_PLACES);
        let places: Vec<String> = places.map(|place| format!("`{}`", one_line(&place.to_string()))).collect();
        let _ = writeln!(text, "- **Places:** {}", places.join(", "));
    }
    if !after.is_empty() {
        let _ = writeln!(text, "- **After:** {} (same lines)", after.join(", "));
    }
    let IssueOrigin { feature, spec_folder, issue } = origin;
    let issue = issue.as_ref().map(|issue| format!(" ({issue})")).unwrap_or_default();
    let _ = write!(text, "- **Found during:** the implementation of {feature}{issue}, {spec_folder}");
    text.trim_start().to_owned()
}

/// Escapes the control characters of each line; line breaks stay, and tabs become blanks.
pub(super) fn escaped_lines(text: &str) -> String {
    text.lines().map(|line| one_line(&line.replace('\t', "    "))).collect::<Vec<_>>().join("\n")
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::findings::FindingSeverity;

    fn origin(issue: Option<&str>) -> IssueOrigin {
        IssueOrigin {
            feature: "limits".to_owned(),
            spec_folder: "specs/limits/".to_owned(),
            issue: issue.map(str::to_owned),
        }
    }

    #[test]
    fn an_issue_has_everything_of_its_draft() {
        let draft = FollowUp {
            severity: Some(FindingSeverity::Major),
            ..FollowUp::new(
                "Spaces are accepted",
                "`src/price.rs:8-9` strips the text.\n\tSo `src/tax.rs` does.",
                "Do not strip.",
            )
        };
        assert_eq!(
            issue_description(&draft, &origin(Some("BASE-1")), &["BASE-7".to_owned(), "BASE-8".to_owned()]),
            "`src/price.rs:8-9` strips the text.\n    So `src/tax.rs` does.\n\n**Suggestion:** Do not strip.\n\n\
             - **Severity:** major\n- **Places:** `src/price.rs:8-9`, `src/tax.rs`\n- **After:** BASE-7, BASE-8 (same lines)\n\
             - **Found during:** the implementation of limits (BASE-1), specs/limits/"
        );
        let bare = FollowUp::new("Spaces", "", "");
        assert_eq!(
            issue_description(&bare, &origin(None), &[]),
            "- **Found during:** the implementation of limits, specs/limits/"
        );
    }

    #[test]
    fn hostile_titles_are_one_short_line() {
        for (title, expected) in [
            ("  Two\nlines\there ", "Two lines here".to_owned()),
            ("\u{1b}[2Jgone\u{202e}", "\\u{1b}[2Jgone\\u{202e}".to_owned()),
            (" \n ", "Follow-up".to_owned()),
            (&"é".repeat(300), format!("{}…", "é".repeat(MAX_TITLE_CHARS))),
        ] {
            assert_eq!(headline(&FollowUp::new(title, "", "")), expected, "{title:?}");
        }
    }

    #[test]
    fn hostile_texts_are_escaped_and_cut() {
        let draft = FollowUp::new("x", &format!("a\u{1b}[31m\n{}", "y".repeat(MAX_TEXT_CHARS)), "");
        let text = issue_description(&draft, &origin(None), &[]);
        assert!(text.starts_with("a\\u{1b}[31m\ny") && text.contains("y…\n"), "{text}");
        assert!(text.chars().count() < MAX_TEXT_CHARS + 200);
    }
}
