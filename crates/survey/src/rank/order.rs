//! Combines all evidence into one order of files.

use super::commits;
use super::evidence::Evidence;
use super::pairs::TestPairs;
use super::text;
use super::weights::Weights;
use crate::tree::kind::{FileKind, folder, is_record, stem};

/// A file with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredFile {
    pub(crate) file: usize,
    pub(crate) score: f64,
    pub(crate) parts: ScoreParts,
}

/// Contribution of each kind of evidence to a score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ScoreParts {
    pub(crate) text: f64,
    pub(crate) path: f64,
    pub(crate) passage: f64,
    pub(crate) similar: f64,
    pub(crate) change_frequency: f64,
    pub(crate) co_change: f64,
    pub(crate) test_pair: f64,
    pub(crate) imported: f64,
    pub(crate) entry: f64,
    pub(crate) named: f64,
    pub(crate) defined: f64,
}

/// Ranks the files, best first; files with a score of 0 are left out.
pub(crate) fn rank_files(evidence: &Evidence, test_pairs: &TestPairs, weights: &Weights) -> Vec<ScoredFile> {
    let text = text::bm25_scores(evidence, weights);
    let path = text::field_scores(evidence, |hit| {
        f64::from(u8::from(hit.name)) + 0.3 * f64::from(u8::from(hit.folder))
    });
    let passages =
        (0..evidence.files.len()).map(|n| evidence.passages.get(&n).map_or(0.0, |passage| passage.score));
    let passage = normalize(passages.collect());
    let similarity = commits::subject_similarity(evidence);
    let similar = commits::similar_commit_scores(evidence, &similarity, weights);
    let change_frequency = commits::change_frequency_scores(evidence, weights.half_life);
    let recent_changes = commits::change_frequency_scores(evidence, RECENT_HALF_LIFE);
    let mut parts: Vec<ScoreParts> = (0..evidence.files.len())
        .map(|n| ScoreParts {
            text: weights.text * text[n],
            path: weights.path * path[n],
            passage: weights.passage * passage[n],
            similar: weights.similar * similar[n],
            change_frequency: weights.change_frequency * change_frequency[n]
                + weights.recent_changes * recent_changes[n],
            named: named_in_request(evidence, n),
            defined: defined_score(evidence, n, weights),
            ..ScoreParts::default()
        })
        .collect();
    let so_far: Vec<f64> = parts
        .iter()
        .map(|parts| parts.text + parts.path + parts.passage + parts.similar + parts.named + parts.defined)
        .collect();
    // Change frequency alone is no answer: if nothing matches the request, nothing is ranked.
    if so_far.iter().all(|score| *score <= 0.0) {
        return Vec::new();
    }
    let co_change = commits::co_change_scores(evidence, &so_far, weights);
    let imported = imported_scores(evidence, &so_far, weights);
    let entry = entry_scores(evidence, &so_far, weights);
    for (n, parts) in parts.iter_mut().enumerate() {
        parts.imported = weights.imported * imported[n];
        parts.entry = weights.entry * entry[n];
        parts.co_change = weights.co_change * co_change[n];
        let best = test_pairs[n].iter().map(|test_pair| so_far[*test_pair]).fold(0.0, f64::max);
        parts.test_pair = weights.test_pair * best;
    }
    let mut ranked: Vec<ScoredFile> = parts
        .into_iter()
        .enumerate()
        .map(|(file, parts)| {
            let sum = parts.text
                + parts.path
                + parts.passage
                + parts.similar
                + parts.change_frequency
                + parts.co_change
                + parts.test_pair
                + parts.imported
                + parts.entry
                + parts.named
                + parts.defined;
            ScoredFile { file, score: sum * kind_weight(evidence, file, weights), parts }
        })
        .filter(|ranked| ranked.score > 0.0)
        .collect();
    bound_records(evidence, &mut ranked);
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    ranked
}

/// Number of sources that come before any record.
const SOURCES_FIRST: usize = 3;

/// Puts changelogs, specifications and templates behind the best sources, unless the request names them or is about docs.
fn bound_records(evidence: &Evidence, ranked: &mut [ScoredFile]) {
    let is_source = |scored: &&ScoredFile| evidence.files[scored.file].kind == FileKind::Source;
    let mut sources: Vec<f64> = ranked.iter().filter(is_source).map(|scored| scored.score).collect();
    sources.sort_by(|a, b| b.total_cmp(a));
    let Some(bound) = sources.get(SOURCES_FIRST - 1).or(sources.last()).copied() else { return };
    let records = ranked.iter_mut().filter(|scored| is_record(&evidence.files[scored.file].path));
    for record in records.filter(|record| record.parts.named <= 0.0 && !evidence.query.about_docs) {
        record.score = record.score.min(0.99 * bound);
    }
}

/// Half-life, in commits, of recent change frequency.
const RECENT_HALF_LIFE: f64 = 8.0;

/// Score of files imported by the best files.
fn imported_scores(evidence: &Evidence, so_far: &[f64], weights: &Weights) -> Vec<f64> {
    let mut scores = vec![0.0; evidence.files.len()];
    for seed in commits::top_files(so_far, weights.seeds) {
        let imports = evidence.imports.get(&seed).map(Vec::as_slice).unwrap_or_default();
        for file in imports {
            // One of many imports says little.
            scores[*file] += so_far[seed] / (imports.len() as f64).sqrt();
        }
    }
    normalize(scores)
}

/// Score of entry files such as `mod.rs`: they often change with the files beside or below them.
fn entry_scores(evidence: &Evidence, so_far: &[f64], weights: &Weights) -> Vec<f64> {
    let seeds = commits::top_files(so_far, weights.seeds);
    let is_entry = |path: &str| matches!(stem(path), "mod" | "lib" | "main" | "index" | "__init__");
    let near = |path: &str| {
        let around = seeds.iter().filter(|seed| {
            let seed = folder(&evidence.files[**seed].path);
            let below = seed.strip_prefix(folder(path)).map(|rest| rest.matches('/').count());
            below.is_some_and(|depth| depth <= 1)
        });
        around.map(|seed| so_far[*seed]).fold(0.0, f64::max)
    };
    let entries = evidence.files.iter().map(|file| if is_entry(&file.path) { near(&file.path) } else { 0.0 });
    normalize(entries.collect())
}

/// Scales the scores so that the highest is 1.
pub(super) fn normalize(mut scores: Vec<f64>) -> Vec<f64> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        for score in &mut scores {
            *score /= most;
        }
    }
    scores
}

/// Score of a file that defines a name of the request.
fn defined_score(evidence: &Evidence, n: usize, weights: &Weights) -> f64 {
    let definitions = evidence.requested.iter().filter(|definition| definition.file == n);
    let scores = definitions.map(|definition| {
        let place = if definition.title { weights.defined[0] } else { weights.defined[1] };
        place / definition.rivals as f64
    });
    scores.fold(0.0, f64::max)
}

/// Score of a file whose path is spelled out in the request.
fn named_in_request(evidence: &Evidence, n: usize) -> f64 {
    let path = evidence.files[n].path.to_lowercase();
    let ends = |named: &String| {
        path.strip_suffix(named.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    if evidence.query.paths.iter().any(ends) { 2.0 } else { 0.0 }
}

fn kind_weight(evidence: &Evidence, file: usize, weights: &Weights) -> f64 {
    let [mut test, mut doc, config, data] = weights.kind_factors;
    // A long request that asks for behaviour is answered by sources.
    if evidence.query.is_long() {
        test *= if evidence.query.about_tests { 1.0 } else { weights.behaviour_factors[0] };
        doc *= if evidence.query.about_docs { 1.0 } else { weights.behaviour_factors[1] };
    }
    match evidence.files[file].kind {
        FileKind::Source => 1.0,
        FileKind::Test => test,
        FileKind::Doc => doc,
        FileKind::Config => config,
        FileKind::Data => data,
    }
}
