//! Files that an interrupted move of the checkout has written, and how they become again what they were.

use crate::tree::Snapshot;
use charrette_git::{Git, GitError};
use charrette_model::checkpoint::CheckoutMove;
use charrette_model::tree::TreePath;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A file that differs between the two ends of the move. Submodules are not among them: git does not write into them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ChangedFile {
    path: TreePath,
    /// At the start of the move; none if it is new.
    old: Option<Blob>,
    /// At its target; none if it is deleted.
    new: Option<Blob>,
}

/// Content of a tracked file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Blob {
    mode: String,
    id: String,
}

/// Mode of an entry that does not exist, and of a submodule.
const NO_MODE: &str = "000000";
const SUBMODULE: &str = "160000";
const LINK: &str = "120000";
const EXECUTABLE: &str = "100755";

/// State of a changed file in the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnDisk {
    /// As it was before the move.
    Old,
    /// As git leaves it on the way: gone, of the target, or the beginning of a content.
    HalfWay,
    /// Anything else.
    Foreign,
}

/// True if the move has written or removed any file.
pub(super) fn is_any(git: Git<'_>, root: &Path, begun: &CheckoutMove) -> Result<bool, GitError> {
    Ok(!half_way(git, root, begun)?.is_empty())
}

/// Makes every file that the move has written or removed what it was before, in the work tree and in the index. Returns how
/// many there were.
pub(super) fn take_back_files(git: Git<'_>, root: &Path, begun: &CheckoutMove) -> Result<usize, GitError> {
    let found = half_way(git, root, begun)?;
    let null = "0".repeat(begun.from.len());
    let mut index = Vec::new();
    for (file, is_staged) in &found {
        if *is_staged {
            let (mode, id) = file.old.as_ref().map_or(("0", null.as_str()), |old| (&old.mode, &old.id));
            index.extend([format!("{mode} {id}\t").as_bytes(), file.path.as_bytes(), b"\0"].concat());
        }
        if file.old.is_none() {
            remove(root, &file.path).map_err(|error| GitError::NotRun(error.to_string()))?;
        }
    }
    if !index.is_empty() {
        git.edit(&["update-index", "-z", "--index-info"], &index)?;
    }
    // By now the files of the target are gone that stood in the way.
    let lost = found.iter().filter(|(file, _)| file.old.is_some() && has_room(root, &file.path));
    let restored: Vec<u8> = lost.flat_map(|(file, _)| [file.path.as_bytes(), b"\0"].concat()).collect();
    if !restored.is_empty() {
        git.edit(&["checkout-index", "--force", "--index", "-z", "--stdin"], &restored)?;
    }
    Ok(found.len())
}

/// Files that the move has written, removed or staged; with true if it has staged them.
fn half_way(git: Git<'_>, root: &Path, begun: &CheckoutMove) -> Result<Vec<(ChangedFile, bool)>, GitError> {
    let files = changed_files(git, &["diff-tree", "-r"], &[&begun.from, &begun.to])?;
    let staged = changed_files(git, &["diff-index", "--cached"], &[&begun.from])?;
    let staged: HashMap<TreePath, Option<Blob>> =
        staged.into_iter().map(|file| (file.path, file.new)).collect();
    let mut found = Vec::new();
    let states = states(git, root, &files)?;
    for (file, state) in files.into_iter().zip(states) {
        let is_staged = match staged.get(&file.path) {
            None => false,
            Some(blob) if *blob == file.new => true,
            // Somebody has staged something else since.
            Some(_) => continue,
        };
        if state == OnDisk::HalfWay || (state == OnDisk::Old && is_staged) {
            found.push((file, is_staged));
        }
    }
    Ok(found)
}

/// Files that an abort of the rebase would overwrite, and whose content is in none of the commits on the way: that which git
/// only stores, because a person has staged it, would be found by nobody.
pub(super) fn unknown_files(
    git: Git<'_>,
    root: &Path,
    begun: &CheckoutMove,
) -> Result<Vec<PathBuf>, GitError> {
    let files_of = |commit: &str| git.bytes(&["ls-tree", "-r", "-z", "--full-tree", commit]);
    let listed = [files_of(&begun.from)?, files_of(&begun.to)?, files_of("HEAD")?];
    let of_start: HashSet<&[u8]> = tree_entries(&listed[0]).map(|(_, path)| path).collect();
    let snapshot = Snapshot::take(root).map_err(|error| GitError::NotRun(error.to_string()))?;
    let tracked: HashSet<TreePath> = snapshot.clone().dirty_paths().into_iter().collect();
    let paths = snapshot.dirty_or_untracked_paths().into_iter();
    let paths: Vec<TreePath> = paths
        .filter(|path| tracked.contains(path) || of_start.contains(path.as_bytes()))
        .filter(|path| on_disk(root, path).is_some_and(|meta| meta.is_file()))
        .collect();
    let ids = hashes(git, paths.iter())?;
    let known: HashSet<&[u8]> = listed.iter().flat_map(|list| tree_entries(list)).map(|(id, _)| id).collect();
    let is_known = |path: &TreePath| ids.get(path).is_some_and(|id| known.contains(id.as_bytes()));
    Ok(paths.iter().filter(|path| !is_known(path)).map(|path| path.as_path().to_owned()).collect())
}

/// Object ids and paths in a list of files by git: `<mode> <type> <id>`, a tab and the path, each ended by NUL.
fn tree_entries(list: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    list.split(|byte| *byte == 0).filter_map(|entry| {
        let (facts, path) = entry.split_at(entry.iter().position(|byte| *byte == b'\t')?);
        Some((facts.rsplit(|byte| *byte == b' ').next()?, &path[1..]))
    })
}

/// Reads the output of a comparison by git.
fn changed_files(git: Git<'_>, command: &[&str], commits: &[&str]) -> Result<Vec<ChangedFile>, GitError> {
    let options = ["-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=all"];
    let args: Vec<&str> = command.iter().chain(&options).chain(commits).copied().collect();
    let output = git.bytes(&args)?;
    let mut fields = output.split(|byte| *byte == 0);
    let mut files = Vec::new();
    while let (Some(facts), Some(path)) = (fields.next().filter(|facts| !facts.is_empty()), fields.next()) {
        let facts = String::from_utf8_lossy(facts).into_owned();
        let mut facts = facts.trim_start_matches(':').split(' ');
        let mut next = || facts.next().unwrap_or_default().to_owned();
        let (old_mode, new_mode, old_id, new_id) = (next(), next(), next(), next());
        let path = TreePath::new(path);
        if path.is_inside() && old_mode != SUBMODULE && new_mode != SUBMODULE {
            let blob = |mode: String, id: String| (mode != NO_MODE).then_some(Blob { mode, id });
            files.push(ChangedFile { path, old: blob(old_mode, old_id), new: blob(new_mode, new_id) });
        }
    }
    Ok(files)
}

fn states(git: Git<'_>, root: &Path, files: &[ChangedFile]) -> Result<Vec<OnDisk>, GitError> {
    let is_file = |file: &&ChangedFile| on_disk(root, &file.path).is_some_and(|meta| meta.is_file());
    let ids = hashes(git, files.iter().filter(is_file).map(|file| &file.path))?;
    files.iter().map(|file| state(git, root, file, ids.get(&file.path))).collect()
}

fn state(git: Git<'_>, root: &Path, file: &ChangedFile, id: Option<&String>) -> Result<OnDisk, GitError> {
    let Some(meta) = on_disk(root, &file.path) else {
        return Ok(if file.old.is_some() { OnDisk::HalfWay } else { OnDisk::Old });
    };
    let path = root.join(file.path.as_path());
    let (old, new) = (file.old.as_ref(), file.new.as_ref());
    if meta.is_symlink() {
        let target = fs_err::read_link(&path).map(PathBuf::into_os_string).unwrap_or_default();
        let leads = |blob: &Blob| {
            let is_link = blob.mode == LINK;
            Ok(is_link && git.bytes(&["cat-file", "blob", &blob.id])? == target.as_bytes())
        };
        return Ok(match (old.map(leads).transpose()?, new.map(leads).transpose()?) {
            (Some(true), _) => OnDisk::Old,
            (_, Some(true)) => OnDisk::HalfWay,
            _ => OnDisk::Foreign,
        });
    }
    // A folder in the place of a new file was there before, or is one of the target.
    if meta.is_dir() {
        return Ok(if old.is_some() { OnDisk::HalfWay } else { OnDisk::Old });
    }
    let Some(id) = id.filter(|_| meta.is_file()) else { return Ok(OnDisk::Foreign) };
    let has = |blob: Option<&Blob>| blob.is_some_and(|blob| blob.id == *id && blob.mode != LINK);
    let has_mode = |blob: &Blob| (meta.permissions().mode() & 0o100 != 0) == (blob.mode == EXECUTABLE);
    match (has(old), has(new)) {
        (true, false) => return Ok(OnDisk::Old),
        // Only the mode differs.
        (true, true) if old.is_some_and(has_mode) => return Ok(OnDisk::Old),
        (_, true) => return Ok(OnDisk::HalfWay),
        (false, false) => {}
    }
    let begins =
        |blob: Option<&Blob>| blob.map_or(Ok(false), |blob| is_beginning(git, &path, &file.path, blob));
    Ok(if begins(new)? || begins(old)? { OnDisk::HalfWay } else { OnDisk::Foreign })
}

/// True if a file has the beginning of a content, as git writes it into the work tree.
fn is_beginning(git: Git<'_>, file: &Path, path: &TreePath, blob: &Blob) -> Result<bool, GitError> {
    if blob.mode == LINK {
        return Ok(false);
    }
    let mut option = OsString::from("--path=");
    option.push(path.as_path());
    let args = [OsString::from("cat-file"), OsString::from("--filters"), option, OsString::from(&blob.id)];
    let whole = git.bytes(&args)?;
    Ok(fs_err::read(file).is_ok_and(|begun| whole.starts_with(&begun)))
}

/// Ids of the contents of files, as git would store them. Files with a line break in their names are left out.
fn hashes<'a>(
    git: Git<'_>,
    paths: impl Iterator<Item = &'a TreePath>,
) -> Result<HashMap<TreePath, String>, GitError> {
    let paths: Vec<&TreePath> = paths
        .filter(|path| !path.as_bytes().contains(&b'\n') && !path.as_bytes().starts_with(b"\""))
        .collect();
    if paths.is_empty() {
        return Ok(HashMap::new());
    }
    let input: Vec<u8> = paths.iter().flat_map(|path| [path.as_bytes(), b"\n"].concat()).collect();
    let output = git.bytes_from(&["hash-object", "--stdin-paths"], &input)?;
    let ids = String::from_utf8_lossy(&output).into_owned();
    Ok(paths.into_iter().cloned().zip(ids.lines().map(str::to_owned)).collect())
}

/// File or link at a path; none if there is nothing, or if a folder on the way is a link or a file: git does not write there.
fn on_disk(root: &Path, path: &TreePath) -> Option<Metadata> {
    let mut place = root.to_owned();
    let mut parts = path.as_path().components().peekable();
    while let Some(part) = parts.next() {
        place.push(part);
        let meta = place.symlink_metadata().ok()?;
        match parts.peek() {
            None => return Some(meta),
            Some(_) if meta.is_dir() => {}
            Some(_) => return None,
        }
    }
    None
}

/// True if a file can be put back without the loss of another one. An empty folder in its place is removed.
fn has_room(root: &Path, path: &TreePath) -> bool {
    let folders = path.as_path().ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let is_free = folders.map(|folder| root.join(folder)).all(|folder| {
        folder
            .symlink_metadata()
            .map_or_else(|error| error.kind() != io::ErrorKind::PermissionDenied, |meta| meta.is_dir())
    });
    let place = root.join(path.as_path());
    is_free && (!on_disk(root, path).is_some_and(|meta| meta.is_dir()) || fs_err::remove_dir(place).is_ok())
}

/// Removes a file, and the folders that are empty then.
fn remove(root: &Path, path: &TreePath) -> io::Result<()> {
    if on_disk(root, path).is_none_or(|meta| meta.is_dir()) {
        return Ok(());
    }
    fs_err::remove_file(root.join(path.as_path()))?;
    for folder in path.as_path().ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if fs_err::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}
