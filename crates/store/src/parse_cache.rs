//! Cache of the last document that this process has parsed or written.
//!
//! The file is read for every change. Parsing is skipped only if its bytes equal the cached text.

use charrette_model::checkpoint::{Checkpoint, ReadError, read};
use std::sync::{Arc, Mutex, PoisonError};

/// The last version, if any, shared by all handles to the same documents.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParseCache(Arc<Mutex<Option<Version>>>);

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
            _ => read(text),
        }
    }

    /// True if the text is the cached one.
    pub(crate) fn is_known(&self, text: &[u8]) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().is_some_and(|version| version.text == text)
    }

    /// Caches a version that was just written.
    pub(crate) fn remember(&self, text: Vec<u8>, document: &Checkpoint) {
        let version = Version { text, document: document.clone() };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(version);
    }
}
