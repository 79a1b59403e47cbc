//! Files of a work tree: tracked and untracked but not ignored, including every initialised submodule.
//!
//! Each file has a fingerprint that changes with its content: the git blob if the file is unchanged, else metadata of
//! the file system.

use super::walk;
use charrette_git::Git;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use twox_hash::XxHash3_64;

/// A file of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeFile {
    /// Path relative to the root, with `/`. Files whose paths are not UTF-8 are not listed.
    pub(crate) path: String,
    /// Fingerprint of the content, if known.
    pub(crate) fingerprint: Option<u64>,
}

/// All files, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) files: Vec<TreeFile>,
    /// Number of files whose names are not UTF-8.
    pub(crate) non_utf8_names: usize,
}

/// Lists the files below `root`. Links are not followed and not listed.
pub(crate) fn list_files(root: &Path) -> Listing {
    let mut found = FileCollector::default();
    if !found.add_from_git(root, "", 0) {
        found = walk::walk(root);
    }
    let files = found.files.into_iter().map(|(path, fingerprint)| TreeFile { path, fingerprint }).collect();
    Listing { files, non_utf8_names: found.non_utf8_names }
}

/// Files collected so far, by path.
#[derive(Debug, Default)]
pub(super) struct FileCollector {
    files: BTreeMap<String, Option<u64>>,
    non_utf8_names: usize,
}

/// Maximum nesting depth of submodules.
const MAX_SUBMODULE_DEPTH: usize = 5;

impl FileCollector {
    pub(super) fn add(&mut self, path: &[u8], prefix: &str, fingerprint: Option<u64>) {
        match std::str::from_utf8(path) {
            Ok(path) => {
                self.files.insert(format!("{prefix}{path}"), fingerprint);
            }
            Err(_) => self.non_utf8_names += 1,
        }
    }

    /// Adds the files git knows in the work tree at `root`. False if it is not a git work tree.
    fn add_from_git(&mut self, root: &Path, prefix: &str, depth: usize) -> bool {
        // Tags: H tracked, C changed, R removed, S not checked out, M unmerged, ? untracked.
        let arguments = ["ls-files", "-z", "-t", "-s", "-c", "-m", "-d", "-o", "--exclude-standard"];
        let Ok(output) = Git::new(root).bytes(&arguments) else { return false };
        let mut modules = Vec::new();
        for entry in output.split(|b| *b == 0) {
            let [tag, b' ', rest @ ..] = entry else { continue };
            if *tag == b'?' {
                // A folder is another repository nested here; it is not part of this one.
                if !rest.ends_with(b"/") {
                    self.add_from_disk(root, rest, prefix);
                }
                continue;
            }
            let Some((mode, path)) = parse_staged_entry(rest) else { continue };
            match (*tag, mode) {
                (b'H' | b'M', b"160000") => modules.push(path.to_owned()),
                (b'H', b"100644" | b"100755") => self.add(path, prefix, Some(XxHash3_64::oneshot(rest))),
                // Changed: the blob is out of date, and the path may no longer be a file.
                (b'C' | b'M', _) => self.add_from_disk(root, path, prefix),
                (b'R' | b'S', _) => self.remove(path, prefix),
                _ => {}
            }
        }
        for module in modules.iter().filter_map(|path| std::str::from_utf8(path).ok()) {
            let folder = root.join(module);
            // Without a `.git` of its own it is not initialised, and git would answer for the parent.
            if depth < MAX_SUBMODULE_DEPTH
                && folder.join(".git").symlink_metadata().is_ok()
                && !folder.is_symlink()
            {
                self.add_from_git(&folder, &format!("{prefix}{module}/"), depth + 1);
            }
        }
        true
    }

    /// Adds a file as it is on the disk, or removes it if it is not a regular file.
    fn add_from_disk(&mut self, root: &Path, path: &[u8], prefix: &str) {
        match root.join(OsStr::from_bytes(path)).symlink_metadata() {
            Ok(meta) if meta.is_file() => self.add(path, prefix, Some(walk::metadata_fingerprint(&meta))),
            _ => self.remove(path, prefix),
        }
    }

    fn remove(&mut self, path: &[u8], prefix: &str) {
        if let Ok(path) = std::str::from_utf8(path) {
            self.files.remove(&format!("{prefix}{path}"));
        }
    }
}

/// Mode and path of an entry such as `100644 <blob> 0<tab>path`.
fn parse_staged_entry(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let tab = entry.iter().position(|b| *b == b'\t')?;
    Some((entry[..tab].split(|b| *b == b' ').next()?, &entry[tab + 1..]))
}
