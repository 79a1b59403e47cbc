//! Facts of the survey that drafts may cite, and sanitizing of foreign text.

use super::inputs::DraftInputs;
use super::verbs::is_verb;
use crate::rank::pairs::subject;
use crate::report::{Dependency, RankedFile, Risk, SimilarCommit, Symbol};
use crate::surveyor::UNKNOWN_WORDS;
use crate::tree::kind::{FileKind, can_hold_tests, file_kind};
use crate::words::query::Query;
use crate::words::split::{terms, words};
use charrette_model::panel::citations;
use charrette_model::spec::ids::{SpecId, mentions};
use charrette_model::spec::sentences::sentences;

/// Notice at the head of every draft.
pub(super) const NO_MODEL: &str =
    "No model took part. charrette's embedded agent drafted this from the survey of the repository.";

/// Maximum number of tests named per file.
const MAX_TESTS: usize = 3;

/// Facts of a survey, limited to citable paths.
pub(super) struct CitableFacts<'a> {
    inputs: &'a DraftInputs<'a>,
    /// All ranked files, best first.
    pub(super) files: Vec<&'a RankedFile>,
}

/// The request, phrased for different sentences.
pub(super) struct RequestPhrases {
    /// Follows "The request".
    pub(super) asks: String,
    /// For a user story.
    pub(super) want: String,
    /// Follows "THE SYSTEM SHALL".
    pub(super) shall: String,
}

impl<'a> CitableFacts<'a> {
    pub(super) fn new(inputs: &'a DraftInputs<'a>) -> CitableFacts<'a> {
        CitableFacts {
            inputs,
            files: inputs.survey.files.iter().filter(|file| is_citable(&file.path)).collect(),
        }
    }

    /// Ranked files of a kind, best first.
    pub(super) fn of_kind(&self, kind: &str) -> Vec<&'a RankedFile> {
        self.files.iter().filter(|file| file.kind == kind).copied().collect()
    }

    /// Ranked sources, best first.
    pub(super) fn sources(&self) -> Vec<&'a RankedFile> {
        self.of_kind("source")
    }

    /// Best source, else the best file: the likely start of the change.
    pub(super) fn first(&self) -> Option<&'a RankedFile> {
        self.sources().first().copied().or_else(|| self.files.first().copied())
    }

    /// Tests that cover a file, the file itself included if it has inline tests.
    pub(super) fn tests_of(&self, path: &str) -> Vec<&'a str> {
        let tests =
            self.inputs.survey.tests.iter().filter(|test| test.covers.iter().any(|covered| covered == path));
        let mut tests: Vec<&str> =
            tests.map(|test| test.path.as_str()).filter(|path| is_citable(path)).collect();
        // Tests with the name of the file first, then by rank.
        let about = subject(path);
        tests.sort_by_key(|test| (subject(test) != about, self.rank(test)));
        tests
    }

    /// List of the tests that cover a file, in words; none if no test was found.
    pub(super) fn covered_by(&self, path: &str) -> Option<String> {
        let tests = self.tests_of(path);
        let mut named: Vec<String> =
            tests.iter().filter(|test| **test != path).map(|test| (*test).to_owned()).collect();
        let inside = named.len() < tests.len();
        let more = named.len().saturating_sub(MAX_TESTS);
        named.truncate(MAX_TESTS);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        if inside {
            named.insert(0, "the tests inside it".to_owned());
        }
        (!named.is_empty()).then(|| join_list(&named))
    }

    /// All tests: those of the first file, then those ranked by the survey, then the rest;
    /// each once.
    pub(super) fn tests(&self) -> Vec<&'a str> {
        let near = self.first().map(|file| self.tests_of(&file.path)).unwrap_or_default();
        let named = self.files.iter().filter(|file| file.kind == "test" && can_hold_tests(&file.path));
        let named = named.map(|file| file.path.as_str());
        let known = self.inputs.survey.tests.iter().map(|test| test.path.as_str());
        let mut all: Vec<&str> = Vec::new();
        for path in near.into_iter().chain(named).chain(known).filter(|path| is_citable(path)) {
            if !all.contains(&path) {
                all.push(path);
            }
        }
        all
    }

    /// Rank of a file in the survey.
    fn rank(&self, path: &str) -> usize {
        self.files.iter().position(|file| file.path == path).unwrap_or(usize::MAX)
    }

    /// Note about request words that occur nowhere.
    pub(super) fn unknown_words(&self) -> Option<&'a str> {
        let notes = self.inputs.survey.notes.iter();
        notes.map(String::as_str).find(|note| note.starts_with(UNKNOWN_WORDS))
    }

    pub(super) fn risks(&self) -> Vec<&'a Risk> {
        self.inputs.survey.risks.iter().filter(|risk| is_citable(&risk.path)).collect()
    }

    /// Definitions of a file that match the request.
    pub(super) fn symbols_of(&self, path: &str) -> Vec<&'a Symbol> {
        self.inputs
            .survey
            .symbols
            .iter()
            .filter(|symbol| symbol.path == path && is_citable(&symbol.path))
            .collect()
    }

    pub(super) fn commits(&self) -> &'a [SimilarCommit] {
        &self.inputs.survey.similar_commits
    }

    /// Dependencies whose names share a word with the request.
    pub(super) fn related_dependencies(&self) -> Vec<&'a Dependency> {
        let query = Query::new(self.inputs.request);
        let shares = |name: &str| {
            let mut found = false;
            for (_, word) in words(name.as_bytes()) {
                terms(word, |term, _| {
                    found |= query.terms.iter().any(|wanted| wanted.term == term && !wanted.common);
                });
            }
            found
        };
        let all = self.inputs.survey.dependencies.iter().filter(|dependency| is_citable(&dependency.path));
        all.filter(|dependency| shares(&dependency.name)).collect()
    }

    /// Path of the changelog.
    pub(super) fn changelog(&self) -> Option<&'a str> {
        let convention =
            self.inputs.survey.conventions.iter().find(|convention| convention.kind == "changelog")?;
        convention.path.as_deref().filter(|path| is_citable(path))
    }

    /// Command that runs the tests.
    pub(super) fn test_command(&self) -> Option<&'a str> {
        self.inputs.survey.commands.test.as_deref()
    }

    /// Sources that import a file; its tests are not among them.
    pub(super) fn users_of(&self, path: &str) -> Vec<&'a str> {
        let is_source = |path: &str| file_kind(path) == Some(FileKind::Source);
        let users = self.inputs.survey.imports.iter().filter(|import| import.to == path);
        users.map(|import| import.from.as_str()).filter(|path| is_source(path) && is_citable(path)).collect()
    }

    /// The request, sanitized, on one line.
    pub(super) fn request(&self) -> String {
        sanitize(self.inputs.request, 300)
    }

    /// First sentence of the request, as part of another sentence.
    pub(super) fn behaviour(&self) -> String {
        let request = sanitize(self.inputs.request, 300);
        let sentence = request.split(". ").next().unwrap_or_default().trim_end_matches(['.', '!', '?', ' ']);
        let mut chars = sentence.chars();
        let second_is_small = sentence.chars().nth(1).is_some_and(|c| c.is_lowercase() || c == ' ');
        match chars.next() {
            Some(first) if second_is_small => first.to_lowercase().collect::<String>() + chars.as_str(),
            _ => sentence.to_owned(),
        }
    }

    /// Phrases the request as an action, or quotes it if it does not begin with a verb.
    pub(super) fn request_phrases(&self) -> RequestPhrases {
        let behaviour = self.behaviour();
        let (first, rest) = behaviour.split_once(' ').unwrap_or((&behaviour, ""));
        if rest.is_empty() || !is_verb(first) || ["can", "is", "must", "need", "should"].contains(&first) {
            return RequestPhrases {
                asks: format!("asks for this: \"{behaviour}\""),
                want: format!("I want this: \"{behaviour}\""),
                shall: format!("do what the request names, \"{behaviour}\""),
            };
        }
        let shall = match first {
            "add" | "introduce" | "implement" | "create" => format!("offer {rest}"),
            // These are tasks of developers, not behaviour of the system.
            "fix" | "refactor" | "rename" | "document" | "test" | "bump" | "upgrade" | "clean"
            | "simplify" | "migrate" | "improve" | "debug" | "rewrite" => {
                format!("behave as the request names, \"{behaviour}\"")
            }
            _ => behaviour.clone(),
        };
        RequestPhrases { asks: format!("asks to {behaviour}"), want: format!("I want to {behaviour}"), shall }
    }

    /// First sentence of the request, else the name of the feature.
    pub(super) fn title(&self) -> String {
        let line =
            self.inputs.request.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = line.trim_start_matches(['#', '>', '-', '*', ' ']);
        let sentence = sentences(line).into_iter().next().unwrap_or_default();
        let sentence = sentence.trim_end_matches(['.', '!', '?', ' ']);
        let words = if sentence.contains(char::is_alphanumeric) {
            sentence.to_owned()
        } else {
            self.inputs.feature.replace(['-', '.', '_'], " ")
        };
        let mut chars = words.trim().chars();
        match chars.next() {
            Some(first) => sanitize(&(first.to_uppercase().collect::<String>() + chars.as_str()), 140),
            None => "The feature".to_owned(),
        }
    }
}

/// True if parsers of citations find this path in a text.
pub(super) fn is_citable(path: &str) -> bool {
    let with_line = format!("{path}:1");
    citations::paths(&with_line) == [with_line.as_str()] && citations::paths(&format!("`{path}`")) == [path]
}

/// Citation of a file, with the first line of its best passage.
pub(super) fn file_citation(file: &RankedFile) -> String {
    file.lines.map_or_else(|| file.path.clone(), |lines| format!("{}:{}", file.path, lines.first))
}

/// Citation of a risk.
pub(super) fn risk_citation(risk: &Risk) -> String {
    format!("{}:{}", risk.path, risk.line)
}

/// A risk as a clause. The line is quoted only if sanitizing does not change it.
pub(super) fn risk_clause(risk: &Risk) -> String {
    let text = risk.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = sanitize(&text, 100);
    let quoted = if text.starts_with(shown.trim_end_matches([' ', '…'])) {
        format!(" (\"{shown}\")")
    } else {
        String::new()
    };
    match risk.kind.as_str() {
        "todo" => format!("an open note stands{quoted}"),
        "panic" => format!("the code gives up instead of reporting an error{quoted}"),
        "unsafe" => format!("checks of the language are switched off{quoted}"),
        "swallowed" => format!("an error is caught and nothing is done with it{quoted}"),
        "shell" => format!("text is run as code{quoted}"),
        "deprecated" => format!("something deprecated stands{quoted}"),
        _ => shown,
    }
}

/// A risk with its citation, as a sentence without its full stop.
pub(super) fn risk_sentence(risk: &Risk) -> String {
    let place = risk_citation(risk);
    match risk.kind.as_str() {
        "large" => format!("{}: {}", risk.path, risk_clause(risk)),
        _ => format!("At {place} {}", risk_clause(risk)),
    }
}

/// Sanitizes foreign text for a draft: one line, no Markdown, no ids of a specification, at most
/// `most` characters.
pub(super) fn sanitize(text: &str, most: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).map(plain_word);
    let mut out = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if out.chars().count() + word.chars().count() >= most {
            out.push_str(" …");
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
    }
    out.trim().to_owned()
}

/// A word without Markdown, and with ids broken up.
fn plain_word(word: &str) -> String {
    // An arrow is not a Markdown quotation.
    let word = if matches!(word, "->" | "=>" | ">=") { word.to_owned() } else { word.replace('>', "") };
    let word: String = word
        .chars()
        .filter(|c| !matches!(c, '*' | '#' | '<' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .map(|c| match c {
            '`' => '\'',
            '|' => '/',
            '[' => '(',
            ']' => ')',
            other => other,
        })
        .collect();
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    if SpecId::parse(bare).is_none() && mentions(&word).next().is_none() {
        return word;
    }
    let digit = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
    format!("{} {}", word[..digit].trim_end_matches('-'), &word[digit..])
}

/// Joins items: "a", "a and b", "a, b and c".
pub(super) fn join_list<S: AsRef<str>>(things: &[S]) -> String {
    match things {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [others @ .., last] => {
            let others: Vec<&str> = others.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", others.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_safe_to_repeat() {
        for (text, expected) in [
            ("a\n\n## b `c` | [d]", "a b 'c' / (d)"),
            ("REQ-1.1 and T001, US2. C1", "REQ 1.1 and T 001, US 2. C 1"),
            ("\u{1b}[31mred", "(31mred"),
            ("utf8 stays", "utf8 stays"),
            ("_ => 1, > b", "_ => 1, b"),
        ] {
            assert_eq!(sanitize(text, 100), expected, "{text}");
        }
        assert_eq!(sanitize("one two three", 9), "one two …");
    }

    #[test]
    fn only_paths_that_readers_find_again_are_cited() {
        for (path, expected) in [
            ("src/lib.rs", true),
            ("Makefile", false),
            ("docs/cli.md", true),
            ("a b.rs", false),
            ("über.rs", false),
            ("new\nline.rs", false),
            ("../up.rs", false),
        ] {
            assert_eq!(is_citable(path), expected, "{path}");
        }
    }

    #[test]
    fn lists_are_joined() {
        assert_eq!(join_list::<&str>(&[]), "");
        assert_eq!(join_list(&["a"]), "a");
        assert_eq!(join_list(&["a", "b", "c"]), "a, b and c");
    }
}
