//! Answers of a person as a file for agents: each with its question, in the form of a discussion.

use charrette_model::panel::discussion::{SettledQuestion, write_discussion};
use charrette_model::panel::questions::AnswerSource;

/// An answer with the question it was given to.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenAnswer<'a> {
    /// Key of the question.
    pub(super) key: &'a str,
    pub(super) question: &'a str,
    pub(super) answer: &'a str,
}

/// Writes answers with their questions.
pub(super) fn write_answers<'a>(answers: impl IntoIterator<Item = GivenAnswer<'a>>) -> String {
    let settled = answers.into_iter().map(|GivenAnswer { key, question, answer }| SettledQuestion {
        title: key.replace(['_', '-'], " "),
        question: question.trim().to_owned(),
        resolution: answer.trim().to_owned(),
        source: AnswerSource::User,
    });
    write_discussion(&settled.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_model::panel::discussion::read_discussion;

    #[test]
    fn an_answer_keeps_its_question() {
        let given = GivenAnswer {
            key: "trade_offs",
            question: "Counts in memory.\n\nFine?",
            answer: "Only if logged.\n",
        };
        let (settled, problems) = read_discussion(&write_answers([given]));
        assert_eq!(problems, []);
        assert_eq!(settled[0].title, "trade offs");
        assert_eq!(settled[0].question, "Counts in memory. Fine?");
        assert_eq!(settled[0].resolution, "Only if logged.");
    }
}
