//! Evidence for a request, before it is weighted.

use super::passage::Passage;
use super::requested::RequestedDefinition;
use crate::history::log::Commit;
use crate::index::block::{self, TermCount};
use crate::tree::kind::{FileKind, file_name, folder};
use crate::words::query::Query;
use crate::words::split::{Term, terms, words};
use std::borrow::Cow;
use std::collections::HashMap;

/// Evidence for one request.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) query: Query,
    pub(crate) files: Vec<FileEntry>,
    /// Occurrences of the request's terms, by file.
    pub(crate) hits: Vec<TermHit>,
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
    /// Terms of the request in each commit's subject.
    pub(crate) subject_matches: Vec<SubjectMatch>,
    /// Best passage of each file that looks best.
    pub(crate) passages: HashMap<usize, Passage>,
    /// Imports of those files.
    pub(crate) imports: HashMap<usize, Vec<usize>>,
    /// Definitions that the request names.
    pub(crate) requested: Vec<RequestedDefinition>,
}

/// A file that can be ranked.
#[derive(Debug, Clone)]
pub(crate) struct FileEntry {
    pub(crate) path: String,
    pub(crate) kind: FileKind,
    /// Number of terms; 0 if it has no text.
    pub(crate) length: usize,
}

/// A term in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermHit {
    pub(crate) file: usize,
    /// Position in the query.
    pub(crate) term: usize,
    pub(crate) count: TermCount,
    /// True if the file's own name has the term.
    pub(crate) name: bool,
    /// True if a folder's name has the term.
    pub(crate) folder: bool,
}

/// Terms of the request in a commit's subject.
#[derive(Debug, Clone, Default)]
pub(crate) struct SubjectMatch {
    /// Positions in the query.
    pub(crate) terms: Vec<usize>,
    /// Number of terms in the subject.
    pub(crate) length: usize,
}

impl Evidence {
    /// Looks up the request in the blocks of all files and in all subjects.
    pub(crate) fn gather(
        query: Query,
        mut files: Vec<FileEntry>,
        blocks: &[Cow<'_, [u8]>],
        commits: Vec<Commit>,
    ) -> Evidence {
        let wanted = SortedTerms::new(&query);
        let mut hits = Vec::new();
        for (n, (file, block)) in files.iter_mut().zip(blocks).enumerate() {
            file.length = block::term_total(block);
            let first = hits.len();
            block::lookup(block, &wanted.terms, |at, count| {
                hits.push(TermHit { file: n, term: wanted.position[at], count, name: false, folder: false });
            });
            wanted.find(folder(&file.path), |term| hit(&mut hits, first, n, term).folder = true);
            wanted.find(file_name(&file.path), |term| hit(&mut hits, first, n, term).name = true);
        }
        let query = ground(query, &files, &hits);
        let subject_matches = commits.iter().map(|commit| wanted.match_subject(&commit.subject)).collect();
        Evidence {
            query,
            files,
            hits,
            commits,
            subject_matches,
            passages: HashMap::new(),
            imports: HashMap::new(),
            requested: Vec::new(),
        }
    }
}

/// Factor for words of a long request that nothing in the repository is named after.
const UNGROUNDED: f64 = 0.7;

/// Weighs the words of a long request by what they are in the repository: one that no source defines and no path has is
/// prose, however rare it is.
fn ground(mut query: Query, files: &[FileEntry], hits: &[TermHit]) -> Query {
    if !query.is_long() {
        return query;
    }
    let mut grounded = vec![false; query.terms.len()];
    for hit in hits.iter().filter(|hit| files[hit.file].kind == FileKind::Source) {
        grounded[hit.term] |= hit.count.defs > 0 || hit.name || hit.folder;
    }
    for (term, grounded) in query.terms.iter_mut().zip(grounded) {
        term.weight *= if grounded || term.code || term.pair { 1.0 } else { UNGROUNDED };
    }
    query
}

/// Hit of a term in a file, added if there is none.
fn hit(hits: &mut Vec<TermHit>, first: usize, file: usize, term: usize) -> &mut TermHit {
    let known = hits[first..].iter().position(|hit| hit.term == term);
    if known.is_none() {
        hits.push(TermHit { file, term, count: TermCount::default(), name: false, folder: false });
    }
    let at = known.map_or(hits.len() - 1, |at| first + at);
    &mut hits[at]
}

/// Terms of a query, sorted, with their positions in it.
pub(super) struct SortedTerms {
    pub(super) terms: Vec<Term>,
    pub(super) position: Vec<usize>,
}

impl SortedTerms {
    pub(super) fn new(query: &Query) -> SortedTerms {
        let mut both: Vec<(Term, usize)> =
            query.terms.iter().enumerate().map(|(n, term)| (term.term, n)).collect();
        both.sort_unstable();
        SortedTerms {
            terms: both.iter().map(|(term, _)| *term).collect(),
            position: both.iter().map(|(_, n)| *n).collect(),
        }
    }

    /// Calls `found` for each of the query's terms in a text. Returns the number of terms in the text.
    fn find(&self, text: &str, mut found: impl FnMut(usize)) -> usize {
        let mut length = 0;
        for (_, word) in words(text.as_bytes()) {
            terms(word, |term, pair| {
                length += usize::from(!pair);
                if let Ok(at) = self.terms.binary_search(&term) {
                    found(self.position[at]);
                }
            });
        }
        length
    }

    fn match_subject(&self, subject: &str) -> SubjectMatch {
        let mut found = SubjectMatch::default();
        found.length = self.find(subject, |term| {
            if !found.terms.contains(&term) {
                found.terms.push(term);
            }
        });
        found
    }
}
