//! Answers of a person as a file for agents: one line for each question.

use std::fmt::Write as _;

pub(super) fn answer_lines<'a>(answers: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    answers.fold(String::new(), |mut text, (key, answer)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- **{key}**: {answer}");
        text
    })
}
