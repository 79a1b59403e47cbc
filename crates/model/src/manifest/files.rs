//! File access for the manifest's rules. The binary implements it on the disk, tests on a table.

/// Type of a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    Missing,
    /// A regular file.
    File,
    Directory,
    Symlink,
    /// A pipe, a socket, a device.
    Other,
}

/// Read access to files. Paths are text: one that is not UTF-8 has no canonical form here and is rejected.
pub trait FileSystem {
    /// Type of `path` itself.
    fn kind(&self, path: &str) -> PathKind;
    /// Size of a file.
    fn size(&self, path: &str) -> Option<u64>;
    /// Absolute path without links and dots of something that exists.
    fn canonical(&self, path: &str) -> Option<String>;
    /// Contents of a file.
    fn bytes(&self, path: &str) -> Option<Vec<u8>>;
}

/// `directory/name`, without a doubled slash.
pub(crate) fn join(directory: &str, name: &str) -> String {
    let slash = if directory.ends_with('/') { "" } else { "/" };
    format!("{directory}{slash}{name}")
}

/// True if a canonical path is below a canonical directory.
pub(crate) fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| directory.ends_with('/') || rest.starts_with('/'))
}

/// True for characters that would break a line or a terminal: C0 or DEL.
pub(super) fn is_forbidden(c: char) -> bool {
    c.is_ascii_control()
}
