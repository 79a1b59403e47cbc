//! Query: a request as weighted terms.

use super::split::{Term, parts, term_of, term_of_pair, whole_term, words};

/// A parsed request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    /// Each term once, in the order of the request.
    pub(crate) terms: Vec<QueryTerm>,
    /// Paths and file names in the request, in lower case.
    pub(crate) paths: Vec<String>,
}

/// One term of a request.
#[derive(Debug, Clone)]
pub(crate) struct QueryTerm {
    pub(crate) term: Term,
    pub(crate) weight: f64,
    /// The word as written, for reasons.
    pub(crate) word: String,
    /// True for two neighbouring words written together.
    pub(crate) pair: bool,
}

impl QueryTerm {
    /// True for a word of most requests, such as "add".
    pub(crate) fn is_common(&self) -> bool {
        self.weight <= 2.0 * COMMON_WEIGHT && !self.pair
    }
}

/// Maximum number of terms.
const MAX_TERMS: usize = 64;

/// Weight of a neighbouring pair; less than a word, because its words are counted too.
const PAIR_WEIGHT: f64 = 0.5;
/// Weight of words common in requests, such as "add" and "fix".
const COMMON_WEIGHT: f64 = 0.3;
/// Weight of names written as code.
const CODE_WEIGHT: f64 = 1.5;

impl Query {
    /// Parses a request.
    pub(crate) fn new(request: &str) -> Query {
        let mut query = Query { terms: Vec::new(), paths: named_paths(request) };
        let mut before: Option<(usize, String)> = None;
        for (at, word) in words(request.as_bytes()) {
            let code = is_code(request, at, word);
            let mut inside = false;
            for part in parts(word) {
                let part = String::from_utf8_lossy(part).to_lowercase();
                if is_stop_word(&part) {
                    before = None;
                    continue;
                }
                let common = !code && COMMON_WORDS.contains(&part.as_str());
                let weight = if common {
                    COMMON_WEIGHT
                } else if code {
                    CODE_WEIGHT
                } else {
                    1.0
                };
                query.add(term_of(&part), weight, part.clone(), false);
                let neighbour = before.take().filter(|(end, _)| inside || follows(request, *end, at));
                if let Some((_, first)) = neighbour.filter(|_| !common) {
                    query.add(
                        term_of_pair(&first, &part),
                        PAIR_WEIGHT * weight,
                        format!("{first} {part}"),
                        true,
                    );
                }
                before = (!common).then_some((at + word.len(), part));
                inside = true;
            }
            if parts(word).count() > 2 {
                query.add(whole_term(word), CODE_WEIGHT, String::from_utf8_lossy(word).into_owned(), false);
            }
        }
        query.terms.truncate(MAX_TERMS);
        query
    }

    fn add(&mut self, term: Term, weight: f64, word: String, pair: bool) {
        match self.terms.iter_mut().find(|known| known.term == term) {
            // Repetition adds weight, but less than another word.
            Some(known) => known.weight = known.weight.max(weight) + 0.2 * weight,
            None => self.terms.push(QueryTerm { term, weight, word, pair }),
        }
    }
}

/// True for a word written as code: in backticks, as a flag, or with capitals or `_` inside.
fn is_code(text: &str, at: usize, word: &[u8]) -> bool {
    let before = &text.as_bytes()[..at];
    before.ends_with(b"`")
        || before.ends_with(b"--")
        || word.contains(&b'_')
        || (word.iter().skip(1).any(u8::is_ascii_uppercase) && word.iter().any(u8::is_ascii_lowercase))
}

/// True if only a blank, a dash, `::` or a dot separates two words.
fn follows(text: &str, end: usize, at: usize) -> bool {
    matches!(&text.as_bytes()[end.min(at)..at], b" " | b"-" | b"::" | b".")
}

fn is_stop_word(part: &str) -> bool {
    part.len() < 2 || part.bytes().all(|b| b.is_ascii_digit()) || STOP_WORDS.binary_search(&part).is_ok()
}

/// Words with a slash, or with a dot before something like an extension.
fn named_paths(text: &str) -> Vec<String> {
    let trimmed = |word: &str| {
        let edges = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '/');
        word.trim_matches(edges).trim_end_matches('.').trim_start_matches("./").to_lowercase()
    };
    let named = text.split_whitespace().map(trimmed).filter(|word| {
        let extension = word.rsplit_once('.').is_some_and(|(stem, ext)| {
            !stem.is_empty() && (1..=5).contains(&ext.len()) && ext.bytes().all(|b| b.is_ascii_alphanumeric())
        });
        word.len() > 3 && (word.contains('/') || extension) && !word.contains("://")
    });
    let mut paths: Vec<String> = named.take(MAX_TERMS).collect();
    paths.dedup();
    paths
}

/// Stop words, sorted.
const STOP_WORDS: &[&str] = &[
    "about", "above", "after", "again", "against", "all", "also", "an", "and", "any", "are", "as", "at",
    "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could",
    "did", "do", "does", "doesn", "doing", "don", "down", "during", "each", "few", "for", "from", "further",
    "had", "has", "have", "he", "her", "here", "his", "how", "if", "in", "into", "is", "isn", "it", "its",
    "just", "let", "ll", "may", "me", "more", "most", "my", "no", "nor", "not", "now", "of", "off", "on",
    "once", "only", "or", "other", "our", "out", "over", "own", "per", "please", "re", "same", "she",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "through", "to", "too", "under", "until", "up", "ve", "very", "via", "was", "we",
    "were",
];

/// Words common in requests, sorted. They are searched for, with little weight.
const COMMON_WORDS: &[&str] = &[
    "able",
    "actually",
    "add",
    "added",
    "adding",
    "adds",
    "allow",
    "allows",
    "always",
    "avoid",
    "behavior",
    "better",
    "bug",
    "bump",
    "change",
    "changed",
    "changes",
    "clean",
    "cleanup",
    "correct",
    "correctly",
    "ensure",
    "feature",
    "fix",
    "fixed",
    "fixes",
    "fixing",
    "get",
    "give",
    "handle",
    "handling",
    "implement",
    "implemented",
    "improve",
    "improved",
    "improvement",
    "improvements",
    "instead",
    "introduce",
    "issue",
    "issues",
    "like",
    "make",
    "makes",
    "making",
    "minor",
    "misc",
    "move",
    "need",
    "new",
    "one",
    "prevent",
    "properly",
    "refactor",
    "remove",
    "removed",
    "rename",
    "set",
    "simplify",
    "small",
    "some",
    "support",
    "supports",
    "sure",
    "tweak",
    "two",
    "update",
    "updated",
    "updates",
    "use",
    "used",
    "user",
    "users",
    "uses",
    "using",
    "want",
    "when",
    "with",
    "work",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(request: &str) -> Vec<(String, f64)> {
        let terms = Query::new(request).terms;
        terms.into_iter().map(|term| (term.word, term.weight)).collect()
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(COMMON_WORDS.is_sorted());
    }

    #[test]
    fn a_request_becomes_weighted_words() {
        let expected =
            [("add", 0.3), ("rate", 1.0), ("limiting", 1.0), ("rate limiting", 0.5), ("gateway", 1.0)];
        let expected: Vec<(String, f64)> =
            expected.iter().map(|(word, weight)| ((*word).to_owned(), *weight)).collect();
        assert_eq!(words_of("Add rate limiting to the gateway"), expected);
    }

    #[test]
    fn code_in_a_request_counts_more() {
        for request in ["`retry`", "--retry"] {
            assert_eq!(words_of(request), [("retry".to_owned(), 1.5)], "{request}");
        }
        let words: Vec<String> = words_of("use max_retries").into_iter().map(|(word, _)| word).collect();
        assert_eq!(words, ["use", "max", "retries", "max retries"]);
    }

    #[test]
    fn pairs_do_not_reach_over_punctuation_or_common_words() {
        let pairs = |request: &str| {
            Query::new(request)
                .terms
                .into_iter()
                .filter(|term| term.pair)
                .map(|term| term.word)
                .collect::<Vec<_>>()
        };
        assert_eq!(pairs("parser, lexer and printer output"), ["printer output"]);
        assert_eq!(pairs("parser fix lexer"), [""; 0]);
    }

    #[test]
    fn paths_in_a_request_are_seen() {
        assert_eq!(
            Query::new("see ./src/Walk.rs, and `tests/it` or README.md. Not https://a.b/c nor e.g. this")
                .paths,
            ["src/walk.rs", "tests/it", "readme.md"]
        );
    }

    #[test]
    fn an_empty_request_asks_for_nothing() {
        for request in ["", "   ", "the of and", "12 3 a"] {
            assert_eq!(words_of(request), [], "{request}");
        }
    }
}
