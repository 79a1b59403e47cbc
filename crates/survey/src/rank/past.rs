//! History: which files changed when people said similar things, which change often, which change together.

use super::evidence::Evidence;
use super::order::scaled;
use super::weights::Weights;

/// How much each commit counts for its age: the newest 1, then less and less, never nothing.
fn recency(nth: usize, half: f64) -> f64 {
    1.0 / (1.0 + nth as f64 / half)
}

/// A commit that touched many files says little about each.
fn share(touched: usize) -> f64 {
    1.0 / (touched.max(1) as f64).sqrt()
}

/// Commits that touched more than this are about something else: a move, a format, a licence.
pub(crate) const TOO_MANY: usize = 40;

/// How alike each commit's subject and the request are: 1 if it says all of it.
pub(crate) fn likeness(evidence: &Evidence) -> Vec<f64> {
    let commits = evidence.commits.len() as f64;
    let mut saying = vec![0.0_f64; evidence.query.terms.len()];
    for said in &evidence.said {
        for term in &said.terms {
            saying[*term] += 1.0;
        }
    }
    let worth: Vec<f64> = evidence
        .query
        .terms
        .iter()
        .zip(&saying)
        .map(|(term, saying)| term.weight * (1.0 + (commits - saying + 0.5) / (saying + 0.5)).ln())
        .collect();
    let all: f64 = worth.iter().sum();
    let like = |said: &super::evidence::Said| {
        let found: f64 = said.terms.iter().map(|term| worth[*term]).sum();
        // A long subject says the same words more easily.
        found / all.max(f64::MIN_POSITIVE) / (0.7 + 0.03 * said.length as f64)
    };
    evidence.said.iter().map(like).collect()
}

/// What similar commits touched, at most 1.
pub(super) fn similar(evidence: &Evidence, likeness: &[f64], weights: &Weights) -> Vec<f64> {
    let mut scores = vec![0.0; evidence.files.len()];
    for (nth, (commit, like)) in evidence.commits.iter().zip(likeness).enumerate() {
        if commit.touched <= TOO_MANY && *like > 0.0 {
            let worth = like.powf(weights.sharpness) * recency(nth, weights.half) * share(commit.touched);
            for file in &commit.files {
                scores[*file as usize] += worth;
            }
        }
    }
    scaled(scores)
}

/// How often each file changes, at most 1.
pub(super) fn habit(evidence: &Evidence, half: f64) -> Vec<f64> {
    let mut scores = vec![0.0_f64; evidence.files.len()];
    for (nth, commit) in evidence.commits.iter().enumerate().filter(|(_, commit)| commit.touched <= TOO_MANY)
    {
        for file in &commit.files {
            scores[*file as usize] += recency(nth, half) * share(commit.touched);
        }
    }
    for score in &mut scores {
        *score = (1.0 + *score).ln();
    }
    scaled(scores)
}

/// What changes together with the best files so far, at most 1.
pub(super) fn together(evidence: &Evidence, so_far: &[f64], weights: &Weights) -> Vec<f64> {
    let best = best(so_far, weights.seeds);
    let mut scores = vec![0.0; evidence.files.len()];
    let mut changes = vec![0.0_f64; best.len()];
    let mut both: Vec<Vec<(u32, f64)>> = vec![Vec::new(); best.len()];
    for (nth, commit) in evidence.commits.iter().enumerate().filter(|(_, commit)| commit.touched <= TOO_MANY)
    {
        let worth = recency(nth, weights.half) * share(commit.touched);
        for (seed, file) in best.iter().enumerate() {
            if commit.files.iter().any(|touched| *touched as usize == *file) {
                changes[seed] += worth;
                both[seed].extend(commit.files.iter().map(|touched| (*touched, worth)));
            }
        }
    }
    for (seed, file) in best.iter().enumerate() {
        for (touched, worth) in &both[seed] {
            if *touched as usize != *file {
                // The one more change keeps a file that changed once from vouching for everything beside it.
                scores[*touched as usize] += so_far[*file] * worth / (changes[seed] + 1.0);
            }
        }
    }
    scaled(scores)
}

/// The best files so far.
pub(super) fn best(so_far: &[f64], count: usize) -> Vec<usize> {
    let mut best: Vec<usize> = (0..so_far.len()).filter(|n| so_far[*n] > 0.0).collect();
    best.sort_by(|a, b| so_far[*b].total_cmp(&so_far[*a]).then(a.cmp(b)));
    best.truncate(count);
    best
}
