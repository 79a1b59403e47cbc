//! One look at a repository for one request: files, their terms, the past.
//!
//! Git's history is asked while the files are read; what is unchanged since the last look comes from the cache.

use crate::history::log;
use crate::index::build::{Wanted, build};
use crate::index::cache::{Cache, Memory};
use crate::rank::evidence::{Evidence, File};
use crate::rank::pairs::{Partners, partners};
use crate::rank::passage;
use crate::tree::kind::{Kind, kind};
use crate::tree::listing::{Listed, list};
use crate::words::query::Query;
use std::collections::HashMap;
use std::path::Path;

/// What was seen.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) evidence: Evidence,
    /// All files, those too that are not ranked.
    pub(crate) listed: Vec<Listed>,
    /// How many have names nobody could be told.
    pub(crate) unnameable: usize,
    /// The commit that is checked out, if there is one.
    pub(crate) head: Option<String>,
}

impl Look {
    /// Which tests and sources belong together.
    pub(crate) fn partners(&self) -> Partners {
        let files: Vec<(&str, Kind)> =
            self.evidence.files.iter().map(|file| (file.path.as_str(), file.kind)).collect();
        partners(&files)
    }
}

/// Looks at the work tree at `root`. With a folder for it, remembers what it saw.
pub(crate) fn look(root: &Path, request: &str, cache_folder: Option<&Path>) -> Look {
    let (listing, head, cache) = std::thread::scope(|scope| {
        let head = scope.spawn(|| log::head(root));
        let cache = scope.spawn(|| cache_folder.map(|folder| Cache::load(folder, root)).unwrap_or_default());
        (list(root), head.join().ok().flatten(), cache.join().unwrap_or_default())
    });
    let wanted: Vec<Wanted<'_>> = listing
        .files
        .iter()
        .filter_map(|file| Some(Wanted { path: &file.path, kind: kind(&file.path)?, seal: file.seal }))
        .collect();
    let key = head.as_ref().map(|head| log::key(head, log::depth(wanted.len()))).unwrap_or_default();
    let known = cache.history(&key);
    let (blocks, asked) = std::thread::scope(|scope| {
        let asking = head.as_ref().filter(|_| known.is_none()).map(|head| {
            let depth = log::depth(wanted.len());
            scope.spawn(move || log::ask(root, head, depth))
        });
        let blocks = build(root, &wanted, &cache);
        (blocks, asking.map(|asking| asking.join().unwrap_or_default()))
    });
    let text = asked.as_deref().or(known).unwrap_or_default();
    if let Some(folder) = cache_folder.filter(|_| blocks.made > 0 || asked.is_some()) {
        let history = (!key.is_empty()).then_some((key.as_str(), text));
        Memory { root, files: &wanted, blocks: &blocks.blocks, history }.store(folder);
    }
    let places: HashMap<&str, u32> = wanted.iter().zip(0..).map(|(file, n)| (file.path, n)).collect();
    let commits = log::read(text, &places);
    let files =
        wanted.iter().map(|file| File { path: file.path.to_owned(), kind: file.kind, length: 0 }).collect();
    let mut evidence = Evidence::gather(Query::new(request), files, &blocks.blocks, commits);
    passage::look_up(root, &mut evidence);
    Look { evidence, listed: listing.files, unnameable: listing.unnameable, head }
}
