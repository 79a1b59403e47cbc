//! Patch of what is about to be undone: `git apply` restores it.

use super::error::TreeError;
use super::index::Index;
use super::laid_out::{converted, differing as differing_bytes};
use super::uncached::WITHOUT_COMMIT_GRAPH;
use super::work_tree::WorkTree;
use charrette_model::tree::TreePath;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// Maximum number of bytes of path names in one git command line.
const NAMES_LIMIT: usize = 64 << 10;

/// Diff command whose format does not depend on the configuration.
const DIFF: [&str; 9] = [
    "diff",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--no-relative",
    "-O/dev/null",
];

/// Appends the differences of tracked files from `base`.
pub(super) fn add_tracked(
    tree: &WorkTree<'_>,
    base: &str,
    paths: &[TreePath],
    patch: &mut Vec<u8>,
) -> Result<(), TreeError> {
    for paths in chunks(paths) {
        let mut args: Vec<OsString> = DIFF.iter().map(OsString::from).collect();
        args.extend(["--ignore-submodules=all", base, "--"].map(OsString::from));
        args.extend(paths.iter().map(|path| path.as_path().as_os_str().to_owned()));
        patch.append(&mut tree.git().bytes(&args)?);
    }
    Ok(())
}

/// Permissions that git gives to no file: writable by everyone, and the special bits.
const ODD_PERMISSIONS: u32 = 0o7002;

/// Tracked files that git calls unchanged and that differ from a commit.
pub(super) struct UnseenFiles {
    /// Those that git can restore.
    pub(super) restorable: Vec<TreePath>,
    /// Those that differ only in bytes that git does not store, so that no patch has them.
    pub(super) converted: Vec<TreePath>,
}

/// Of tracked files that git calls unchanged, those that differ from `base`.
pub(super) fn differing_unseen(
    tree: &WorkTree<'_>,
    base: &str,
    paths: Vec<TreePath>,
) -> Result<UnseenFiles, TreeError> {
    let index = ScratchIndex::new(tree)?;
    let settings = [WITHOUT_COMMIT_GRAPH, "core.fileMode=true"];
    let git = tree.git().with_settings(&settings).with_index(&index.0);
    git.edit(&["read-tree", base], b"")?;
    let mut listed = Vec::new();
    for paths in chunks(&paths) {
        let mut args = ["diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=all", "--"]
            .map(OsString::from)
            .to_vec();
        args.extend(paths.iter().map(|path| path.as_path().as_os_str().to_owned()));
        listed.append(&mut git.bytes(&args)?);
    }
    let differing: BTreeSet<&[u8]> = listed.split(|byte| *byte == 0).collect();
    let has_odd_permissions = |path: &TreePath| {
        let meta = tree.root.join(path.as_path()).symlink_metadata();
        meta.is_ok_and(|meta| meta.is_file() && meta.mode() & ODD_PERMISSIONS != 0)
    };
    let (restorable, others): (Vec<_>, Vec<_>) =
        paths.into_iter().partition(|path| differing.contains(path.as_bytes()) || has_odd_permissions(path));
    let committed = Index::read(git, &index.0)?;
    let stored = |path: TreePath| committed.entry(&path).map(|entry| (path, entry.object_id()));
    let converted = differing_bytes(git, tree.root, others.into_iter().filter_map(stored).collect());
    Ok(UnseenFiles { restorable, converted })
}

/// Settings with which git stores any file, whatever it loses.
const STORING: [&str; 3] = [WITHOUT_COMMIT_GRAPH, "core.safecrlf=false", "core.sparseCheckout=false"];

/// Of these paths, the files with bytes that git does not store: from what it stores, it would not lay them out as they are
/// now. No patch has those bytes. Objects are written only of files that git converts.
pub(super) fn lossy<'p>(
    tree: &WorkTree<'_>,
    base: &str,
    paths: impl Iterator<Item = &'p TreePath>,
) -> Result<BTreeSet<TreePath>, TreeError> {
    let meta = |path: &TreePath| tree.root.join(path.as_path()).symlink_metadata();
    // Behind a link, git sees none.
    let is_behind_link =
        |path: &TreePath| path.folders().any(|folder| meta(&folder).is_ok_and(|meta| meta.is_symlink()));
    let is_file = |path: &&TreePath| meta(path).is_ok_and(|meta| meta.is_file()) && !is_behind_link(path);
    let converted = converted(tree.git(), paths.filter(is_file).cloned().collect());
    if converted.is_empty() {
        return Ok(BTreeSet::new());
    }
    let index = ScratchIndex::new(tree)?;
    let git = tree.git().with_settings(&STORING).with_index(&index.0);
    // Line ends that were committed stay, as in a patch.
    git.edit(&["read-tree", base], b"")?;
    let add = ["add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"];
    git.edit(&add, &nul_list(&converted))?;
    let stored = Index::read(git, &index.0)?;
    let stored = |path: TreePath| stored.entry(&path).map(|entry| (path, entry.object_id()));
    let files = converted.into_iter().filter_map(stored).collect();
    Ok(differing_bytes(git, tree.root, files).into_iter().collect())
}

/// Appends the differences of tracked files that git calls unchanged. A scratch index holds what `base` holds, and nothing
/// about files, so that git reads them.
pub(super) fn add_unseen(
    tree: &WorkTree<'_>,
    base: &str,
    paths: &[TreePath],
    patch: &mut Vec<u8>,
) -> Result<(), TreeError> {
    let index = ScratchIndex::new(tree)?;
    let git = tree.git().with_index(&index.0);
    git.edit(&["read-tree", base], b"")?;
    for paths in chunks(paths) {
        let mut args: Vec<OsString> = DIFF.iter().map(OsString::from).collect();
        args.extend(["--ignore-submodules=all", "--"].map(OsString::from));
        args.extend(paths.iter().map(|path| path.as_path().as_os_str().to_owned()));
        patch.append(&mut git.bytes(&args)?);
    }
    Ok(())
}

/// Makes tracked files that git calls unchanged those of `base`, and git look at them again.
pub(super) fn restore_unseen(tree: &WorkTree<'_>, base: &str, paths: &[TreePath]) -> Result<(), TreeError> {
    let index = ScratchIndex::new(tree)?;
    let (git, scratch) = (tree.git(), tree.git().with_index(&index.0));
    let list = nul_list(paths);
    for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
        git.edit(&["update-index", flag, "-z", "--stdin"], &list)?;
    }
    scratch.edit(&["read-tree", base], b"")?;
    let source = format!("--source={base}");
    let list_options = ["--pathspec-from-file=-", "--pathspec-file-nul"];
    let restore = ["restore", &source, "--worktree", list_options[0], list_options[1]];
    scratch.edit(&restore, &list)?;
    let unstage = ["restore", &source, "--staged", list_options[0], list_options[1]];
    Ok(git.edit(&unstage, &list)?)
}

/// Appends untracked files. In a scratch index that holds nothing else, they are a diff like any other.
pub(super) fn add_untracked(
    tree: &WorkTree<'_>,
    paths: &[TreePath],
    patch: &mut Vec<u8>,
) -> Result<(), TreeError> {
    let index = ScratchIndex::new(tree)?;
    let git = tree.git().with_index(&index.0);
    let add = ["add", "--intent-to-add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"];
    git.edit(&add, &nul_list(paths))?;
    patch.append(&mut git.bytes(&DIFF)?);
    Ok(())
}

/// Paths as a NUL-terminated list.
pub(super) fn nul_list(paths: &[TreePath]) -> Vec<u8> {
    paths.iter().flat_map(|path| path.as_bytes().iter().copied().chain([0])).collect()
}

/// Empty index beside the repository's own, removed on drop.
struct ScratchIndex(PathBuf);

impl ScratchIndex {
    fn new(tree: &WorkTree<'_>) -> Result<ScratchIndex, TreeError> {
        let name = format!("charrette-{}.index", std::process::id());
        let index = fs_err::canonicalize(tree.git_dir())?.join(name);
        match fs_err::remove_file(&index) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(ScratchIndex(index)),
        }
    }
}

impl Drop for ScratchIndex {
    fn drop(&mut self) {
        let _ = fs_err::remove_file(&self.0);
    }
}

fn chunks(paths: &[TreePath]) -> impl Iterator<Item = &[TreePath]> {
    let mut rest = paths;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |path: &&TreePath| {
            bytes += path.as_bytes().len() + 1;
            bytes <= NAMES_LIMIT
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (chunk, after) = rest.split_at(count);
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}
