//! Patch of what is about to be undone: `git apply` restores it.

use super::error::TreeError;
use charrette_git::Git;
use charrette_model::tree::TreePath;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

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
    root: &Path,
    base: &str,
    paths: &[TreePath],
    patch: &mut Vec<u8>,
) -> Result<(), TreeError> {
    for paths in chunks(paths) {
        let mut args: Vec<OsString> = DIFF.iter().map(OsString::from).collect();
        args.extend(["--ignore-submodules=all", base, "--"].map(OsString::from));
        args.extend(paths.iter().map(|path| path.as_path().as_os_str().to_owned()));
        patch.append(&mut Git::new(root).bytes(&args)?);
    }
    Ok(())
}

/// Appends untracked files. In a scratch index that holds nothing else, they are a diff like any other.
pub(super) fn add_untracked(root: &Path, paths: &[TreePath], patch: &mut Vec<u8>) -> Result<(), TreeError> {
    let index = ScratchIndex::new(root)?;
    let git = Git::new(root).with_index(&index.0);
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
    fn new(root: &Path) -> Result<ScratchIndex, TreeError> {
        let mut folder = Git::new(root).bytes(&["rev-parse", "--absolute-git-dir"])?;
        folder.pop_if(|last| *last == b'\n');
        let name = format!("charrette-{}.index", std::process::id());
        let index = PathBuf::from(OsString::from_vec(folder)).join(name);
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
