//! Port: the files of a run, by name. The implementation decides the storage.

use super::BoxFuture;
use std::io;

/// Store of a run's files.
pub trait ArtifactStore: Send + Sync {
    /// Writes a file immediately and durably, and returns its digest. For answers of people; steps stage their output.
    fn put<'a>(&'a self, name: &'a str, bytes: &'a [u8]) -> BoxFuture<'a, io::Result<String>>;

    /// Contents of a file; none if there is no such file.
    fn get<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<Vec<u8>>>>;

    /// SHA-256 digest of a file, in hexadecimal; none if there is no such file.
    fn digest<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Option<String>>>;

    /// Names of all files, sorted.
    fn list(&self) -> BoxFuture<'_, io::Result<Vec<String>>>;

    /// Local path of a file, if it has one. Prompts refer to long files by path instead of quoting them.
    fn locate(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }
}
