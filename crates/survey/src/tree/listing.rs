//! The files of a work tree: those git tracks and those it would, in every initialised submodule too.
//!
//! Each file has a seal: as long as it is the same, so is the content. An unchanged file is sealed by its blob, others
//! by what the disk says of them.

use super::walk;
use charrette_git::Git;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use twox_hash::XxHash3_64;

/// A file of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Relative to the root, with `/`. Always the real name: what is not UTF-8 is not listed.
    pub(crate) path: String,
    /// Says whether the content changed, if that can be said.
    pub(crate) seal: Option<u64>,
}

/// All files, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) files: Vec<Listed>,
    /// How many have names that are not UTF-8, so that nobody could be told about them.
    pub(crate) unnameable: usize,
}

/// Lists the files below `root`. Links are not followed and not listed.
pub(crate) fn list(root: &Path) -> Listing {
    let mut found = Found::default();
    if !found.index(root, "", 0) {
        found = walk::walk(root);
    }
    let files = found.files.into_iter().map(|(path, seal)| Listed { path, seal }).collect();
    Listing { files, unnameable: found.unnameable }
}

/// Files as they are found, by path.
#[derive(Debug, Default)]
pub(super) struct Found {
    files: BTreeMap<String, Option<u64>>,
    unnameable: usize,
}

/// Submodules inside submodules are followed this far.
const DEEPEST: usize = 5;

impl Found {
    pub(super) fn add(&mut self, path: &[u8], prefix: &str, seal: Option<u64>) {
        match std::str::from_utf8(path) {
            Ok(path) => {
                self.files.insert(format!("{prefix}{path}"), seal);
            }
            Err(_) => self.unnameable += 1,
        }
    }

    /// Adds what git knows of the work tree at `root`. False if git does not know it.
    fn index(&mut self, root: &Path, prefix: &str, depth: usize) -> bool {
        // Tags: H tracked, C changed, R removed, S not checked out, M unmerged, ? untracked.
        let arguments = ["ls-files", "-z", "-t", "-s", "-c", "-m", "-d", "-o", "--exclude-standard"];
        let Ok(output) = Git::new(root).bytes(&arguments) else { return false };
        let mut modules = Vec::new();
        for entry in output.split(|b| *b == 0) {
            let [tag, b' ', rest @ ..] = entry else { continue };
            if *tag == b'?' {
                // A folder is another repository that lies here; it is not part of this one.
                if !rest.ends_with(b"/") {
                    self.look_at(root, rest, prefix);
                }
                continue;
            }
            let Some((mode, path)) = staged(rest) else { continue };
            match (*tag, mode) {
                (b'H' | b'M', b"160000") => modules.push(path.to_owned()),
                (b'H', b"100644" | b"100755") => self.add(path, prefix, Some(XxHash3_64::oneshot(rest))),
                // Changed: what git knows no longer holds, and it may not even be a file any more.
                (b'C' | b'M', _) => self.look_at(root, path, prefix),
                (b'R' | b'S', _) => self.remove(path, prefix),
                _ => {}
            }
        }
        for module in modules.iter().filter_map(|path| std::str::from_utf8(path).ok()) {
            let folder = root.join(module);
            // Without a `.git` of its own it is not initialised, and git would answer for the parent.
            if depth < DEEPEST && folder.join(".git").symlink_metadata().is_ok() && !folder.is_symlink() {
                self.index(&folder, &format!("{prefix}{module}/"), depth + 1);
            }
        }
        true
    }

    /// Adds a file as it is on the disk, or takes it out if it is none.
    fn look_at(&mut self, root: &Path, path: &[u8], prefix: &str) {
        match root.join(OsStr::from_bytes(path)).symlink_metadata() {
            Ok(meta) if meta.is_file() => self.add(path, prefix, Some(walk::seal(&meta))),
            _ => self.remove(path, prefix),
        }
    }

    fn remove(&mut self, path: &[u8], prefix: &str) {
        if let Ok(path) = std::str::from_utf8(path) {
            self.files.remove(&format!("{prefix}{path}"));
        }
    }
}

/// `100644 <blob> 0<tab>path`
fn staged(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let tab = entry.iter().position(|b| *b == b'\t')?;
    Some((entry[..tab].split(|b| *b == b' ').next()?, &entry[tab + 1..]))
}
