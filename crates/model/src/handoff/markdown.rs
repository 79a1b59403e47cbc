//! Parser of a response inside Markdown: a JSON block, usually followed by prose.

use super::{HandoffReport, check_response};
use crate::markdown::{fences, is_blank, lines, trimmed};
use serde_json::{Deserializer, Value};

/// The response found in an answer, with its check.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkdownResponse<'a> {
    /// The first JSON object, if any; usable if the report is valid.
    pub response: Option<Value>,
    /// First line, counted from 1.
    pub line: Option<usize>,
    /// Text after the response.
    pub prose: &'a str,
    pub report: HandoffReport,
}

/// Finds the response in `text` and checks it.
///
/// It is the first JSON object with a `decision`, in a fence or plain at the start of a line; if none has
/// one, the first JSON object, so that the report can name what it lacks.
pub fn response_in_markdown(text: &str, summary_words: usize) -> MarkdownResponse<'_> {
    let (mut chosen, mut problem) = (None, None);
    for candidate in candidates(text) {
        match candidate.parse() {
            Ok((value, end)) => {
                let decided = value.get("decision").is_some();
                if decided || chosen.is_none() {
                    chosen = Some((value, candidate.line, end));
                }
                if decided {
                    break;
                }
            }
            Err(message) => problem = problem.or(Some(format!("line {}: {message}", candidate.line))),
        }
    }
    let Some((response, line, end)) = chosen else {
        let mut report = HandoffReport::default();
        report.error("", &problem.unwrap_or_else(|| "there is no JSON block".to_owned()));
        return MarkdownResponse {
            response: None,
            line: None,
            prose: trimmed(text),
            report: report.finish(),
        };
    };
    MarkdownResponse {
        report: check_response(&response, summary_words),
        response: Some(response),
        line: Some(line),
        prose: trimmed(&text[end..]),
    }
}

/// A possible JSON object.
struct JsonCandidate<'a> {
    line: usize,
    start: usize,
    text: &'a str,
    /// Offset behind the object, if known before parsing.
    end: Option<usize>,
}

/// Fences that may hold JSON, and the first unfenced line that starts with a brace, in order.
fn candidates(text: &str) -> Vec<JsonCandidate<'_>> {
    let fenced = fences(text).into_iter().filter(|fence| {
        let language = fence.info.split(' ').next().unwrap_or_default().to_ascii_lowercase();
        matches!(language.as_str(), "" | "json" | "jsonc") && trimmed(fence.content).starts_with('{')
    });
    let fenced = fenced.map(|fence| JsonCandidate {
        line: fence.line,
        start: fence.start,
        text: fence.content,
        end: Some(fence.end),
    });
    let plain = lines(text).find(|line| !line.fenced && trimmed(line.text).starts_with('{'));
    let plain = plain.map(|line| JsonCandidate {
        line: line.number,
        start: line.start,
        text: &text[line.start..],
        end: None,
    });
    let mut all: Vec<JsonCandidate<'_>> = fenced.chain(plain).collect();
    all.sort_by_key(|candidate| candidate.start);
    all
}

impl JsonCandidate<'_> {
    /// The object, and the offset behind it.
    fn parse(&self) -> Result<(Value, usize), String> {
        let text = self.text.trim_start_matches(is_blank);
        let mut values = Deserializer::from_str(text).into_iter::<Value>();
        let value = values.next().transpose().map_err(|error| format!("not JSON ({error})"))?;
        let end = self.start + (self.text.len() - text.len()) + values.byte_offset();
        Ok((value.unwrap_or_default(), self.end.unwrap_or(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RESPONSE: &str = r#"{"task_id": "T1", "phase": "research", "status": "complete", "decision": "PROCEED",
 "findings": {"recommendations": ["x"]}, "context_summary": "Found it."}"#;

    fn decision(text: &str) -> Option<String> {
        let found = response_in_markdown(text, 500);
        Some(found.response?.get("decision")?.as_str()?.to_owned())
    }

    #[test]
    fn a_response_is_found_wherever_it_stands() {
        for (text, line, prose) in [
            (RESPONSE.to_owned(), 1, ""),
            (format!("\u{feff}\r\n{RESPONSE}\r\n\r\nThen prose.\r\n"), 2, "Then prose."),
            (format!("```json\n{RESPONSE}\n```\n\nThen prose."), 2, "Then prose."),
            (
                format!("Here it is:\n\n~~~~ JSON\n{RESPONSE}\n~~~~\nThen prose.\n```json\n{RESPONSE}\n```"),
                4,
                "Then prose.\n```json\n{RESPONSE}\n```",
            ),
            (format!("```\n{RESPONSE}\n"), 2, ""),
            (format!("- ```json\n  {RESPONSE}\n  ```\nThen prose."), 2, "Then prose."),
            (format!("```json\n{{\"name\": \"package\"}}\n```\n{RESPONSE} Then prose."), 4, "Then prose."),
            (format!("```rust\n{{ x }}\n```\n```jsonc\n{RESPONSE}\n```"), 5, ""),
            (format!("```json\n{{ broken\n```\n```json\n{RESPONSE}\n```\n"), 5, ""),
        ] {
            let found = response_in_markdown(&text, 500);
            let prose = prose.replace("{RESPONSE}", RESPONSE);
            assert_eq!((found.line, found.prose), (Some(line), prose.as_str()), "{text}");
            assert_eq!(found.report, HandoffReport { valid: true, ..HandoffReport::default() }, "{text}");
            assert_eq!(decision(&text).as_deref(), Some("PROCEED"), "{text}");
        }
    }

    #[test]
    fn the_response_is_validated() {
        let found = response_in_markdown("```json\n{\"status\": \"complete\"}\n```\n{\"a\": 1}", 500);
        assert_eq!((found.line, found.report.valid), (Some(2), false));
        assert!(found.report.errors.contains(&"decision: is missing".to_owned()));
        let long = RESPONSE.replace("Found it.", "a b c d");
        let found = response_in_markdown(&long, 3);
        assert_eq!(
            found.report.warnings,
            ["context_summary: Context summary exceeds 3 token limit (actual: 4 tokens)"]
        );
    }

    #[test]
    fn an_answer_without_a_response_says_so() {
        for (text, error) in [
            ("", "there is no JSON block"),
            ("Only prose, with {braces} in it.", "there is no JSON block"),
            ("```json\n[1]\n```", "there is no JSON block"),
            ("```rust\n{}\n```", "there is no JSON block"),
            ("x\n```json\n{\"a\": }\n```\n{", "line 3: not JSON (expected value at line 1 column 7)"),
            ("{\"status\": \"comp", "line 1: not JSON (EOF while parsing a string at line 1 column 16)"),
        ] {
            let found = response_in_markdown(text, 500);
            assert_eq!((found.response, found.line), (None, None));
            assert_eq!(found.report.errors, [error], "{text}");
            assert!(!found.report.valid);
        }
    }

    #[test]
    fn enormous_answers_are_read_once() {
        for text in [
            "{\n".repeat(1 << 18),
            "```json\n{\n```\n".repeat(1 << 15),
            format!("{{\"a\": \"{}", "x".repeat(1 << 20)),
        ] {
            assert_eq!(response_in_markdown(&text, 500).response, None);
        }
        let deep = "{\"a\":".repeat(1 << 16);
        assert!(response_in_markdown(&deep, 500).report.errors[0].contains("recursion limit exceeded"));
    }

    proptest! {
        #[test]
        fn no_answer_is_too_strange(text in "((```|json|\\{|\\}|\"|decision|:|\r|\n|\0|\\PC){0,4}){0,20}") {
            response_in_markdown(&text, 500);
        }

        #[test]
        fn prose_around_a_response_changes_nothing(before in "[a-z .\n]{0,40}", after in "[a-z .\n]{0,40}[a-z]") {
            let text = format!("{before}\n```json\n{RESPONSE}\n```\n{after}");
            let found = response_in_markdown(&text, 500);
            prop_assert!(found.report.valid);
            prop_assert_eq!(found.prose, after.trim());
        }
    }
}
