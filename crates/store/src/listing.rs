//! Listing of all runs of a repository, newest first.

use crate::documents::{Documents, read_bytes_and_signature, unreadable};
use crate::error::StoreError;
use crate::lock::{Holder, Lease};
use crate::signature::Signature;
use charrette_model::checkpoint::{CheckpointOverview, DocumentName};
use charrette_model::stamp::Stamp;
use rustix::fs::{Mode, OFlags};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Number of documents below which a second thread, with memory of its own, is not worth the milliseconds it saves.
const WORTH_A_THREAD: usize = 1024;

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
        let mut leased: HashSet<String> = entries(self.folder().locks())?.into_iter().collect();
        leased.retain(|file| file.ends_with(LEASE));
        let files = entries(self.folder().path().to_owned())?;
        let stems: Vec<&str> = files.iter().filter_map(|file| file.strip_suffix(".json")).collect();

        let (mut rows, unknown) = KnownDocuments::of(self.folder().path()).find(stems);
        let row = |stem: &&str| self.read_row(stem);
        let read: Vec<ReadRow> = if unknown.len() < WORTH_A_THREAD {
            unknown.iter().filter_map(row).collect()
        } else {
            let share = unknown.len().div_ceil(thread::available_parallelism().map_or(1, Into::into));
            thread::scope(|scope| {
                let read =
                    |share| scope.spawn(move || <[_]>::iter(share).filter_map(row).collect::<Vec<_>>());
                let workers: Vec<_> = unknown.chunks(share).map(read).collect();
                workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
            })
        };
        KnownDocuments::keep(self.folder().path(), &read);
        rows.extend(read.into_iter().map(|read| read.row));
        if !leased.is_empty() {
            for row in rows.iter_mut().filter(|row| leased.contains(&format!("{}{LEASE}", row.name.stem()))) {
                row.driver = Lease::holder(&self.folder().lease(&row.name)).ok().flatten();
            }
        }
        rows.sort_by(|a, b| b.changed_at().cmp(&a.changed_at()).then_with(|| a.name.cmp(&b.name)));
        Ok(rows)
    }

    /// Reads a document. `None` if it is none, or was removed meanwhile.
    fn read_row(&self, stem: &str) -> Option<ReadRow> {
        let name = DocumentName::from_stem(stem)?;
        let path = self.folder().document(&name);
        let (overview, signature) = match read_bytes_and_signature(&path) {
            Ok(Some((bytes, signature))) => {
                let overview = CheckpointOverview::read(&bytes).map(Arc::new);
                (overview.map_err(|error| unreadable(path.clone(), error)), signature.settled())
            }
            Ok(None) => return None,
            Err(error) => (Err(error), None),
        };
        Some(ReadRow { row: RunListing { name, path, overview, driver: None }, signature })
    }
}

impl RunListing {
    /// Time of the last change; none if the document cannot be read.
    fn changed_at(&self) -> Option<&Stamp> {
        self.overview.as_ref().ok().and_then(|overview| overview.updated_at.as_ref())
    }
}

/// End of the names of leases.
const LEASE: &str = ".lease";

/// A row that was read, with the signature of its file if a later change would show in it.
struct ReadRow {
    row: RunListing,
    signature: Option<Signature>,
}

/// Documents of a folder by stem, as they were read last.
type DocumentsByStem = HashMap<String, KnownDocument>;

#[derive(Debug)]
struct KnownDocument {
    signature: Signature,
    name: DocumentName,
    path: PathBuf,
    overview: Arc<CheckpointOverview>,
}

/// Documents that this process has read, by folder. A server lists its runs again and again, and most of them ended long
/// ago. The first listing is not kept: most processes list once.
static KNOWN: Mutex<Option<HashMap<PathBuf, DocumentsByStem>>> = Mutex::new(None);

/// Maximum number of documents of a folder that are known.
const MAX_KNOWN: usize = 20_000;

/// What is known of a folder's documents.
struct KnownDocuments<'a> {
    folder: &'a Path,
}

impl KnownDocuments<'_> {
    fn of(folder: &Path) -> KnownDocuments<'_> {
        KnownDocuments { folder }
    }

    /// Rows of the documents that have not changed since they were read, and the stems of all others.
    fn find<'s>(&self, stems: Vec<&'s str>) -> (Vec<RunListing>, Vec<&'s str>) {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let documents = known.as_ref().and_then(|known| known.get(self.folder));
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let folder = || rustix::fs::open(self.folder, flags, Mode::empty()).ok();
        let Some((documents, folder)) = documents.and_then(|documents| Some((documents, folder()?))) else {
            return (Vec::new(), stems);
        };
        let mut rows = Vec::with_capacity(stems.len());
        let mut unknown = Vec::new();
        for stem in stems {
            // A path relative to the folder is half the way.
            let is_unchanged = |document: &&KnownDocument| {
                let file = document.path.file_name().unwrap_or_default();
                Signature::at(&folder, file) == Some(document.signature)
            };
            match documents.get(stem).filter(is_unchanged) {
                Some(document) => rows.push(document.row()),
                None => unknown.push(stem),
            }
        }
        (rows, unknown)
    }

    /// Keeps what was read, from the second listing on.
    fn keep(folder: &Path, rows: &[ReadRow]) {
        static HAS_LISTED: AtomicBool = AtomicBool::new(false);
        if !HAS_LISTED.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let documents = known.get_or_insert_default().entry(folder.to_owned()).or_default();
        if documents.len() + rows.len() > MAX_KNOWN {
            documents.clear();
        }
        documents.extend(rows.iter().take(MAX_KNOWN).filter_map(KnownDocument::of));
    }
}

impl KnownDocument {
    fn of(read: &ReadRow) -> Option<(String, KnownDocument)> {
        let ReadRow { row: RunListing { name, path, overview, .. }, signature } = read;
        let overview = overview.as_ref().ok()?.clone();
        let document =
            KnownDocument { signature: (*signature)?, name: name.clone(), path: path.clone(), overview };
        Some((name.stem(), document))
    }

    fn row(&self) -> RunListing {
        let KnownDocument { name, path, overview, .. } = self;
        RunListing { name: name.clone(), path: path.clone(), overview: Ok(overview.clone()), driver: None }
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
