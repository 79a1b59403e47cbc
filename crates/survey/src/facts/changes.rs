//! Change history of the files a request is about: latest commits, and files that change together.

use crate::history::log::Commit;
use crate::rank::commits::MAX_RELEVANT_FILES;
use crate::rank::evidence::Evidence;
use crate::report::{CoChange, FileChanges, FileCommit};
use crate::tree::kind::FileKind;
use charrette_model::stamp::format_day;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of files described.
const MAX_FILES: usize = 6;
/// Maximum number of latest commits per file.
const MAX_LATEST: usize = 3;
/// Maximum number of co-changing files per file.
const MAX_TOGETHER: usize = 3;

/// Change history of the first of these files, by position. Code comes first: docs change with everything.
pub(crate) fn find(evidence: &Evidence, files: &[usize]) -> Vec<FileChanges> {
    let examined: Vec<&Commit> =
        evidence.commits.iter().filter(|commit| commit.touched <= MAX_RELEVANT_FILES).collect();
    let is_code = |file: &&usize| matches!(evidence.files[**file].kind, FileKind::Source | FileKind::Test);
    let (code, others): (Vec<&usize>, Vec<&usize>) = files.iter().partition(is_code);
    code.into_iter()
        .chain(others)
        .take(MAX_FILES)
        .filter_map(|file| file_changes(evidence, &examined, *file))
        .collect()
}

fn file_changes(evidence: &Evidence, examined: &[&Commit], file: usize) -> Option<FileChanges> {
    let is_it = |touched: &u32| *touched as usize == file;
    let changes: Vec<&Commit> =
        examined.iter().filter(|commit| commit.files.iter().any(is_it)).copied().collect();
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
    let change = |commit: &&Commit| FileCommit {
        id: commit.id.clone(),
        date: format_day(commit.time).unwrap_or_default(),
        subject: commit.subject.clone(),
    };
    Some(FileChanges {
        path: path(file),
        commits: changes.len(),
        commits_examined: examined.len(),
        latest: changes.iter().take(MAX_LATEST).map(change).collect(),
        together: together
            .into_iter()
            .take(MAX_TOGETHER)
            .map(|(other, times)| CoChange { path: path(other), times })
            .collect(),
    })
}
