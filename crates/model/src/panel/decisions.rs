//! `contested-decisions.md`: decisions on which the sketches diverged, with the choice of the synthesis and the
//! strongest alternative.
//!
//! The file is a list of `### DECISION_N: title` blocks, or exactly `NO_CONTESTED_DECISIONS`. Decisions are
//! debated by priority up to [`MAX_DEBATED`]; [`super::buckets`] assigns the debaters.

use super::blocks::{Block, blocks, write_field, write_head};
use super::ids::{ItemId, ItemKind};
use super::token::{self, TokenMatch, TokenScope};
use crate::escape::printable;
use crate::markdown::{is_blank, trimmed};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The whole content of the file if no sketch diverged.
pub const NO_CONTESTED_DECISIONS: &str = "NO_CONTESTED_DECISIONS";

/// Maximum number of debated decisions.
pub const MAX_DEBATED: usize = 5;

/// Maximum number of decisions that a synthesis may leave contested.
pub const MAX_CONTESTED: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Number in its id, from 1.
    pub n: u32,
    pub title: String,
    /// The option the synthesis chose.
    pub chosen: String,
    /// The strongest alternative.
    pub alternative: String,
    pub tension: String,
    pub impact: Impact,
    /// Files or modules; may be empty.
    pub affected_files: Vec<String>,
}

/// Impact of a decision. Decisions with high impact are debated first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Impact {
    High,
    Medium,
    Low,
}

/// Parsed file of contested decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ContestedDecisions {
    /// The complete decisions, by priority.
    pub contested: Vec<Decision>,
    /// Usable only without errors.
    pub errors: Vec<Problem>,
}

impl ContestedDecisions {
    /// Splits into the decisions to debate and those over the cap.
    pub fn split_at_cap(&self) -> (&[Decision], &[Decision]) {
        self.contested.split_at(self.contested.len().min(MAX_DEBATED))
    }
}

/// The problem of a synthesis that leaves too many decisions contested. Parsing accepts any number.
pub fn excess_decisions(read: &ContestedDecisions) -> Option<String> {
    let count = read.contested.len();
    (count > MAX_CONTESTED).then(|| {
        format!(
            "{count} decisions are contested, at most {MAX_CONTESTED} are allowed: keep the {MAX_CONTESTED} that \
             matter most, ranked, and decide the rest in the synthesis"
        )
    })
}

/// Parses `contested-decisions.md`.
///
/// High impact comes first. Within an impact the order of the file stays: the synthesis lists by degree of
/// disagreement, then by appearance.
pub fn read_decisions(text: &str) -> ContestedDecisions {
    if trimmed(text) == NO_CONTESTED_DECISIONS {
        return ContestedDecisions::default();
    }
    let blocks = blocks(text, decision_id, &FIELDS);
    let mut read = ContestedDecisions::default();
    if blocks.is_empty() {
        let message = format!("expected '### DECISION_1: title' blocks, or exactly {NO_CONTESTED_DECISIONS}");
        read.errors.push(Problem::new(1, message));
    }
    let mut seen = HashMap::new();
    for block in &blocks {
        match seen.entry(block.head) {
            Entry::Vacant(first) => {
                first.insert(block.line);
                read.contested.extend(read_decision(block, &mut read.errors));
            }
            Entry::Occupied(first) => {
                let message = format!("{} is there already, in line {}", block.head, first.get());
                read.errors.push(Problem::new(block.line, message));
            }
        }
    }
    read.contested.sort_by_key(|decision| decision.impact);
    read
}

/// Parses the id of a decision; other ids start no block here.
pub(super) fn decision_id(name: &str) -> Option<ItemId> {
    ItemId::parse(name).filter(|id| id.kind == ItemKind::Decision)
}

const CHOSEN: usize = 0;
const ALTERNATIVE: usize = 1;
const TENSION: usize = 2;
const IMPACT: usize = 3;
const AFFECTED_FILES: usize = 4;
const FIELDS: [&str; 5] = ["Chosen", "Alternative", "Tension", "Impact", "Affected files"];

/// The decision of a block, if it is complete. Reports every error of the block.
fn read_decision(block: &Block<'_, ItemId>, errors: &mut Vec<Problem>) -> Option<Decision> {
    let title = block.title.to_owned();
    if title.is_empty() {
        errors.push(Problem::new(block.line, format!("{} has no title", block.head)));
    }
    let chosen = field(block, CHOSEN, errors);
    let alternative = field(block, ALTERNATIVE, errors);
    let tension = field(block, TENSION, errors);
    let impact = field(block, IMPACT, errors).and_then(|text| {
        let impact = read_impact(&text);
        if impact.is_none() {
            let message = format!("{}: Impact '{}' is not High, Medium or Low", block.head, printable(&text));
            errors.push(Problem::new(block.line_of(IMPACT), message));
        }
        impact
    });
    let affected_files = field(block, AFFECTED_FILES, errors).map(|files| parse_file_list(&files));
    Some(Decision {
        n: block.head.n,
        title: Some(title).filter(|title| !title.is_empty())?,
        chosen: chosen?,
        alternative: alternative?,
        tension: tension?,
        impact: impact?,
        affected_files: affected_files?,
    })
}

fn field(block: &Block<'_, ItemId>, name: usize, errors: &mut Vec<Problem>) -> Option<String> {
    let value = block.value(name, &FIELDS, errors).filter(|value| !value.is_empty());
    if value.is_none() {
        errors.push(Problem::new(block.line_of(name), format!("{} has no {}", block.head, FIELDS[name])));
    }
    value.map(str::to_owned)
}

fn read_impact(text: &str) -> Option<Impact> {
    match token::match_token(text, &["High", "Medium", "Low"], TokenScope::WholeText) {
        TokenMatch::Word(index, _) => [Impact::High, Impact::Medium, Impact::Low].get(index).copied(),
        TokenMatch::Several | TokenMatch::Unknown(_) => None,
    }
}

/// Parses a comma list; "none" is an empty list.
fn parse_file_list(text: &str) -> Vec<String> {
    let names = text.split(',').map(|name| name.trim_matches(|c| is_blank(c) || c == '`' || c == '*'));
    names
        .filter(|name| !name.is_empty() && !NO_FILES.contains(&name.to_lowercase().as_str()))
        .map(str::to_owned)
        .collect()
}

const NO_FILES: [&str; 4] = ["none", "none.", "n/a", "-"];

/// Writes `contested-decisions.md`.
pub fn write_decisions(decisions: &[Decision]) -> String {
    let mut out = String::new();
    for decision in decisions {
        write_head(&mut out, "###", ItemId::decision(decision.n), &decision.title);
        let files = match decision.affected_files.as_slice() {
            [] => "none".to_owned(),
            files => files.join(", "),
        };
        // The Debug name of `Impact` is stored text: do not rename its variants.
        let impact = format!("{:?}", decision.impact);
        let values = [&decision.chosen, &decision.alternative, &decision.tension, &impact, &files];
        for (name, value) in FIELDS.iter().zip(values) {
            write_field(&mut out, "- ", name, value);
        }
    }
    if out.is_empty() { format!("{NO_CONTESTED_DECISIONS}\n") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(n: u32, impact: &str) -> String {
        format!(
            "### DECISION_{n}: Store {n}\n- **Chosen**: Redis\n- **Alternative**: SQLite\n- **Tension**: speed against care\n\
             - **Impact**: {impact}\n- **Affected files**: src/a.rs, `src/b.rs`\n\n"
        )
    }

    fn numbers(read: &ContestedDecisions) -> Vec<u32> {
        read.contested.iter().map(|decision| decision.n).collect()
    }

    fn messages(text: &str) -> Vec<(usize, String)> {
        read_decisions(text).errors.into_iter().map(|error| (error.line, error.message)).collect()
    }

    #[test]
    fn a_whole_block_is_read() {
        let read = read_decisions(&block(1, "High"));
        assert_eq!(read.errors, []);
        assert_eq!(
            serde_json::to_string(&read).unwrap(),
            r#"{"contested":[{"n":1,"title":"Store 1","chosen":"Redis","alternative":"SQLite","tension":"speed against care","impact":"High","affected_files":["src/a.rs","src/b.rs"]}],"errors":[]}"#
        );
    }

    #[test]
    fn no_contested_decisions_is_one_token() {
        for text in
            ["NO_CONTESTED_DECISIONS", " \r\n\u{feff}NO_CONTESTED_DECISIONS\n\n", "NO_CONTESTED_DECISIONS\0"]
        {
            assert_eq!(read_decisions(text), ContestedDecisions::default(), "{text:?}");
        }
        for text in [
            "",
            "\n",
            "no_contested_decisions",
            "NO_CONTESTED_DECISIONS.",
            "All agreed.",
            "```\nDECISION_1: x\n```",
        ] {
            let message = "expected '### DECISION_1: title' blocks, or exactly NO_CONTESTED_DECISIONS";
            assert_eq!(messages(text), [(1, message.to_owned())], "{text:?}");
        }
    }

    #[test]
    fn any_number_of_blocks_is_read_and_five_are_debated() {
        for (count, debated) in [(1, 1), (4, 4), (5, 5), (6, 5), (7, 5), (500, 5)] {
            let text: String = (1..=count).map(|n| block(n, "Medium")).collect();
            let read = read_decisions(&text);
            assert_eq!(read.errors, []);
            assert_eq!(numbers(&read), (1..=count).collect::<Vec<_>>());
            let (first, rest) = read.split_at_cap();
            assert_eq!((first.len(), rest.len()), (debated, count as usize - debated));
            assert_eq!(first[0].n, 1);
        }
        assert_eq!(ContestedDecisions::default().split_at_cap(), (&[][..], &[][..]));
    }

    #[test]
    fn more_than_eight_are_too_many() {
        for (count, problem) in [
            (0, None),
            (8, None),
            (
                9,
                Some(
                    "9 decisions are contested, at most 8 are allowed: keep the 8 that matter most, ranked, and decide \
                     the rest in the synthesis",
                ),
            ),
        ] {
            let text: String = (1..=count).map(|n| block(n, "Medium")).collect();
            assert_eq!(excess_decisions(&read_decisions(&text)).as_deref(), problem, "{count}");
        }
    }

    #[test]
    fn high_impact_comes_first_and_otherwise_the_order_stays() {
        let impacts = ["Low", "High", "Medium", "High", "medium — see above", "**LOW**"];
        let text: String = (1..).zip(impacts).map(|(n, impact)| block(n, impact)).collect();
        assert_eq!(numbers(&read_decisions(&text)), [2, 4, 3, 5, 1, 6]);
    }

    #[test]
    fn missing_fields_are_reported_with_their_line() {
        for (field, line) in
            [("Chosen", 2), ("Alternative", 3), ("Tension", 4), ("Impact", 5), ("Affected files", 6)]
        {
            let whole = block(1, "High");
            let (mut without, mut empty) = (Vec::new(), Vec::new());
            for line in whole.lines() {
                let is_field = line.contains(field);
                without.extend((!is_field).then_some(line));
                empty.push(if is_field { line.split_inclusive(':').next().unwrap() } else { line });
            }
            let without = without.join("\n");
            assert_eq!(messages(&without), [(1, format!("DECISION_1 has no {field}"))]);
            assert_eq!(messages(&empty.join("\n")), [(line, format!("DECISION_1 has no {field}"))]);
            assert_eq!(numbers(&read_decisions(&format!("{without}\n{}", block(2, "Low")))), [2]);
        }
    }

    #[test]
    fn invalid_fields_are_reported_with_their_line() {
        let two = format!("{}{}", block(3, "High"), block(3, "Low"));
        assert_eq!(messages(&two), [(8, "DECISION_3 is there already, in line 1".to_owned())]);
        assert_eq!(numbers(&read_decisions(&two)), [3]);
        assert_eq!(
            messages(&block(1, "Huge")),
            [(5, "DECISION_1: Impact 'Huge' is not High, Medium or Low".to_owned())]
        );
        assert_eq!(messages(&block(1, "High/Medium/Low")).len(), 1);
        assert_eq!(messages(&block(1, "High, Medium or Low")).len(), 1);
        assert_eq!(
            messages(&block(1, "High").replace("Store 1", "")),
            [(1, "DECISION_1 has no title".to_owned())]
        );
        assert_eq!(messages(&(block(1, "High") + "- **Chosen**: twice")).len(), 1);
        assert_eq!(messages("### DECISION_1: t").len(), 5);
    }

    #[test]
    fn a_field_given_twice_is_an_error_of_a_whole_decision() {
        let read =
            read_decisions(&block(1, "High").replace("- **Tension", "- **Chosen**: other\n- **Tension"));
        assert_eq!(read.errors, [Problem::new(4, "Chosen is given twice; line 2 counts")]);
        assert_eq!(read.contested[0].chosen, "Redis");
    }

    #[test]
    fn line_endings_prose_and_nul_bytes_are_tolerated() {
        let plain = block(1, "High") + &block(2, "Low");
        let expected = read_decisions(&plain);
        assert_eq!(read_decisions(&format!("\u{feff}{}", plain.replace('\n', "\r\n"))), expected);
        assert_eq!(read_decisions(&format!("# Contested\n\nIntro.\n{plain}")), expected);
        let long = plain.replace("speed", &"x".repeat(1 << 20));
        assert_eq!(read_decisions(&long).errors, []);
        let nul = plain.replace("Redis", "Re\0dis\0");
        assert_eq!(read_decisions(&nul).contested[0].chosen, "Re dis");
    }

    #[test]
    fn affected_files_are_a_comma_list() {
        let files = |text: &str| {
            read_decisions(&block(1, "High").replace("src/a.rs, `src/b.rs`", text)).contested[0]
                .affected_files
                .clone()
        };
        assert_eq!(files("`a.rs` , **b**,, c/d.rs"), ["a.rs", "b", "c/d.rs"]);
        assert_eq!(files("\n  - a.rs\n  - `b.rs`"), ["a.rs", "b.rs"]);
        for none in ["none", "None.", "N/A", "-"] {
            assert_eq!(files(none), [""; 0], "{none}");
        }
    }

    #[test]
    fn an_empty_list_is_written_as_the_token() {
        assert_eq!(write_decisions(&[]), "NO_CONTESTED_DECISIONS\n");
    }

    prop_compose! {
        fn any_decision()(
            texts in prop::collection::vec("[a-zA-Z#*`:|(]{1,8}( [a-zA-Z0-9—.,:*-]{1,8}){0,3}", 4),
            impact in prop::sample::select(vec![Impact::High, Impact::Medium, Impact::Low]),
            affected_files in prop::collection::vec("[a-z/]{1,10}\\.rs", 0..4),
        ) -> Decision {
            let [title, chosen, alternative, tension] = texts.try_into().unwrap();
            Decision { n: 1, title, chosen, alternative, tension, impact, affected_files }
        }
    }

    proptest! {
        #[test]
        fn written_decisions_parse_again(mut decisions in prop::collection::vec(any_decision(), 0..6)) {
            decisions.sort_by_key(|decision| decision.impact);
            (1..).zip(&mut decisions).for_each(|(n, decision)| decision.n = n);
            let read = read_decisions(&write_decisions(&decisions));
            prop_assert_eq!(&read.errors, &[]);
            prop_assert_eq!(read.contested, decisions);
        }

        #[test]
        fn any_text_parses_without_panic(text in "((###? |- |\\*\\*|DECISION_[0-9]{1,3}:|Chosen|Impact|High|:|,|\r|\n|\0|```|\\PC){0,4}){0,30}") {
            let read = read_decisions(&text);
            prop_assert!(read.errors.iter().all(|error| error.line <= text.lines().count().max(1)));
        }
    }
}
