//! Splits identifiers and prose into terms.
//!
//! A word is a run of letters, digits, `_` and inner `-`. Its parts begin at `_`, `-` and where the case changes.
//! Each part is a term, and so are two neighbouring parts written together, and a long name as a whole:
//! `file_type`, `FileType` and "filetype" share one term.

use super::stem::{expand_abbreviation, stem};

/// Hash of a stemmed word.
pub(crate) type Term = u32;

/// Maximum length of a part; the rest is ignored.
const MAX_PART_BYTES: usize = 40;

/// Words of `text`, each with its offset.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let mut start = from;
        while !IS_WORD_BYTE[usize::from(*text.get(start)?)] {
            start += 1;
        }
        let mut end = start + 1;
        while let Some(b) = text.get(end) {
            let inner_dash = *b == b'-' && text.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
            if !IS_WORD_BYTE[usize::from(*b)] && !inner_dash {
                break;
            }
            end += 1;
        }
        from = end;
        Some((start, &text[start..end]))
    })
}

/// Calls `each` with the terms of one word; the second argument is true for several parts together.
pub(crate) fn terms(word: &[u8], mut each: impl FnMut(Term, bool)) {
    let mut before = Part::default();
    let mut count = 0;
    for part in parts(word) {
        let lower = Part::lowercase(part);
        if lower.is_word() {
            each(lower.term(), false);
            if before.is_word() {
                each(before.join(&lower).term_as_written(), true);
            }
        }
        before = lower;
        count += 1;
    }
    if count > 2 {
        each(whole_term(word), true);
    }
}

/// Term of a whole name of three parts or more.
pub(crate) fn whole_term(word: &[u8]) -> Term {
    let mut hasher = Hasher::default();
    word.iter().filter(|b| !is_separator(**b)).for_each(|b| hasher.add(b.to_ascii_lowercase()));
    // Keeps it apart from the terms of single parts.
    hasher.add(b'.');
    hasher.finish()
}

/// Parts of a word as written. Scripts without blanks (Han, kana, Hangul) are split into overlapping pairs of
/// letters, so that any piece of a sentence is found.
pub(crate) fn parts(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = word;
    // True if the current letter was the second one of the previous pair.
    let mut already_paired = false;
    std::iter::from_fn(move || {
        loop {
            let start = rest.iter().position(|b| !is_separator(*b))?;
            already_paired &= start == 0;
            rest = &rest[start..];
            match wide(rest) {
                Wide::Mark => (rest, already_paired) = (&rest[WIDE..], false),
                Wide::Letter => {
                    let two = wide(&rest[WIDE..]) == Wide::Letter;
                    let part = &rest[..if two { 2 * WIDE } else { WIDE }];
                    rest = &rest[WIDE..];
                    if two || !already_paired {
                        already_paired = two;
                        return Some(part);
                    }
                    already_paired = false;
                }
                Wide::No => {
                    let ends = |at: &usize| begins_part(rest, *at) || wide(&rest[*at..]) != Wide::No;
                    let end = (1..rest.len()).find(ends).unwrap_or(rest.len());
                    let part = &rest[..end];
                    (rest, already_paired) = (&rest[end..], false);
                    return Some(part);
                }
            }
        }
    })
}

/// Bytes of a letter in a script without blanks.
const WIDE: usize = 3;

/// Character class in scripts without blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wide {
    Letter,
    /// Punctuation of those scripts.
    Mark,
    No,
}

fn wide(text: &[u8]) -> Wide {
    match text {
        [0xe3, 0x80, _, ..] => Wide::Mark,
        [0xe3..=0xed, 0x80..=0xbf, 0x80..=0xbf, ..] => Wide::Letter,
        _ => Wide::No,
    }
}

/// True for a part in a script without blanks.
pub(crate) fn is_wide(part: &str) -> bool {
    wide(part.as_bytes()) == Wide::Letter
}

/// Term of a single part.
pub(crate) fn term_of(part: &str) -> Term {
    Part::lowercase(part.as_bytes()).term()
}

/// Term of two parts written together.
pub(crate) fn term_of_pair(first: &str, second: &str) -> Term {
    Part::lowercase(first.as_bytes()).join(&Part::lowercase(second.as_bytes())).term_as_written()
}

/// Letters, digits, `_`, and all bytes that are not ASCII.
const IS_WORD_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < table.len() {
        #[expect(clippy::cast_possible_truncation, reason = "there are 256 bytes")]
        let byte = b as u8;
        table[b] = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        b += 1;
    }
    table
};

fn is_separator(b: u8) -> bool {
    b == b'_' || b == b'-'
}

fn begins_part(word: &[u8], at: usize) -> bool {
    let (before, here) = (word[at - 1], word[at]);
    if is_separator(here) {
        return true;
    }
    if !here.is_ascii_uppercase() {
        return false;
    }
    // `aB` begins a part at B, and so does the last capital of a run before a small letter: `HTTPServer`.
    let before_small = word.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    !before.is_ascii_uppercase() || before_small
}

/// A part in lower case.
#[derive(Clone, Copy)]
struct Part {
    bytes: [u8; 2 * MAX_PART_BYTES],
    length: usize,
}

impl Default for Part {
    fn default() -> Part {
        Part { bytes: [0; 2 * MAX_PART_BYTES], length: 0 }
    }
}

impl Part {
    fn lowercase(part: &[u8]) -> Part {
        let mut lower = Part::default();
        for (to, from) in lower.bytes[..MAX_PART_BYTES].iter_mut().zip(part) {
            *to = from.to_ascii_lowercase();
        }
        lower.length = part.len().min(MAX_PART_BYTES);
        lower
    }

    /// False for single letters and numbers.
    fn is_word(&self) -> bool {
        self.length > 1 && self.bytes[..self.length].iter().any(|b| !b.is_ascii_digit())
    }

    fn join(mut self, other: &Part) -> Part {
        let length = self.length + other.length;
        self.bytes[self.length..length].copy_from_slice(&other.bytes[..other.length]);
        self.length = length;
        self
    }

    fn term(mut self) -> Term {
        let length = stem(&mut self.bytes[..self.length]);
        hash(expand_abbreviation(&self.bytes[..length]))
    }

    /// Term without expanding abbreviations: "filedir" has none.
    fn term_as_written(mut self) -> Term {
        let length = stem(&mut self.bytes[..self.length]);
        hash(&self.bytes[..length])
    }
}

fn hash(bytes: &[u8]) -> Term {
    let mut hasher = Hasher::default();
    for b in bytes {
        hasher.add(*b);
    }
    hasher.finish()
}

/// FNV-1a, folded: short, fast on short texts, and the same on every machine.
struct Hasher(u64);

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher {
    fn add(&mut self, b: u8) {
        self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    }

    fn finish(self) -> Term {
        #[expect(clippy::cast_possible_truncation, reason = "folding is the point")]
        let folded = (self.0 ^ (self.0 >> 32)) as u32;
        folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn all(text: &str) -> BTreeSet<Term> {
        let mut found = BTreeSet::new();
        for (_, word) in words(text.as_bytes()) {
            terms(word, |term, _| {
                found.insert(term);
            });
        }
        found
    }

    #[test]
    fn identifiers_are_taken_apart() {
        for (word, expected) in [
            ("rate_limiter", vec!["rate", "limiter"]),
            ("RateLimiter", vec!["Rate", "Limiter"]),
            ("HTTPServer2", vec!["HTTP", "Server2"]),
            ("getURL", vec!["get", "URL"]),
            ("__init__", vec!["init"]),
            ("dry-run", vec!["dry", "run"]),
            ("SCREAMING_CASE", vec!["SCREAMING", "CASE"]),
            ("x86_64", vec!["x86", "64"]),
            ("ünïcode", vec!["ünïcode"]),
            ("___", vec![]),
            ("設定ファイル", vec!["設定", "定フ", "ファ", "ァイ", "イル"]),
            ("設定、config値。を_読む", vec!["設定", "config", "値", "を", "読む"]),
        ] {
            let found: Vec<&str> =
                parts(word.as_bytes()).map(|part| std::str::from_utf8(part).unwrap()).collect();
            assert_eq!(found, expected, "{word}");
        }
    }

    #[test]
    fn words_end_where_code_does() {
        let found: Vec<(usize, &str)> = words(b"--dry-run, foo.bar(x-1)- a_b")
            .map(|(at, word)| (at, std::str::from_utf8(word).unwrap()))
            .collect();
        assert_eq!(found, [(2, "dry-run"), (11, "foo"), (15, "bar"), (19, "x-1"), (25, "a_b")]);
    }

    #[test]
    fn different_spellings_of_one_name_meet() {
        for (a, b) in [
            ("file_types", "filetype"),
            ("FileType", "file-type"),
            ("rateLimiting", "rate_limits"),
            ("CFG_DIR", "config directory"),
        ] {
            assert!(all(a).intersection(&all(b)).next().is_some(), "{a} {b}");
        }
        assert_eq!(term_of_pair("file", "types"), term_of("filetype"));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in prop::collection::vec(any::<u8>(), 0..200)) {
            for (_, word) in words(&text) {
                terms(word, |_, _| {});
            }
        }

        #[test]
        fn a_plain_word_is_its_own_term(word in "[a-z]{2,30}") {
            prop_assert!(all(&word).contains(&term_of(&word)));
        }
    }
}
