//! Single files of the work tree: whether they are there, how long they are, and putting one where the user wants it.

use crate::Refusal;
use charrette_model::shown::shown;
use charrette_store::atomic;
use charrette_store::workspace::sha256;
use std::io;
use std::path::{Component, Path};

/// Longer files are not read to count their lines.
const LARGEST: u64 = 64 << 20;

/// Whether there is such a file or folder below `root`.
pub(crate) fn is_there(root: &Path, path: &str) -> bool {
    is_below(path) && root.join(path).symlink_metadata().is_ok()
}

/// How many lines a file below `root` has; none if there is no such file, or it is not text. A link may not lead out.
pub(crate) fn lines(root: &Path, path: &str) -> Option<usize> {
    let file = root.join(path).canonicalize().ok().filter(|_| is_below(path))?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > LARGEST || !file.starts_with(root.canonicalize().ok()?) {
        return None;
    }
    let text = fs_err::read_to_string(&file).ok().filter(|text| !text.contains('\0'))?;
    Some(text.lines().count())
}

/// Whether a path is relative and does not lead upwards.
fn is_below(path: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    !path.is_empty() && Path::new(path).components().all(is_plain)
}

/// Writes a file. What is there is replaced only if its SHA-256 is `replaces`; a file that says the same already is left.
pub(crate) fn deliver(target: &Path, text: &str, replaces: Option<&str>) -> Result<(), Refusal> {
    let shown_path = target.display().to_string();
    let failed = |error: &dyn std::fmt::Display| {
        Refusal::Failed(format!("cannot write {}: {error}", shown(&shown_path)))
    };
    let refused = |why: &str| Err(Refusal::Refused(format!("{} {why}", shown(&shown_path))));
    match target.symlink_metadata() {
        Ok(meta) if !meta.is_file() => {
            return refused("is there already and is no file; move it, or choose another place");
        }
        Ok(_) => {
            let there = fs_err::read(target).map_err(|error| failed(&error))?;
            if there == text.as_bytes() {
                return Ok(());
            }
            if replaces != Some(sha256(&there).as_str()) {
                return refused(
                    "is there already and was not written by this run; move it, or choose another place",
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
