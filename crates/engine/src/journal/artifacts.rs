//! The artifacts of a run in files: staged by a running lane, or in the workspace.

use super::record::Record;
use crate::ports::{ArtifactStore, BoxFuture};
use std::io;
use std::sync::Arc;

/// Artifact store of a run, as its own steps see it.
pub(super) struct RecordArtifacts(pub(super) Arc<Record>);

impl ArtifactStore for RecordArtifacts {
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<String>> {
        Box::pin(async move { self.0.workspace.put(name, bytes) })
    }

    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Vec<u8>>>> {
        Box::pin(async move { self.0.workspace.read(name, self.0.producer_of(name).as_deref()) })
    }

    fn digest<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<String>>> {
        Box::pin(async move { self.0.workspace.digest(name, self.0.producer_of(name).as_deref()) })
    }

    fn list(&self) -> BoxFuture<'_, io::Result<Vec<String>>> {
        Box::pin(async move { self.0.workspace.list() })
    }

    fn locate(&self, name: &str) -> Option<String> {
        self.0.artifact_path(name).ok().map(|path| path.display().to_string())
    }
}
