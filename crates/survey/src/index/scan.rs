//! One file's terms, counted: all of them, and apart from that those in names it defines or headings it has.

use super::block::{Count, write};
use crate::words::lexicon::Lexicon;
use crate::words::split::{Term, words};

/// Counts terms; keeps its memory from file to file.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    lexicon: Lexicon,
    /// How often each word of the lexicon stands in the file at hand.
    counts: Vec<Count>,
    /// The words of the file at hand.
    met: Vec<usize>,
    /// Their terms.
    terms: Vec<(Term, Count)>,
}

impl Scanner {
    /// The block of a text. In prose, headings take the place of definitions.
    pub(crate) fn scan(&mut self, text: &[u8], prose: bool) -> Vec<u8> {
        self.lexicon.make_room();
        let mut end = 0;
        let mut names = true;
        for (at, word) in words(text) {
            if let Some(line) = line_start(text, end, at) {
                names = prose && text[line] == b'#';
            }
            end = at + word.len();
            self.count(word, names);
            if !prose {
                // `fn walk`, `const fn walk`, `impl<T> Walk<T>`
                names = defines(word) || names && word.len() == 1;
            }
        }
        self.finish()
    }

    fn count(&mut self, word: &[u8], names: bool) {
        let number = self.lexicon.number(word);
        if self.counts.len() <= number {
            self.counts.resize(number + 1024, Count::default());
        }
        let count = &mut self.counts[number];
        if count.body == 0 {
            self.met.push(number);
        }
        count.body += 1;
        count.defs += usize::from(names);
    }

    fn finish(&mut self) -> Vec<u8> {
        self.terms.clear();
        for number in self.met.drain(..) {
            let count = std::mem::take(&mut self.counts[number]);
            self.terms.extend(self.lexicon.terms(number).iter().map(|term| (*term, count)));
        }
        self.terms.sort_unstable_by_key(|(term, _)| *term);
        let length = self.terms.iter().map(|(_, count)| count.body).sum();
        let sum = |same: &[(Term, Count)]| {
            let add =
                |a: Count, b: &(Term, Count)| Count { body: a.body + b.1.body, defs: a.defs + b.1.defs };
            (same[0].0, same.iter().fold(Count::default(), add))
        };
        write(length, self.terms.chunk_by(|a, b| a.0 == b.0).map(sum))
    }
}

/// Where the line begins on which the word at `at` is the first.
fn line_start(text: &[u8], end: usize, at: usize) -> Option<usize> {
    match text[end..at].iter().rposition(|b| *b == b'\n') {
        Some(newline) => Some(end + newline + 1),
        None => (end == 0).then_some(0),
    }
}

/// Words after which code names something new, in the languages people use most.
fn defines(word: &[u8]) -> bool {
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
    use super::super::block::find;
    use super::*;
    use crate::words::split::term_of;

    fn counts(text: &str, prose: bool, word: &str) -> (usize, usize) {
        let block = Scanner::default().scan(text.as_bytes(), prose);
        let mut found = (0, 0);
        find(&block, &[term_of(word)], |_, count| found = (count.body, count.defs));
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
