//! The words of the person: what was decided in the questions and at the gates, and what it changes in a draft. They are
//! worked in word for word, because no model is there to understand them.

use super::citable_facts::sanitize;
use super::inputs::DraftInputs;
use super::synthesis::cited_files;
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::file_names::{CLARIFIED, CORRECTION, POST_DESIGN, PRE_DESIGN, ROUND_1, ROUND_2};
use charrette_model::panel::questions::AnswerSource;

/// Maximum number of characters of an answer in a draft.
const MAX_CHARS: usize = 900;

/// Title of the answer about the scope.
const SCOPE: &str = "scope";

/// Words that take a file out of the scope.
const NEGATIVE: [&str; 11] =
    ["not", "no", "remove", "exclude", "without", "drop", "out", "leave", "skip", "omit", "minus"];

/// Decisions and remarks of the person.
#[derive(Debug, Default)]
pub(super) struct PersonWords {
    /// Title and text of every decision and remark, in order.
    pub(super) decisions: Vec<(String, String)>,
    /// Feedback for revisions.
    pub(super) feedback: Vec<String>,
    /// Adjustments of the scope, as they were said.
    pub(super) scope: Vec<String>,
    /// Files that the person put into the scope.
    pub(super) included: Vec<String>,
    /// Files that the person took out of it.
    pub(super) excluded: Vec<String>,
}

impl PersonWords {
    pub(super) fn read(inputs: &DraftInputs<'_>) -> PersonWords {
        let mut words = PersonWords::default();
        for name in [CLARIFIED, CORRECTION, ROUND_1, PRE_DESIGN, ROUND_2, POST_DESIGN] {
            for entry in read_discussion(inputs.artifact(name)).0 {
                if entry.source != AnswerSource::User || words.has(&entry.resolution) {
                    continue;
                }
                // An adjustment of the scope changes the list of files and demands nothing else.
                if entry.title == SCOPE && words.adjust_scope(inputs, &entry.resolution) {
                    words.scope.push(sanitize(&entry.resolution, MAX_CHARS));
                    continue;
                }
                let text = sanitize(without_label(&entry.resolution), MAX_CHARS);
                words.decisions.push((sanitize(&entry.title, 80), text));
            }
        }
        for (_, text) in inputs.artifacts_like("feedback-round", "", ".md") {
            if !text.trim().is_empty() {
                words.adjust_scope(inputs, text);
                words.feedback.push(sanitize(text, MAX_CHARS));
            }
        }
        words
    }

    fn has(&self, text: &str) -> bool {
        let text = sanitize(without_label(text), MAX_CHARS);
        self.decisions.iter().any(|(_, known)| *known == text)
    }

    /// Takes the files named in a text into the scope, or out of it, by the words of their clause.
    /// True if it names a file.
    fn adjust_scope(&mut self, inputs: &DraftInputs<'_>, text: &str) -> bool {
        let before = self.included.len() + self.excluded.len();
        for clause in text.split([';', ',', '\n']).flat_map(|part| part.split(" but ")) {
            let is_negative = clause.split_whitespace().any(|word| {
                NEGATIVE.contains(&word.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()))
            });
            let list = if is_negative { &mut self.excluded } else { &mut self.included };
            list.extend(cited_files(inputs, clause));
        }
        self.included.len() + self.excluded.len() > before
    }

    /// Everything as lines: what it is about, and the words.
    pub(super) fn lines(&self) -> Vec<(String, &str)> {
        let decided = self.decisions.iter().map(|(title, text)| (title.clone(), text.as_str()));
        let feedback = self.feedback.iter().map(|text| ("the draft, at the gate".to_owned(), text.as_str()));
        decided.chain(feedback).collect()
    }

    /// Feedback that names a section.
    pub(super) fn about(&self, section: &str) -> Vec<String> {
        let section = section.to_lowercase();
        let named = self.feedback.iter().filter(|text| text.to_lowercase().contains(&section));
        named.map(|text| format!("The person, at the gate: {text}")).collect()
    }
}

/// Labels that the questions of the gates offer before one's own words.
const LABELS: [&str; 6] = ["resolve", "adjustments", "corrections", "concerns", "changes", "add"];

/// An answer without the label in front of it.
fn without_label(answer: &str) -> &str {
    match answer.split_once(':') {
        Some((label, rest)) if LABELS.contains(&label.trim().to_lowercase().as_str()) => rest.trim(),
        _ => answer,
    }
}
