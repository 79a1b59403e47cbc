//! `answers/clarify`, `discussion-round1.md` and `discussion-round2.md`: questions settled by the person or by the code.
//!
//! A contract fixes the heads of the two discussions, `### Decision 1: title`; those of the clarifications are
//! `### Q1: title`. On pages every list has its own letter ([`QuestionRound::label`]).

use super::blocks::{Block, blocks, write_field, write_head};
use super::questions::{AnswerSource, Question, QuestionRound, format_source, read_source};
use crate::markdown::is_blank;
use crate::problem::Problem;

/// Answered question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledQuestion {
    pub title: String,
    pub question: String,
    pub resolution: String,
    pub source: AnswerSource,
}

impl SettledQuestion {
    /// Applies an answer. An answer without an opinion takes the recommendation.
    pub fn from_answer(question: &Question, answer: &str) -> SettledQuestion {
        let by_code = matches!(question.source, AnswerSource::Codebase(_));
        let resolution = if by_code || has_no_opinion(answer) { &question.recommended } else { answer };
        let Question { title, question, source, .. } = question.clone();
        SettledQuestion { title, question, resolution: resolution.to_owned(), source }
    }
}

/// True for an empty or evasive answer. A plain yes or no is an opinion.
fn has_no_opinion(answer: &str) -> bool {
    let words: Vec<String> = answer
        .split(|c: char| is_blank(c) || c.is_ascii_punctuation() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('\'', "").to_lowercase())
        .collect();
    let answer = words.join(" ");
    answer.is_empty() || NO_OPINION.contains(&answer.as_str())
}

const NO_OPINION: [&str; 22] = [
    "any",
    "default",
    "dont care",
    "dont know",
    "either",
    "fine",
    "i dont care",
    "i dont know",
    "idk",
    "n a",
    "no idea",
    "no preference",
    "not sure",
    "ok",
    "okay",
    "recommended",
    "skip",
    "sure",
    "up to you",
    "whatever",
    "you decide",
    "your call",
];

const QUESTION: usize = 0;
const RESOLUTION: usize = 1;
const SOURCE: usize = 2;
const FIELDS: [&str; 3] = ["Question", "Resolution", "Source"];

/// Writes the file of a discussion.
pub fn write_discussion(settled: &[SettledQuestion]) -> String {
    write_settled(settled, |n| format!("Decision {n}"))
}

/// Writes the file of the clarifications.
pub fn write_clarifications(settled: &[SettledQuestion]) -> String {
    write_settled(settled, |n| QuestionRound::Clarify.label(n))
}

fn write_settled(settled: &[SettledQuestion], name: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    for (n, entry) in (1..).zip(settled) {
        write_head(&mut out, "###", name(n), &entry.title);
        let source = format_source(&entry.source);
        for (name, value) in FIELDS.iter().zip([&entry.question, &entry.resolution, &source]) {
            write_field(&mut out, "", name, value);
        }
    }
    out
}

/// Parses the file of a round; it may be empty.
pub fn read_discussion(text: &str) -> (Vec<SettledQuestion>, Vec<Problem>) {
    let mut problems = Vec::new();
    let blocks = blocks(text, |name| is_head(name).then_some(name), &FIELDS);
    let settled = blocks.iter().filter_map(|block| read_settled(block, &mut problems)).collect();
    (settled, problems)
}

/// True for `Decision 3`, and for `Q3` and the other labels of questions.
fn is_head(name: &str) -> bool {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    match name.split_once(is_blank) {
        Some((word, n)) => word.eq_ignore_ascii_case("decision") && is_number(n.trim_start_matches(is_blank)),
        None => name.strip_prefix(['Q', 'B', 'P']).is_some_and(is_number),
    }
}

fn read_settled(block: &Block<'_, &str>, problems: &mut Vec<Problem>) -> Option<SettledQuestion> {
    let mut value = |name| block.value(name, &FIELDS, problems).unwrap_or_default().to_owned();
    let [question, resolution, source] = [QUESTION, RESOLUTION, SOURCE].map(&mut value);
    if resolution.is_empty() {
        let message = format!("{} has no Resolution", block.head);
        problems.push(Problem::new(block.line_of(RESOLUTION), message));
        return None;
    }
    let (title, source) = (block.title.to_owned(), read_source(&source));
    Some(SettledQuestion { title, question, resolution, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::flat;
    use proptest::prelude::*;

    fn question(source: AnswerSource) -> Question {
        let [title, question, recommended, why] =
            ["Guests", "May guests pay?", "Not now", "Smaller"].map(str::to_owned);
        Question { title, question, recommended, why, source }
    }

    #[test]
    fn evasive_answers_take_the_recommendation() {
        for (answer, resolution) in [
            ("Yes, from day one", "Yes, from day one"),
            ("yes", "yes"),
            ("No.", "No."),
            ("", "Not now"),
            ("  \n", "Not now"),
            ("...", "Not now"),
            ("Ok!", "Not now"),
            ("I don't know", "Not now"),
            ("up to you", "Not now"),
            ("N/A", "Not now"),
            ("whatever is cheapest", "whatever is cheapest"),
        ] {
            assert_eq!(
                SettledQuestion::from_answer(&question(AnswerSource::User), answer).resolution,
                resolution,
                "{answer:?}"
            );
        }
        let by_code = question(AnswerSource::Codebase("src/a.rs:1".to_owned()));
        assert_eq!(SettledQuestion::from_answer(&by_code, "Yes, from day one").resolution, "Not now");
    }

    #[test]
    fn a_discussion_is_written_and_read() {
        let by_code = question(AnswerSource::Codebase("src/a.rs:1".to_owned()));
        let entries = [
            SettledQuestion::from_answer(&question(AnswerSource::User), "Yes"),
            SettledQuestion::from_answer(&by_code, ""),
        ];
        let text = write_discussion(&entries);
        assert_eq!(
            text,
            "### Decision 1: Guests\n**Question**: May guests pay?\n**Resolution**: Yes\n**Source**: user\n\n\
             ### Decision 2: Guests\n**Question**: May guests pay?\n**Resolution**: Not now\n**Source**: codebase (src/a.rs:1)\n"
        );
        assert_eq!(read_discussion(&text), (entries.to_vec(), vec![]));
        assert_eq!(read_discussion(&text.replace("###", "##")).0, entries);
        assert_eq!(read_discussion(""), (vec![], vec![]));
        let clarified = write_clarifications(&entries);
        assert_eq!(clarified, text.replace("Decision ", "Q"));
        assert_eq!(read_discussion(&clarified), (entries.to_vec(), vec![]));
        assert_eq!(write_discussion(&[]), "");
        assert_eq!(crate::panel::texts::decisions_resolved(2), "2 decisions resolved");
    }

    #[test]
    fn an_entry_without_a_resolution_is_a_problem() {
        let (read, problems) =
            read_discussion("### DECISION  2: x\n**Question**: y\n### Decision x: z\n### Item 3: z");
        assert_eq!((read, problems), (vec![], vec![Problem::new(1, "DECISION  2 has no Resolution")]));
    }

    proptest! {
        #[test]
        fn written_discussions_parse_again(texts in prop::collection::vec(prop::collection::vec("\\PC{0,30}a", 3), 0..5)) {
            let entries: Vec<SettledQuestion> = texts
                .iter()
                .map(|texts| SettledQuestion { title: flat(&texts[0]), question: flat(&texts[1]), resolution: flat(&texts[2]), source: AnswerSource::User })
                .collect();
            prop_assert_eq!(read_discussion(&write_discussion(&entries)), (entries.clone(), vec![]));
            prop_assert_eq!(read_discussion(&write_clarifications(&entries)), (entries, vec![]));
        }
    }
}
