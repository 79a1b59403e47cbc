//! A path in the work tree as git knows it: bytes, relative to the top, separated by slashes.

use crate::escape::printable;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// A path in the work tree. It need not be UTF-8; in JSON it is a string if it is, and a list of bytes if
/// not.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct TreePath(Vec<u8>);

impl TreePath {
    pub fn new(bytes: impl Into<Vec<u8>>) -> TreePath {
        TreePath(bytes.into())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// For the file system, relative to the top of the work tree. Check [`TreePath::is_inside`] first.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// True if it stays in the work tree and out of git's own folder: relative, without `..`, without `.git`.
    pub fn is_inside(&self) -> bool {
        let is_plain = |part: &[u8]| {
            !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git")
        };
        !self.0.contains(&0) && self.0.split(|b| *b == b'/').all(is_plain)
    }

    /// Folders that it is in, the outermost first.
    pub fn folders(&self) -> impl Iterator<Item = TreePath> {
        let ends = self.0.iter().enumerate().filter(|(at, byte)| **byte == b'/' && *at > 0);
        ends.map(|(end, _)| TreePath::new(&self.0[..end])).filter(|folder| folder.0.len() + 1 < self.0.len())
    }

    /// True if it is in a folder, which is relative to the top as well.
    pub fn is_below(&self, folder: &str) -> bool {
        let folder = folder.trim_end_matches('/').as_bytes();
        self.0.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"))
    }
}

/// Escaped, on one line.
impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.0);
        printable(&text).fmt(f)
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<Written> for TreePath {
    fn from(written: Written) -> TreePath {
        match written {
            Written::Text(text) => TreePath(text.into_bytes()),
            Written::Bytes(bytes) => TreePath(bytes),
        }
    }
}

impl From<TreePath> for Written {
    fn from(path: TreePath) -> Written {
        String::from_utf8(path.0).map_or_else(|error| Written::Bytes(error.into_bytes()), Written::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_inside_the_work_tree_are_inside() {
        for path in ["a", "a/b", "-x", "a b", "..a/b", ".gitignore", ".github/x", "a\nb"] {
            assert!(TreePath::new(path).is_inside(), "{path:?}");
        }
        for path in
            ["", "/a", "a//b", "../a", "a/..", "a/./b", ".git", ".git/config", "a/.GIT/x", "a/", "a\0b"]
        {
            assert!(!TreePath::new(path).is_inside(), "{path:?}");
        }
    }

    #[test]
    fn every_path_survives_json() {
        for (path, json) in [(&b"a \"b\""[..], "\"a \\\"b\\\"\""), (b"\xff", "[255]")] {
            let path = TreePath::new(path);
            assert_eq!(serde_json::to_string(&path).unwrap(), json);
            assert_eq!(serde_json::from_str::<TreePath>(json).unwrap(), path);
        }
    }
}
