//! The verdict of a review: one word of a known set, found in whatever Markdown the reviewer wrote.
//!
//! `Verdict: X` counts as a heading, a list item, emphasised or plain; so does a heading `Verdict` with the word
//! on the next line that is not blank. Headings win over the other forms, then the first wins. Code fences,
//! quotations, tables and sentences hold no verdict. A review without one is never an approval: the reading says
//! why, and what happens then is up to the caller. The findings beside a verdict are in [`super::severity`].

use super::lines::{Line, Lines, MARKS, Problem, bare, is_blank, label, lines, trimmed};
use super::severity::{SeverityFinding, findings_in};
use super::token::{self, Alone, Reading};
use crate::shown::shown;
use serde::Serialize;

/// What a review says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Review {
    /// The verdict, spelled as in the set; none if there is no clear one.
    pub verdict: Option<String>,
    /// The line it stands on, counted from 1.
    pub line: Option<usize>,
    /// The findings, in order.
    pub findings: Vec<SeverityFinding>,
    /// Lines that look like a verdict and are none, up to the one that counts.
    #[serde(skip)]
    pub problems: Vec<Problem>,
}

/// Reads the verdict and the findings of a review.
pub fn read_review(text: &str, set: &[&str]) -> Review {
    let mut findings = Vec::new();
    let (mut by_heading, mut otherwise) = (None, None);
    let mut problems = Vec::new();
    let mut ahead = lines(text);
    while let Some(line) = ahead.next() {
        if !line.fenced {
            findings.extend(findings_in(line.text));
        }
        if by_heading.is_some() {
            continue;
        }
        match verdict_line(line, &ahead, set) {
            None => {}
            Some(Err(problem)) => problems.push(problem),
            Some(Ok(Found { heading: true, index, line })) => by_heading = Some((index, line)),
            Some(Ok(Found { heading: false, index, line })) => otherwise = otherwise.or(Some((index, line))),
        }
    }
    let found = by_heading.or(otherwise);
    Review {
        verdict: found.map(|(index, _)| set[index].to_owned()),
        line: found.map(|(_, line)| line),
        findings,
        problems,
    }
}

struct Found {
    heading: bool,
    index: usize,
    line: usize,
}

/// What a line that begins with the word "verdict" says; `ahead` are the lines after it.
fn verdict_line(line: Line<'_>, ahead: &Lines<'_>, set: &[&str]) -> Option<Result<Found, Problem>> {
    let bare = bare(line.text);
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
        on_the_next_line(ahead.clone(), set)
    } else {
        said(value, set).map(|index| (index, line.number))
    };
    Some(match read {
        Ok((index, line)) => Ok(Found { heading, index, line }),
        Err(message) => Err(Problem::new(line.number, message)),
    })
}

const VERDICT: &str = "verdict";

fn begins_with_verdict(text: &str) -> bool {
    let start = text.as_bytes().get(..VERDICT.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(VERDICT.as_bytes()))
}

/// Nothing but closing marks after the word, as in `## **Verdict** ##`.
fn is_only_verdict(text: &str) -> bool {
    text[VERDICT.len()..].chars().all(|c| c == '#' || is_blank(c) || MARKS.contains(&c))
}

/// The word below a heading. If the line after it has another one, it is the list of possible answers.
fn on_the_next_line(ahead: Lines<'_>, set: &[&str]) -> Result<(usize, usize), String> {
    let mut ahead = ahead.filter(|line| !trimmed(line.text).is_empty());
    let Some(line) = ahead.next() else { return Err("nothing follows the heading".to_owned()) };
    if line.fenced {
        return Err("a code fence follows the heading".to_owned());
    }
    let index = said(bare(line.text).text, set)?;
    let after = ahead.next().map(|line| said(bare(line.text).text, set));
    match after {
        Some(Ok(other)) if other != index => Err(format!("more than one of {}", set.join(", "))),
        _ => Ok((index, line.number)),
    }
}

fn said(text: &str, set: &[&str]) -> Result<usize, String> {
    match token::read(text, set, Alone::InTheText) {
        Reading::Word(index, _) => Ok(index),
        Reading::Several => Err(format!("more than one of {}", set.join(", "))),
        Reading::Unknown(word) => Err(format!("'{}' is not one of {}", shown(word), set.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SET: [&str; 6] = ["APPROVE", "APPROVE_WITH_NOTES", "REVISE", "PASS", "PASS_WITH_NOTES", "FAIL"];

    fn verdict(text: &str) -> Option<(String, usize)> {
        let review = read_review(text, &SET);
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
    fn what_is_no_verdict_is_never_one() {
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
            assert_eq!(read_review(text, &SET).line, None);
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
            let review = read_review(text, &["APPROVE", "REVISE"]);
            assert_eq!(review.problems, [Problem::new(line, message)], "{text:?}");
        }
        assert_eq!(read_review("all is well", &SET).problems, []);
    }

    #[test]
    fn the_set_decides_which_words_count() {
        assert_eq!(read_review("Verdict: APPROVE", &["PASS", "FAIL"]).verdict, None);
        assert_eq!(read_review("Verdict: APPROVE", &[]).verdict, None);
        assert_eq!(read_review("Verdict: clean", &["CLEAN"]).verdict.as_deref(), Some("CLEAN"));
    }

    #[test]
    fn enormous_lines_are_read_once() {
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
        let json = |text: &str| serde_json::to_string(&read_review(text, &["PASS", "FAIL"])).unwrap();
        assert_eq!(
            json("## Verdict: FAIL\n**1. [CRITICAL] No rollback**"),
            r#"{"verdict":"FAIL","line":1,"findings":[{"severity":"CRITICAL","text":"No rollback"}]}"#
        );
        assert_eq!(json("nothing"), r#"{"verdict":null,"line":null,"findings":[]}"#);
    }

    proptest! {
        #[test]
        fn what_is_found_is_in_the_text(text in "((#|\\*|-|`|:|\\||\r|\n| |\0|Verdict|APPROVE|REVISE|\\[MINOR\\]|\\PC){0,3}){0,20}") {
            let review = read_review(&text, &SET);
            prop_assert_eq!(review.verdict.is_some(), review.line.is_some());
            if let (Some(word), Some(line)) = (&review.verdict, review.line) {
                let line = text.lines().nth(line - 1).unwrap().to_ascii_uppercase();
                prop_assert!(line.contains(word.as_str()));
            }
        }

        #[test]
        fn prose_before_a_heading_changes_nothing(prose in "[a-z .\n]{0,80}") {
            let review = read_review(&format!("{prose}\n\n## Verdict: FAIL\n"), &SET);
            prop_assert_eq!(review.verdict.as_deref(), Some("FAIL"));
        }
    }
}
