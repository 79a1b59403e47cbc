//! Where in a file the request's words stand closest together. Only the files that look best are read for it.

use super::evidence::{Evidence, Sorted};
use super::imports::Modules;
use super::past::best;
use super::text;
use super::weights::Weights;
use crate::portions::in_portions;
use crate::tree::content;
use crate::words::lexicon::Lexicon;
use crate::words::split::words;
use memchr::memchr_iter;
use std::path::Path;

/// The best place of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Passage {
    /// What the words there are worth together.
    pub(crate) score: f64,
    /// Where it begins and ends, from 1.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// So many files are read.
const FILES: usize = 100;
/// So many lines belong together.
const LINES: usize = 24;

/// Finds the best passage of each of the best files, and what they import.
pub(crate) fn look_up(root: &Path, evidence: &mut Evidence) {
    let best = best(&text::scores(evidence, &Weights::default()), FILES);
    let rarity = text::rarity(evidence);
    let worth: Vec<f64> =
        evidence.query.terms.iter().zip(rarity).map(|(term, rarity)| term.weight * rarity).collect();
    let wanted = Sorted::new(&evidence.query);
    let modules = Modules::new(evidence.files.iter().map(|file| (file.path.as_str(), file.kind)));
    let found = in_portions(&best, 4, || {
        let (mut finder, mut buffer) = (Finder::new(&wanted), Vec::new());
        let (files, worth, modules) = (&evidence.files, &worth, &modules);
        move |n: &usize| {
            let path = &files[*n].path;
            let text = content::read(root, path, &mut buffer)?;
            let imports = modules.imported(path, &String::from_utf8_lossy(text));
            Some((*n, passage(&finder.find(text), worth), imports))
        }
    });
    for (n, passage, imports) in found.into_iter().flatten() {
        evidence.imports.insert(n, imports);
        if let Some(passage) = passage {
            evidence.passages.insert(n, passage);
        }
    }
}

/// The best passage, given which terms stand on which lines.
fn passage(found: &[(usize, usize)], worth: &[f64]) -> Option<Passage> {
    let mut best: Option<Passage> = None;
    let mut counts = vec![0_usize; worth.len()];
    let mut start = 0;
    for (end, (line, term)) in found.iter().enumerate() {
        counts[*term] += 1;
        while found[start].0 + LINES <= *line {
            counts[found[start].1] -= 1;
            start += 1;
        }
        // Only the last mention on a line can complete a passage.
        if found.get(end + 1).is_some_and(|(next, _)| next == line) {
            continue;
        }
        let score: f64 = counts.iter().zip(worth).map(|(count, worth)| worth * saturated(*count)).sum();
        if best.is_none_or(|best| score > best.score) {
            best = Some(Passage { score, first: found[start].0, last: *line });
        }
    }
    best
}

/// More of the same word counts less and less.
fn saturated(count: usize) -> f64 {
    count as f64 / (count as f64 + 1.0)
}

/// Finds the request's terms in texts.
struct Finder<'a> {
    wanted: &'a Sorted,
    lexicon: Lexicon,
    generation: usize,
    /// For each word of the lexicon, the request's terms in it.
    terms: Vec<Option<Vec<usize>>>,
}

impl<'a> Finder<'a> {
    fn new(wanted: &'a Sorted) -> Finder<'a> {
        Finder { wanted, lexicon: Lexicon::default(), generation: 0, terms: Vec::new() }
    }

    /// Lines, from 1, and the terms on them.
    fn find(&mut self, text: &[u8]) -> Vec<(usize, usize)> {
        self.lexicon.make_room();
        if self.generation != self.lexicon.generation() {
            self.generation = self.lexicon.generation();
            self.terms.clear();
        }
        let mut found = Vec::new();
        let (mut line, mut seen) = (1, 0);
        for (at, word) in words(text) {
            let number = self.lexicon.number(word);
            let terms = self.terms_of(number);
            if !terms.is_empty() {
                line += memchr_iter(b'\n', &text[seen..at]).count();
                seen = at;
                found.extend(terms.iter().map(|term| (line, *term)));
            }
        }
        found
    }

    fn terms_of(&mut self, number: usize) -> &[usize] {
        if self.terms.len() <= number {
            self.terms.resize(number + 1, None);
        }
        self.terms[number].get_or_insert_with(|| {
            let terms = self.lexicon.terms(number).iter();
            let at = terms.filter_map(|term| self.wanted.terms.binary_search(term).ok());
            at.map(|at| self.wanted.position[at]).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::query::Query;

    #[test]
    fn the_passage_is_where_most_of_the_request_stands() {
        let query = Query::new("rate limit gateway");
        let wanted = Sorted::new(&query);
        let text =
            format!("rate\n{}limit the rate\nof the gateway\n{}limit\n", "x\n".repeat(50), "y\n".repeat(50));
        let found = Finder::new(&wanted).find(text.as_bytes());
        let passage = passage(&found, &vec![1.0; query.terms.len()]).unwrap();
        assert_eq!((passage.first, passage.last), (52, 53));
    }
}
