//! Why a file is where it is, in words. Everything said can be checked.

use super::evidence::Evidence;
use super::order::{Parts, Ranked};
use super::pairs::Partners;
use super::{past, text};

/// Writes reasons for one request.
pub(crate) struct Reasons<'a> {
    evidence: &'a Evidence,
    partners: &'a Partners,
    likeness: &'a [f64],
    worth: Vec<f64>,
    /// The best files, whose company counts.
    best: Vec<usize>,
}

/// A commit is like the request from here on.
pub(crate) const LIKE: f64 = 0.3;
/// What contributed less than this share is not worth a reason.
const WORTH_SAYING: f64 = 0.06;
/// So many words are named.
const WORDS: usize = 5;

impl<'a> Reasons<'a> {
    pub(crate) fn new(
        evidence: &'a Evidence,
        ranked: &[Ranked],
        partners: &'a Partners,
        likeness: &'a [f64],
    ) -> Reasons<'a> {
        let rarity = text::rarity(evidence);
        let worth =
            evidence.query.terms.iter().zip(rarity).map(|(term, rarity)| term.weight * rarity).collect();
        let best = ranked.iter().take(6).map(|ranked| ranked.file).collect();
        Reasons { evidence, partners, likeness, worth, best }
    }

    /// Why this file, the strongest reason first.
    pub(crate) fn of(&self, ranked: &Ranked) -> Vec<String> {
        let Parts { text, path, passage, similar, habit, together, partner, imported, named } = ranked.parts;
        let file = ranked.file;
        let sum = text + path + passage + similar + habit + together + partner + imported + named;
        let mut reasons = [
            (named, (named > 0.0).then(|| "named in the request".to_owned())),
            (text + passage, self.words(file)),
            (path, self.name(file)),
            (similar, self.similar(file)),
            (together, self.together(file)),
            (habit, self.habit(file)),
            (partner, self.partner(file)),
            (imported, self.imported(file)),
        ];
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let worth_saying =
            |(part, reason): (f64, Option<String>)| reason.filter(|_| part >= WORTH_SAYING * sum);
        reasons.into_iter().filter_map(worth_saying).collect()
    }

    /// The words of the request a file has, the rarest first.
    fn words(&self, file: usize) -> Option<String> {
        let mut hits: Vec<usize> =
            self.hits(file).filter(|hit| hit.count.body > 0).map(|hit| hit.term).collect();
        hits.sort_by(|a, b| self.worth[*b].total_cmp(&self.worth[*a]));
        let words = self.quoted(&hits)?;
        let place = self.evidence.passages.get(&file).map(|passage| match passage.last - passage.first {
            0 => format!(", on line {}", passage.first),
            _ => format!(", closest in lines {}-{}", passage.first, passage.last),
        });
        Some(format!("says {words}{}", place.unwrap_or_default()))
    }

    fn name(&self, file: usize) -> Option<String> {
        let in_name: Vec<usize> = self.hits(file).filter(|hit| hit.name).map(|hit| hit.term).collect();
        if let Some(words) = self.quoted(&in_name) {
            return Some(format!("is named after {words}"));
        }
        let in_folder: Vec<usize> = self.hits(file).filter(|hit| hit.folder).map(|hit| hit.term).collect();
        self.quoted(&in_folder).map(|words| format!("lies in a folder named after {words}"))
    }

    fn hits(&self, file: usize) -> impl Iterator<Item = &super::evidence::Hit> {
        let start = self.evidence.hits.partition_point(|hit| hit.file < file);
        self.evidence.hits[start..].iter().take_while(move |hit| hit.file == file)
    }

    /// Words in quotes, each once; pairs are left to their words.
    fn quoted(&self, terms: &[usize]) -> Option<String> {
        let words = terms.iter().map(|term| &self.evidence.query.terms[*term]);
        let words = words.filter(|term| !term.pair && !term.is_common());
        let words: Vec<String> = words.take(WORDS).map(|term| format!("\"{}\"", term.word)).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn similar(&self, file: usize) -> Option<String> {
        let touched =
            |nth: &usize| self.evidence.commits[*nth].files.iter().any(|touched| *touched as usize == file);
        let like: Vec<usize> =
            (0..self.likeness.len()).filter(|nth| self.likeness[*nth] >= LIKE).filter(touched).collect();
        let best = like
            .iter()
            .copied()
            .max_by(|a, b| self.likeness[*a].total_cmp(&self.likeness[*b]).then(b.cmp(a)))?;
        let commit = &self.evidence.commits[best];
        let id = commit.id.get(..9).unwrap_or(&commit.id);
        Some(match like.len() {
            1 => format!("changed by a commit like this, {id} \"{}\"", commit.subject),
            times => format!("changed by {times} commits like this, such as {id} \"{}\"", commit.subject),
        })
    }

    fn together(&self, file: usize) -> Option<String> {
        let mut best: Option<(usize, usize, usize)> = None;
        for seed in self.best.iter().copied().filter(|seed| *seed != file) {
            let (mut changes, mut both) = (0, 0);
            for commit in self.evidence.commits.iter().filter(|commit| commit.touched <= past::TOO_MANY) {
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

    fn habit(&self, file: usize) -> Option<String> {
        let last = self.evidence.commits.len().min(200);
        let touched = |commit: &&crate::history::log::Commit| {
            commit.files.iter().any(|touched| *touched as usize == file)
        };
        let times = self.evidence.commits[..last].iter().filter(touched).count();
        (times > 1).then(|| format!("changed often: {times} of the last {last} commits"))
    }

    fn partner(&self, file: usize) -> Option<String> {
        let partner = *self.partners[file].first()?;
        let verb = if self.evidence.files[file].kind == crate::tree::kind::Kind::Test {
            "tests"
        } else {
            "is tested by"
        };
        Some(format!("{verb} {}", self.path(partner)))
    }

    fn imported(&self, file: usize) -> Option<String> {
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
