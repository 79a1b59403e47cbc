//! Evaluation of the ranking: cases, and the BM25 baselines it must beat. Not used by the product.

use crate::rank::evidence::Evidence;
use crate::rank::order::rank_files;
use crate::rank::pairs::TestPairs;
use crate::rank::weights::Weights;
use crate::snapshot::take_snapshot;
use crate::tree::content;
use crate::tree::kind::{FileKind, file_kind};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A request and the evidence collected for it.
#[derive(Debug)]
pub struct RankingCase {
    evidence: Evidence,
    test_pairs: TestPairs,
}

impl RankingCase {
    /// Collects the evidence for a request in the work tree at `root`.
    pub fn new(root: &Path, request: &str, cache_folder: Option<&Path>) -> RankingCase {
        let snapshot = take_snapshot(root, request, cache_folder);
        RankingCase { test_pairs: snapshot.test_pairs(), evidence: snapshot.evidence }
    }

    /// Files as the survey ranks them, best first.
    pub fn rank(&self, weights: &Weights) -> Vec<&str> {
        rank_files(&self.evidence, &self.test_pairs, weights)
            .iter()
            .map(|ranked| self.evidence.files[ranked.file].path.as_str())
            .collect()
    }

    /// Rank, score and score parts of a file, for tuning weights.
    pub fn explain(&self, weights: &Weights, path: &str) -> String {
        let ranked = rank_files(&self.evidence, &self.test_pairs, weights);
        let at = ranked.iter().position(|ranked| self.evidence.files[ranked.file].path == path);
        at.map_or("not ranked".to_owned(), |at| {
            format!("#{} {:.3} {:?}", at + 1, ranked[at].score, ranked[at].parts)
        })
    }
}

/// True for code and prose, false for settings and data.
pub fn is_source_or_doc(path: &str) -> bool {
    matches!(file_kind(path), Some(FileKind::Source | FileKind::Test | FileKind::Doc))
}

/// Baseline: plain BM25 over whole files, words of letters and digits only.
#[derive(Debug, Default)]
pub struct Bm25Baseline {
    files: Vec<(String, HashMap<String, f64>, f64)>,
}

impl Bm25Baseline {
    /// Indexes all text files; with `paths`, the words of their paths count as text.
    pub fn index(root: &Path, paths: bool) -> Bm25Baseline {
        let listed = crate::tree::listing::list_files(root).files;
        let mut buffer = Vec::new();
        let files = listed.into_iter().filter(|file| file_kind(&file.path).is_some()).filter_map(|file| {
            let text = content::read(root, &file.path, &mut buffer)?;
            let mut counts: HashMap<String, f64> = HashMap::new();
            let text = String::from_utf8_lossy(text).into_owned() + if paths { &file.path } else { "" };
            let mut length = 0.0;
            for word in baseline_words(&text) {
                *counts.entry(word).or_default() += 1.0;
                length += 1.0;
            }
            Some((file.path, counts, length))
        });
        Bm25Baseline { files: files.collect() }
    }

    /// Files by BM25 score, best first.
    pub fn rank(&self, request: &str) -> Vec<&str> {
        let count = self.files.len() as f64;
        let average = self.files.iter().map(|(_, _, length)| length).sum::<f64>() / count.max(1.0);
        let wanted: HashSet<String> = baseline_words(request).collect();
        let mut scores: Vec<(f64, &str)> =
            self.files.iter().map(|(path, _, _)| (0.0, path.as_str())).collect();
        for word in &wanted {
            let having = self.files.iter().filter(|(_, counts, _)| counts.contains_key(word)).count() as f64;
            let idf = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for (score, (_, counts, length)) in scores.iter_mut().zip(&self.files) {
                let often = counts.get(word).copied().unwrap_or(0.0);
                score.0 += idf * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / average));
            }
        }
        scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        scores.into_iter().filter(|(score, _)| *score > 0.0).map(|(_, path)| path).collect()
    }
}

fn baseline_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
