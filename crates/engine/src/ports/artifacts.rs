//! The files of a run, by name. Where they really are is the implementation's business.

use super::BoxFuture;
use std::io;

/// The files of a run.
pub trait ArtifactStore: Send + Sync {
    /// Writes a file at once, durably, and returns its digest: for what people say, not for what steps produce.
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<String>>;

    /// What a file holds; none if there is no such file.
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Vec<u8>>>>;

    /// The SHA-256 of a file, in hexadecimal; none if there is no such file.
    fn digest<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<String>>>;

    /// The names of all files, sorted.
    fn list(&self) -> BoxFuture<'_, io::Result<Vec<String>>>;

    /// How a program on this machine can open a file, if it can. Agents are told so instead of quoting what is long.
    fn locate(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
}
