//! Query: a request as weighted terms.

use super::split::{Term, parts, term_of, term_of_pair, whole_term, words};
use super::symbols::{RequestedSymbol, requested_symbols};
use super::vocabulary::{COMMON_WORDS, STOP_WORDS, VERB_MARKERS};

/// A parsed request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query {
    /// Each term once, in the order of the request.
    pub(crate) terms: Vec<QueryTerm>,
    /// Paths and file names in the request, in lower case.
    pub(crate) paths: Vec<String>,
    /// Names of code in the request, in order.
    pub(crate) symbols: Vec<RequestedSymbol>,
    /// True if the request speaks of tests.
    pub(crate) about_tests: bool,
    /// True if the request speaks of documentation.
    pub(crate) about_docs: bool,
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
    /// True for a word of most requests, such as "add".
    pub(crate) common: bool,
    /// True for a name written as code.
    pub(crate) code: bool,
    /// Factor in a long request, by the place of the word in its sentence and of the sentence in the request.
    focus: f64,
    part: RequestPart,
}

/// Part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestPart {
    /// The first line or sentence.
    Title,
    Body,
}

/// Maximum number of terms.
const MAX_TERMS: usize = 64;
/// Maximum number of terms of which the heaviest are kept.
const MAX_READ_TERMS: usize = 1000;

/// Weight of a neighbouring pair; less than a word, because its words are counted too.
const PAIR_WEIGHT: f64 = 0.5;
/// Weight of words common in requests, such as "add" and "fix".
const COMMON_WEIGHT: f64 = 0.3;
/// Weight of names written as code.
const CODE_WEIGHT: f64 = 1.5;

/// Number of words, without common ones, that make a request long.
const LONG_REQUEST: usize = 12;
/// Factor for words that a long request has only after its first sentence.
const LATER_SENTENCE: f64 = 0.5;
/// Factor for verbs and adverbs in a long request: nouns say what it is about.
const NOT_A_NOUN: f64 = 0.5;

/// Weight of all words after the title, relative to those of the title.
const BODY_SHARE: f64 = 1.5;
/// Number of words, without common ones, that a title must have to be believed.
const MIN_TITLE_WORDS: usize = 2;

/// Words of requests about tests.
const TEST_WORDS: [&str; 5] = ["test", "tests", "testing", "fixture", "fixtures"];
/// Words of requests about documentation.
const DOC_WORDS: [&str; 7] = ["doc", "docs", "document", "documentation", "readme", "guide", "changelog"];

impl Query {
    /// Parses a request.
    pub(crate) fn new(request: &str) -> Query {
        let title_end = title_end(request);
        let symbols = requested_symbols(request, title_end);
        let mut query = Query { paths: named_paths(request), symbols, ..Query::default() };
        let mut before: Option<(usize, String)> = None;
        let mut place = Place::default();
        for (at, word) in words(request.as_bytes()) {
            place.advance(request, at, word);
            let code = is_code(request, at, word);
            let focus = if code { 1.0 } else { place.focus(word) };
            let mut inside = false;
            for part in parts(word) {
                let part = String::from_utf8_lossy(part).to_lowercase();
                if is_stop_word(&part) {
                    before = None;
                    continue;
                }
                query.about_tests |= TEST_WORDS.contains(&part.as_str());
                query.about_docs |= DOC_WORDS.contains(&part.as_str());
                let common = !code && COMMON_WORDS.binary_search(&part.as_str()).is_ok();
                let weight = if common {
                    COMMON_WEIGHT
                } else if code {
                    CODE_WEIGHT
                } else {
                    1.0
                };
                let word = QueryTerm {
                    term: term_of(&part),
                    weight,
                    word: part.clone(),
                    pair: false,
                    common,
                    code,
                    focus,
                    part: if at < title_end { RequestPart::Title } else { RequestPart::Body },
                };
                let neighbour = before.take().filter(|(end, _)| inside || follows(request, *end, at));
                let pair = neighbour.filter(|_| !common).map(|(_, first)| QueryTerm {
                    term: term_of_pair(&first, &part),
                    weight: PAIR_WEIGHT * weight,
                    word: format!("{first} {part}"),
                    pair: true,
                    ..word.clone()
                });
                query.add(word);
                if let Some(pair) = pair {
                    query.add(pair);
                }
                before = (!common).then_some((place.end, part));
                inside = true;
            }
            if parts(word).count() > 2 {
                query.add(QueryTerm {
                    term: whole_term(word),
                    weight: CODE_WEIGHT,
                    word: String::from_utf8_lossy(word).into_owned(),
                    pair: false,
                    common: false,
                    code: true,
                    focus: 1.0,
                    part: if at < title_end { RequestPart::Title } else { RequestPart::Body },
                });
            }
        }
        query.focus();
        query
    }

    /// True if the request has so many words that some of them must be beside the point.
    pub(crate) fn is_long(&self) -> bool {
        self.terms.iter().filter(|term| !term.pair && !term.common).count() >= LONG_REQUEST
    }

    fn add(&mut self, term: QueryTerm) {
        let has_room = self.terms.len() < MAX_READ_TERMS;
        match self.terms.iter_mut().find(|known| known.term == term.term) {
            // Repetition adds weight, but less than another word.
            Some(known) => {
                known.weight = known.weight.max(term.weight) + 0.2 * term.weight;
                known.focus = known.focus.max(term.focus);
                known.code |= term.code;
                if term.part == RequestPart::Title {
                    known.part = RequestPart::Title;
                }
                known.common &= term.common;
            }
            None if has_room => self.terms.push(term),
            None => {}
        }
    }

    /// Weighs the words of a long request by their places, and keeps the heaviest terms.
    fn focus(&mut self) {
        if self.is_long() {
            for term in &mut self.terms {
                term.weight *= term.focus;
            }
            self.bound_body();
        }
        if self.terms.len() > MAX_TERMS {
            let mut order: Vec<usize> = (0..self.terms.len()).collect();
            order.sort_by(|a, b| self.terms[*b].weight.total_cmp(&self.terms[*a].weight).then(a.cmp(b)));
            order.truncate(MAX_TERMS);
            order.sort_unstable();
            self.terms = order.into_iter().map(|n| self.terms[n].clone()).collect();
        }
    }
}

impl Query {
    /// Scales the words after the title so that together they weigh at most a part of the title: the more text a request
    /// has, the less each word of it says.
    fn bound_body(&mut self) {
        let is_word = |term: &&QueryTerm| !term.pair && !term.common;
        let title: Vec<&QueryTerm> =
            self.terms.iter().filter(is_word).filter(|term| term.part == RequestPart::Title).collect();
        if title.len() < MIN_TITLE_WORDS {
            return;
        }
        let sum = |terms: &mut dyn Iterator<Item = &QueryTerm>| terms.map(|term| term.weight).sum::<f64>();
        let title = sum(&mut title.into_iter());
        // Names of code say what they mean, wherever they stand.
        let of_body = |term: &QueryTerm| term.part == RequestPart::Body && !term.code;
        let body = sum(&mut self.terms.iter().filter(is_word).filter(|term| of_body(term)));
        if body > BODY_SHARE * title {
            let factor = BODY_SHARE * title / body;
            self.terms.iter_mut().filter(|term| of_body(term)).for_each(|term| term.weight *= factor);
        }
    }
}

/// End of the title: the first line, or the first sentence if the line goes on.
fn title_end(request: &str) -> usize {
    let text = request.trim_start();
    let start = request.len() - text.len();
    let line = text.find('\n').unwrap_or(text.len());
    let sentence = text[..line].find(". ").map_or(line, |dot| dot + 1);
    start + sentence
}

/// Place of a word in the request.
#[derive(Debug, Default)]
struct Place<'a> {
    /// End of the word.
    end: usize,
    sentence: usize,
    /// The word before it in the same sentence, in lower case.
    previous: String,
    current: &'a [u8],
}

impl<'a> Place<'a> {
    fn advance(&mut self, request: &str, at: usize, word: &'a [u8]) {
        let gap = &request.as_bytes()[self.end.min(at)..at];
        let ends =
            |pair: &[u8]| matches!(pair, [b'.' | b'!' | b'?', b' ' | b'\n'] | [b'\n', b'\n' | b'-' | b'*']);
        let first_of_sentence = gap.windows(2).any(ends) && self.end > 0;
        self.sentence += usize::from(first_of_sentence);
        self.previous = if first_of_sentence {
            String::new()
        } else {
            String::from_utf8_lossy(self.current).to_lowercase()
        };
        self.current = word;
        self.end = at + word.len();
    }

    /// Factor of the word in a long request.
    fn focus(&self, word: &[u8]) -> f64 {
        let verb = VERB_MARKERS.binary_search(&self.previous.as_str()).is_ok();
        let adverb = word.len() > 4 && word.ends_with(b"ly");
        let part = if verb || adverb { NOT_A_NOUN } else { 1.0 };
        if self.sentence == 0 { part } else { LATER_SENTENCE * part }
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
        assert!(VERB_MARKERS.is_sorted());
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

    const LONG: &str = "Drain connections when the gateway stops. People who look away for a minute while the listener restarts must reconnect quickly, and the proxy, the balancer, the certificate, the metrics, the health endpoint, the logger, the scheduler, the queue, the worker, the session, the cookie and the design of `retry_policy` should stay as they are.";

    #[test]
    fn a_long_request_is_about_the_nouns_of_its_first_sentence() {
        let query = Query::new(LONG);
        assert!(query.is_long() && !query.about_tests && !query.about_docs);
        let weight = |word: &str| query.terms.iter().find(|term| term.word == word).unwrap().weight;
        for (more, less) in [
            ("gateway", "minute"),
            ("connections", "listener"),
            ("listener", "reconnect"),
            ("listener", "quickly"),
            ("minute", "while"),
            ("retry", "gateway"),
        ] {
            assert!(weight(more) > weight(less), "{more} {} {less} {}", weight(more), weight(less));
        }
        assert!(!Query::new("Drain connections when the gateway stops").is_long());
    }

    #[test]
    fn the_heaviest_terms_of_an_endless_request_are_kept() {
        let words: Vec<String> = (0..300).map(|n| format!("w{n}x")).collect();
        let query = Query::new(&format!("Stop the gateway. {} `last_name`", words.join(", ")));
        assert_eq!(query.terms.len(), MAX_TERMS);
        let has = |word: &str| query.terms.iter().any(|term| term.word == word);
        assert!(has("gateway") && has("last") && has("last name") && !has("w299x"));
    }

    #[test]
    fn an_empty_request_asks_for_nothing() {
        for request in ["", "   ", "the of and", "12 3 a"] {
            assert_eq!(words_of(request), [], "{request}");
        }
    }
}
