//! Listing of all runs of a repository, newest first.

use crate::custody::Signature;
use crate::documents::{Documents, read_bytes_and_signature, unreadable};
use crate::error::StoreError;
use crate::lock::{Holder, Lease};
use charrette_model::checkpoint::{CheckpointOverview, DocumentName};
use charrette_model::stamp::Stamp;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;

/// Number of documents below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 256;

/// One run in the listing.
#[derive(Debug)]
pub struct RunListing {
    pub name: DocumentName,
    pub path: PathBuf,
    pub overview: Result<Arc<CheckpointOverview>, StoreError>,
    /// Holder of the run's lease, if any.
    pub driver: Option<Holder>,
}

impl Documents {
    /// All runs; the most recently changed first, unreadable ones last.
    pub fn list(&self) -> Result<Vec<RunListing>, StoreError> {
        self.folder().check()?;
        let leased: HashSet<String> = entries(self.folder().locks())?.into_iter().collect();
        let names: Vec<DocumentName> = entries(self.folder().path().to_owned())?
            .iter()
            .filter_map(|file| DocumentName::from_stem(file.strip_suffix(".json")?))
            .collect();

        let known = KnownOverviews::for_listing();
        let row =
            |name: &DocumentName| self.row(name, leased.contains(&format!("{}.lease", name.stem())), &known);
        let mut rows: Vec<RunListing> = if names.len() < WORTH_A_THREAD {
            names.iter().filter_map(row).collect()
        } else {
            let share = names.len().div_ceil(thread::available_parallelism().map_or(1, Into::into));
            thread::scope(|scope| {
                let read =
                    |share| scope.spawn(move || <[_]>::iter(share).filter_map(row).collect::<Vec<_>>());
                let workers: Vec<_> = names.chunks(share).map(read).collect();
                workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
            })
        };
        rows.sort_by(|a, b| b.changed_at().cmp(&a.changed_at()).then_with(|| a.name.cmp(&b.name)));
        Ok(rows)
    }

    /// `None` if the document was removed meanwhile.
    fn row(&self, name: &DocumentName, leased: bool, known: &KnownOverviews) -> Option<RunListing> {
        let path = self.folder().document(name);
        let overview = match known.get(&path) {
            Some(overview) => Ok(overview),
            None => match read_bytes_and_signature(&path) {
                Ok(Some((bytes, signature))) => CheckpointOverview::read(&bytes)
                    .map(|overview| known.keep(&path, signature, overview))
                    .map_err(|error| unreadable(path.clone(), error)),
                Ok(None) => return None,
                Err(error) => Err(error),
            },
        };
        let driver = if leased { Lease::holder(&self.folder().lease(name)).ok().flatten() } else { None };
        Some(RunListing { name: name.clone(), path, overview, driver })
    }
}

impl RunListing {
    /// Time of the last change; none if the document cannot be read.
    fn changed_at(&self) -> Option<&Stamp> {
        self.overview.as_ref().ok().and_then(|overview| overview.updated_at.as_ref())
    }
}

/// Overviews that this process has read, by path. A server lists its runs again and again, and most of them ended long ago.
static OVERVIEWS: RwLock<Option<HashMap<PathBuf, KnownOverview>>> = RwLock::new(None);

/// Maximum number of overviews in memory.
const MAX_KNOWN: usize = 20_000;

#[derive(Debug)]
struct KnownOverview {
    signature: Signature,
    overview: Arc<CheckpointOverview>,
}

/// Overviews of documents that have not changed since they were read.
struct KnownOverviews {
    /// False for the first listing of a process: most processes list once.
    is_kept: bool,
}

impl KnownOverviews {
    fn for_listing() -> KnownOverviews {
        static HAS_LISTED: AtomicBool = AtomicBool::new(false);
        KnownOverviews { is_kept: HAS_LISTED.swap(true, Ordering::Relaxed) }
    }

    fn get(&self, path: &Path) -> Option<Arc<CheckpointOverview>> {
        if !self.is_kept {
            return None;
        }
        let overviews = OVERVIEWS.read().unwrap_or_else(PoisonError::into_inner);
        let known = overviews.as_ref()?.get(path)?;
        let is_unchanged = Signature::read(path).ok().flatten() == Some(known.signature);
        is_unchanged.then(|| known.overview.clone())
    }

    fn keep(
        &self,
        path: &Path,
        signature: Signature,
        overview: CheckpointOverview,
    ) -> Arc<CheckpointOverview> {
        let overview = Arc::new(overview);
        if let Some(signature) = signature.settled().filter(|_| self.is_kept) {
            let mut overviews = OVERVIEWS.write().unwrap_or_else(PoisonError::into_inner);
            let overviews = overviews.get_or_insert_default();
            if overviews.len() >= MAX_KNOWN {
                overviews.clear();
            }
            overviews.insert(path.to_owned(), KnownOverview { signature, overview: overview.clone() });
        }
        overview
    }
}

/// Names of a folder's entries; empty if there is no such folder.
pub(crate) fn entries(folder: PathBuf) -> io::Result<Vec<String>> {
    let listing = match fs_err::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    listing.filter_map(|entry| entry.map(|entry| entry.file_name().into_string().ok()).transpose()).collect()
}
