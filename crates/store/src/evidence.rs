//! What stood in the way of a run's own files: it is put aside, never believed and never lost.

use crate::layout::{create_folder, leads_outside};
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Rights that the owner of a folder needs to work in it.
const OWN: u32 = 0o700;

/// Moves what is at `path` into a folder of evidence, under a name that begins with `prefix`: it may be a file, a link, a
/// folder. If it cannot be kept it is removed.
pub(crate) fn put_aside(path: &Path, evidence: &Path, prefix: &str) -> io::Result<()> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let kept = folder_for(evidence).and_then(|()| fs_err::rename(path, free(evidence, prefix, &name)));
    let Err(error) = kept else { return Ok(()) };
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        // A folder can be moved beside itself if it cannot be moved elsewhere.
        Ok(meta) if meta.is_dir() => {
            let beside = free(path.parent().unwrap_or(evidence), &format!(".{prefix}"), &name);
            fs_err::rename(path, beside).map_err(|_| error)
        }
        Ok(_) => fs_err::remove_file(path).map_err(|_| error),
    }
}

/// Gives a file a second name in a folder of evidence, and leaves it where it is.
pub(crate) fn keep_copy(path: &Path, evidence: &Path, prefix: &str, name: &str) -> io::Result<()> {
    folder_for(evidence).and_then(|()| fs_err::hard_link(path, free(evidence, prefix, name)))
}

/// Makes sure that a folder of evidence is one.
fn folder_for(evidence: &Path) -> io::Result<()> {
    match evidence.symlink_metadata() {
        Ok(meta) if meta.is_dir() => own(evidence, &meta),
        Ok(_) => {
            fs_err::remove_file(evidence)?;
            create_folder(evidence)
        }
        Err(_) => create_folder(evidence),
    }
}

/// The first name that is free: `prefix` with a number, and `name`.
fn free(folder: &Path, prefix: &str, name: &str) -> PathBuf {
    let numbered = |n: usize| match (prefix, n) {
        ("", 1) => folder.join(name),
        ("", n) => folder.join(format!("{n}-{name}")),
        (prefix, n) => folder.join(format!("{prefix}-{n}-{name}")),
    };
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    (1..10_000).map(numbered).find(is_free).unwrap_or_else(|| numbered(10_000))
}

/// Links among the folders on the way from `root` to `folder`.
pub(crate) fn links_on_the_way(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut path = root.to_owned();
    let parts = folder.strip_prefix(root).unwrap_or(folder).components();
    let folders = parts.map(|part| {
        path.push(part);
        path.clone()
    });
    folders.filter(|folder| folder.is_symlink()).collect()
}

/// Makes a folder below `root` one of our own again: what stands in its way is put aside, rights that were taken are taken
/// back, and what is missing is created. Links that lead to other folders below `root` stay where `is_ours` says so.
pub(crate) fn clear_way(
    root: &Path,
    folder: &Path,
    evidence: &Path,
    is_ours: impl Fn(&Path) -> bool,
) -> io::Result<()> {
    let mut path = root.to_owned();
    for part in folder.strip_prefix(root).unwrap_or(folder) {
        path.push(part);
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => own(&path, &meta)?,
            Ok(meta) if meta.is_symlink() && is_ours(&path) && leads_inside(&path, root) => {}
            // What is put aside must not be put into itself.
            Ok(_) if evidence.starts_with(&path) => {
                let parent = path.parent().unwrap_or(root).to_owned();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                fs_err::rename(&path, free(&parent, ".foreign", &name))?;
            }
            Ok(_) => put_aside(&path, evidence, "foreign")?,
            Err(_) => break,
        }
    }
    create_folder(folder)
}

/// Gives the owner of a folder, and of all folders in it, back the rights in them.
pub(crate) fn own_tree(folder: &Path) -> io::Result<()> {
    let meta = folder.symlink_metadata()?;
    if !meta.is_dir() {
        return Ok(());
    }
    own(folder, &meta)?;
    fs_err::read_dir(folder)?.try_for_each(|entry| own_tree(&entry?.path()))
}

/// Gives the owner of a file back the rights to read and to write it.
pub(crate) fn own_file(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_file() && meta.mode() & 0o600 != 0o600 => {
            fs_err::set_permissions(path, Permissions::from_mode(meta.mode() | 0o600))
        }
        _ => Ok(()),
    }
}

/// Gives the owner of a folder back the rights in it.
fn own(folder: &Path, meta: &std::fs::Metadata) -> io::Result<()> {
    if meta.mode() & OWN == OWN {
        return Ok(());
    }
    fs_err::set_permissions(folder, Permissions::from_mode(meta.mode() | OWN))
}

fn leads_inside(link: &Path, root: &Path) -> bool {
    link.is_dir() && !leads_outside(link, root)
}
