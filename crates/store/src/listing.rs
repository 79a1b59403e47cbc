//! Listing of all runs of a repository, newest first.

use crate::documents::{Documents, read_bytes, unreadable};
use crate::error::StoreError;
use crate::lock::{Holder, Lease};
use charrette_model::checkpoint::{CheckpointOverview, DocumentName};
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::thread;

/// Number of documents below which a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 256;

/// One run in the listing.
#[derive(Debug)]
pub struct RunListing {
    pub name: DocumentName,
    pub path: PathBuf,
    pub overview: Result<CheckpointOverview, StoreError>,
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

        let row = |name: &DocumentName| self.row(name, leased.contains(&format!("{}.lease", name.stem())));
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
        rows.sort_by(|a, b| {
            let age = |row: &RunListing| {
                row.overview.as_ref().ok().and_then(|overview| overview.updated_at.clone())
            };
            age(b).cmp(&age(a)).then_with(|| a.name.cmp(&b.name))
        });
        Ok(rows)
    }

    /// `None` if the document was removed meanwhile.
    fn row(&self, name: &DocumentName, leased: bool) -> Option<RunListing> {
        let path = self.folder().document(name);
        let overview = match read_bytes(&path) {
            Ok(Some(bytes)) => {
                CheckpointOverview::read(&bytes).map_err(|error| unreadable(path.clone(), error))
            }
            Ok(None) => return None,
            Err(error) => Err(error),
        };
        let driver = if leased { Lease::holder(&self.folder().lease(name)).ok().flatten() } else { None };
        Some(RunListing { name: name.clone(), path, overview, driver })
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
