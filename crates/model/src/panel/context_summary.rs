//! `context-summary.md`: six labelled parts, shown at the pre-design gate.

use crate::markdown::{MARKS, StrippedLine, is_blank, lines, strip_decoration, trimmed};
use crate::problem::Problem;
use crate::words;
use serde::{Deserialize, Serialize};

/// Summary of the research.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextSummary {
    pub understanding: String,
    pub approach: String,
    pub assumptions: String,
    pub trade_offs: String,
    pub out_of_scope: String,
    pub unknowns: String,
}

/// Labels of the parts, in order.
pub const PARTS: [&str; 6] =
    ["Understanding", "Approach", "Assumptions", "Trade-offs", "Out of scope", "Unknowns"];

/// Labels of the parts for a project.
pub const PROJECT_PARTS: [&str; 6] = ["Vision", "Users", "Features", "Boundaries", "Priorities", "Risks"];

/// Labels of the parts for a feature.
pub const FEATURE_PARTS: [&str; 6] =
    ["Understanding", "Rough specs", "Dependencies", "Boundaries", "Complexity", "Constraints"];

/// Parses a context summary and checks its length against `limit` words. Usable if there are no problems.
pub fn read_context_summary(text: &str, limit: usize) -> (ContextSummary, Vec<Problem>) {
    let (parts, problems) = read_parts(text, &PARTS, limit);
    let [understanding, approach, assumptions, trade_offs, out_of_scope, unknowns] = parts;
    (ContextSummary { understanding, approach, assumptions, trade_offs, out_of_scope, unknowns }, problems)
}

/// Parses the parts with these labels, in their order.
///
/// A part begins with its label: as a heading, emphasised, or plain with a colon. It ends at the next label.
pub fn read_parts(text: &str, labels: &[&str; 6], limit: usize) -> ([String; 6], Vec<Problem>) {
    let mut problems = Vec::new();
    let mut parts: [Option<(usize, String)>; 6] = [const { None }; 6];
    let mut open = None;
    for line in lines(text) {
        let started = if line.fenced { None } else { part_start(&strip_decoration(line.text), labels) };
        let Some((index, rest)) = started else {
            if let Some((_, text)) = open.and_then(|index: usize| parts[index].as_mut()) {
                text.push('\n');
                text.push_str(line.text);
            }
            continue;
        };
        if let Some((first, _)) = &parts[index] {
            let message = format!("{} is there already, in line {first}", labels[index]);
            problems.push(Problem::new(line.number, message));
            open = None;
        } else {
            parts[index] = Some((line.number, rest.to_owned()));
            open = Some(index);
        }
    }
    for (name, part) in labels.iter().zip(&parts) {
        match part {
            None => problems.push(Problem::new(1, format!("{name} is missing"))),
            Some((line, text)) if trimmed(text).is_empty() => {
                problems.push(Problem::new(*line, format!("{name} is empty")));
            }
            Some(_) => {}
        }
    }
    problems.extend(words::measure_summary(text, limit).error.map(|message| Problem::new(1, message)));
    (parts.map(|part| part.map(|(_, text)| trimmed(&text).to_owned()).unwrap_or_default()), problems)
}

/// The part that a line starts, and the text after its label.
fn part_start<'a>(line: &StrippedLine<'a>, labels: &[&str; 6]) -> Option<(usize, &'a str)> {
    let (name, value) = match line.text.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (line.text, None),
    };
    let index = labels.iter().position(|label| same_words(label, name))?;
    let marks = |c| is_blank(c) || MARKS.contains(&c);
    match value {
        Some(value) => Some((index, if line.emphasised() { value.trim_start_matches(marks) } else { value })),
        None => (line.heading || line.emphasised()).then_some((index, "")),
    }
}

/// Compares the letters of a label only: "Trade-offs", "tradeoffs", "Trade offs**".
fn same_words(part: &str, name: &str) -> bool {
    let letters = |text: &str| -> Vec<u8> {
        let between = |b: &u8| !matches!(b, b' ' | b'-' | b'*' | b'_' | b'#' | b'`');
        text.bytes().take(40).filter(between).map(|b| b.to_ascii_lowercase()).collect()
    };
    letters(part) == letters(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: &str = "## Understanding\nPay by card.\n\n## Approach\n1. Add a form.\n2. Call the bank.\n\n## Assumptions\nOne currency.\n\n\
                         ## Trade-offs\nSpeed over beauty.\n\n## Out of scope\nRefunds.\n\n## Unknowns\nNone.\n";

    fn messages(text: &str) -> Vec<(usize, String)> {
        let (_, problems) = read_context_summary(text, 500);
        problems.into_iter().map(|problem| (problem.line, problem.message)).collect()
    }

    #[test]
    fn the_six_parts_are_read_in_many_shapes() {
        let (summary, problems) = read_context_summary(WHOLE, 500);
        assert_eq!(problems, []);
        assert_eq!(summary.approach, "1. Add a form.\n2. Call the bank.");
        assert_eq!(summary.trade_offs, "Speed over beauty.");
        let bold = WHOLE
            .replace("## ", "**")
            .replace("ing\n", "ing:** ")
            .replace("ach\n", "ach**\n")
            .replace("ions\n", "ions**:\n")
            .replace("offs\n", "offs**: ")
            .replace("scope\n", "scope:**\n")
            .replace("wns\n", "wns**\n");
        for text in [
            format!("\u{feff}# Summary\r\n\r\n{}", WHOLE.replace('\n', "\r\n")),
            WHOLE
                .replace("## Trade-offs", "### **Tradeoffs**")
                .replace("Out of scope", "OUT-OF-SCOPE")
                .replace("## Unknowns", "# unknowns #"),
            WHOLE.replace("## Trade-offs\n", "Trade offs: ").replace("## Unknowns\n", "- **Unknowns:** "),
            bold,
        ] {
            let (read, problems) = read_context_summary(&text, 500);
            let flat = |summary: &ContextSummary| serde_json::to_string(summary).unwrap().replace("\\r", "");
            assert_eq!((flat(&read), problems), (flat(&summary), vec![]), "{text}");
        }
    }

    #[test]
    fn missing_empty_and_duplicate_parts_are_reported() {
        assert_eq!(messages("").len(), 6);
        assert_eq!(
            messages(&WHOLE.replace("## Unknowns\nNone.\n", "")),
            [(1, "Unknowns is missing".to_owned())]
        );
        assert_eq!(messages(&WHOLE.replace("Refunds.", "")), [(14, "Out of scope is empty".to_owned())]);
        let twice = format!("{WHOLE}## Approach\nOther.\n");
        assert_eq!(messages(&twice), [(19, "Approach is there already, in line 4".to_owned())]);
        assert_eq!(read_context_summary(&twice, 500).0, read_context_summary(WHOLE, 500).0);
        assert_eq!(messages(&format!("```\n{WHOLE}```\n")).len(), 6);
    }

    #[test]
    fn a_sentence_that_begins_with_a_label_is_no_label() {
        for line in
            ["Approach the bank first.", "Unknowns remain", "Scope: x", "The approach: y", "> Approach: z"]
        {
            let text = WHOLE.replace("One currency.", line);
            assert_eq!(read_context_summary(&text, 500).0.assumptions, line);
        }
        let fenced = WHOLE.replace("One currency.", "```\n## Approach\n```");
        assert_eq!(read_context_summary(&fenced, 500).0.assumptions, "```\n## Approach\n```");
    }

    #[test]
    fn the_limit_holds_for_all_parts_together() {
        let words = words::count(WHOLE);
        assert_eq!(read_context_summary(WHOLE, words).1, []);
        let message = format!("Context summary exceeds {} token limit (actual: {words} tokens)", words - 1);
        assert_eq!(read_context_summary(WHOLE, words - 1).1, [Problem::new(1, message)]);
    }

    #[test]
    fn other_labels_are_read_the_same_way() {
        let text = FEATURE_PARTS.map(|label| format!("## {label}\nAbout {label}.\n")).join("\n");
        let (parts, problems) = read_parts(&text, &FEATURE_PARTS, 500);
        assert_eq!(problems, []);
        assert_eq!(parts, FEATURE_PARTS.map(|label| format!("About {label}.")));
        let (_, problems) = read_parts(&text, &PROJECT_PARTS, 500);
        let missing: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(
            missing,
            ["Vision", "Users", "Features", "Priorities", "Risks"].map(|label| format!("{label} is missing"))
        );
    }

    proptest! {
        #[test]
        fn parts_keep_their_text(parts in prop::collection::vec("[a-z0-9 .,;()'\"!?-]{0,40}[a-z]\n?[a-z]{1,9}", 6)) {
            let text: Vec<String> = PARTS.iter().zip(&parts).map(|(name, part)| format!("## {name}\n{part}\n")).collect();
            let (read, problems) = read_context_summary(&text.join("\n"), 5000);
            prop_assert_eq!(problems, []);
            let read = [read.understanding, read.approach, read.assumptions, read.trade_offs, read.out_of_scope, read.unknowns];
            prop_assert_eq!(read.to_vec(), parts.iter().map(|part| part.trim().to_owned()).collect::<Vec<_>>());
        }

        #[test]
        fn any_text_parses_without_panic(text in "((Approach|Unknowns|#|\\*|:|`|\r|\n|\0|\\PC){0,4}){0,20}") {
            read_context_summary(&text, 10);
        }
    }
}
