//! Passages: the lines of a file in which the request's words are closest together. Only the best files are read.

use super::commits::top_files;
use super::evidence::{Evidence, FileEntry, SortedTerms};
use super::text;
use super::weights::Weights;
use crate::imports::Modules;
use crate::parallel::parallel_map;
use crate::tree::content;
use crate::words::lexicon::Lexicon;
use crate::words::split::words;
use memchr::memchr_iter;
use std::collections::HashMap;
use std::path::Path;

/// Best passage of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Passage {
    pub(crate) score: f64,
    /// First and last line, from 1.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// Maximum number of files read.
const READ_FILES: usize = 100;
/// Maximum number of files whose imports are read.
const PARSED_FILES: usize = 30;
/// Maximum number of lines in a passage.
pub(crate) const PASSAGE_LINES: usize = 24;

/// Finds the best passage of each of the best files, and their imports.
pub(crate) fn find_passages(root: &Path, evidence: &mut Evidence) {
    let best = top_files(&text::bm25_scores(evidence, &Weights::default()), READ_FILES);
    let idf = text::idf(evidence);
    let worth: Vec<f64> = evidence.query.terms.iter().zip(idf).map(|(term, idf)| term.weight * idf).collect();
    let wanted = SortedTerms::new(&evidence.query);
    let modules = modules(root, &evidence.files);
    let ranks: HashMap<usize, usize> = best.iter().enumerate().map(|(rank, file)| (*file, rank)).collect();
    let found = parallel_map(&best, 4, || {
        let (mut finder, mut buffer) = (TermFinder::new(&wanted), Vec::new());
        let (files, worth, modules, ranks) = (&evidence.files, &worth, &modules, &ranks);
        move |n: &usize| {
            let path = &files[*n].path;
            let text = content::read(root, path, &mut buffer)?;
            let imports = if ranks[n] < PARSED_FILES {
                modules.resolve_imports(path, &String::from_utf8_lossy(text))
            } else {
                Vec::new()
            };
            Some((*n, best_passage(&finder.find(text), worth), imports))
        }
    });
    for (n, passage, imports) in found.into_iter().flatten() {
        evidence.imports.insert(n, imports);
        if let Some(passage) = passage {
            evidence.passages.insert(n, passage);
        }
    }
}

/// Modules of a work tree.
pub(crate) fn modules<'a>(root: &Path, files: &'a [FileEntry]) -> Modules<'a> {
    Modules::new(files.iter().map(|file| (file.path.as_str(), file.kind)), |path| {
        content::read_text(root, path)
    })
}

/// Best passage, given lines and the terms on them.
fn best_passage(found: &[(usize, usize)], worth: &[f64]) -> Option<Passage> {
    let mut best: Option<Passage> = None;
    let mut counts = vec![0_usize; worth.len()];
    let mut start = 0;
    for (end, (line, term)) in found.iter().enumerate() {
        counts[*term] += 1;
        while found[start].0 + PASSAGE_LINES <= *line {
            counts[found[start].1] -= 1;
            start += 1;
        }
        // Only the last hit on a line can complete a passage.
        if found.get(end + 1).is_some_and(|(next, _)| next == line) {
            continue;
        }
        let score: f64 = counts.iter().zip(worth).map(|(count, worth)| worth * saturate(*count)).sum();
        if best.is_none_or(|best| score > best.score) {
            best = Some(Passage { score, first: found[start].0, last: *line });
        }
    }
    best
}

/// Diminishing value of repeated terms.
fn saturate(count: usize) -> f64 {
    count as f64 / (count as f64 + 1.0)
}

/// Finds the request's terms in texts.
struct TermFinder<'a> {
    wanted: &'a SortedTerms,
    lexicon: Lexicon,
    generation: usize,
    /// For each word id of the lexicon, the request's terms in it.
    terms: Vec<Option<Vec<usize>>>,
}

impl<'a> TermFinder<'a> {
    fn new(wanted: &'a SortedTerms) -> TermFinder<'a> {
        TermFinder { wanted, lexicon: Lexicon::default(), generation: 0, terms: Vec::new() }
    }

    /// Lines, from 1, and the terms on them.
    fn find(&mut self, text: &[u8]) -> Vec<(usize, usize)> {
        self.lexicon.reset_if_full();
        if self.generation != self.lexicon.generation() {
            self.generation = self.lexicon.generation();
            self.terms.clear();
        }
        let mut found = Vec::new();
        let (mut line, mut seen) = (1, 0);
        for (at, word) in words(text) {
            let number = self.lexicon.word_id(word);
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
        let wanted = SortedTerms::new(&query);
        let text =
            format!("rate\n{}limit the rate\nof the gateway\n{}limit\n", "x\n".repeat(50), "y\n".repeat(50));
        let found = TermFinder::new(&wanted).find(text.as_bytes());
        let passage = best_passage(&found, &vec![1.0; query.terms.len()]).unwrap();
        assert_eq!((passage.first, passage.last), (52, 53));
    }
}
