//! Words that were met before, with their terms: taking a word apart once is enough.

use super::split::{Term, terms};

/// Remembers words. Forgets all of them when there are too many, which changes nothing but the time it takes.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// Numbers of words by hash; 0 is free, others are one too high.
    slots: Vec<u32>,
    words: Vec<Known>,
    letters: Vec<u8>,
    terms: Vec<Term>,
    /// How often everything was forgotten: numbers of words are good for one generation.
    generation: usize,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    letters: (u32, u32),
    terms: (u32, u32),
}

const SLOTS: usize = 1 << 17;
const MOST_WORDS: usize = SLOTS / 2;

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
    /// The number of a word.
    pub(crate) fn number(&mut self, word: &[u8]) -> usize {
        let mut slot = hash(word) & (SLOTS - 1);
        loop {
            match self.slots[slot] {
                0 => return self.learn(word, slot),
                n if self.letters(n as usize - 1) == word => return n as usize - 1,
                _ => slot = (slot + 1) & (SLOTS - 1),
            }
        }
    }

    /// The terms of a word, by its number.
    pub(crate) fn terms(&self, number: usize) -> &[Term] {
        let (first, last) = self.words[number].terms;
        &self.terms[first as usize..last as usize]
    }

    /// Whether there is room for the words of one more file. If not, everything is forgotten.
    pub(crate) fn make_room(&mut self) {
        if self.words.len() >= MOST_WORDS / 2 {
            *self = Lexicon { generation: self.generation + 1, ..Lexicon::default() };
        }
    }

    /// Changes when everything was forgotten.
    pub(crate) fn generation(&self) -> usize {
        self.generation
    }

    fn letters(&self, number: usize) -> &[u8] {
        let (first, last) = self.words[number].letters;
        &self.letters[first as usize..last as usize]
    }

    fn learn(&mut self, word: &[u8], slot: usize) -> usize {
        let (letters, first) = (self.letters.len(), self.terms.len());
        self.letters.extend_from_slice(word);
        terms(word, |term, _| self.terms.push(term));
        let span =
            |from: usize, to: usize| (u32::try_from(from).unwrap_or(0), u32::try_from(to).unwrap_or(0));
        self.words
            .push(Known { letters: span(letters, self.letters.len()), terms: span(first, self.terms.len()) });
        // A file has a megabyte at most, so the table cannot fill up before the next file makes room; if one ever
        // does, its last words are learnt again each time they are met.
        if self.words.len() < MOST_WORDS {
            self.slots[slot] = u32::try_from(self.words.len()).unwrap_or(0);
        }
        self.words.len() - 1
    }
}

/// Eight bytes at a time.
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

    fn of(word: &[u8]) -> Vec<Term> {
        let mut all = Vec::new();
        terms(word, |term, _| all.push(term));
        all
    }

    proptest! {
        #[test]
        fn a_word_has_the_same_terms_whenever_it_is_met(words in prop::collection::vec("[a-zA-Z_]{1,20}", 1..60)) {
            let mut lexicon = Lexicon::default();
            for word in words.iter().chain(&words) {
                let number = lexicon.number(word.as_bytes());
                prop_assert_eq!(lexicon.terms(number), of(word.as_bytes()));
            }
        }
    }

    #[test]
    fn more_words_than_fit_are_still_taken_apart() {
        let mut lexicon = Lexicon::default();
        for n in 0..MOST_WORDS + 1000 {
            let word = format!("word{n}x");
            let number = lexicon.number(word.as_bytes());
            assert_eq!(lexicon.terms(number), of(word.as_bytes()));
        }
        lexicon.make_room();
        assert_eq!((lexicon.words.len(), lexicon.generation()), (0, 1));
    }
}
