//! Findings with a severity tag, `**1. [CRITICAL] No rollback**`, as reviewers write them beside a verdict.
//!
//! The tag counts at the start of an entry (heading, list item, emphasised or plain) and after `**` anywhere in
//! a line. In the middle of a sentence it does not.

use crate::markdown::{MARKS, is_blank, strip_decoration, trim_around};
use memchr::memchr_iter;
use serde::Serialize;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    Critical,
    Minor,
}

/// Finding with a severity tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeverityFinding {
    pub severity: Severity,
    /// Empty if nothing follows the tag.
    pub text: String,
}

/// The tagged findings in one line.
pub fn severity_findings(line: &str) -> impl Iterator<Item = SeverityFinding> {
    let tags = memchr_iter(b'[', line.as_bytes()).enumerate();
    tags.filter_map(move |(nth, at)| {
        let (before, tag) = line.split_at(at);
        let (severity, rest) = parse_severity(tag)?;
        let bold = opens_bold(before);
        // Only the first tag can start an entry; looking back from every tag would be quadratic.
        let is_finding = bold || (nth == 0 && starts_entry(before));
        is_finding.then(|| finding(severity, rest, bold))
    })
}

/// True if `**` or `**7. ` stands right before the tag.
fn opens_bold(before: &str) -> bool {
    let numbered = before.trim_end_matches(is_blank).strip_suffix('.');
    let before = numbered.map_or(before, |number| number.trim_end_matches(|c: char| c.is_ascii_digit()));
    before.ends_with("**")
}

/// True if only decoration and a number stand before the tag.
fn starts_entry(before: &str) -> bool {
    let number = strip_decoration(before).text.trim_start_matches(|c: char| c.is_ascii_digit());
    matches!(number, "" | "." | ")")
}

/// The finding in `rest`, the text after its tag. If the tag opens bold text, the rest of that is the finding.
fn finding(severity: Severity, rest: &str, bold: bool) -> SeverityFinding {
    let (inside, outside) = if bold { rest.split_once("**").unwrap_or((rest, "")) } else { (rest, "") };
    let text = if trim_text(inside).is_empty() { trim_text(outside) } else { trim_text(inside) };
    SeverityFinding { severity, text: text.to_owned() }
}

fn parse_severity(tag: &str) -> Option<(Severity, &str)> {
    [("[CRITICAL]", Severity::Critical), ("[MINOR]", Severity::Minor)].into_iter().find_map(
        |(name, severity)| {
            let (start, rest) = tag.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name).then_some((severity, rest))
        },
    )
}

fn trim_text(text: &str) -> &str {
    trim_around(text, |c| is_blank(c) || MARKS.contains(&c) || matches!(c, ':' | '-' | '—' | '–'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::lines;

    fn found(text: &str) -> Vec<(Severity, String)> {
        let lines = lines(text).filter(|line| !line.fenced);
        let found = lines.flat_map(|line| severity_findings(line.text));
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
    fn a_tag_inside_a_sentence_does_not_count() {
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
    fn huge_lines_take_linear_time() {
        assert_eq!(found(&"[".repeat(1 << 20)), []);
        assert_eq!(found(&format!("{}{}", "*".repeat(1 << 17), "[MINOR]".repeat(1 << 13))).len(), 1);
        assert_eq!(found(&"**[MINOR] x".repeat(1 << 16)).len(), 1 << 16);
    }
}
