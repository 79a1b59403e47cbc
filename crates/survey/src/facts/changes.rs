//! How the files a request is about changed: by which commits lately, and together with what.

use crate::history::log::Commit;
use crate::rank::evidence::Evidence;
use crate::rank::past::TOO_MANY;
use crate::report::{Change, FileChanges, Together};
use crate::tree::kind::Kind;
use charrette_model::stamp::day;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// So many files are told about.
const FILES: usize = 6;
/// So many commits of each are named.
const LATEST: usize = 3;
/// So many files beside each are named.
const TOGETHER: usize = 3;

/// The changes of the first of these files, by position. Code comes first: what is written about it changes with
/// everything.
pub(crate) fn find(evidence: &Evidence, files: &[usize]) -> Vec<FileChanges> {
    let looked_at: Vec<&Commit> =
        evidence.commits.iter().filter(|commit| commit.touched <= TOO_MANY).collect();
    let is_code = |file: &&usize| matches!(evidence.files[**file].kind, Kind::Source | Kind::Test);
    let (code, others): (Vec<&usize>, Vec<&usize>) = files.iter().partition(is_code);
    code.into_iter()
        .chain(others)
        .take(FILES)
        .filter_map(|file| of_file(evidence, &looked_at, *file))
        .collect()
}

fn of_file(evidence: &Evidence, looked_at: &[&Commit], file: usize) -> Option<FileChanges> {
    let is_it = |touched: &u32| *touched as usize == file;
    let changes: Vec<&Commit> =
        looked_at.iter().filter(|commit| commit.files.iter().any(is_it)).copied().collect();
    if changes.is_empty() {
        return None;
    }
    let mut times: BTreeMap<usize, usize> = BTreeMap::new();
    for commit in &changes {
        let others: BTreeSet<u32> = commit.files.iter().filter(|touched| !is_it(touched)).copied().collect();
        for other in others {
            *times.entry(other as usize).or_default() += 1;
        }
    }
    let mut together: Vec<(usize, usize)> = times.into_iter().filter(|(_, times)| *times > 1).collect();
    together.sort_by_key(|(other, times)| (Reverse(*times), &evidence.files[*other].path));
    let path = |file: usize| evidence.files[file].path.clone();
    let change = |commit: &&Commit| Change {
        id: commit.id.clone(),
        date: day(commit.time).unwrap_or_default(),
        subject: commit.subject.clone(),
    };
    Some(FileChanges {
        path: path(file),
        commits: changes.len(),
        of: looked_at.len(),
        latest: changes.iter().take(LATEST).map(change).collect(),
        together: together
            .into_iter()
            .take(TOGETHER)
            .map(|(other, times)| Together { path: path(other), times })
            .collect(),
    })
}
