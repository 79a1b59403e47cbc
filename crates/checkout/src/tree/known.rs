//! What this process has read from files, for as long as they do not change.

use charrette_store::Signature;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Values by file. Only those are kept that were read long enough after the file's last change that a later one shows in
/// its metadata.
#[derive(Debug)]
pub(super) struct Known<V>(Mutex<BTreeMap<PathBuf, (Signature, V)>>);

impl<V: Clone> Known<V> {
    pub(super) const fn new() -> Known<V> {
        Known(Mutex::new(BTreeMap::new()))
    }

    /// The value of a file that has this signature now.
    pub(super) fn find(&self, file: &Path, now: Signature) -> Option<V> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(file).filter(|(then, _)| now == *then).map(|(_, value)| value.clone())
    }

    /// Keeps the value of a file that had this signature before it was read.
    pub(super) fn keep(&self, file: &Path, signature: Signature, value: &V) {
        if let Some(signature) = signature.settled() {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(file.to_owned(), (signature, value.clone()));
        }
    }
}
