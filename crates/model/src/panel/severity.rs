//! Findings with a severity, `**1. [CRITICAL] No rollback**`, as reviewers write them beside a verdict.
//!
//! The tag counts where an entry starts (heading, list item, emphasised or plain) and after `**` anywhere in a
//! line. In the middle of a sentence it is only mentioned.

use super::lines::{MARKS, bare, is_blank};
use memchr::memchr_iter;
use serde::Serialize;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    /// Must be mended.
    Critical,
    /// Should be.
    Minor,
}

/// One finding of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeverityFinding {
    /// How much it weighs.
    pub severity: Severity,
    /// What was found; empty if nothing follows the tag.
    pub text: String,
}

/// The findings in one line.
pub fn findings_in(line: &str) -> impl Iterator<Item = SeverityFinding> {
    let tags = memchr_iter(b'[', line.as_bytes()).enumerate();
    tags.filter_map(move |(nth, at)| {
        let (before, tag) = line.split_at(at);
        let (severity, rest) = severity(tag)?;
        let bold = opens_bold(before);
        // Only the first tag can be where the entry starts; looking back from all of them would take too long.
        let is_finding = bold || (nth == 0 && starts_entry(before));
        is_finding.then(|| finding(severity, rest, bold))
    })
}

/// `**` or `**7. ` right before the tag.
fn opens_bold(before: &str) -> bool {
    let numbered = before.trim_end_matches(is_blank).strip_suffix('.');
    let before = numbered.map_or(before, |number| number.trim_end_matches(|c: char| c.is_ascii_digit()));
    before.ends_with("**")
}

/// Nothing before the tag but decoration and a number.
fn starts_entry(before: &str) -> bool {
    let number = bare(before).text.trim_start_matches(|c: char| c.is_ascii_digit());
    matches!(number, "" | "." | ")")
}

/// The finding before `rest`. Bold text right after the tag is all of it.
fn finding(severity: Severity, rest: &str, bold: bool) -> SeverityFinding {
    let (inside, outside) = if bold { rest.split_once("**").unwrap_or((rest, "")) } else { (rest, "") };
    let text = if said(inside).is_empty() { said(outside) } else { said(inside) };
    SeverityFinding { severity, text: text.to_owned() }
}

fn severity(tag: &str) -> Option<(Severity, &str)> {
    [("[CRITICAL]", Severity::Critical), ("[MINOR]", Severity::Minor)].into_iter().find_map(
        |(name, severity)| {
            let (start, rest) = tag.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name).then_some((severity, rest))
        },
    )
}

fn said(text: &str) -> &str {
    text.trim_matches(|c| is_blank(c) || MARKS.contains(&c) || matches!(c, ':' | '-' | '—' | '–'))
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::*;

    fn found(text: &str) -> Vec<(Severity, String)> {
        let lines = lines(text).filter(|line| !line.fenced);
        let found = lines.flat_map(|line| findings_in(line.text));
        found.map(|finding| (finding.severity, finding.text)).collect()
    }

    #[test]
    fn a_finding_is_read_however_it_is_decorated() {
        for text in [
            "**[CRITICAL] No rollback**",
            "**1. [CRITICAL] No rollback**",
            "**12.  [CRITICAL] No rollback** and why",
            "1. **[CRITICAL] No rollback** and why",
            "Finding: **[CRITICAL] No rollback**",
            "Finding: **3. [CRITICAL] No rollback**",
            "- **[CRITICAL]** No rollback",
            "- **[CRITICAL]**: No rollback",
            "**[CRITICAL] — No rollback",
            "- [CRITICAL] No rollback",
            "2. [CRITICAL] No rollback",
            "2) [CRITICAL]: No rollback ",
            "### [CRITICAL] No rollback",
            "### 4. [CRITICAL] No rollback",
            "### 4) [CRITICAL] No rollback",
            "__[CRITICAL]__ No rollback",
            "*[critical] No rollback*",
            "[CRITICAL] No rollback\r",
            "\u{feff}[Critical] No rollback",
        ] {
            assert_eq!(found(text), [(Severity::Critical, "No rollback".to_owned())], "{text}");
        }
        assert_eq!(found("[MINOR] a"), [(Severity::Minor, "a".to_owned())]);
        assert_eq!(found("### [MINOR]"), [(Severity::Minor, String::new())]);
    }

    #[test]
    fn a_tag_inside_a_sentence_is_only_mentioned() {
        for text in [
            "",
            "This is not [CRITICAL] at all",
            "see [link] **bold** [MINOR] x",
            "[link] [CRITICAL] x",
            "1. x [MINOR] y",
            "1.5 [MINOR] y",
            "> [CRITICAL] x",
            "| [CRITICAL] | x |",
            "[MAJOR] x",
            "[CRITICAL x",
            "[ CRITICAL ] x",
            "```\n[CRITICAL] x\n```",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn every_tag_of_a_text_is_found_once() {
        let text = "[x]\n- [MINOR] a\n```\n[[[\n```\n**[CRITICAL] b** and **[MINOR] c** [d]\nend [";
        let expected = [(Severity::Minor, "a"), (Severity::Critical, "b"), (Severity::Minor, "c")];
        assert_eq!(found(text), expected.map(|(severity, text)| (severity, text.to_owned())));
    }

    #[test]
    fn enormous_lines_are_read_once() {
        assert_eq!(found(&"[".repeat(1 << 20)), []);
        assert_eq!(found(&format!("{}{}", "*".repeat(1 << 17), "[MINOR]".repeat(1 << 13))).len(), 1);
        assert_eq!(found(&"**[MINOR] x".repeat(1 << 16)).len(), 1 << 16);
    }
}
