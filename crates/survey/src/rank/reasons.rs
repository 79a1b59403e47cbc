//! Reasons for the rank of a file, in words. Each can be checked.

use super::evidence::Evidence;
use super::order::{ScoreParts, ScoredFile};
use super::pairs::TestPairs;
use super::{commits, text};

/// Writes the reasons for one request.
pub(crate) struct Reasons<'a> {
    evidence: &'a Evidence,
    test_pairs: &'a TestPairs,
    similarity: &'a [f64],
    worth: Vec<f64>,
    /// The best files; related files are explained by them.
    best: Vec<usize>,
}

/// Minimum similarity of a commit's subject to the request.
pub(crate) const SIMILAR_SUBJECT: f64 = 0.3;
/// Minimum share of the score for a reason.
const MIN_SHARE: f64 = 0.06;
/// Maximum number of words quoted.
const MAX_WORDS: usize = 5;

impl<'a> Reasons<'a> {
    pub(crate) fn new(
        evidence: &'a Evidence,
        ranked: &[ScoredFile],
        test_pairs: &'a TestPairs,
        similarity: &'a [f64],
    ) -> Reasons<'a> {
        let idf = text::idf(evidence);
        let worth = evidence.query.terms.iter().zip(idf).map(|(term, idf)| term.weight * idf).collect();
        let best = ranked.iter().take(6).map(|ranked| ranked.file).collect();
        Reasons { evidence, test_pairs, similarity, worth, best }
    }

    /// Reasons for a file's rank, the strongest first.
    pub(crate) fn explain(&self, ranked: &ScoredFile) -> Vec<String> {
        let ScoreParts {
            text,
            path,
            passage,
            similar,
            change_frequency,
            co_change,
            test_pair,
            imported,
            entry,
            named,
            defined,
        } = ranked.parts;
        let file = ranked.file;
        let sum = text
            + path
            + passage
            + similar
            + change_frequency
            + co_change
            + test_pair
            + imported
            + entry
            + named
            + defined;
        let mut reasons = [
            (named, (named > 0.0).then(|| "named in the request".to_owned())),
            (defined, self.defined(file)),
            (text + passage, self.words(file)),
            (path, self.name(file)),
            (similar, self.similar(file)),
            (co_change, self.co_change(file)),
            (change_frequency, self.change_frequency(file)),
            (test_pair, self.test_pair(file)),
            (imported, self.import_reason(file)),
            (entry, (entry > 0.0).then(|| "is the entry file of its folder".to_owned())),
        ];
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let is_significant =
            |(part, reason): (f64, Option<String>)| reason.filter(|_| part >= MIN_SHARE * sum);
        reasons.into_iter().filter_map(is_significant).collect()
    }

    /// The definition that the request names.
    fn defined(&self, file: usize) -> Option<String> {
        let definition = self.evidence.requested.iter().find(|definition| definition.file == file)?;
        Some(format!("defines \"{}\", which the request names, on line {}", definition.name, definition.line))
    }

    /// Words of the request in the file, the rarest first.
    fn words(&self, file: usize) -> Option<String> {
        let mut hits: Vec<usize> =
            self.hits(file).filter(|hit| hit.count.body > 0).map(|hit| hit.term).collect();
        hits.sort_by(|a, b| self.worth[*b].total_cmp(&self.worth[*a]));
        let words = self.quote_words(&hits)?;
        let place = self.evidence.passages.get(&file).map(|passage| match passage.last - passage.first {
            0 => format!(", on line {}", passage.first),
            _ => format!(", closest in lines {}-{}", passage.first, passage.last),
        });
        Some(format!("says {words}{}", place.unwrap_or_default()))
    }

    fn name(&self, file: usize) -> Option<String> {
        let in_name: Vec<usize> = self.hits(file).filter(|hit| hit.name).map(|hit| hit.term).collect();
        if let Some(words) = self.quote_words(&in_name) {
            return Some(format!("is named after {words}"));
        }
        let in_folder: Vec<usize> = self.hits(file).filter(|hit| hit.folder).map(|hit| hit.term).collect();
        self.quote_words(&in_folder).map(|words| format!("lies in a folder named after {words}"))
    }

    fn hits(&self, file: usize) -> impl Iterator<Item = &super::evidence::TermHit> {
        let start = self.evidence.hits.partition_point(|hit| hit.file < file);
        self.evidence.hits[start..].iter().take_while(move |hit| hit.file == file)
    }

    /// Quotes words, each once; pairs are skipped, because their words are quoted.
    fn quote_words(&self, terms: &[usize]) -> Option<String> {
        let words = terms.iter().map(|term| &self.evidence.query.terms[*term]);
        let words = words.filter(|term| !term.pair && !term.common);
        let words: Vec<String> = words.take(MAX_WORDS).map(|term| format!("\"{}\"", term.word)).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn similar(&self, file: usize) -> Option<String> {
        let touched =
            |nth: &usize| self.evidence.commits[*nth].files.iter().any(|touched| *touched as usize == file);
        let like: Vec<usize> = (0..self.similarity.len())
            .filter(|nth| self.similarity[*nth] >= SIMILAR_SUBJECT)
            .filter(touched)
            .collect();
        let best = like
            .iter()
            .copied()
            .max_by(|a, b| self.similarity[*a].total_cmp(&self.similarity[*b]).then(b.cmp(a)))?;
        let commit = &self.evidence.commits[best];
        let id = commit.id.get(..9).unwrap_or(&commit.id);
        Some(match like.len() {
            1 => format!("changed by a commit like this, {id} \"{}\"", commit.subject),
            times => format!("changed by {times} commits like this, such as {id} \"{}\"", commit.subject),
        })
    }

    fn co_change(&self, file: usize) -> Option<String> {
        let mut best: Option<(usize, usize, usize)> = None;
        for seed in self.best.iter().copied().filter(|seed| *seed != file) {
            let (mut changes, mut both) = (0, 0);
            for commit in
                self.evidence.commits.iter().filter(|commit| commit.touched <= commits::MAX_RELEVANT_FILES)
            {
                if commit.files.iter().any(|touched| *touched as usize == seed) {
                    changes += 1;
                    both += usize::from(commit.files.iter().any(|touched| *touched as usize == file));
                }
            }
            if both > 1 && best.is_none_or(|(_, most, _)| both > most) {
                best = Some((seed, both, changes));
            }
        }
        let (seed, both, changes) = best?;
        Some(format!("changed with {} in {both} of its {changes} commits", self.path(seed)))
    }

    fn change_frequency(&self, file: usize) -> Option<String> {
        let last = self.evidence.commits.len().min(200);
        let touched = |commit: &&crate::history::log::Commit| {
            commit.files.iter().any(|touched| *touched as usize == file)
        };
        let times = self.evidence.commits[..last].iter().filter(touched).count();
        (times > 1).then(|| format!("changed often: {times} of the last {last} commits"))
    }

    fn test_pair(&self, file: usize) -> Option<String> {
        let test_pair = *self.test_pairs[file].first()?;
        Some(format!("has the name of {}", self.path(test_pair)))
    }

    fn import_reason(&self, file: usize) -> Option<String> {
        let by = self
            .best
            .iter()
            .find(|seed| self.evidence.imports.get(seed).is_some_and(|imports| imports.contains(&file)))?;
        Some(format!("is imported by {}", self.path(*by)))
    }

    fn path(&self, file: usize) -> &str {
        &self.evidence.files[file].path
    }
}
