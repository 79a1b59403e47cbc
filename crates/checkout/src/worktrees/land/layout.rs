//! Files of commits as git lays them out in a work tree, for comparison with what is there.

use super::super::error::Result;
use super::super::places::{Places, Scratch};
use charrette_model::tree::TreePath;
use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Mode of a submodule, which has no content.
const SUBMODULE: &[u8] = b"160000";
/// Mode of what does not exist.
const NOTHING: &[u8] = b"000000";

/// A path that differs between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TouchedPath {
    pub(super) path: TreePath,
    /// True if the first commit has a file or link there.
    pub(super) is_in_first: bool,
    /// True if the second commit has a file or link there.
    pub(super) is_in_second: bool,
}

/// Some files of a commit, laid out in a folder of their own.
#[derive(Debug)]
pub(super) struct Layout {
    scratch: Scratch,
}

impl Layout {
    pub(super) fn path(&self, path: &TreePath) -> PathBuf {
        self.scratch.path("files").join(path.as_path())
    }
}

impl Places {
    /// Paths that differ between two commits.
    pub(super) fn touched_paths(&self, from: &str, to: &str) -> Result<Vec<TouchedPath>> {
        let listed = self.git().bytes(&["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to])?;
        Ok(parse_touched(&listed))
    }

    /// Lays out files of a commit, with the filters and line ends of the work tree.
    pub(super) fn lay_out_files<'a>(
        &self,
        commit: &str,
        paths: impl IntoIterator<Item = &'a TreePath>,
    ) -> Result<Layout> {
        let layout = Layout { scratch: self.scratch()? };
        let list: Vec<u8> =
            paths.into_iter().flat_map(|path| path.as_bytes().iter().copied().chain([0])).collect();
        if !list.is_empty() {
            let index = layout.scratch.path("index");
            let git = self.git().with_index(&index);
            git.edit(&["read-tree", commit], b"")?;
            let mut prefix = OsString::from("--prefix=");
            prefix.push(layout.scratch.path("files"));
            prefix.push("/");
            let args = ["checkout-index", "-q", "-f", "-z", "--stdin"].map(OsString::from);
            git.edit(&[&args[..], &[prefix]].concat(), &list)?;
        }
        Ok(layout)
    }
}

/// Parses `:<mode> <mode> <id> <id> <status>` and the path, each ended by NUL.
fn parse_touched(listed: &[u8]) -> Vec<TouchedPath> {
    let mut fields = listed.split(|byte| *byte == 0);
    let mut touched = Vec::new();
    while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
        let mut modes = facts.strip_prefix(b":").unwrap_or(facts).split(|byte| *byte == b' ');
        let mut has_file = || modes.next().is_some_and(|mode| mode != NOTHING && mode != SUBMODULE);
        let (is_in_first, is_in_second) = (has_file(), has_file());
        touched.push(TouchedPath { path: TreePath::new(path), is_in_first, is_in_second });
    }
    touched
}

/// True if a path has what a git left there that was killed while it wrote a file: nothing, the file or link, or its
/// beginning.
pub(super) fn is_part_of(path: &Path, whole: &Path) -> io::Result<bool> {
    let (meta, whole_meta) = (path.symlink_metadata()?, whole.symlink_metadata()?);
    if meta.is_symlink() && whole_meta.is_symlink() {
        return Ok(fs_err::read_link(path)? == fs_err::read_link(whole)?);
    }
    if !meta.is_file() || !whole_meta.is_file() || meta.len() > whole_meta.len() {
        return Ok(false);
    }
    let (mut part, mut whole) = (fs_err::File::open(path)?, fs_err::File::open(whole)?.take(meta.len()));
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        part.by_ref().take(1 << 20).read_to_end(&mut left)?;
        whole.by_ref().take(1 << 20).read_to_end(&mut right)?;
        if left != right || left.is_empty() {
            return Ok(left == right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_testkit::Sandbox;

    #[test]
    fn paths_are_told_with_the_side_that_has_them() {
        let listed =
            b":000000 100644 00 aa A\0new\0:100644 000000 aa 00 D\0old\0:100644 160000 aa bb T\0sub\0";
        let told: Vec<_> = parse_touched(listed)
            .into_iter()
            .map(|one| (one.path.to_string(), one.is_in_first, one.is_in_second))
            .collect();
        assert_eq!(
            told,
            [
                ("new".to_owned(), false, true),
                ("old".to_owned(), true, false),
                ("sub".to_owned(), true, false)
            ]
        );
    }

    #[test]
    fn only_the_beginning_of_a_file_is_a_part_of_it() {
        let sandbox = Sandbox::new();
        let whole = sandbox.path("whole");
        fs_err::write(&whole, "one two").unwrap();
        for (text, is_part) in
            [("", true), ("one", true), ("one two", true), ("one two three", false), ("two", false)]
        {
            fs_err::write(sandbox.path("part"), text).unwrap();
            assert_eq!(is_part_of(&sandbox.path("part"), &whole).unwrap(), is_part, "{text}");
        }
        std::os::unix::fs::symlink("whole", sandbox.path("link")).unwrap();
        assert!(!is_part_of(&sandbox.path("link"), &whole).unwrap());
    }
}
