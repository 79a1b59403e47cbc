//! Where in a file the request's words stand closest together. Only the files that look best are read for it.

use super::evidence::{Evidence, Sorted};
use super::imports::Modules;
use super::text;
use super::weights::Weights;
use crate::tree::content;
use crate::words::split::{terms, words};
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
const FILES: usize = 150;
/// So many lines belong together.
const LINES: usize = 24;

/// Finds the best passage of each of the best files.
pub(crate) fn look_up(root: &Path, evidence: &mut Evidence) {
    let scores = text::scores(evidence, &Weights::default());
    let mut best: Vec<usize> = (0..scores.len()).filter(|n| scores[*n] > 0.0).collect();
    best.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    best.truncate(FILES);
    let rarity = text::rarity(evidence);
    let worth: Vec<f64> =
        evidence.query.terms.iter().zip(rarity).map(|(term, rarity)| term.weight * rarity).collect();
    let wanted = Sorted::new(&evidence.query);
    let mut buffer = Vec::new();
    let modules = Modules::new(evidence.files.iter().map(|file| (file.path.as_str(), file.kind)));
    for n in best {
        let path = &evidence.files[n].path;
        let Some(text) = content::read(root, path, &mut buffer) else { continue };
        if let Some(passage) = passage(text, &wanted, &worth) {
            evidence.passages.insert(n, passage);
        }
        evidence.imports.insert(n, modules.imported(path, &String::from_utf8_lossy(text)));
    }
}

fn passage(text: &[u8], wanted: &Sorted, worth: &[f64]) -> Option<Passage> {
    let found = found(text, wanted);
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
        let score: f64 = counts
            .iter()
            .zip(worth)
            .map(|(count, worth)| worth * *count as f64 / (*count as f64 + 1.0))
            .sum();
        if best.is_none_or(|best| score > best.score) {
            best = Some(Passage { score, first: found[start].0, last: *line });
        }
    }
    best
}

/// Lines, from 1, and the terms on them.
fn found(text: &[u8], wanted: &Sorted) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let (mut line, mut seen) = (1, 0);
    for (at, word) in words(text) {
        terms(word, |term, _| {
            if let Ok(nth) = wanted.terms.binary_search(&term) {
                line += memchr_iter(b'\n', &text[seen..at]).count();
                seen = at;
                found.push((line, wanted.position[nth]));
            }
        });
    }
    found
}
