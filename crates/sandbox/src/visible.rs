//! Folders and files beside hidden ones: a rule can only allow, so everything but the hidden is allowed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Paths that together hold everything but `hidden`. Links are left out: the kernel looks at where they lead.
pub(crate) fn visible_paths(hidden: &[PathBuf]) -> Vec<PathBuf> {
    // A link to a secret is as good as the secret.
    let mut real_paths = RealPaths::default();
    let hidden: Vec<PathBuf> = hidden.iter().filter_map(|path| real_paths.find(path)).collect();
    let mut visible = Vec::new();
    let root = Path::new("/");
    let below: Vec<&Path> = hidden.iter().filter_map(|path| path.strip_prefix(root).ok()).collect();
    collect(root, &below, &mut visible);
    visible
}

/// Adds everything in a folder but what is hidden below it.
fn collect(folder: &Path, hidden: &[&Path], visible: &mut Vec<PathBuf>) {
    if hidden.is_empty() {
        visible.push(folder.to_owned());
        return;
    }
    let mut below: BTreeMap<&OsStr, Vec<&Path>> = BTreeMap::new();
    for path in hidden {
        let mut names = path.components();
        match names.next() {
            Some(name) => below.entry(name.as_os_str()).or_default().push(names.as_path()),
            // The folder itself.
            None => return,
        }
    }
    let listed = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let listed = listed.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    // A folder that cannot be listed may still lead to the ones below.
    let on_the_way = below.keys().map(|name| (*name).to_owned());
    let names: BTreeSet<OsString> = listed.map(|entry| entry.file_name()).chain(on_the_way).collect();
    for name in names {
        let hidden = below.get(name.as_os_str()).map(Vec::as_slice);
        collect(&folder.join(name), hidden.unwrap_or_default(), visible);
    }
}

/// Paths without links. Hidden folders are mostly beside each other, so those above them are looked at once.
#[derive(Default)]
struct RealPaths(HashMap<PathBuf, Option<PathBuf>>);

impl RealPaths {
    /// None if there is nothing at a path.
    fn find(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.canonicalize().ok();
        };
        if let Some(known) = self.0.get(path) {
            return known.clone();
        }
        let found = self.find(folder).and_then(|folder| {
            let found = folder.join(name);
            let is_link = found.symlink_metadata().ok()?.is_symlink();
            if is_link { found.canonicalize().ok() } else { Some(found) }
        });
        self.0.insert(path.to_owned(), found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_beside_a_hidden_folder_is_visible_and_links_to_it_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home/.ssh", "home/work", "other"] {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        fs_err::write(root.join("home/notes"), "").unwrap();
        std::os::unix::fs::symlink(root.join("home"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("home/.ssh"), root.join("home/keys")).unwrap();
        // Hidden by the name of a link to it.
        let visible = visible_paths(&[root.join("home/keys"), root.join("nowhere")]);
        let inside: Vec<_> =
            visible.iter().filter_map(|path| path.strip_prefix(&root).ok()).map(Path::to_owned).collect();
        assert_eq!(inside, ["home/notes", "home/work", "other"].map(PathBuf::from));
        assert!(visible.contains(&PathBuf::from("/usr")));
        assert!(!visible.iter().any(|path| root.starts_with(path)), "{visible:?}");
    }

    #[test]
    fn without_anything_to_hide_everything_is_visible() {
        assert_eq!(visible_paths(&[]), [PathBuf::from("/")]);
        assert_eq!(visible_paths(&["/nowhere/at/all".into()]), [PathBuf::from("/")]);
    }
}
