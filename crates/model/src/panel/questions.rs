//! Questions for the person.
//!
//! A questioner writes `## Q1: title` blocks, each with a recommended answer, or `NONE`. There are three
//! rounds, each with its limit. Answers are recorded in [`super::discussion`].

use super::blocks::{Block, blocks, write_field, write_head};
use super::citations::cites_line;
use super::texts;
use crate::markdown::{MARKS, is_blank};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};

/// Round of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionRound {
    /// Real ambiguities only (step 1c).
    Clarify,
    /// First discussion: scope and constraints, never architecture (step 1d).
    Scope,
    /// Second discussion: decisions that are still contested (step 3.5).
    Design,
}

impl QuestionRound {
    /// Maximum number of questions.
    pub fn limit(self) -> usize {
        match self {
            QuestionRound::Clarify => 4,
            QuestionRound::Scope | QuestionRound::Design => 7,
        }
    }

    /// Label of a question on pages: `Q1` in the clarifications, `B1` (boundaries) in the first discussion, `P1` (points
    /// still open) in the second. No other list of a design has these letters.
    pub fn label(self, n: usize) -> String {
        let letter = match self {
            QuestionRound::Clarify => 'Q',
            QuestionRound::Scope => 'B',
            QuestionRound::Design => 'P',
        };
        format!("{letter}{n}")
    }

    /// Line shown if more questions were raised than the limit.
    pub fn deferred_line(self) -> Option<&'static str> {
        match self {
            QuestionRound::Clarify => None,
            QuestionRound::Scope => Some(texts::SCOPE_DEFERRED),
            QuestionRound::Design => Some(texts::DESIGN_DEFERRED),
        }
    }

    /// True if this number of questions is worth a round. A single scope question is not: it leaves no choice.
    pub fn is_worth_asking(self, questions: usize) -> bool {
        questions >= if self == QuestionRound::Scope { 2 } else { 1 }
    }

    /// Text shown if the round is skipped.
    pub fn no_questions_text(self) -> &'static str {
        match self {
            QuestionRound::Clarify => texts::NOTHING_TO_CLARIFY,
            QuestionRound::Scope => texts::NO_SCOPE_QUESTIONS,
            QuestionRound::Design => texts::NO_DESIGN_QUESTIONS,
        }
    }
}

/// The whole answer of a questioner without questions.
pub const NONE: &str = "NONE";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    pub title: String,
    pub question: String,
    pub recommended: String,
    /// May be empty.
    pub why: String,
    pub source: AnswerSource,
}

/// Source of the answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerSource {
    User,
    /// The code at this citation; the recommended answer quotes it.
    Codebase(String),
}

/// Parsed answer of a questioner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Questions {
    /// Up to the limit of the round.
    pub questions: Vec<Question>,
    /// Number of questions over the limit.
    pub deferred: usize,
    pub problems: Vec<Problem>,
}

/// Parses the questions of a round.
pub fn read_questions(text: &str, round: QuestionRound) -> Questions {
    let mut read = Questions::default();
    let only = text.trim_matches(|c| is_blank(c) || c == '.' || MARKS.contains(&c));
    if only.eq_ignore_ascii_case(NONE) {
        return read;
    }
    let blocks = blocks(text, question_number, &FIELDS);
    if blocks.is_empty() {
        read.problems.push(Problem::new(1, format!("expected '## Q1: title' blocks, or exactly {NONE}")));
    }
    for block in &blocks {
        read.questions.extend(read_question(block, &mut read.problems));
    }
    read.deferred = read.questions.len().saturating_sub(round.limit());
    read.questions.truncate(round.limit());
    read
}

/// Parses `Q3`.
fn question_number(name: &str) -> Option<u32> {
    name.strip_prefix(['Q', 'q'])?.parse().ok()
}

const QUESTION: usize = 0;
const RECOMMENDED: usize = 1;
const WHY: usize = 2;
const SOURCE: usize = 3;
const FIELDS: [&str; 4] = ["Question", "Recommended", "Why", "Source"];

fn read_question(block: &Block<'_, u32>, problems: &mut Vec<Problem>) -> Option<Question> {
    let mut value = |name| block.value(name, &FIELDS, problems).unwrap_or_default().to_owned();
    let [question, recommended, why, source] = [QUESTION, RECOMMENDED, WHY, SOURCE].map(&mut value);
    for (name, value) in [(QUESTION, &question), (RECOMMENDED, &recommended)] {
        if value.is_empty() {
            let message = format!("Q{} has no {}", block.head, FIELDS[name]);
            problems.push(Problem::new(block.line_of(name), message));
        }
    }
    let complete = !question.is_empty() && !recommended.is_empty();
    let title = if block.title.is_empty() { &question } else { block.title }.to_owned();
    let source = read_source(&source);
    complete.then_some(Question { title, question, recommended, why, source })
}

/// Parses a source. Without a citation it is the user.
pub(super) fn read_source(text: &str) -> AnswerSource {
    let text = text.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
    let citation = text.get(..CODEBASE.len()).filter(|word| word.eq_ignore_ascii_case(CODEBASE));
    let citation =
        citation.map(|_| text[CODEBASE.len()..].trim_matches(|c| is_blank(c) || CITED_IN.contains(&c)));
    match citation {
        Some(citation) if cites_line(citation) => AnswerSource::Codebase(citation.to_owned()),
        _ => AnswerSource::User,
    }
}

const CODEBASE: &str = "codebase";
const CITED_IN: [char; 10] = ['*', '_', '`', ':', '-', '—', '–', '(', ')', ','];

/// The text of a source, as [`read_source`] parses it.
pub(super) fn format_source(source: &AnswerSource) -> String {
    match source {
        AnswerSource::User => "user".to_owned(),
        AnswerSource::Codebase(citation) => format!("{CODEBASE} ({citation})"),
    }
}

/// Writes the questions of a round.
pub fn write_questions(questions: &[Question]) -> String {
    let mut out = String::new();
    for (n, question) in questions.iter().enumerate() {
        let n = n + 1;
        write_head(&mut out, "##", format_args!("Q{n}"), &question.title);
        let source = format_source(&question.source);
        for (name, value) in
            FIELDS.iter().zip([&question.question, &question.recommended, &question.why, &source])
        {
            write_field(&mut out, "", name, value);
        }
    }
    if out.is_empty() { format!("{NONE}\n") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::flat;
    use proptest::prelude::*;

    const WHOLE: &str = "## Q1: Guests\n**Question**: May guests pay?\n**Recommended**: No, later.\n**Why**: Smaller.\n**Source**: user\n";

    #[test]
    fn a_whole_question_is_read_and_written() {
        let read = read_questions(WHOLE, QuestionRound::Clarify);
        assert_eq!((read.questions.len(), read.deferred, read.problems.len()), (1, 0, 0));
        assert_eq!(write_questions(&read.questions), WHOLE);
        let loose = "\u{feff}### q1: Guests\r\n- Question: May guests\r\n  pay?\r\n- **Recommended:** No, later.\r\nWhy: Smaller.\r\n";
        assert_eq!(read_questions(loose, QuestionRound::Clarify), read);
        let untitled = read_questions(&WHOLE.replace(" Guests", ""), QuestionRound::Scope);
        assert_eq!(untitled.questions[0].title, "May guests pay?");
    }

    #[test]
    fn no_questions_is_one_token() {
        for text in ["NONE", "None.\n", "**NONE**", "\u{feff}none\r\n"] {
            assert_eq!(read_questions(text, QuestionRound::Scope), Questions::default(), "{text}");
        }
        assert_eq!(write_questions(&[]), "NONE\n");
        for text in ["", "I have none", "Q1", "- Q1: x"] {
            let problem = Problem::new(1, "expected '## Q1: title' blocks, or exactly NONE");
            assert_eq!(read_questions(text, QuestionRound::Scope).problems, [problem], "{text}");
        }
    }

    #[test]
    fn each_round_has_its_limit_and_its_texts() {
        let many: String = (1..=9).map(|n| WHOLE.replace("Q1", &format!("Q{n}"))).collect();
        for (round, limit, deferred) in
            [(QuestionRound::Clarify, 4, 5), (QuestionRound::Scope, 7, 2), (QuestionRound::Design, 7, 2)]
        {
            let read = read_questions(&many, round);
            assert_eq!((read.questions.len(), read.deferred), (limit, deferred));
        }
        assert_eq!(QuestionRound::Clarify.deferred_line(), None);
        assert_eq!(
            QuestionRound::Scope.deferred_line(),
            Some("⏩ Remaining scope questions deferred to implementation.")
        );
        assert_eq!(
            QuestionRound::Design.deferred_line(),
            Some("⏩ Remaining design questions deferred to implementation.")
        );
        assert_eq!(
            [QuestionRound::Clarify, QuestionRound::Scope, QuestionRound::Design]
                .map(QuestionRound::no_questions_text),
            [
                "no clarifying questions needed",
                "no scope decisions require discussion",
                "no additional decisions require discussion"
            ]
        );
        for (round, fewest) in
            [(QuestionRound::Clarify, 1), (QuestionRound::Scope, 2), (QuestionRound::Design, 1)]
        {
            assert!(round.is_worth_asking(fewest) && !round.is_worth_asking(fewest - 1), "{round:?}");
        }
    }

    #[test]
    fn missing_fields_are_reported_with_their_line() {
        for (from, to, line, message) in [
            ("**Question**: May guests pay?\n", "", 1, "Q1 has no Question"),
            ("No, later.", "", 3, "Q1 has no Recommended"),
        ] {
            let read = read_questions(&WHOLE.replace(from, to), QuestionRound::Clarify);
            assert_eq!((read.questions.len(), read.problems), (0, vec![Problem::new(line, message)]));
        }
    }

    #[test]
    fn the_codebase_is_a_source_only_with_a_citation() {
        for (text, expected) in [
            ("user", AnswerSource::User),
            ("", AnswerSource::User),
            ("codebase", AnswerSource::User),
            ("codebase, somewhere", AnswerSource::User),
            ("codebase (src/pay.rs:12)", AnswerSource::Codebase("src/pay.rs:12".to_owned())),
            ("Codebase — `src/pay.rs:12`", AnswerSource::Codebase("src/pay.rs:12".to_owned())),
            ("**codebase**: src/pay.rs:12", AnswerSource::Codebase("src/pay.rs:12".to_owned())),
            ("the codebase (src/pay.rs:12)", AnswerSource::User),
            ("codebasé (src/pay.rs:12)", AnswerSource::User),
        ] {
            assert_eq!(read_source(text), expected, "{text}");
        }
    }

    prop_compose! {
        fn any_question()(texts in prop::collection::vec("\\PC{0,30}a", 4), code in any::<bool>()) -> Question {
            let [title, question, recommended, why] =
                <[String; 4]>::try_from(texts.iter().map(|text| flat(text)).collect::<Vec<_>>()).unwrap();
            let source = if code { AnswerSource::Codebase("src/a.rs:3".to_owned()) } else { AnswerSource::User };
            Question { title, question, recommended, why, source }
        }
    }

    proptest! {
        #[test]
        fn written_questions_parse_again(questions in prop::collection::vec(any_question(), 0..7)) {
            let read = read_questions(&write_questions(&questions), QuestionRound::Design);
            prop_assert_eq!(read, Questions { questions, ..Questions::default() });
        }
    }
}
