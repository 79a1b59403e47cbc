//! Cache of the last document that was written, and of the last one that this process has parsed.
//!
//! The file is read each time. Parsing is skipped only if its bytes equal a cached text.

use charrette_model::checkpoint::{Checkpoint, ReadError, read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The last version that was parsed or written, whichever handle did it.
static PARSED: Mutex<Option<Arc<Version>>> = Mutex::new(None);

/// The last version that was written, if any, shared by all handles to the same documents.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParseCache(Arc<Mutex<Option<Arc<Version>>>>);

#[derive(Debug)]
struct Version {
    text: Vec<u8>,
    document: Checkpoint,
}

impl ParseCache {
    /// Parses a text, or returns the cached document.
    pub(crate) fn document(&self, text: &[u8]) -> Result<Checkpoint, ReadError> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(version) if version.text == text => Ok(version.document.clone()),
            _ => parse(text),
        }
    }

    /// Caches a version that was just written.
    pub(crate) fn remember(&self, text: Vec<u8>, document: &Checkpoint) {
        let version = Arc::new(Version { text, document: document.clone() });
        *parsed() = Some(version.clone());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
    }
}

fn parsed() -> MutexGuard<'static, Option<Arc<Version>>> {
    PARSED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parses a text, or returns the document that was parsed last if it had the same text.
pub(crate) fn parse(text: &[u8]) -> Result<Checkpoint, ReadError> {
    let mut parsed = parsed();
    match &*parsed {
        Some(version) if version.text == text => Ok(version.document.clone()),
        _ => {
            let document = read(text)?;
            *parsed = Some(Arc::new(Version { text: text.to_owned(), document: document.clone() }));
            Ok(document)
        }
    }
}
