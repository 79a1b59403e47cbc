//! Words that are traces of the process, unless the request or the repository is about them: a design for a service
//! with polls has votes in it, one for an agent client has names of agents.

use std::collections::BTreeSet;

/// Names of agents and vendors, and words of the process, in lower case. Words with a capital count only with it: a
/// cursor is a thing of databases and editors too.
pub(super) const WORDS: &[&str] = &[
    "claude",
    "codex",
    "Cursor",
    "gemini",
    "opencode",
    "anthropic",
    "openai",
    "charrette",
    "vote",
    "votes",
    "voted",
    "voter",
    "voters",
    "voting",
    "ballot",
    "ballots",
    "quorum",
    "exonerated",
    "synthesist",
    "synthesis",
    "antithesis",
    "thesis",
    "dialectic",
    "panel",
    "panellists",
    "judges",
    "reviewers",
    "debaters",
    "debated",
    "walkers",
    "walker",
    "investigators",
    "investigator",
    "sketches",
    "aggregator",
];

/// The words that belong to the matter of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::arena) struct SubjectMatter {
    words: BTreeSet<String>,
}

impl SubjectMatter {
    /// Finds the words that the request has, and those for which `is_in_repository` is true.
    pub(in crate::arena) fn find(
        request: &str,
        mut is_in_repository: impl FnMut(&str) -> bool,
    ) -> SubjectMatter {
        let asked: BTreeSet<&str> = request.split(|c: char| !c.is_alphanumeric()).collect();
        let is_asked = |word: &str| {
            asked.iter().any(|asked| *asked == word || (!is_name(word) && asked.to_lowercase() == word))
        };
        let words = WORDS.iter().filter(|word| is_asked(word) || is_in_repository(word));
        SubjectMatter { words: words.map(|word| (*word).to_owned()).collect() }
    }

    /// True if a word of [`WORDS`] is no trace here.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// The words, for people.
    pub(in crate::arena) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
}

/// True for a word that counts only with its capital.
pub(in crate::arena) fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}
