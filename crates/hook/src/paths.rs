//! Paths against protected folders: links, case and `..` are resolved by the file system.

use crate::effects::surroundings::normalise;
use crate::effects::{Target, WriteAct};
use std::path::{Path, PathBuf};

/// True if a path is a folder or below it.
pub(crate) fn is_inside(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder) || real_path(path).starts_with(real_path(folder))
}

/// A path with its existing part resolved: links, and the case of names where that does not count.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    for existing in path.ancestors() {
        if let Ok(real) = existing.canonicalize() {
            let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
            return normalise(&real.join(rest));
        }
        // A link that leads nowhere yet.
        if let Ok(target) = std::fs::read_link(existing) {
            let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
            let base = existing.parent().unwrap_or(Path::new("/"));
            return normalise(&base.join(target).join(rest));
        }
    }
    path.to_owned()
}

/// True if a change of a target changes something in a protected folder.
pub(crate) fn reaches(target: &Target, act: WriteAct, protected: &Path) -> bool {
    let is_tree = matches!(act, WriteAct::RemoveTree | WriteAct::PermissionsTree);
    match target {
        Target::At(path) => is_inside(path, protected) || (is_tree && is_inside(protected, path)),
        Target::Below { folder, name: None } => is_inside(folder, protected),
        Target::Below { folder, name: Some(name) } => {
            is_inside(folder, protected)
                || real_path(protected).strip_prefix(real_path(folder)).is_ok_and(|below| {
                    let mut parts = below.components();
                    let first = parts.next().map(|part| part.as_os_str().to_string_lossy().into_owned());
                    let is_whole = parts.next().is_none();
                    first.is_some_and(|first| {
                        let is_shown = !first.starts_with('.') || name.prefix().starts_with('.');
                        is_shown && name.fits(&first) && (is_tree || is_whole)
                    })
                })
        }
        Target::Named { folder, name } => {
            let is_above = is_inside(protected, folder);
            let names = ["active.json", "run-x.json", "run.lock", "run.lease", "plan.txt", "request.md"];
            let own = protected.file_name().map(|own| own.to_string_lossy().into_owned());
            is_inside(folder, protected)
                || (is_above
                    && (names.iter().any(|file| name.fits(file)) || own.is_some_and(|own| name.fits(&own))))
        }
        Target::Fresh | Target::Unknown => false,
    }
}
