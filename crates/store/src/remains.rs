//! What is left of a run whose document was deleted: its history, from which the document is rebuilt.

use crate::documents::Documents;
use crate::error::StoreError;
use crate::history;
use crate::listing::entries;
use charrette_model::checkpoint::transition::save;
use charrette_model::checkpoint::{Checkpoint, DocumentName, TransitionError, read};
use charrette_model::stamp::Now;

/// History of a document that no longer exists.
#[derive(Debug, Clone)]
pub struct Remains {
    /// The document after its last recorded change; none if the history does not reach back to a whole one.
    pub document: Option<Checkpoint>,
}

impl Documents {
    /// Names of the runs that have a history and no document.
    pub fn deleted(&self) -> Result<Vec<DocumentName>, StoreError> {
        self.folder().check()?;
        let files = entries(self.folder().histories())?;
        let names = files.iter().filter_map(|file| DocumentName::from_stem(file.strip_suffix(".jsonl")?));
        Ok(names.filter(|name| !self.exists(name)).collect())
    }

    /// What is left of a run whose document was deleted; none if the document exists, or nothing is left.
    pub fn remains(&self, name: &DocumentName) -> Result<Option<Remains>, StoreError> {
        self.folder().check()?;
        let path = self.folder().history(name);
        if self.exists(name) || history::files(&path).is_empty() {
            return Ok(None);
        }
        let (entries, _) = history::read(&path)?;
        let last = history::rebuild(&entries, entries.len());
        let document = last.and_then(|last| read(&serde_json::to_vec(&last).ok()?).ok());
        Ok(Some(Remains { document }))
    }

    /// Rebuilds the document of a run as it was after the last change in its history; none if the history does not reach
    /// back to a whole document. Refuses to replace a document.
    pub fn rebuild(&self, name: &DocumentName, now: Now) -> Result<Option<Checkpoint>, StoreError> {
        let Some(last) = self.remains(name)?.and_then(|remains| remains.document) else { return Ok(None) };
        let rebuilt = self.transition(name, "rebuild", now, |on_disk, context| {
            if on_disk.is_some() {
                return Err(TransitionError::Exists);
            }
            save(None, last.clone(), name.key(), context)
        })?;
        Ok(Some(rebuilt.document))
    }

    /// True if something is in the place of the document, readable or not.
    fn exists(&self, name: &DocumentName) -> bool {
        self.folder().document(name).symlink_metadata().is_ok()
    }
}
