//! One file's terms, counted: all of them, and apart from that those in names it defines or headings it has.

use super::block::{Count, write};
use crate::words::split::{Term, terms, words};
use memchr::memrchr;

/// Counts terms; keeps its memory from file to file.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    all: Vec<Term>,
    defined: Vec<Term>,
}

impl Scanner {
    /// The block of a text. In prose, headings take the place of definitions.
    pub(crate) fn scan(&mut self, text: &[u8], prose: bool) -> Vec<u8> {
        self.all.clear();
        self.defined.clear();
        let mut end = 0;
        let mut names = true;
        for (at, word) in words(text) {
            if let Some(line) = line_start(text, end, at) {
                names = prose && text[line] == b'#';
            }
            end = at + word.len();
            let defined = names;
            terms(word, |term, _| {
                self.all.push(term);
                if defined {
                    self.defined.push(term);
                }
            });
            if !prose {
                // `fn walk`, `const fn walk`, `impl<T> Walk<T>`
                names = defines(word) || names && word.len() == 1;
            }
        }
        self.finish()
    }

    fn finish(&mut self) -> Vec<u8> {
        self.all.sort_unstable();
        self.defined.sort_unstable();
        let mut defined = self.defined.chunk_by(|a, b| a == b).peekable();
        let counts = self.all.chunk_by(|a, b| a == b).map(|same| {
            let defs = defined.next_if(|chunk| chunk[0] == same[0]).map_or(0, <[Term]>::len);
            (same[0], Count { body: same.len(), defs })
        });
        write(self.all.len(), counts)
    }
}

/// Where the line begins on which the word at `at` is the first.
fn line_start(text: &[u8], end: usize, at: usize) -> Option<usize> {
    match memrchr(b'\n', &text[end..at]) {
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
