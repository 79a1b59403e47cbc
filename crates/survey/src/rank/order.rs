//! All evidence put together: an order of files, and for each why it is there.

use super::evidence::Evidence;
use super::pairs::Partners;
use super::past;
use super::text;
use super::weights::Weights;
use crate::tree::kind::{Kind, folder, stem};

/// A file and what speaks for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) file: usize,
    pub(crate) score: f64,
    pub(crate) parts: Parts,
}

/// What each kind of evidence contributed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Parts {
    pub(crate) text: f64,
    pub(crate) path: f64,
    pub(crate) passage: f64,
    pub(crate) similar: f64,
    pub(crate) habit: f64,
    pub(crate) together: f64,
    pub(crate) partner: f64,
    pub(crate) imported: f64,
    pub(crate) entry: f64,
    pub(crate) named: f64,
}

/// Puts the files in order, best first; those nothing speaks for are left out.
pub(crate) fn order(evidence: &Evidence, partners: &Partners, weights: &Weights) -> Vec<Ranked> {
    let text = text::scores(evidence, weights);
    let path =
        text::field(evidence, |hit| f64::from(u8::from(hit.name)) + 0.3 * f64::from(u8::from(hit.folder)));
    let passages =
        (0..evidence.files.len()).map(|n| evidence.passages.get(&n).map_or(0.0, |passage| passage.score));
    let passage = scaled(passages.collect());
    let likeness = past::likeness(evidence);
    let similar = past::similar(evidence, &likeness, weights);
    let habit = past::habit(evidence, weights.half);
    let lately = past::habit(evidence, LATELY);
    let mut parts: Vec<Parts> = (0..evidence.files.len())
        .map(|n| Parts {
            text: weights.text * text[n],
            path: weights.path * path[n],
            passage: weights.passage * passage[n],
            similar: weights.similar * similar[n],
            habit: weights.habit * habit[n] + weights.lately * lately[n],
            named: named(evidence, n),
            ..Parts::default()
        })
        .collect();
    let so_far: Vec<f64> = parts
        .iter()
        .map(|parts| parts.text + parts.path + parts.passage + parts.similar + parts.named)
        .collect();
    // Habit alone is no answer: if nothing has to do with the request, nothing is named.
    if so_far.iter().all(|score| *score <= 0.0) {
        return Vec::new();
    }
    let together = past::together(evidence, &so_far, weights);
    let imported = imported(evidence, &so_far, weights);
    let entry = entry(evidence, &so_far, weights);
    for (n, parts) in parts.iter_mut().enumerate() {
        parts.imported = weights.imported * imported[n];
        parts.entry = weights.entry * entry[n];
        parts.together = weights.together * together[n];
        let best = partners[n].iter().map(|partner| so_far[*partner]).fold(0.0, f64::max);
        parts.partner = weights.partner * best;
    }
    let mut ranked: Vec<Ranked> = parts
        .into_iter()
        .enumerate()
        .map(|(file, parts)| {
            let sum = parts.text
                + parts.path
                + parts.passage
                + parts.similar
                + parts.habit
                + parts.together
                + parts.partner
                + parts.imported
                + parts.entry
                + parts.named;
            Ranked { file, score: sum * kind_weight(evidence.files[file].kind, weights), parts }
        })
        .filter(|ranked| ranked.score > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    ranked
}

/// Work goes on where it went on: after so many commits that counts half.
const LATELY: f64 = 8.0;

/// What the best file that imports it comes to.
fn imported(evidence: &Evidence, so_far: &[f64], weights: &Weights) -> Vec<f64> {
    let mut scores = vec![0.0; evidence.files.len()];
    for seed in past::best(so_far, weights.seeds) {
        let imports = evidence.imports.get(&seed).map(Vec::as_slice).unwrap_or_default();
        for file in imports {
            // One of many imports says little.
            scores[*file] += so_far[seed] / (imports.len() as f64).sqrt();
        }
    }
    scaled(scores)
}

/// A folder of code is entered by one file, which often changes when something beside or below it does.
fn entry(evidence: &Evidence, so_far: &[f64], weights: &Weights) -> Vec<f64> {
    let seeds = past::best(so_far, weights.seeds);
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
    scaled(entries.collect())
}

/// The same scores with the highest at 1.
pub(super) fn scaled(mut scores: Vec<f64>) -> Vec<f64> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    if most > 0.0 {
        for score in &mut scores {
            *score /= most;
        }
    }
    scores
}

/// A file the request spells out is certainly meant.
fn named(evidence: &Evidence, n: usize) -> f64 {
    let path = evidence.files[n].path.to_lowercase();
    let ends = |named: &String| {
        path.strip_suffix(named.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    if evidence.query.paths.iter().any(ends) { 2.0 } else { 0.0 }
}

fn kind_weight(kind: Kind, weights: &Weights) -> f64 {
    let [test, doc, config, data] = weights.kinds;
    match kind {
        Kind::Source => 1.0,
        Kind::Test => test,
        Kind::Doc => doc,
        Kind::Config => config,
        Kind::Data => data,
    }
}
