//! Everything found about a request, before anybody judges it.

use super::passage::Passage;
use crate::history::log::Commit;
use crate::index::block::{self, Count};
use crate::tree::kind::{Kind, file_name, folder};
use crate::words::query::Query;
use crate::words::split::{Term, terms, words};
use std::borrow::Cow;
use std::collections::HashMap;

/// What is known, for one request.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) query: Query,
    pub(crate) files: Vec<File>,
    /// Where the request's terms stand, by file.
    pub(crate) hits: Vec<Hit>,
    /// Newest first.
    pub(crate) commits: Vec<Commit>,
    /// Which of the request's terms stand in a commit's subject.
    pub(crate) said: Vec<Said>,
    /// Where the request's words stand closest together, for the files that look best.
    pub(crate) passages: HashMap<usize, Passage>,
    /// What those files import.
    pub(crate) imports: HashMap<usize, Vec<usize>>,
}

/// A file that can be ranked.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) kind: Kind,
    /// How many terms it has; none if it has no text.
    pub(crate) length: usize,
}

/// One term in one file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) file: usize,
    /// Position in the query.
    pub(crate) term: usize,
    pub(crate) count: Count,
    /// In the file's own name.
    pub(crate) name: bool,
    /// In the names of its folders.
    pub(crate) folder: bool,
}

/// The request's terms in one subject.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    /// Positions in the query.
    pub(crate) terms: Vec<usize>,
    /// How many terms the subject has.
    pub(crate) length: usize,
}

impl Evidence {
    /// Looks the request up in the blocks of all files and in all subjects.
    pub(crate) fn gather(
        query: Query,
        mut files: Vec<File>,
        blocks: &[Cow<'_, [u8]>],
        commits: Vec<Commit>,
    ) -> Evidence {
        let wanted = Sorted::new(&query);
        let mut hits = Vec::new();
        for (n, (file, block)) in files.iter_mut().zip(blocks).enumerate() {
            file.length = block::length(block);
            let first = hits.len();
            block::find(block, &wanted.terms, |at, count| {
                hits.push(Hit { file: n, term: wanted.position[at], count, name: false, folder: false });
            });
            wanted.find(folder(&file.path), |term| hit(&mut hits, first, n, term).folder = true);
            wanted.find(file_name(&file.path), |term| hit(&mut hits, first, n, term).name = true);
        }
        let said = commits.iter().map(|commit| wanted.said(&commit.subject)).collect();
        Evidence { query, files, hits, commits, said, passages: HashMap::new(), imports: HashMap::new() }
    }
}

/// The hit of a term in a file, made if there is none.
fn hit(hits: &mut Vec<Hit>, first: usize, file: usize, term: usize) -> &mut Hit {
    let known = hits[first..].iter().position(|hit| hit.term == term);
    if known.is_none() {
        hits.push(Hit { file, term, count: Count::default(), name: false, folder: false });
    }
    let at = known.map_or(hits.len() - 1, |at| first + at);
    &mut hits[at]
}

/// The terms of a query, sorted, with their positions in it.
pub(super) struct Sorted {
    pub(super) terms: Vec<Term>,
    pub(super) position: Vec<usize>,
}

impl Sorted {
    pub(super) fn new(query: &Query) -> Sorted {
        let mut both: Vec<(Term, usize)> =
            query.terms.iter().enumerate().map(|(n, term)| (term.term, n)).collect();
        both.sort_unstable();
        Sorted {
            terms: both.iter().map(|(term, _)| *term).collect(),
            position: both.iter().map(|(_, n)| *n).collect(),
        }
    }

    /// Calls `found` for each of the query's terms in a text. Returns how many terms the text has.
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

    fn said(&self, subject: &str) -> Said {
        let mut said = Said::default();
        said.length = self.find(subject, |term| {
            if !said.terms.contains(&term) {
                said.terms.push(term);
            }
        });
        said
    }
}
