//! charrette's own paths in a work tree: changes there are no dirt.

use super::path::TreePath;
use crate::spec::check::issue::FILES;

/// charrette's own paths, relative to the top of the work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnPaths {
    /// Folders that are ignored entirely: state documents, workspaces.
    pub folders: Vec<String>,
    /// The folder of specifications: new files in its subfolders are ignored, tracked ones are not.
    pub specs: Option<String>,
    /// Folders of specifications that runs are at work on; if they are known, only new files of a specification are ignored,
    /// and only there: those are in the custody of their driver.
    pub spec_folders: Option<Vec<String>>,
}

impl OwnPaths {
    /// True if a change of the path is to be ignored. `is_new` means untracked.
    pub fn covers(&self, path: &TreePath, is_new: bool) -> bool {
        let is_new_spec = |specs: &String| {
            let inside = path.as_bytes().get(specs.trim_end_matches('/').len() + 1..).unwrap_or_default();
            let is_at_work = |folders: &Vec<String>| folders.iter().any(|folder| is_spec_file(path, folder));
            is_new
                && path.is_below(specs)
                && inside.contains(&b'/')
                && self.spec_folders.as_ref().is_none_or(is_at_work)
        };
        self.folders.iter().any(|folder| path.is_below(folder))
            || self.specs.as_ref().is_some_and(is_new_spec)
    }
}

/// Markers of projects and features, which tell their level.
const MARKERS: [&str; 2] = [".project-marker", ".feature-marker"];

/// True for a file that a run writes into the folder of its specification.
fn is_spec_file(path: &TreePath, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    let name = path.as_bytes().strip_prefix(folder.as_bytes()).and_then(|rest| rest.strip_prefix(b"/"));
    name.is_some_and(|name| FILES.iter().chain(&MARKERS).any(|known| name == known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_cover_everything_and_specs_what_is_new_in_a_folder() {
        let own = OwnPaths {
            folders: vec![".claude/state".to_owned(), ".specs/".to_owned()],
            specs: Some("specs".to_owned()),
            spec_folders: None,
        };
        let narrow = OwnPaths { spec_folders: Some(vec!["specs/mine".to_owned()]), ..own.clone() };
        assert!(narrow.covers(&TreePath::new("specs/mine/design.md"), true));
        assert!(!narrow.covers(&TreePath::new("specs/mine/design.md"), false));
        assert!(narrow.covers(&TreePath::new("specs/mine/.project-marker"), true));
        for planted in [
            "specs/other/design.md",
            "specs/mine/x.jsonl",
            "specs/mine/.gitattributes",
            "specs/mine/sub/design.md",
        ] {
            assert!(!narrow.covers(&TreePath::new(planted), true), "{planted}");
        }
        for (path, known, new) in [
            (".claude/state/x.json", true, true),
            (".specs/a/plan.txt", true, true),
            ("specs/new/design.md", false, true),
            ("specs/stray.md", false, false),
            (".specsy", false, false),
            (".claude/settings.json", false, false),
            ("specs", false, false),
        ] {
            let path = TreePath::new(path);
            assert_eq!((own.covers(&path, false), own.covers(&path, true)), (known, new), "{path}");
        }
    }
}
