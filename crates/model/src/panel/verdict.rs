//! Verdict of a review: one token of a known set, found in free-form Markdown.
//!
//! `Verdict: X` counts as a heading, a list item, emphasised or plain; so does a heading `Verdict` with the
//! token on the next non-blank line. Headings win over the other forms, then the first wins. Code fences,
//! quotations, tables and sentences hold no verdict. A review without a verdict is never an approval: the
//! problems say why, and the caller decides what follows. Findings beside a verdict are in [`super::severity`].

use super::severity::{SeverityFinding, severity_findings};
use super::token::{self, TokenMatch, TokenScope};
use crate::escape::printable;
use crate::markdown::{Line, Lines, MARKS, is_blank, label, lines, strip_decoration, trimmed};
use crate::problem::Problem;
use serde::Serialize;

/// Parsed review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewVerdict {
    /// Spelled as in the set; none if there is no clear verdict.
    pub verdict: Option<String>,
    /// Line number of the verdict, from 1.
    pub line: Option<usize>,
    pub findings: Vec<SeverityFinding>,
    /// Invalid verdict lines before the one that counts.
    #[serde(skip)]
    pub problems: Vec<Problem>,
}

/// Parses the verdict and the findings of a review.
pub fn read_verdict(text: &str, set: &[&str]) -> ReviewVerdict {
    let mut findings = Vec::new();
    let (mut by_heading, mut otherwise) = (None, None);
    let mut problems = Vec::new();
    let mut ahead = lines(text);
    while let Some(line) = ahead.next() {
        if !line.fenced {
            findings.extend(severity_findings(line.text));
        }
        if by_heading.is_some() {
            continue;
        }
        match read_verdict_line(line, &ahead, set) {
            None => {}
            Some(Err(problem)) => problems.push(problem),
            Some(Ok(VerdictLine { heading: true, index, line })) => by_heading = Some((index, line)),
            Some(Ok(VerdictLine { heading: false, index, line })) => {
                otherwise = otherwise.or(Some((index, line)));
            }
        }
    }
    let found = by_heading.or(otherwise);
    ReviewVerdict {
        verdict: found.map(|(index, _)| set[index].to_owned()),
        line: found.map(|(_, line)| line),
        findings,
        problems,
    }
}

struct VerdictLine {
    heading: bool,
    index: usize,
    line: usize,
}

/// Parses a line that begins with "verdict"; `ahead` are the lines after it.
fn read_verdict_line(
    line: Line<'_>,
    ahead: &Lines<'_>,
    set: &[&str],
) -> Option<Result<VerdictLine, Problem>> {
    let bare = strip_decoration(line.text);
    if !begins_with_verdict(bare.text) {
        return None;
    }
    let value = match label(&bare) {
        Some(label) if label.name.eq_ignore_ascii_case(VERDICT) => label.value,
        None if bare.heading && is_only_verdict(bare.text) => "",
        _ => return None,
    };
    let heading = bare.heading;
    let read = if line.fenced {
        Err("the verdict stands inside a code fence".to_owned())
    } else if heading && value.is_empty() {
        read_below_heading(ahead.clone(), set)
    } else {
        read_word(value, set).map(|index| (index, line.number))
    };
    Some(match read {
        Ok((index, line)) => Ok(VerdictLine { heading, index, line }),
        Err(message) => Err(Problem::new(line.number, message)),
    })
}

const VERDICT: &str = "verdict";

fn begins_with_verdict(text: &str) -> bool {
    let start = text.as_bytes().get(..VERDICT.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(VERDICT.as_bytes()))
}

/// True if only closing marks follow the word, as in `## **Verdict** ##`.
fn is_only_verdict(text: &str) -> bool {
    text[VERDICT.len()..].chars().all(|c| c == '#' || is_blank(c) || MARKS.contains(&c))
}

/// The token below a heading. Another token on the line after it means a list of the possible answers.
fn read_below_heading(ahead: Lines<'_>, set: &[&str]) -> Result<(usize, usize), String> {
    let mut ahead = ahead.filter(|line| !trimmed(line.text).is_empty());
    let Some(line) = ahead.next() else { return Err("nothing follows the heading".to_owned()) };
    if line.fenced {
        return Err("a code fence follows the heading".to_owned());
    }
    let index = read_word(strip_decoration(line.text).text, set)?;
    let after = ahead.next().map(|line| read_word(strip_decoration(line.text).text, set));
    match after {
        Some(Ok(other)) if other != index => Err(format!("more than one of {}", set.join(", "))),
        _ => Ok((index, line.number)),
    }
}

fn read_word(text: &str, set: &[&str]) -> Result<usize, String> {
    match token::match_token(text, set, TokenScope::WholeText) {
        TokenMatch::Word(index, _) => Ok(index),
        TokenMatch::Several => Err(format!("more than one of {}", set.join(", "))),
        TokenMatch::Unknown(word) => Err(format!("'{}' is not one of {}", printable(word), set.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SET: [&str; 6] = ["APPROVE", "APPROVE_WITH_NOTES", "REVISE", "PASS", "PASS_WITH_NOTES", "FAIL"];

    fn verdict(text: &str) -> Option<(String, usize)> {
        let review = read_verdict(text, &SET);
        review.verdict.zip(review.line)
    }

    #[test]
    fn every_form_of_a_verdict_is_read() {
        for (text, word, line) in [
            ("Verdict: REVISE", "REVISE", 1),
            ("# Verdict: REVISE", "REVISE", 1),
            ("###### Verdict: REVISE", "REVISE", 1),
            ("## Verdict:REVISE", "REVISE", 1),
            ("## Verdict: REVISE.", "REVISE", 1),
            ("## Verdict: **REVISE**", "REVISE", 1),
            ("## **Verdict: REVISE**", "REVISE", 1),
            ("**Verdict:** REVISE", "REVISE", 1),
            ("**Verdict**: REVISE", "REVISE", 1),
            ("**Verdict: REVISE**", "REVISE", 1),
            ("__Verdict:__ `REVISE`", "REVISE", 1),
            ("- Verdict: REVISE", "REVISE", 1),
            ("* **Verdict**: REVISE", "REVISE", 1),
            ("7. Verdict: REVISE", "REVISE", 1),
            ("Verdict : REVISE", "REVISE", 1),
            ("VERDICT: REVISE", "REVISE", 1),
            ("verdict: revise", "REVISE", 1),
            ("Verdict: Revise — see below", "REVISE", 1),
            ("Verdict: REVISE because of the tests", "REVISE", 1),
            ("Verdict: PASS_WITH_NOTES", "PASS_WITH_NOTES", 1),
            ("Verdict: FAIL — 3 tests do not pass", "FAIL", 1),
            ("\u{feff}Verdict: REVISE\r\n", "REVISE", 1),
            ("\0Verdict: REVISE\0", "REVISE", 1),
            ("Some text.\n\nVerdict: REVISE\n", "REVISE", 3),
            ("## Verdict\nREVISE", "REVISE", 2),
            ("## Verdict\r\n\r\n  \r\n**REVISE**\r\n", "REVISE", 4),
            ("## Verdict:\n\n- revise.", "REVISE", 3),
            ("## **Verdict** ##\nREVISE: no tests", "REVISE", 2),
            ("#### verdict\nREVISE\n\nREVISE it soon.", "REVISE", 2),
            ("## Verdict\nREVISE\n\nThe plan has no tests.", "REVISE", 2),
        ] {
            assert_eq!(verdict(text), Some((word.to_owned(), line)), "{text:?}");
        }
    }

    #[test]
    fn other_text_is_never_a_verdict() {
        for text in [
            "",
            "\u{feff}",
            "APPROVE",
            "I cannot APPROVE this",
            "My verdict: APPROVE",
            "The verdict is APPROVE",
            "Verdict: I cannot APPROVE this",
            "Verdict: NOT APPROVE",
            "Verdict: DISAPPROVED, see notes",
            "Verdict: APPROVED",
            "Verdict: pass rates are too low",
            "Verdict: ✅ APPROVE",
            "Verdict: GENEHMIGT",
            "Verdict: APPROVE | REVISE",
            "Verdict: APPROVE/REVISE",
            "Verdict: APPROVE or REVISE",
            "Verdict: APPROVE, APPROVE_WITH_NOTES or REVISE",
            "verdict: approve, or revise",
            "Verdict: <APPROVE>",
            "Verdict:",
            "Verdict\nAPPROVE",
            "**Verdict**\nAPPROVE",
            "**Verdict:**\nAPPROVE",
            "Verdicts: APPROVE",
            "## Verdicts\nAPPROVE",
            "## Verdict and notes\nAPPROVE",
            "## Summary\nAPPROVE",
            "## Notes\nAPPROVE",
            "> Verdict: APPROVE",
            "| Verdict: APPROVE |",
            "| Verdict | APPROVE |",
            "```\nVerdict: APPROVE\n```",
            "~~~md\n## Verdict: APPROVE\n",
            "## Verdict",
            "## Verdict\n\n",
            "## Verdict\nI cannot APPROVE this",
            "## Verdict\nPass rates are low",
            "## Verdict\n```\nAPPROVE\n```\nAPPROVE",
            "## Verdict\n- APPROVE\n- REVISE",
            "## Verdict\nAPPROVE: all is well\n\nREVISE: something is missing",
            "## Verdict\n[x] APPROVE\n[ ] REVISE",
            "Verdict: APPRO\0VE",
            "Verdict: APPROVE\rVerdict: REVISE",
        ] {
            assert_eq!(verdict(text), None, "{text:?}");
            assert_eq!(read_verdict(text, &SET).line, None);
        }
    }

    #[test]
    fn headings_win_then_the_first_wins() {
        for (text, word, line) in [
            ("Verdict: PASS\nVerdict: FAIL", "PASS", 1),
            ("Verdict: FAIL\n# Verdict: PASS\n## Verdict: FAIL", "PASS", 2),
            ("- Verdict: PASS\n## Verdict\n\nFAIL", "FAIL", 4),
            ("## Verdict\nFAIL\n\n## Verdict: PASS", "FAIL", 2),
            ("## Verdict: PASS or FAIL\nVerdict: FAIL", "FAIL", 2),
            ("```\n## Verdict: PASS\n```\nVerdict: FAIL", "FAIL", 4),
            ("## Verdict\nVerdict: FAIL", "FAIL", 2),
            ("## Verdict\n## Verdict: FAIL", "FAIL", 2),
        ] {
            assert_eq!(verdict(text), Some((word.to_owned(), line)), "{text:?}");
        }
    }

    #[test]
    fn a_missing_verdict_has_its_reason() {
        for (text, line, message) in [
            ("x\nVerdict: OK", 2, "'OK' is not one of APPROVE, REVISE"),
            ("Verdict: APPROVE or REVISE", 1, "more than one of APPROVE, REVISE"),
            ("```\nVerdict: APPROVE", 2, "the verdict stands inside a code fence"),
            ("## Verdict\n\n", 1, "nothing follows the heading"),
            ("## Verdict\n```\n", 1, "a code fence follows the heading"),
            ("## Verdict\n\nMaybe", 1, "'Maybe' is not one of APPROVE, REVISE"),
            ("## Verdict\nREVISE\nAPPROVE", 1, "more than one of APPROVE, REVISE"),
        ] {
            let review = read_verdict(text, &["APPROVE", "REVISE"]);
            assert_eq!(review.problems, [Problem::new(line, message)], "{text:?}");
        }
        assert_eq!(read_verdict("all is well", &SET).problems, []);
    }

    #[test]
    fn only_tokens_of_the_set_count() {
        assert_eq!(read_verdict("Verdict: APPROVE", &["PASS", "FAIL"]).verdict, None);
        assert_eq!(read_verdict("Verdict: APPROVE", &[]).verdict, None);
        assert_eq!(read_verdict("Verdict: clean", &["CLEAN"]).verdict.as_deref(), Some("CLEAN"));
    }

    #[test]
    fn huge_lines_take_linear_time() {
        let long = "x".repeat(1 << 20);
        let marks = "*".repeat(1 << 20);
        let blanks = " ".repeat(1 << 20);
        let text = format!("{long}\n{marks}\nVerdict:{blanks}{marks}REVISE{marks} {long}\n");
        assert_eq!(verdict(&text), Some(("REVISE".to_owned(), 3)));
        let headings = "## Verdict\n\n".repeat(1 << 16);
        assert_eq!(verdict(&headings), None);
    }

    #[test]
    fn a_review_is_printed_as_the_plumbing_promises() {
        let json = |text: &str| serde_json::to_string(&read_verdict(text, &["PASS", "FAIL"])).unwrap();
        assert_eq!(
            json("## Verdict: FAIL\n**1. [CRITICAL] No rollback**"),
            r#"{"verdict":"FAIL","line":1,"findings":[{"severity":"CRITICAL","text":"No rollback"}]}"#
        );
        assert_eq!(json("nothing"), r#"{"verdict":null,"line":null,"findings":[]}"#);
    }

    proptest! {
        #[test]
        fn a_parsed_verdict_stands_on_its_line(text in "((#|\\*|-|`|:|\\||\r|\n| |\0|Verdict|APPROVE|REVISE|\\[MINOR\\]|\\PC){0,3}){0,20}") {
            let review = read_verdict(&text, &SET);
            prop_assert_eq!(review.verdict.is_some(), review.line.is_some());
            if let (Some(word), Some(line)) = (&review.verdict, review.line) {
                let line = text.lines().nth(line - 1).unwrap().to_ascii_uppercase();
                prop_assert!(line.contains(word.as_str()));
            }
        }

        #[test]
        fn prose_before_a_heading_changes_nothing(prose in "[a-z .\n]{0,80}") {
            let review = read_verdict(&format!("{prose}\n\n## Verdict: FAIL\n"), &SET);
            prop_assert_eq!(review.verdict.as_deref(), Some("FAIL"));
        }
    }
}
