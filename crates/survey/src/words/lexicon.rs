//! Lexicon: interned words with their terms, so that each word is split only once.

use super::split::{Term, terms};

/// Interns words. Resets itself when full, which costs time but changes no result.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// Hash table of word ids plus one; 0 is free.
    slots: Vec<u32>,
    words: Vec<WordEntry>,
    letters: Vec<u8>,
    terms: Vec<Term>,
    /// Number of resets: word ids are valid for one generation.
    generation: usize,
}

#[derive(Debug, Clone, Copy)]
struct WordEntry {
    letters: (u32, u32),
    terms: (u32, u32),
}

const SLOTS: usize = 1 << 17;
const MAX_WORDS: usize = SLOTS / 2;

impl Default for Lexicon {
    fn default() -> Lexicon {
        Lexicon {
            slots: vec![0; SLOTS],
            words: Vec::new(),
            letters: Vec::new(),
            terms: Vec::new(),
            generation: 0,
        }
    }
}

impl Lexicon {
    /// Id of a word.
    pub(crate) fn word_id(&mut self, word: &[u8]) -> usize {
        let mut slot = hash(word) & (SLOTS - 1);
        loop {
            match self.slots[slot] {
                0 => return self.insert(word, slot),
                n if self.letters(n as usize - 1) == word => return n as usize - 1,
                _ => slot = (slot + 1) & (SLOTS - 1),
            }
        }
    }

    /// Terms of a word, by its id.
    pub(crate) fn terms(&self, number: usize) -> &[Term] {
        let (first, last) = self.words[number].terms;
        &self.terms[first as usize..last as usize]
    }

    /// Resets the lexicon if there may be no room for the words of one more file.
    pub(crate) fn reset_if_full(&mut self) {
        if self.words.len() >= MAX_WORDS / 2 {
            *self = Lexicon { generation: self.generation + 1, ..Lexicon::default() };
        }
    }

    /// Changes with every reset.
    pub(crate) fn generation(&self) -> usize {
        self.generation
    }

    fn letters(&self, number: usize) -> &[u8] {
        let (first, last) = self.words[number].letters;
        &self.letters[first as usize..last as usize]
    }

    fn insert(&mut self, word: &[u8], slot: usize) -> usize {
        let (letters, first) = (self.letters.len(), self.terms.len());
        self.letters.extend_from_slice(word);
        terms(word, |term, _| self.terms.push(term));
        let span =
            |from: usize, to: usize| (u32::try_from(from).unwrap_or(0), u32::try_from(to).unwrap_or(0));
        self.words.push(WordEntry {
            letters: span(letters, self.letters.len()),
            terms: span(first, self.terms.len()),
        });
        // A file has a megabyte at most, so the table cannot fill up before the next reset; if it ever
        // does, its last words are inserted again each time they occur.
        if self.words.len() < MAX_WORDS {
            self.slots[slot] = u32::try_from(self.words.len()).unwrap_or(0);
        }
        self.words.len() - 1
    }
}

/// Hashes eight bytes at a time.
fn hash(word: &[u8]) -> usize {
    let mut hash = word.len() as u64;
    for chunk in word.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(bytes)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    usize::try_from(hash >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terms_of(word: &[u8]) -> Vec<Term> {
        let mut all = Vec::new();
        terms(word, |term, _| all.push(term));
        all
    }

    proptest! {
        #[test]
        fn a_word_has_the_same_terms_whenever_it_is_met(words in prop::collection::vec("[a-zA-Z_]{1,20}", 1..60)) {
            let mut lexicon = Lexicon::default();
            for word in words.iter().chain(&words) {
                let number = lexicon.word_id(word.as_bytes());
                prop_assert_eq!(lexicon.terms(number), terms_of(word.as_bytes()));
            }
        }
    }

    #[test]
    fn more_words_than_fit_are_still_taken_apart() {
        let mut lexicon = Lexicon::default();
        for n in 0..MAX_WORDS + 1000 {
            let word = format!("word{n}x");
            let number = lexicon.word_id(word.as_bytes());
            assert_eq!(lexicon.terms(number), terms_of(word.as_bytes()));
        }
        lexicon.reset_if_full();
        assert_eq!((lexicon.words.len(), lexicon.generation()), (0, 1));
    }
}
