//! Snapshot of a repository for one request: files, their terms, the git log.
//!
//! The git log runs while the files are read; files unchanged since the last snapshot come from the cache.

use crate::history::log;
use crate::index::build::{IndexedFile, build_blocks};
use crate::index::cache::{CacheUpdate, IndexCache};
use crate::rank::evidence::{Evidence, FileEntry};
use crate::rank::pairs::{TestPairs, pair_tests};
use crate::rank::passage;
use crate::rank::requested::find_requested;
use crate::tree::kind::{FileKind, file_kind};
use crate::tree::listing::{TreeFile, list_files};
use crate::words::query::Query;
use std::collections::HashMap;
use std::path::Path;

/// Evidence and file list of a work tree.
#[derive(Debug)]
pub(crate) struct RepositorySnapshot {
    pub(crate) evidence: Evidence,
    /// All files, including those that are not ranked.
    pub(crate) listed: Vec<TreeFile>,
    /// Number of files whose names are not UTF-8.
    pub(crate) non_utf8_names: usize,
    /// Commit that is checked out, if any.
    pub(crate) head: Option<String>,
}

impl RepositorySnapshot {
    /// Pairs of tests and sources.
    pub(crate) fn test_pairs(&self) -> TestPairs {
        let files: Vec<(&str, FileKind)> =
            self.evidence.files.iter().map(|file| (file.path.as_str(), file.kind)).collect();
        pair_tests(&files)
    }
}

/// Reads the work tree at `root`. Updates the index cache if there is a folder for it.
pub(crate) fn take_snapshot(root: &Path, request: &str, cache_folder: Option<&Path>) -> RepositorySnapshot {
    let (listing, head, cache) = std::thread::scope(|scope| {
        let head = scope.spawn(|| log::head(root));
        let cache =
            scope.spawn(|| cache_folder.map(|folder| IndexCache::load(folder, root)).unwrap_or_default());
        (list_files(root), head.join().ok().flatten(), cache.join().unwrap_or_default())
    });
    let wanted: Vec<IndexedFile<'_>> = listing
        .files
        .iter()
        .filter_map(|file| {
            Some(IndexedFile {
                path: &file.path,
                kind: file_kind(&file.path)?,
                fingerprint: file.fingerprint,
            })
        })
        .collect();
    let key =
        head.as_ref().map(|head| log::cache_key(head, log::log_depth(wanted.len()))).unwrap_or_default();
    let known = cache.history(&key);
    let (blocks, asked) = std::thread::scope(|scope| {
        let asking = head.as_ref().filter(|_| known.is_none()).map(|head| {
            let depth = log::log_depth(wanted.len());
            scope.spawn(move || log::run_git_log(root, head, depth))
        });
        let blocks = build_blocks(root, &wanted, &cache);
        (blocks, asking.map(|asking| asking.join().unwrap_or_default()))
    });
    let text = asked.as_deref().or(known).unwrap_or_default();
    if let Some(folder) = cache_folder.filter(|_| blocks.rebuilt > 0 || asked.is_some()) {
        let history = (!key.is_empty()).then_some((key.as_str(), text));
        CacheUpdate { root, files: &wanted, blocks: &blocks.blocks, history }.store(folder);
    }
    let places: HashMap<&str, u32> = wanted.iter().zip(0..).map(|(file, n)| (file.path, n)).collect();
    let commits = log::parse_log(text, &places);
    let files = wanted
        .iter()
        .map(|file| FileEntry { path: file.path.to_owned(), kind: file.kind, length: 0 })
        .collect();
    let mut evidence = Evidence::gather(Query::new(request), files, &blocks.blocks, commits);
    passage::find_passages(root, &mut evidence);
    evidence.requested = find_requested(root, &evidence);
    RepositorySnapshot { evidence, listed: listing.files, non_utf8_names: listing.non_utf8_names, head }
}
