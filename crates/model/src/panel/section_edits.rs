//! Edits by section: an answer that changes parts of a document and leaves the rest byte for byte.
//!
//! ```text
//! === replace: ## Approach ===
//! new text of the section; its heading may be repeated or left out
//! === add after: ## Approach ===
//! ## New section
//! text
//! === delete: ## Parent > ### Old part ===
//! ```
//!
//! A section includes its sub-sections. The blank lines at the end of a replaced section stay as they were, an
//! added section is set off by one blank line, and both take the line ends of the document. An answer without
//! such lines is a whole new text. `answer` reads the edits, `headings` finds the section that a heading names.

mod answer;
mod apply;
mod headings;

use crate::markdown::{strip_whole_fence, trimmed};
use crate::problem::Problem;
use crate::spec::sections::Sections;
use std::collections::{HashMap, HashSet};

/// Document after the edits of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedText {
    pub text: String,
    /// True if the answer had no edits and is the new text itself.
    pub is_whole: bool,
    /// Sections that differ, in the order of the answer.
    pub changes: Vec<SectionChange>,
}

/// Section that differs from the document before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionChange {
    /// Heading with its hashes.
    pub heading: String,
    pub kind: ChangeKind,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Replaced,
    Added,
    Deleted,
}

/// Applies an answer to a document. Either all edits fit, or none is applied; the lines of the problems are those
/// of the answer.
pub fn apply_edits(document: &str, answer: &str) -> Result<EditedText, Vec<Problem>> {
    match answer::read_answer(answer)? {
        answer::Answer::Edits(edits) => apply::apply(document, &edits),
        answer::Answer::Whole(text) => Ok(replace_whole(document, text)),
    }
}

fn replace_whole(document: &str, answer: &str) -> EditedText {
    let text = format!("{}\n", trimmed(strip_whole_fence(trimmed(answer))));
    let changes = compare(document, &text);
    EditedText { text, is_whole: true, changes }
}

/// The sections in which two texts differ, on the highest level that has more than one.
fn compare(before: &str, after: &str) -> Vec<SectionChange> {
    let (old, new) = (Sections::parse(before), Sections::parse(after));
    let level = (1..=6).find(|level| old.at_level(*level).count().max(new.at_level(*level).count()) > 1);
    let level = level.or_else(|| (1..=6).find(|level| new.at_level(*level).next().is_some())).unwrap_or(1);
    let mut known: HashMap<String, HashSet<&str>> = HashMap::new();
    for section in old.at_level(level) {
        let text = trimmed(&before[section.start..section.end]);
        known.entry(headings::loose_title(section.title)).or_default().insert(text);
    }
    let mut changes = Vec::new();
    let mut seen = HashSet::new();
    for section in new.at_level(level) {
        let title = headings::loose_title(section.title);
        let kind = match known.get(&title) {
            None => Some(ChangeKind::Added),
            Some(texts) if texts.contains(trimmed(&after[section.start..section.end])) => None,
            Some(_) => Some(ChangeKind::Replaced),
        };
        seen.insert(title);
        changes.extend(kind.map(|kind| SectionChange { heading: headings::heading_of(&section), kind }));
    }
    let gone = old.at_level(level).filter(|section| !seen.contains(&headings::loose_title(section.title)));
    changes.extend(
        gone.map(|section| SectionChange {
            heading: headings::heading_of(&section),
            kind: ChangeKind::Deleted,
        }),
    );
    changes
}

#[cfg(test)]
mod tests;
