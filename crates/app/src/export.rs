//! Export of a design: files are staged beside the export folder, then swapped in, the manifest last.
//!
//! Until the swap the old export is whole. From its first to its last step there is no manifest, so a reader
//! finds the old export, the new one, or none; never a mixture. The model plans its content.

use crate::disk::open_regular;
use charrette_model::manifest::write::ExportBundle;
use charrette_model::manifest::{ARTIFACTS, EXPORT_DIR, MANIFEST_FILE};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Replaces the content of the export folder by the bundle.
pub fn export(bundle: &ExportBundle) -> io::Result<()> {
    let folder = Path::new(&bundle.export_dir);
    let parent = folder.parent().unwrap_or(folder);
    // Held to the end: other writers wait, so a staging folder that exists was left by one that was killed.
    let parent_lock = fs_err::File::open(parent)?;
    parent_lock.file().lock()?;
    let staging = parent.join(format!(".{EXPORT_DIR}.staging"));
    remove(&staging)?;
    let result = stage(bundle, &staging).and_then(|()| swap(bundle, &staging, folder));
    let cleared = remove(&staging);
    result.and(cleared)
}

fn stage(bundle: &ExportBundle, staging: &Path) -> io::Result<()> {
    fs_err::create_dir(staging)?;
    for (source, name) in &bundle.copies {
        let mut from = open_regular(Path::new(source))?;
        let mut to = fs_err::File::create_new(staging.join(name))?;
        io::copy(&mut from, &mut to)?;
        to.sync_all()?;
    }
    let mut manifest = fs_err::File::create_new(staging.join(MANIFEST_FILE))?;
    manifest.write_all(bundle.manifest.as_bytes())?;
    manifest.sync_all()
}

fn swap(bundle: &ExportBundle, staging: &Path, folder: &Path) -> io::Result<()> {
    prepare(folder)?;
    let manifest = folder.join(MANIFEST_FILE);
    remove(&manifest)?;
    sync(folder)?;
    for artifact in &ARTIFACTS {
        let target = folder.join(artifact.file);
        if bundle.copies.iter().any(|(_, name)| *name == artifact.file) {
            fs_err::rename(staging.join(artifact.file), target)?;
        } else {
            // Left by an older design: it must not be mistaken for this one's.
            remove(&target)?;
        }
    }
    sync(folder)?;
    fs_err::rename(staging.join(MANIFEST_FILE), manifest)?;
    sync(folder)
}

/// Checks for everything that would stop the swap half way.
fn prepare(folder: &Path) -> io::Result<()> {
    match fs_err::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => other?,
    }
    if !fs_err::symlink_metadata(folder)?.is_dir() {
        return Err(io::Error::other(format!("{} is not a folder", folder.display())));
    }
    let names = ARTIFACTS.iter().map(|artifact| artifact.file).chain([MANIFEST_FILE]);
    let obstacle: Option<PathBuf> = names
        .map(|name| folder.join(name))
        .find(|path| path.symlink_metadata().is_ok_and(|found| found.is_dir()));
    match obstacle {
        None => Ok(()),
        Some(path) => Err(io::Error::other(format!("a folder is in the way: {}", path.display()))),
    }
}

/// Removes a file, folder or link (not its target), if there is one.
fn remove(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs_err::remove_dir_all(path),
        Ok(_) => fs_err::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn sync(folder: &Path) -> io::Result<()> {
    fs_err::File::open(folder)?.sync_all()
}
