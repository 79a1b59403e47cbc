//! The tree of specifications, for finding one by its name.

use charrette_model::spec::resolver::SpecTree;
use std::io;
use std::path::Path;

/// Maximum depth of a specification: project, feature, specification.
const MAX_DEPTH: usize = 3;
/// Maximum number of entries that are read.
const MAX_ENTRIES: usize = 100_000;
/// Maximum size of a manifest.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The files below a folder of specifications; empty if it does not exist. Links are not followed.
pub fn read_spec_tree(folder: &Path) -> io::Result<SpecTree> {
    let mut tree = SpecTree::default();
    let mut left = MAX_ENTRIES;
    if folder.is_dir() {
        add(&mut tree, folder, "", 0, &mut left)?;
    }
    Ok(tree)
}

fn add(tree: &mut SpecTree, folder: &Path, prefix: &str, depth: usize, left: &mut usize) -> io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let Some(fewer) = left.checked_sub(1) else { return Ok(()) };
        *left = fewer;
        let entry = entry?;
        // A specification's name is valid UTF-8.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && depth < MAX_DEPTH && !name.starts_with('.') {
            add(tree, &entry.path(), &format!("{path}/"), depth + 1, left)?;
        } else if kind.is_file() && depth > 0 {
            match manifest(&entry.path(), &path) {
                Some(text) => tree.add_text(&path, &text),
                None => tree.add(&path),
            }
        }
    }
    Ok(())
}

/// The text of a manifest; `None` if it is unreadable.
fn manifest(file: &Path, path: &str) -> Option<String> {
    let small = || file.symlink_metadata().is_ok_and(|meta| meta.len() <= MAX_MANIFEST_BYTES);
    (SpecTree::wants_text(path) && small()).then(|| fs_err::read_to_string(file).ok()).flatten()
}
