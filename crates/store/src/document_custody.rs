//! Custody of driven documents: each as its driver recorded it, so that a change by anybody else is noticed at the next change
//! and taken back.
//!
//! It is shared by all handles that belong together, so that what any part of the driving process records counts as its own,
//! and nothing that others wrote is recorded along with it.

use crate::answer_notes::AnswerNotes;
use crate::documents::{Documents, read_bytes};
use crate::error::StoreError;
use crate::evidence::{clear_way, keep_copy, own_file, put_aside};
use crate::layout::StateFolder;
use crate::parse_cache::parse;
use charrette_model::checkpoint::given::GivenAnswers;
use charrette_model::checkpoint::{Checkpoint, DocumentName, custody};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The documents in custody, by path.
#[derive(Debug, Clone, Default)]
pub struct DocumentCustody(Arc<Mutex<HashMap<PathBuf, Arc<Mutex<KeptDocument>>>>>);

/// A document as its driver left it.
#[derive(Debug)]
pub(crate) struct KeptDocument {
    path: PathBuf,
    /// Its bytes, once this process has written them.
    text: Vec<u8>,
    document: Checkpoint,
    notes: AnswerNotes,
    /// Length of the notes when this process wrote it. Notes are made under the document's lock, so that those behind are of
    /// answers that are not in it.
    noted: Option<u64>,
    evidence: PathBuf,
    /// Changes by others that were taken back and nobody was told about yet.
    taken_back: Vec<String>,
}

/// A document as it is on disk, without what others have changed.
pub(crate) struct ReadInCustody {
    /// None if there is no document that can be read.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The document with what others have changed.
    pub(crate) on_disk: Option<Checkpoint>,
    pub(crate) document: Checkpoint,
    pub(crate) taken_back: Vec<String>,
}

/// The custody of one document. It ends when this value is dropped.
#[derive(Debug)]
pub struct DocumentKeeper {
    custody: DocumentCustody,
    kept: Arc<Mutex<KeptDocument>>,
    path: PathBuf,
}

impl DocumentCustody {
    fn all(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Mutex<KeptDocument>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, path: &Path) -> Option<Arc<Mutex<KeptDocument>>> {
        self.all().get(path).cloned()
    }
}

impl Documents {
    /// Takes a document in custody, for the process that drives its run. Answers of people are told by `notes`; what is found
    /// in its place is kept in the folder `evidence`.
    pub fn take_custody(
        &self,
        name: &DocumentName,
        document: Checkpoint,
        notes: AnswerNotes,
        evidence: PathBuf,
    ) -> DocumentKeeper {
        let path = self.folder().document(name);
        let kept = KeptDocument {
            path: path.clone(),
            text: Vec::new(),
            document,
            notes,
            noted: None,
            evidence,
            taken_back: Vec::new(),
        };
        let kept = Arc::new(Mutex::new(kept));
        self.custody().all().insert(path.clone(), kept.clone());
        DocumentKeeper { custody: self.custody().clone(), kept, path }
    }

    /// The document of a run that this process drives, as its driver last wrote or accepted it; none if it drives no such run.
    pub fn driven_document(&self, name: &DocumentName) -> Option<Checkpoint> {
        let kept = self.custody().find(&self.folder().document(name))?;
        let document = lock(&kept).document.clone();
        Some(document)
    }
}

impl DocumentKeeper {
    fn kept(&self) -> MutexGuard<'_, KeptDocument> {
        lock(&self.kept)
    }

    /// Accepts the document as another process of ours has left it.
    pub fn accept(&self, document: Checkpoint) {
        let mut kept = self.kept();
        kept.text.clear();
        kept.noted = None;
        kept.document = document;
    }

    /// The document as this process last wrote or accepted it.
    pub fn document(&self) -> Checkpoint {
        self.kept().document.clone()
    }

    /// True if nobody has changed the document on disk but people who answered gates.
    pub fn is_in_order(&self) -> bool {
        self.kept().is_in_order()
    }

    /// Changes that were taken back since the last call, in words.
    pub fn take_changes(&self) -> Vec<String> {
        std::mem::take(&mut self.kept().taken_back)
    }
}

impl Drop for DocumentKeeper {
    fn drop(&mut self) {
        let mut all = self.custody.all();
        if all.get(&self.path).is_some_and(|kept| Arc::ptr_eq(kept, &self.kept)) {
            all.remove(&self.path);
        }
    }
}

impl KeptDocument {
    /// Folder of what is found in the place of the document.
    pub(crate) fn evidence(&self) -> &Path {
        &self.evidence
    }

    fn is_in_order(&self) -> bool {
        let Ok(Some(bytes)) = read_bytes(&self.path) else { return false };
        self.is_own(&bytes) || parse(&bytes).is_ok_and(|found| self.take_back(&found).1.is_empty())
    }

    /// True if this is what this process wrote last, and nobody has answered since.
    fn is_own(&self, bytes: &[u8]) -> bool {
        bytes == self.text && self.noted == Some(self.notes.length())
    }

    /// What people have given since the document was written, or, where another process of ours wrote it, since the time it
    /// names.
    fn new_answers(&self) -> Vec<GivenAnswers> {
        let mut answers = self.notes.since(self.noted.unwrap_or_default());
        if self.noted.is_none() {
            answers.retain(|given| given.is_after(&self.document));
        }
        answers
    }

    fn take_back(&self, found: &Checkpoint) -> (Checkpoint, Vec<String>) {
        custody::take_back(&self.document, found, &self.new_answers())
    }

    /// Reads the document; what others have changed is left out. The caller holds the document's lock, and writes it.
    pub(crate) fn read(&self) -> Result<ReadInCustody, StoreError> {
        let lost = |what: &str| ReadInCustody {
            bytes: None,
            on_disk: None,
            document: self.document.clone(),
            taken_back: vec![what.to_owned()],
        };
        let bytes = match read_bytes(&self.path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(lost("removed")),
            Err(StoreError::Symlink(_) | StoreError::NotAFile(_) | StoreError::TooLarge { .. }) => {
                self.make_way()?;
                return Ok(lost("replaced"));
            }
            Err(StoreError::Io(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.make_way()?;
                return Ok(lost("closed to its owner"));
            }
            Err(error) => return Err(error),
        };
        if self.is_own(&bytes) {
            let (on_disk, document) = (Some(self.document.clone()), self.document.clone());
            return Ok(ReadInCustody { bytes: Some(bytes), on_disk, document, taken_back: Vec::new() });
        }
        let Ok(found) = parse(&bytes) else {
            self.make_way()?;
            return Ok(lost("unreadable"));
        };
        let (document, taken_back) = self.take_back(&found);
        Ok(ReadInCustody { bytes: Some(bytes), on_disk: Some(found), document, taken_back })
    }

    /// Keeps what is found in the place of the document. The next version takes the place of a file or a link; a folder is
    /// moved out of the way.
    fn make_way(&self) -> io::Result<()> {
        if self.path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            return put_aside(&self.path, &self.evidence, "foreign");
        }
        let _ = keep_copy(&self.path, &self.evidence, "", "unreadable-document.json");
        Ok(())
    }

    /// Takes note of what this process has just written, with the changes of others that it has undone.
    pub(crate) fn remember(&mut self, text: &[u8], document: &Checkpoint, taken_back: Vec<String>) {
        text.clone_into(&mut self.text);
        self.noted = Some(self.notes.length());
        self.document.clone_from(document);
        self.taken_back.extend(taken_back);
    }
}

/// Makes folders and lock of a document usable again, after somebody has replaced one or taken its rights away.
pub(crate) fn restore_folders(folder: &StateFolder, name: &DocumentName, evidence: &Path) -> io::Result<()> {
    clear_way(folder.root(), &folder.histories(), evidence, |_| true)?;
    restore_lock(folder, &folder.lock(name), evidence)
}

/// Makes a lock file one that can be opened, and its folder one of our own.
pub(crate) fn restore_lock(folder: &StateFolder, lock: &Path, evidence: &Path) -> io::Result<()> {
    clear_way(folder.root(), &folder.locks(), evidence, |_| true)?;
    match lock.symlink_metadata() {
        Ok(meta) if !meta.is_file() => put_aside(lock, evidence, "foreign"),
        _ => own_file(lock),
    }
}

pub(crate) fn lock(kept: &Mutex<KeptDocument>) -> MutexGuard<'_, KeptDocument> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
