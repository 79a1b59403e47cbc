//! Files of the repository itself that decide what git does or shows: configuration, hooks, ignore rules, branches and
//! tags. An agent that changes one of them could hide or run something.

use super::error::TreeError;
use charrette_store::Signature;
use charrette_store::workspace::sha256;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// Content digests by path below the git folder.
pub(crate) type GitFiles = BTreeMap<String, String>;

/// Reads the files below `git_dir`, and below `common_dir` if that is another folder.
pub(crate) fn read_git_files(git_dir: &Path, common_dir: &Path) -> Result<GitFiles, TreeError> {
    let mut found = GitFiles::new();
    let folders = if git_dir == common_dir { vec![git_dir] } else { vec![git_dir, common_dir] };
    for folder in folders {
        for name in ["config", "config.worktree", "commondir", "gitdir", "objects/info/alternates"] {
            add_file(&folder.join(name), name, &mut found)?;
        }
        for name in ["hooks", "info", "refs"] {
            add_folder(&folder.join(name), name, 0, &mut found)?;
        }
        add_packed_refs(&folder.join("packed-refs"), &mut found)?;
    }
    for branch in other_branches(git_dir, common_dir) {
        found.remove(&branch);
    }
    Ok(found)
}

/// Branches of remotes move with every fetch, which an editor may do in the background, and refs of runs are charrette's
/// own and are moved by compare-and-swap; locks come and go.
fn is_restless(name: &str) -> bool {
    let folders = ["refs/remotes", "refs/prefetch", "refs/charrette"];
    folders.iter().any(|folder| name.starts_with(folder)) || name.ends_with(".lock")
}

/// Branches that are checked out in other work trees, where others work.
fn other_branches(git_dir: &Path, common_dir: &Path) -> Vec<String> {
    let worktrees = fs_err::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let folders = worktrees.map(|entry| entry.path()).chain([common_dir.to_owned()]);
    let heads = folders.filter(|folder| folder != git_dir).map(|folder| folder.join("HEAD"));
    let heads = heads.filter_map(|head| fs_err::read_to_string(head).ok());
    heads.filter_map(|head| Some(head.strip_prefix("ref: ")?.trim().to_owned())).collect()
}

fn add_folder(folder: &Path, name: &str, depth: usize, found: &mut GitFiles) -> Result<(), TreeError> {
    let entries = match fs_err::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // A link or a file where git wants a folder.
        Err(_) if !folder.is_dir() => return add_file(folder, name, found),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if is_restless(&name) {
            continue;
        }
        if entry.file_type()?.is_dir() && depth < MAX_DEPTH {
            add_folder(&entry.path(), &name, depth + 1, found)?;
        } else {
            add_file(&entry.path(), &name, found)?;
        }
    }
    Ok(())
}

fn add_file(file: &Path, name: &str, found: &mut GitFiles) -> Result<(), TreeError> {
    let digest = |content: &[u8]| {
        // A branch is the same whether it has a file of its own or stands in the packed list.
        match name.strip_prefix("refs/") {
            Some(_) => String::from_utf8_lossy(content).trim().to_owned(),
            None => sha256(content),
        }
    };
    let digest = match file.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
        Ok(meta) if meta.is_symlink() => digest(fs_err::read_link(file)?.to_string_lossy().as_bytes()),
        Ok(meta) if meta.is_file() => match KnownDigests::find(file, &meta, digest) {
            // Git replaces branches at any moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        },
        Ok(_) => digest(b""),
    };
    found.insert(name.to_owned(), digest);
    Ok(())
}

/// Digests of files that this process has read, long enough after their last change that a later one shows in their
/// metadata. Sample hooks are the most of what is read, and never change.
struct KnownDigests(HashMap<PathBuf, (Signature, String)>);

static KNOWN_DIGESTS: LazyLock<Mutex<KnownDigests>> =
    LazyLock::new(|| Mutex::new(KnownDigests(HashMap::new())));

impl KnownDigests {
    /// Digest of a file, which is read if it is not known.
    fn find(
        file: &Path,
        meta: &std::fs::Metadata,
        digest: impl FnOnce(&[u8]) -> String,
    ) -> io::Result<String> {
        let known = || KNOWN_DIGESTS.lock().unwrap_or_else(PoisonError::into_inner);
        let settled = Signature::of(meta).settled();
        if let (Some(now), Some((then, digest))) = (settled, known().0.get(file))
            && now == *then
        {
            return Ok(digest.clone());
        }
        let digest = digest(&fs_err::read(file)?);
        if let Some(signature) = settled {
            known().0.insert(file.to_owned(), (signature, digest.clone()));
        }
        Ok(digest)
    }
}

/// Adds branches of the packed list that have no file of their own.
fn add_packed_refs(file: &Path, found: &mut GitFiles) -> Result<(), TreeError> {
    let text = match fs_err::read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for line in text.lines().filter(|line| !line.starts_with(['#', '^'])) {
        if let Some((id, name)) = line.split_once(' ').filter(|(_, name)| !is_restless(name)) {
            found.entry(name.to_owned()).or_insert_with(|| id.to_owned());
        }
    }
    Ok(())
}
