//! Tracked files that hold what git lays out for them: the bytes of their object, or what conversions of line ends, `ident`
//! and the user's own filters make of it. What git would store of a file does not tell: a conversion on the way leaves out
//! what somebody added.

use charrette_git::Git;
use charrette_model::tree::TreePath;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Maximum number of bytes that git is asked to lay out at once (64 MB). Of a larger file counts what git would store of it.
const MAX_BYTES: u64 = 64 << 20;

/// A tracked file with the id of its object.
pub(super) type StoredFile = (TreePath, String);

/// Of these files below `root`, those that do not hold what git lays out.
pub(super) fn differing(git: Git<'_>, root: &Path, files: Vec<StoredFile>) -> Vec<TreePath> {
    let mut differing = Vec::new();
    let (mut bytes, mut batches) = (0, vec![Vec::new()]);
    for file in without_same_object(git, root, files) {
        let meta = root.join(file.0.as_path()).symlink_metadata();
        match meta.ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len()) {
            None => differing.push(file.0),
            Some(length) if length > MAX_BYTES => {
                let stored = git.find(&["hash-object".as_ref(), "--".as_ref(), file.0.as_path().as_os_str()]);
                differing.extend((stored.as_ref() != Some(&file.1)).then_some(file.0));
            }
            Some(length) => {
                if bytes + length > MAX_BYTES {
                    bytes = 0;
                    batches.push(Vec::new());
                }
                bytes += length;
                batches.last_mut().into_iter().for_each(|batch| batch.push(file.clone()));
            }
        }
    }
    for files in &batches {
        add_differing(git, root, files, &mut differing);
    }
    differing
}

/// Of these regular files, those of which git would store other bytes than theirs.
pub(super) fn converted(git: Git<'_>, paths: Vec<TreePath>) -> Vec<TreePath> {
    let (listed, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(is_line);
    let list: Vec<u8> = listed.iter().flat_map(|path| [path.as_bytes(), b"\n"].concat()).collect();
    let ids = |options: &[&str]| {
        let args = [&["hash-object"], options, &["--stdin-paths"]].concat();
        let ids = git.bytes_from(&args, &list).ok()?;
        let ids: Vec<String> = String::from_utf8_lossy(&ids).lines().map(str::to_owned).collect();
        (ids.len() == listed.len()).then_some(ids)
    };
    if listed.is_empty() {
        return others;
    }
    // Where git cannot tell, the closer look must.
    let (Some(bare), Some(stored)) = (ids(&["--no-filters"]), ids(&[])) else {
        return [listed, others].concat();
    };
    let ids = bare.into_iter().zip(stored);
    let found = listed.into_iter().zip(ids).filter(|(_, (bare, stored))| bare != stored);
    found.map(|(path, _)| path).chain(others).collect()
}

/// The files whose bytes are not those of their objects.
fn without_same_object(git: Git<'_>, root: &Path, files: Vec<StoredFile>) -> Vec<StoredFile> {
    let is_listed = |path: &TreePath| is_line(path) && !root.join(path.as_path()).is_symlink();
    let (listed, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_listed(path));
    let list: Vec<u8> = listed.iter().flat_map(|(path, _)| [path.as_bytes(), b"\n"].concat()).collect();
    let hash = ["hash-object", "--no-filters", "--stdin-paths"];
    let hashed = (!listed.is_empty()).then(|| git.bytes_from(&hash, &list));
    let found: Vec<Option<String>> = match hashed {
        Some(Ok(ids)) => String::from_utf8_lossy(&ids).lines().map(|id| Some(id.to_owned())).collect(),
        // One that is gone or cannot be read ends git: then each is asked for.
        Some(Err(_)) => listed.iter().map(|(path, _)| object_of(git, root, path)).collect(),
        None => Vec::new(),
    };
    let of_listed = listed.into_iter().zip(found.into_iter().chain(std::iter::repeat(None)));
    let of_others = others.into_iter().map(|(path, id)| {
        let found = object_of(git, root, &path);
        ((path, id), found)
    });
    let differing = of_listed.chain(of_others).filter(|((_, id), found)| found.as_ref() != Some(id));
    differing.map(|(file, _)| file).collect()
}

/// True if git reads the path from a line of a list as it is written.
fn is_line(path: &TreePath) -> bool {
    !path.as_bytes().contains(&b'\n') && !path.as_bytes().starts_with(b"\"")
}

/// Id of the object with the bytes of a file, or the target of a link; none if git cannot tell.
fn object_of(git: Git<'_>, root: &Path, path: &TreePath) -> Option<String> {
    let file = root.join(path.as_path());
    if !file.is_symlink() {
        let options = ["hash-object", "--no-filters", "--"].map(OsStr::new);
        return git.find(&[&options[..], &[path.as_path().as_os_str()]].concat());
    }
    let target = fs_err::read_link(&file).ok()?;
    let id = git.bytes_from(&["hash-object", "--stdin"], target.as_os_str().as_bytes()).ok()?;
    Some(String::from_utf8_lossy(&id).trim().to_owned())
}

/// Adds the files that do not hold what git makes of their objects: all are asked for at once, and halves only where some
/// differ.
fn add_differing(git: Git<'_>, root: &Path, files: &[StoredFile], differing: &mut Vec<TreePath>) {
    match files {
        [file] if is_laid_out(git, root, file) != Some(true) => differing.push(file.0.clone()),
        [] | [_] => {}
        _ if are_laid_out(git, root, files) == Some(true) => {}
        _ => {
            let (some, others) = files.split_at(files.len() / 2);
            add_differing(git, root, some, differing);
            add_differing(git, root, others, differing);
        }
    }
}

/// None if git cannot tell, or the file cannot be read.
fn is_laid_out(git: Git<'_>, root: &Path, (path, id): &StoredFile) -> Option<bool> {
    let is = fs_err::read(root.join(path.as_path())).ok()?;
    let named = [b"--path=", path.as_bytes()].concat();
    let args = [OsStr::new("cat-file"), OsStr::new("--filters"), OsStr::from_bytes(&named), OsStr::new(id)];
    let output = git.bytes_limited(&args, is.len()).ok()?;
    Some(!output.is_cut && output.bytes == is)
}

/// True if all of several files are laid out; none if git cannot tell at once, or one cannot be read.
fn are_laid_out(git: Git<'_>, root: &Path, files: &[StoredFile]) -> Option<bool> {
    if !files.iter().all(|(path, _)| is_line(path)) {
        return None;
    }
    // No file can have been written with this in mind.
    let mark = format!("{:x}", RandomState::new().hash_one(std::process::id()));
    let (mut list, mut is) = (Vec::new(), Vec::new());
    for (path, id) in files {
        list.extend([id.as_bytes(), b" ", path.as_bytes(), b"\n"].concat());
        is.extend(format!("{mark} {id}\n").bytes());
        is.append(&mut fs_err::read(root.join(path.as_path())).ok()?);
        is.push(b'\n');
    }
    let format = format!("--batch={mark} %(objectname)");
    let output = git.bytes_limited_from(&["cat-file", "--filters", &format], &list, is.len()).ok()?;
    Some(!output.is_cut && output.bytes == is)
}
