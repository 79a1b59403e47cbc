//! Our own places in a work tree: what changes there is nobody's dirt.

use super::path::TreePath;

/// Our own places in a work tree. All from its top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// Folders in which nothing counts: state documents, workspaces.
    pub folders: Vec<String>,
    /// The folder of specifications: what is new in a folder inside it does not count, what git knows does.
    pub specs: Option<String>,
}

impl Own {
    /// Whether a path that is not as committed is our own business. New is what git does not know.
    pub fn covers(&self, path: &TreePath, is_new: bool) -> bool {
        let is_new_spec = |specs: &String| {
            let inside = path.as_bytes().get(specs.trim_end_matches('/').len() + 1..).unwrap_or_default();
            is_new && path.is_below(specs) && inside.contains(&b'/')
        };
        self.folders.iter().any(|folder| path.is_below(folder))
            || self.specs.as_ref().is_some_and(is_new_spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_cover_everything_and_specs_what_is_new_in_a_folder() {
        let own = Own {
            folders: vec![".claude/state".to_owned(), ".specs/".to_owned()],
            specs: Some("specs".to_owned()),
        };
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
