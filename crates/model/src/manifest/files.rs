//! What the manifest's rules ask about files. The binary answers from the disk, tests from a table.

/// What stands at a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A pipe, a socket, a device.
    Other,
}

/// Facts about files. Paths are text: one that is not UTF-8 has no canonical form here and is refused.
pub trait Files {
    /// What stands at `path` itself.
    fn kind(&self, path: &str) -> Kind;
    /// The length of a file.
    fn size(&self, path: &str) -> Option<u64>;
    /// The absolute path without links and dots of something that exists.
    fn canonical(&self, path: &str) -> Option<String>;
    /// What a file holds.
    fn bytes(&self, path: &str) -> Option<Vec<u8>>;
}

/// `directory/name`, without a doubled slash.
pub(crate) fn join(directory: &str, name: &str) -> String {
    let slash = if directory.ends_with('/') { "" } else { "/" };
    format!("{directory}{slash}{name}")
}

/// Whether a canonical path lies below a canonical directory.
pub(crate) fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| directory.ends_with('/') || rest.starts_with('/'))
}

/// A character that would break a line or a terminal: C0 or DEL.
pub(super) fn is_forbidden(c: char) -> bool {
    c.is_ascii_control()
}
