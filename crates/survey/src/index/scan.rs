//! Term counts of one file: all terms, and separately those in defined names or headings.

use super::block::{TermCount, encode};
use crate::words::lexicon::Lexicon;
use crate::words::split::{Term, words};

/// Counts terms; reuses its buffers from file to file.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    lexicon: Lexicon,
    /// Counts by word id, for the current file.
    counts: Vec<TermCount>,
    /// Word ids of the current file.
    seen_words: Vec<usize>,
    /// Their terms with counts.
    terms: Vec<(Term, TermCount)>,
}

impl Scanner {
    /// Encodes the block of a text. In prose, headings take the place of definitions.
    pub(crate) fn scan(&mut self, text: &[u8], prose: bool) -> Vec<u8> {
        self.lexicon.reset_if_full();
        let mut end = 0;
        let mut in_definition = true;
        for (at, word) in words(text) {
            if let Some(line) = line_start(text, end, at) {
                in_definition = prose && text[line] == b'#';
            }
            end = at + word.len();
            self.count(word, in_definition);
            if !prose {
                // `fn walk`, `const fn walk`, `impl<T> Walk<T>`
                in_definition = is_definition_keyword(word) || in_definition && word.len() == 1;
            }
        }
        self.finish()
    }

    fn count(&mut self, word: &[u8], in_definition: bool) {
        let number = self.lexicon.word_id(word);
        if self.counts.len() <= number {
            self.counts.resize(number + 1024, TermCount::default());
        }
        let count = &mut self.counts[number];
        if count.body == 0 {
            self.seen_words.push(number);
        }
        count.body += 1;
        count.defs += usize::from(in_definition);
    }

    fn finish(&mut self) -> Vec<u8> {
        self.terms.clear();
        for number in self.seen_words.drain(..) {
            let count = std::mem::take(&mut self.counts[number]);
            self.terms.extend(self.lexicon.terms(number).iter().map(|term| (*term, count)));
        }
        self.terms.sort_unstable_by_key(|(term, _)| *term);
        let length = self.terms.iter().map(|(_, count)| count.body).sum();
        let sum = |same: &[(Term, TermCount)]| {
            let add = |a: TermCount, b: &(Term, TermCount)| TermCount {
                body: a.body + b.1.body,
                defs: a.defs + b.1.defs,
            };
            (same[0].0, same.iter().fold(TermCount::default(), add))
        };
        encode(length, self.terms.chunk_by(|a, b| a.0 == b.0).map(sum))
    }
}

/// Start of the line on which the word at `at` is the first.
fn line_start(text: &[u8], end: usize, at: usize) -> Option<usize> {
    match text[end..at].iter().rposition(|b| *b == b'\n') {
        Some(newline) => Some(end + newline + 1),
        None => (end == 0).then_some(0),
    }
}

/// Keywords that introduce a definition, in the most common languages.
fn is_definition_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"fn"
            | b"struct"
            | b"enum"
            | b"trait"
            | b"impl"
            | b"mod"
            | b"type"
            | b"const"
            | b"static"
            | b"union"
            | b"macro_rules"
            | b"def"
            | b"class"
            | b"function"
            | b"interface"
            | b"func"
            | b"namespace"
            | b"module"
            | b"record"
            | b"object"
            | b"define"
            | b"protocol"
            | b"defmodule"
            | b"defp"
            | b"fun"
            | b"sub"
            | b"typedef"
    )
}

#[cfg(test)]
mod tests {
    use super::super::block::lookup;
    use super::*;
    use crate::words::split::term_of;

    fn counts(text: &str, prose: bool, word: &str) -> (usize, usize) {
        let block = Scanner::default().scan(text.as_bytes(), prose);
        let mut found = (0, 0);
        lookup(&block, &[term_of(word)], |_, count| found = (count.body, count.defs));
        found
    }

    #[test]
    fn definitions_are_counted_apart() {
        let code = "use limiter;\npub(crate) const fn limit(rate: u8) {}\nimpl<T> Limiter<T> {}\n// limits";
        assert_eq!(counts(code, false, "limit"), (4, 2));
        assert_eq!(counts(code, false, "rate"), (1, 0));
        assert_eq!(counts("class Walker:\n    def walk_dir(self):", false, "walk"), (2, 2));
        assert_eq!(counts("walk", false, "run"), (0, 0));
    }

    #[test]
    fn headings_are_the_definitions_of_prose() {
        let text = "# Walking\nWe walk.\n\n## How to walk\nfn walk";
        assert_eq!(counts(text, true, "walk"), (4, 2));
    }
}
