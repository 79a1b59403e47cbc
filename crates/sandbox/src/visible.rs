//! Folders and files beside hidden ones: a rule can only allow, so everything but the hidden is allowed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Paths that together hold everything but `hidden`. Links are left out: the kernel looks at where they lead.
pub(crate) fn visible_paths(hidden: &[PathBuf]) -> Vec<PathBuf> {
    // A link to a secret is as good as the secret.
    let hidden: Vec<PathBuf> = hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let mut visible = Vec::new();
    collect(Path::new("/"), &hidden, &mut visible);
    visible
}

fn collect(path: &Path, hidden: &[PathBuf], visible: &mut Vec<PathBuf>) {
    if hidden.iter().any(|hidden| hidden == path) {
        return;
    }
    let below: Vec<&PathBuf> = hidden.iter().filter(|hidden| hidden.starts_with(path)).collect();
    if below.is_empty() {
        visible.push(path.to_owned());
        return;
    }
    // A folder that cannot be listed may still lead to the ones below.
    let on_the_way = below
        .iter()
        .filter_map(|hidden| hidden.strip_prefix(path).ok()?.components().next().map(|name| path.join(name)));
    let listed = fs_err::read_dir(path).into_iter().flatten().flatten();
    let listed = listed.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    let entries: BTreeSet<PathBuf> = listed.map(|entry| entry.path()).chain(on_the_way).collect();
    for entry in entries {
        collect(&entry, hidden, visible);
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
