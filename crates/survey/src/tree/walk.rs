//! Files of a folder outside git, found by walking it.

use super::listing::FileCollector;
use ignore::WalkBuilder;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use twox_hash::XxHash3_64;

/// Walks `root`. Ignore files are honoured, links are not followed, other file systems are not entered.
pub(super) fn walk(root: &Path) -> FileCollector {
    let mut found = FileCollector::default();
    let walker = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .require_git(false)
        .follow_links(false)
        .same_file_system(true)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    for entry in walker.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let Ok(relative) = entry.path().strip_prefix(root) else { continue };
        found.add(
            relative.as_os_str().as_bytes(),
            "",
            entry.metadata().ok().map(|meta| metadata_fingerprint(&meta)),
        );
    }
    found
}

/// Fingerprint of inode, size and times: writing a file changes at least one of them.
pub(super) fn metadata_fingerprint(meta: &std::fs::Metadata) -> u64 {
    let stamp = [
        meta.ino().cast_signed(),
        meta.size().cast_signed(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
    ];
    let bytes: Vec<u8> = stamp.iter().flat_map(|number| number.to_le_bytes()).collect();
    XxHash3_64::oneshot(&bytes)
}
