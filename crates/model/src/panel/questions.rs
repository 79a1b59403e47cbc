//! Questions for the person, and what came of them.
//!
//! A questioner writes `## Q1: title` blocks, each with a recommended answer, or `NONE`. There are three rounds,
//! each with its limit. Answers become decisions, and those are written down in [`super::discussion`].

use super::blocks::{Block, blocks, write_field, write_head};
use super::cited::cites_a_line;
use super::lines::{MARKS, Problem, is_blank};
use super::texts;
use serde::{Deserialize, Serialize};

/// When questions are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Round {
    /// Before anything: only what is really ambiguous (step 1c).
    Clarify,
    /// The first discussion: scope and constraints, never architecture (step 1d).
    Scope,
    /// The second: what is still contested (step 3.5).
    Design,
}

impl Round {
    /// How many questions may be asked.
    pub fn limit(self) -> usize {
        match self {
            Round::Clarify => 4,
            Round::Scope | Round::Design => 7,
        }
    }

    /// Said when more would have been asked.
    pub fn deferred_line(self) -> Option<&'static str> {
        match self {
            Round::Clarify => None,
            Round::Scope => Some(texts::SCOPE_DEFERRED),
            Round::Design => Some(texts::DESIGN_DEFERRED),
        }
    }

    /// Whether so many questions are worth a round. One question of scope is not: there is no other way to go.
    pub fn is_worth(self, questions: usize) -> bool {
        questions >= if self == Round::Scope { 2 } else { 1 }
    }

    /// Said when it is not.
    pub fn nothing_to_ask(self) -> &'static str {
        match self {
            Round::Clarify => texts::NOTHING_TO_CLARIFY,
            Round::Scope => texts::NO_SCOPE_QUESTIONS,
            Round::Design => texts::NO_DESIGN_QUESTIONS,
        }
    }
}

/// The whole answer of a questioner who has no question.
pub const NONE: &str = "NONE";

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What it is about.
    pub title: String,
    /// The question.
    pub question: String,
    /// What the questioner would answer.
    pub recommended: String,
    /// Why; may be empty.
    pub why: String,
    /// Who is to answer.
    pub source: Source,
}

/// Who answers a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The person.
    User,
    /// The code has, at this place; the recommended answer is what it says.
    Codebase(String),
}

/// What a questioner wants to know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Questions {
    /// Up to the limit of the round.
    pub questions: Vec<Question>,
    /// How many more there were.
    pub deferred: usize,
    /// What is missing or unclear.
    pub problems: Vec<Problem>,
}

/// Reads the questions of a round.
pub fn read_questions(text: &str, round: Round) -> Questions {
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
        read.questions.extend(question(block, &mut read.problems));
    }
    read.deferred = read.questions.len().saturating_sub(round.limit());
    read.questions.truncate(round.limit());
    read
}

/// `Q3`
fn question_number(name: &str) -> Option<u32> {
    name.strip_prefix(['Q', 'q'])?.parse().ok()
}

const QUESTION: usize = 0;
const RECOMMENDED: usize = 1;
const WHY: usize = 2;
const SOURCE: usize = 3;
const FIELDS: [&str; 4] = ["Question", "Recommended", "Why", "Source"];

fn question(block: &Block<'_, u32>, problems: &mut Vec<Problem>) -> Option<Question> {
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

/// The code answers only where it is cited; everything else is for the person.
pub(super) fn read_source(text: &str) -> Source {
    let text = text.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
    let citation = text.get(..CODEBASE.len()).filter(|word| word.eq_ignore_ascii_case(CODEBASE));
    let citation =
        citation.map(|_| text[CODEBASE.len()..].trim_matches(|c| is_blank(c) || CITED_IN.contains(&c)));
    match citation {
        Some(citation) if cites_a_line(citation) => Source::Codebase(citation.to_owned()),
        _ => Source::User,
    }
}

const CODEBASE: &str = "codebase";
const CITED_IN: [char; 10] = ['*', '_', '`', ':', '-', '—', '–', '(', ')', ','];

/// As it is written.
pub(super) fn source_text(source: &Source) -> String {
    match source {
        Source::User => "user".to_owned(),
        Source::Codebase(citation) => format!("{CODEBASE} ({citation})"),
    }
}

/// Writes the questions of a round.
pub fn write_questions(questions: &[Question]) -> String {
    let mut out = String::new();
    for (n, question) in questions.iter().enumerate() {
        let n = n + 1;
        write_head(&mut out, "##", format_args!("Q{n}"), &question.title);
        let source = source_text(&question.source);
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
    use crate::panel::lines::flat;
    use proptest::prelude::*;

    const WHOLE: &str = "## Q1: Guests\n**Question**: May guests pay?\n**Recommended**: No, later.\n**Why**: Smaller.\n**Source**: user\n";

    #[test]
    fn a_whole_question_is_read_and_written() {
        let read = read_questions(WHOLE, Round::Clarify);
        assert_eq!((read.questions.len(), read.deferred, read.problems.len()), (1, 0, 0));
        assert_eq!(write_questions(&read.questions), WHOLE);
        let loose = "\u{feff}### q1: Guests\r\n- Question: May guests\r\n  pay?\r\n- **Recommended:** No, later.\r\nWhy: Smaller.\r\n";
        assert_eq!(read_questions(loose, Round::Clarify), read);
        let untitled = read_questions(&WHOLE.replace(" Guests", ""), Round::Scope);
        assert_eq!(untitled.questions[0].title, "May guests pay?");
    }

    #[test]
    fn no_question_is_said_with_one_word() {
        for text in ["NONE", "None.\n", "**NONE**", "\u{feff}none\r\n"] {
            assert_eq!(read_questions(text, Round::Scope), Questions::default(), "{text}");
        }
        assert_eq!(write_questions(&[]), "NONE\n");
        for text in ["", "I have none", "Q1", "- Q1: x"] {
            let problem = Problem::new(1, "expected '## Q1: title' blocks, or exactly NONE");
            assert_eq!(read_questions(text, Round::Scope).problems, [problem], "{text}");
        }
    }

    #[test]
    fn each_round_has_its_limit_and_its_words() {
        let many: String = (1..=9).map(|n| WHOLE.replace("Q1", &format!("Q{n}"))).collect();
        for (round, limit, deferred) in [(Round::Clarify, 4, 5), (Round::Scope, 7, 2), (Round::Design, 7, 2)]
        {
            let read = read_questions(&many, round);
            assert_eq!((read.questions.len(), read.deferred), (limit, deferred));
        }
        assert_eq!(Round::Clarify.deferred_line(), None);
        assert_eq!(
            Round::Scope.deferred_line(),
            Some("⏩ Remaining scope questions deferred to implementation.")
        );
        assert_eq!(
            Round::Design.deferred_line(),
            Some("⏩ Remaining design questions deferred to implementation.")
        );
        assert_eq!(
            [Round::Clarify, Round::Scope, Round::Design].map(Round::nothing_to_ask),
            [
                "no clarifying questions needed",
                "no scope decisions require discussion",
                "no additional decisions require discussion"
            ]
        );
        for (round, fewest) in [(Round::Clarify, 1), (Round::Scope, 2), (Round::Design, 1)] {
            assert!(round.is_worth(fewest) && !round.is_worth(fewest - 1), "{round:?}");
        }
    }

    #[test]
    fn what_is_missing_is_said_with_its_line() {
        for (from, to, line, message) in [
            ("**Question**: May guests pay?\n", "", 1, "Q1 has no Question"),
            ("No, later.", "", 3, "Q1 has no Recommended"),
        ] {
            let read = read_questions(&WHOLE.replace(from, to), Round::Clarify);
            assert_eq!((read.questions.len(), read.problems), (0, vec![Problem::new(line, message)]));
        }
    }

    #[test]
    fn the_code_answers_only_where_it_is_cited() {
        for (text, expected) in [
            ("user", Source::User),
            ("", Source::User),
            ("codebase", Source::User),
            ("codebase, somewhere", Source::User),
            ("codebase (src/pay.rs:12)", Source::Codebase("src/pay.rs:12".to_owned())),
            ("Codebase — `src/pay.rs:12`", Source::Codebase("src/pay.rs:12".to_owned())),
            ("**codebase**: src/pay.rs:12", Source::Codebase("src/pay.rs:12".to_owned())),
            ("the codebase (src/pay.rs:12)", Source::User),
            ("codebasé (src/pay.rs:12)", Source::User),
        ] {
            assert_eq!(read_source(text), expected, "{text}");
        }
    }

    prop_compose! {
        fn any_question()(texts in prop::collection::vec("\\PC{0,30}a", 4), code in any::<bool>()) -> Question {
            let [title, question, recommended, why] =
                <[String; 4]>::try_from(texts.iter().map(|text| flat(text)).collect::<Vec<_>>()).unwrap();
            let source = if code { Source::Codebase("src/a.rs:3".to_owned()) } else { Source::User };
            Question { title, question, recommended, why, source }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(questions in prop::collection::vec(any_question(), 0..7)) {
            let read = read_questions(&write_questions(&questions), Round::Design);
            prop_assert_eq!(read, Questions { questions, ..Questions::default() });
        }
    }
}
