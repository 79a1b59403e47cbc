//! What the ranking is measured with: cases, and the plain rankings it must beat. The product does not use it.

use crate::look::look;
use crate::rank::evidence::Evidence;
use crate::rank::order::order;
use crate::rank::pairs::Partners;
use crate::rank::weights::Weights;
use crate::tree::content;
use crate::tree::kind::{Kind, kind};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A request and everything known about it.
#[derive(Debug)]
pub struct Case {
    evidence: Evidence,
    partners: Partners,
}

impl Case {
    /// Looks at the work tree at `root` for a request.
    pub fn new(root: &Path, request: &str, cache_folder: Option<&Path>) -> Case {
        let look = look(root, request, cache_folder);
        Case { partners: look.partners(), evidence: look.evidence }
    }

    /// The files the survey would name, best first.
    pub fn order(&self, weights: &Weights) -> Vec<&str> {
        order(&self.evidence, &self.partners, weights)
            .iter()
            .map(|ranked| self.evidence.files[ranked.file].path.as_str())
            .collect()
    }

    /// What speaks for a file, for those who tune.
    pub fn explain(&self, weights: &Weights, path: &str) -> String {
        let ranked = order(&self.evidence, &self.partners, weights);
        let at = ranked.iter().position(|ranked| self.evidence.files[ranked.file].path == path);
        at.map_or("not ranked".to_owned(), |at| {
            format!("#{} {:.3} {:?}", at + 1, ranked[at].score, ranked[at].parts)
        })
    }
}

/// Whether a person writes such a file: code or prose, not settings and not data.
pub fn is_source_or_doc(path: &str) -> bool {
    matches!(kind(path), Some(Kind::Source | Kind::Test | Kind::Doc))
}

/// Plain BM25 over whole files, the yardstick: words of letters and digits, nothing else known.
#[derive(Debug, Default)]
pub struct Plain {
    files: Vec<(String, HashMap<String, f64>, f64)>,
}

impl Plain {
    /// Reads all text files; with `paths`, words of their paths count as text.
    pub fn read(root: &Path, paths: bool) -> Plain {
        let listed = crate::tree::listing::list(root).files;
        let mut buffer = Vec::new();
        let files = listed.into_iter().filter(|file| kind(&file.path).is_some()).filter_map(|file| {
            let text = content::read(root, &file.path, &mut buffer)?;
            let mut counts: HashMap<String, f64> = HashMap::new();
            let text = String::from_utf8_lossy(text).into_owned() + if paths { &file.path } else { "" };
            let mut length = 0.0;
            for word in plain_words(&text) {
                *counts.entry(word).or_default() += 1.0;
                length += 1.0;
            }
            Some((file.path, counts, length))
        });
        Plain { files: files.collect() }
    }

    /// The files in order, best first.
    pub fn order(&self, request: &str) -> Vec<&str> {
        let count = self.files.len() as f64;
        let average = self.files.iter().map(|(_, _, length)| length).sum::<f64>() / count.max(1.0);
        let wanted: HashSet<String> = plain_words(request).collect();
        let mut scores: Vec<(f64, &str)> =
            self.files.iter().map(|(path, _, _)| (0.0, path.as_str())).collect();
        for word in &wanted {
            let having = self.files.iter().filter(|(_, counts, _)| counts.contains_key(word)).count() as f64;
            let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for (score, (_, counts, length)) in scores.iter_mut().zip(&self.files) {
                let often = counts.get(word).copied().unwrap_or(0.0);
                score.0 += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / average));
            }
        }
        scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        scores.into_iter().filter(|(score, _)| *score > 0.0).map(|(_, path)| path).collect()
    }
}

fn plain_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
