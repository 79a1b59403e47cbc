//! A patch of what is about to be undone, so that nothing is lost by undoing it: `git apply` brings it back.

use super::git::{TreeError, ask, command, run};
use super::path::TreePath;
use crate::atomic::sync_folder_of;
use crate::layout::create_folder;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// How many bytes of names one git process is given.
const NAMES: usize = 64 << 10;

/// What a diff looks like, whatever the configuration says.
const DIFF: [&str; 11] = [
    "diff",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--no-relative",
    "-O/dev/null",
];

/// Writes the patch, readable for its owner only, durably, and never over an older one. Returns where.
pub(super) fn write(
    root: &Path,
    base: &str,
    tracked: &[TreePath],
    untracked: &[TreePath],
    wanted: &Path,
) -> Result<PathBuf, TreeError> {
    let wanted = std::path::absolute(wanted)?;
    create_folder(wanted.parent().unwrap_or(root))?;
    let temp = wanted.with_added_extension("tmp");
    let index = wanted.with_added_extension("index");
    remove(&temp)?;
    remove(&index)?;
    let result = compose(root, base, tracked, untracked, &temp, &index).and_then(|()| put(&temp, &wanted));
    // Whatever happened, nothing half done stays behind.
    remove(&index)?;
    remove(&temp)?;
    result
}

fn compose(
    root: &Path,
    base: &str,
    tracked: &[TreePath],
    untracked: &[TreePath],
    temp: &Path,
    index: &Path,
) -> Result<(), TreeError> {
    let mut options = fs_err::OpenOptions::new();
    options.write(true).create_new(true);
    options.options_mut().mode(0o600);
    let file = options.open(temp)?;
    for paths in chunks(tracked) {
        let mut args: Vec<OsString> = DIFF.iter().map(OsString::from).collect();
        args.extend([OsString::from("--ignore-submodules=all"), OsString::from(base), OsString::from("--")]);
        args.extend(paths.iter().map(|path| path.as_path().as_os_str().to_owned()));
        let mut diff = command(root, &args);
        diff.stdout(Stdio::from(file.file().try_clone()?));
        run(diff, b"")?;
    }
    if !untracked.is_empty() {
        // In an index of its own that holds nothing else, new files are a diff like any other.
        let mut add = command(
            root,
            &["add", "--intent-to-add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"],
        );
        add.env("GIT_INDEX_FILE", index);
        ask(add, &nul_list(untracked))?;
        let mut diff = command(root, &DIFF);
        diff.env("GIT_INDEX_FILE", index).stdout(Stdio::from(file.file().try_clone()?));
        run(diff, b"")?;
    }
    Ok(file.sync_all()?)
}

/// Gives the finished patch its name, or the next one that is free.
fn put(temp: &Path, wanted: &Path) -> Result<PathBuf, TreeError> {
    for n in 1.. {
        let name = if n == 1 { wanted.to_owned() } else { numbered(wanted, n) };
        match fs_err::hard_link(temp, &name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => {
                other?;
                sync_folder_of(&name)?;
                return Ok(name);
            }
        }
    }
    Ok(wanted.to_owned())
}

fn numbered(path: &Path, n: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension().map(OsStr::to_string_lossy) {
        Some(extension) => format!("{stem}-{n}.{extension}"),
        None => format!("{stem}-{n}"),
    };
    path.with_file_name(name)
}

/// Every name, ended with NUL.
pub(super) fn nul_list(paths: &[TreePath]) -> Vec<u8> {
    paths.iter().flat_map(|path| path.as_bytes().iter().copied().chain([0])).collect()
}

fn chunks(paths: &[TreePath]) -> impl Iterator<Item = &[TreePath]> {
    let mut rest = paths;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |path: &&TreePath| {
            bytes += path.as_bytes().len() + 1;
            bytes <= NAMES
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (chunk, after) = rest.split_at(count);
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

fn remove(path: &Path) -> io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
