//! Single files of the work tree: existence, and delivery of a file to the path the user wants.

use crate::PortError;
use charrette_model::escape::printable;
use charrette_store::atomic;
use charrette_store::workspace::sha256;
use std::io;
use std::path::{Component, Path};

/// True if the file or folder exists below `root`.
pub(crate) fn is_there(root: &Path, path: &str) -> bool {
    is_below(path) && root.join(path).symlink_metadata().is_ok()
}

/// True if a path is relative and does not lead upwards.
fn is_below(path: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !path.is_empty() && Path::new(path).components().all(is_plain)
}

/// Writes a file. An existing one is replaced only if its SHA-256 is `replaces`; one with the same text is left alone.
pub(crate) fn deliver(target: &Path, text: &str, replaces: Option<&str>) -> Result<(), PortError> {
    let shown_path = target.display().to_string();
    let failed = |error: &dyn std::fmt::Display| {
        PortError::Failed(format!("cannot write {}: {error}", printable(&shown_path)))
    };
    let refused = |why: &str| Err(PortError::Refused(format!("{} {why}", printable(&shown_path))));
    match target.symlink_metadata() {
        Ok(meta) if !meta.is_file() => {
            return refused("already exists and is not a regular file; move it or choose another path");
        }
        Ok(_) => {
            let existing = fs_err::read(target).map_err(|error| failed(&error))?;
            if existing == text.as_bytes() {
                return Ok(());
            }
            if replaces != Some(sha256(&existing).as_str()) {
                return refused(
                    "already exists and was not written by this run; move it or choose another path",
                );
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(&error)),
    }
    let folder = target.parent().unwrap_or(Path::new("/"));
    fs_err::create_dir_all(folder).map_err(|error| failed(&error))?;
    let temp = target.with_added_extension(format!("{}.tmp", std::process::id()));
    atomic::replace(target, &temp, text.as_bytes()).map_err(|error| failed(&error))
}
