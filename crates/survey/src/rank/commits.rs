//! History scores: commits with similar subjects, change frequency, files that change together.

use super::evidence::Evidence;
use super::order::normalize;
use super::weights::Weights;

/// Weight of a commit by age: 1 for the newest, then falling, never 0.
fn recency(nth: usize, half_life: f64) -> f64 {
    1.0 / (1.0 + nth as f64 / half_life)
}

/// Weight of a commit by size: one that touched many files says little about each.
fn size_weight(touched: usize) -> f64 {
    1.0 / (touched.max(1) as f64).sqrt()
}

/// Commits that touched more files are ignored: a move, a format, a licence.
pub(crate) const MAX_RELEVANT_FILES: usize = 40;

/// Similarity of each commit's subject to the request: 1 if it has all of its terms.
pub(crate) fn subject_similarity(evidence: &Evidence) -> Vec<f64> {
    let commits = evidence.commits.len() as f64;
    let mut subjects_with_term = vec![0.0_f64; evidence.query.terms.len()];
    for subject_match in &evidence.subject_matches {
        for term in &subject_match.terms {
            subjects_with_term[*term] += 1.0;
        }
    }
    let worth: Vec<f64> = evidence
        .query
        .terms
        .iter()
        .zip(&subjects_with_term)
        .map(|(term, subjects_with_term)| {
            term.weight * (1.0 + (commits - subjects_with_term + 0.5) / (subjects_with_term + 0.5)).ln()
        })
        .collect();
    let all: f64 = worth.iter().sum();
    let like = |subject_match: &super::evidence::SubjectMatch| {
        let found: f64 = subject_match.terms.iter().map(|term| worth[*term]).sum();
        // A long subject contains the same words more easily.
        found / all.max(f64::MIN_POSITIVE) / (0.7 + 0.03 * subject_match.length as f64)
    };
    evidence.subject_matches.iter().map(like).collect()
}

/// Score of each file from similar commits, at most 1.
pub(super) fn similar_commit_scores(evidence: &Evidence, similarity: &[f64], weights: &Weights) -> Vec<f64> {
    let mut scores = vec![0.0; evidence.files.len()];
    for (nth, (commit, like)) in evidence.commits.iter().zip(similarity).enumerate() {
        if commit.touched <= MAX_RELEVANT_FILES && *like > 0.0 {
            let worth = like.powf(weights.similarity_exponent)
                * recency(nth, weights.half_life)
                * size_weight(commit.touched);
            for file in &commit.files {
                scores[*file as usize] += worth;
            }
        }
    }
    normalize(scores)
}

/// Score of each file from how often it changes, at most 1.
pub(super) fn change_frequency_scores(evidence: &Evidence, half_life: f64) -> Vec<f64> {
    let mut scores = vec![0.0_f64; evidence.files.len()];
    for (nth, commit) in
        evidence.commits.iter().enumerate().filter(|(_, commit)| commit.touched <= MAX_RELEVANT_FILES)
    {
        for file in &commit.files {
            scores[*file as usize] += recency(nth, half_life) * size_weight(commit.touched);
        }
    }
    for score in &mut scores {
        *score = (1.0 + *score).ln();
    }
    normalize(scores)
}

/// Score of each file from changing together with the best files so far, at most 1.
pub(super) fn co_change_scores(evidence: &Evidence, so_far: &[f64], weights: &Weights) -> Vec<f64> {
    let best = top_files(so_far, weights.seeds);
    let mut scores = vec![0.0; evidence.files.len()];
    let mut changes = vec![0.0_f64; best.len()];
    let mut both: Vec<Vec<(u32, f64)>> = vec![Vec::new(); best.len()];
    for (nth, commit) in
        evidence.commits.iter().enumerate().filter(|(_, commit)| commit.touched <= MAX_RELEVANT_FILES)
    {
        let worth = recency(nth, weights.half_life) * size_weight(commit.touched);
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
                // The added 1 keeps a file that changed once from vouching for everything beside it.
                scores[*touched as usize] += so_far[*file] * worth / (changes[seed] + 1.0);
            }
        }
    }
    normalize(scores)
}

/// The `count` best files so far.
pub(super) fn top_files(so_far: &[f64], count: usize) -> Vec<usize> {
    let mut best: Vec<usize> = (0..so_far.len()).filter(|n| so_far[*n] > 0.0).collect();
    best.sort_by(|a, b| so_far[*b].total_cmp(&so_far[*a]).then(a.cmp(b)));
    best.truncate(count);
    best
}
