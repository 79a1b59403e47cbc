//! Text score: BM25 over weighted fields (file name, definitions, whole text), rare words counting more.

use super::evidence::Evidence;
use super::weights::Weights;

/// BM25 score of each file, at most 1.
pub(crate) fn bm25_scores(evidence: &Evidence, weights: &Weights) -> Vec<f64> {
    let mut scores = vec![0.0; evidence.files.len()];
    let idf = idf(evidence);
    let lengths = evidence.files.iter().filter(|file| file.length > 0).map(|file| file.length as f64);
    let (count, sum) = lengths.fold((0.0, 0.0), |(count, sum), length| (count + 1.0, sum + length));
    let average = f64::max(1.0, sum / f64::max(1.0, count));
    for hit in &evidence.hits {
        let term = &evidence.query.terms[hit.term];
        let length = 1.0 - weights.b + weights.b * evidence.files[hit.file].length as f64 / average;
        let body = (hit.count.body as f64 + weights.defs * hit.count.defs as f64) / length.max(0.05);
        let named =
            f64::from(u8::from(hit.name)) * weights.name + f64::from(u8::from(hit.folder)) * weights.folder;
        let frequency = body + named;
        let weight = term.weight * if term.pair { weights.pair } else { 1.0 };
        let weight = if term.common { weight * weights.common } else { weight };
        scores[hit.file] += weight * idf[hit.term] * frequency / (weights.k1 + frequency);
    }
    super::order::normalize(scores)
}

/// Inverse document frequency of each term of the request.
pub(crate) fn idf(evidence: &Evidence) -> Vec<f64> {
    let files = evidence.files.len() as f64;
    let mut having = vec![0.0_f64; evidence.query.terms.len()];
    for hit in &evidence.hits {
        having[hit.term] += 1.0;
    }
    having.iter().map(|having| (1.0 + (files - having + 0.5) / (having + 0.5)).ln()).collect()
}

/// BM25 of one field alone: a word that is common in texts may be rare there.
pub(super) fn field_scores(
    evidence: &Evidence,
    often: impl Fn(&super::evidence::TermHit) -> f64,
) -> Vec<f64> {
    let files = evidence.files.len() as f64;
    let mut having = vec![0.0_f64; evidence.query.terms.len()];
    for hit in evidence.hits.iter().filter(|hit| often(hit) > 0.0) {
        having[hit.term] += 1.0;
    }
    let mut scores = vec![0.0; evidence.files.len()];
    for hit in &evidence.hits {
        let frequency = often(hit);
        if frequency > 0.0 {
            let idf = (1.0 + (files - having[hit.term] + 0.5) / (having[hit.term] + 0.5)).ln();
            scores[hit.file] += evidence.query.terms[hit.term].weight * idf * frequency / (frequency + 0.5);
        }
    }
    super::order::normalize(scores)
}
