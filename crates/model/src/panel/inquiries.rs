//! `questions-investigate.md`: what the design takes for granted and nobody has verified, dearest first.
//!
//! Each `### QUESTION_N: title` block says what must be true and what breaks if it is not. The first
//! [`MAX_INVESTIGATED`] are investigated; their answers are read by [`super::investigation`]. Questions to the
//! person are elsewhere, in [`super::questions`].

use super::blocks::{Block, blocks, write_field, write_head};
use super::questions::NONE;
use crate::markdown::{MARKS, flat, is_blank};
use crate::problem::Problem;
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Maximum number of questions in the file.
pub const MAX_INQUIRIES: usize = 8;

/// Maximum number of investigated questions.
pub const MAX_INVESTIGATED: usize = 5;

/// Question that reading, looking up or a small experiment can answer, with its price.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inquiry {
    /// Number in its name, from 1.
    pub n: u32,
    pub title: String,
    pub question: String,
    /// Assumptions of the approach.
    pub must_be_true: String,
    pub breaks_if_not: String,
    /// Files and decisions that raised it; may be empty.
    pub raised_by: Vec<String>,
}

impl Inquiry {
    /// The question in a form that is equal however its lines are broken: the key under which its answer is kept.
    pub fn digest_text(&self) -> String {
        flat(&self.question)
    }
}

/// Parsed file of questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inquiries {
    /// The complete ones, dearest first.
    pub inquiries: Vec<Inquiry>,
    pub problems: Vec<Problem>,
}

impl Inquiries {
    /// Splits into the questions to investigate and those that stay open.
    pub fn split_at_cap(&self) -> (&[Inquiry], &[Inquiry]) {
        self.inquiries.split_at(self.inquiries.len().min(MAX_INVESTIGATED))
    }
}

const QUESTION: usize = 0;
const MUST_BE_TRUE: usize = 1;
const BREAKS_IF_NOT: usize = 2;
const RAISED_BY: usize = 3;
const FIELDS: [&str; 4] = ["Question", "Must be true", "Breaks if not", "Raised by"];

/// Parses `questions-investigate.md`.
pub fn read_inquiries(text: &str) -> Inquiries {
    let mut read = Inquiries::default();
    let only = text.trim_matches(|c| is_blank(c) || c == '.' || MARKS.contains(&c));
    if only.eq_ignore_ascii_case(NONE) {
        return read;
    }
    let blocks = blocks(text, question_number, &FIELDS);
    if blocks.is_empty() {
        let message = format!("expected '### QUESTION_1: title' blocks, or exactly {NONE}");
        read.problems.push(Problem::new(1, message));
    }
    let mut seen = HashMap::new();
    for block in &blocks {
        match seen.entry(block.head) {
            Entry::Vacant(first) => {
                first.insert(block.line);
                read.inquiries.extend(read_inquiry(block, &mut read.problems));
            }
            Entry::Occupied(first) => {
                let message = format!("QUESTION_{} is there already, in line {}", block.head, first.get());
                read.problems.push(Problem::new(block.line, message));
            }
        }
    }
    if let Some(block) = blocks.get(MAX_INQUIRIES) {
        let message = format!(
            "there are {} questions, {MAX_INQUIRIES} at most: keep the dearest, and answer the small ones yourself",
            blocks.len()
        );
        read.problems.push(Problem::new(block.line, message));
        read.inquiries.truncate(MAX_INQUIRIES);
    }
    read
}

/// Parses `QUESTION_3`.
fn question_number(name: &str) -> Option<u32> {
    const PREFIX: &str = "QUESTION_";
    let (prefix, digits) = name.split_at_checked(PREFIX.len())?;
    let is_plain = digits.starts_with(|c| matches!(c, '1'..='9'));
    digits.parse().ok().filter(|_| is_plain && prefix.eq_ignore_ascii_case(PREFIX))
}

fn read_inquiry(block: &Block<'_, u32>, problems: &mut Vec<Problem>) -> Option<Inquiry> {
    let n = block.head;
    let mut value = |name| block.value(name, &FIELDS, problems).unwrap_or_default().to_owned();
    let [question, must_be_true, breaks_if_not, raised_by] =
        [QUESTION, MUST_BE_TRUE, BREAKS_IF_NOT, RAISED_BY].map(&mut value);
    let mut is_complete = true;
    for (name, value) in
        [(QUESTION, &question), (MUST_BE_TRUE, &must_be_true), (BREAKS_IF_NOT, &breaks_if_not)]
    {
        if value.is_empty() {
            let message = format!("QUESTION_{n} has no {}", FIELDS[name]);
            problems.push(Problem::new(block.line_of(name), message));
            is_complete = false;
        }
    }
    let title = if block.title.is_empty() { &question } else { block.title }.to_owned();
    let names =
        raised_by.split([',', ';']).map(|name| name.trim_matches(|c| is_blank(c) || MARKS.contains(&c)));
    let names: IndexSet<&str> = names.filter(|name| !name.is_empty()).collect();
    let raised_by = names.into_iter().map(str::to_owned).collect();
    is_complete.then_some(Inquiry { n, title, question, must_be_true, breaks_if_not, raised_by })
}

/// Writes `questions-investigate.md`.
pub fn write_inquiries(inquiries: &[Inquiry]) -> String {
    let mut out = String::new();
    for inquiry in inquiries {
        append_inquiry(&mut out, inquiry);
    }
    if out.is_empty() { format!("{NONE}\n") } else { out }
}

/// Writes one question for its investigator.
pub fn write_inquiry(inquiry: &Inquiry) -> String {
    let mut out = String::new();
    append_inquiry(&mut out, inquiry);
    out
}

fn append_inquiry(out: &mut String, inquiry: &Inquiry) {
    write_head(out, "###", format_args!("QUESTION_{}", inquiry.n), &inquiry.title);
    let raised_by = inquiry.raised_by.join(", ");
    let values = [&inquiry.question, &inquiry.must_be_true, &inquiry.breaks_if_not, &raised_by];
    for (name, value) in FIELDS.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
        write_field(out, "- ", name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: &str = "### QUESTION_1: Does the host pass its environment on?\n\
                         - **Question**: Which variables of the host reach its servers?\n\
                         - **Must be true**: The guard reads one of them.\n\
                         - **Breaks if not**: The guard locks the host out.\n\
                         - **Raised by**: context-summary.md, DECISION_2\n";

    #[test]
    fn a_whole_question_is_read_and_written() {
        let read = read_inquiries(WHOLE);
        assert_eq!(read.problems, []);
        assert_eq!(read.inquiries[0].raised_by, ["context-summary.md", "DECISION_2"]);
        assert_eq!(write_inquiries(&read.inquiries), WHOLE);
        assert_eq!(write_inquiry(&read.inquiries[0]), WHOLE);
        let loose = "\u{feff}Sure.\r\n## **question_1**: Does the host pass its environment on?\r\nQuestion: Which variables of\r\n\
                     the host reach its servers?\r\n* __Must be true__: The guard reads one of them.\r\n**Breaks if not:** The guard locks the host out.\r\n\
                     Raised by:\r\n- `context-summary.md`\r\n- DECISION_2\r\n```\nQUESTION_2: x\n```\n";
        assert_eq!(read_inquiries(loose), read);
        let untitled = read_inquiries(&WHOLE.replace(" Does the host pass its environment on?", ""));
        assert_eq!(untitled.inquiries[0].title, "Which variables of the host reach its servers?");
    }

    #[test]
    fn the_key_of_a_question_ignores_white_space_only() {
        let key = |question: &str| {
            let read = read_inquiries(&WHOLE.replace("Which variables", question));
            read.inquiries[0].digest_text()
        };
        assert_eq!(key("Which \t variables"), key("Which\n  variables"));
        assert_ne!(key("Which variables"), key("What variables"));
    }

    #[test]
    fn no_questions_is_one_token() {
        for text in ["NONE", "None.\n", "**NONE**", "\u{feff}none\r\n"] {
            assert_eq!(read_inquiries(text), Inquiries::default(), "{text}");
        }
        assert_eq!(write_inquiries(&[]), "NONE\n");
        for text in ["", "I have none", "QUESTION_1", "- QUESTION_1: x", "### QUESTION_0: x", "### Q1: x"] {
            let problem = Problem::new(1, "expected '### QUESTION_1: title' blocks, or exactly NONE");
            assert_eq!(read_inquiries(text).problems, [problem], "{text}");
        }
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        for (from, to, line, message) in [
            ("Which variables of the host reach its servers?", "", 2, "QUESTION_1 has no Question"),
            ("- **Must be true**: The guard reads one of them.\n", "", 1, "QUESTION_1 has no Must be true"),
            ("The guard locks the host out.", "", 4, "QUESTION_1 has no Breaks if not"),
        ] {
            let read = read_inquiries(&WHOLE.replace(from, to));
            assert_eq!((read.inquiries.len(), read.problems), (0, vec![Problem::new(line, message)]));
        }
        let twice = read_inquiries(&format!("{WHOLE}{WHOLE}"));
        assert_eq!(twice.problems, [Problem::new(6, "QUESTION_1 is there already, in line 1")]);
        let unraised = read_inquiries(WHOLE.split("- **Raised").next().unwrap());
        assert_eq!((unraised.inquiries[0].raised_by.len(), unraised.problems.len()), (0, 0));
    }

    #[test]
    fn eight_are_asked_and_five_are_investigated() {
        let many = |count: usize| -> String {
            (1..=count).map(|n| WHOLE.replace("QUESTION_1", &format!("QUESTION_{n}"))).collect()
        };
        let (eight, nine) = (read_inquiries(&many(8)), read_inquiries(&many(9)));
        let numbers = |part: &[Inquiry]| part.iter().map(|inquiry| inquiry.n).collect::<Vec<_>>();
        assert_eq!(eight.problems, []);
        assert_eq!(numbers(eight.split_at_cap().0), [1, 2, 3, 4, 5]);
        assert_eq!(numbers(eight.split_at_cap().1), [6, 7, 8]);
        assert_eq!((nine.inquiries.len(), nine.problems[0].line), (8, 41));
        assert_eq!(read_inquiries(WHOLE).split_at_cap().1, []);
    }

    prop_compose! {
        fn any_inquiry()(texts in prop::collection::vec("\\PC{0,30}a", 4), raised in prop::collection::hash_set("[a-z]{1,8}\\.md", 0..3)) -> Inquiry {
            let [title, question, must_be_true, breaks_if_not] =
                <[String; 4]>::try_from(texts.iter().map(|text| flat(text)).collect::<Vec<_>>()).unwrap();
            Inquiry { n: 1, title, question, must_be_true, breaks_if_not, raised_by: raised.into_iter().collect() }
        }
    }

    proptest! {
        #[test]
        fn written_questions_parse_again(mut inquiries in prop::collection::vec(any_inquiry(), 0..8)) {
            (1..).zip(&mut inquiries).for_each(|(n, inquiry)| inquiry.n = n);
            prop_assert_eq!(read_inquiries(&write_inquiries(&inquiries)), Inquiries { inquiries, problems: vec![] });
        }
    }
}
