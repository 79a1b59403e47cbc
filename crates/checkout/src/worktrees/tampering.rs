//! Tampering of an agent with the link between its worktree and the repository, or with the repository itself. It is no
//! part of a change, so each finding refuses the change.

use super::error::Result;
use super::places::WorktreePlace;
use super::record::{Digests, SharedFiles, WorktreeRecord};
use crate::tree::{ChangeKind, IndexEntry, list_index, parse_index};
use charrette_git::Git;
use charrette_model::escape::printable;
use charrette_store::workspace::sha256;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Maximum depth of folders of a worktree's own files in the repository.
const MAX_DEPTH: usize = 8;
/// Maximum number of findings that are told.
const MAX_FINDINGS: usize = 20;

/// Names in the folder of a worktree's own files that git changes when it only reads, or fetches.
const RESTLESS: [&str; 3] = ["index", "FETCH_HEAD", "COMMIT_EDITMSG"];

/// Findings about a worktree's link to the repository: its `.git` file, HEAD and the other files of its own.
pub(super) fn find_own_tampering(record: &WorktreeRecord, place: &WorktreePlace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let link = place.folder.join(".git");
    match link.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            findings.push("the file .git of the worktree was removed".to_owned());
        }
        Err(error) => return Err(error.into()),
        Ok(meta) if !meta.is_file() => {
            findings.push("the file .git of the worktree was replaced by something else".to_owned());
        }
        Ok(_) if fs_err::read(&link)? != record.git_file.as_bytes() => {
            findings.push("the file .git of the worktree was changed".to_owned());
        }
        Ok(_) => {}
    }
    let now = read_own_files(&record.git_dir)?;
    for name in differing(&record.own_files, &now) {
        findings.push(match name {
            "HEAD" => "HEAD of the worktree was moved; agents do not commit or switch".to_owned(),
            "logs/HEAD" => "HEAD of the worktree was moved and is in its log".to_owned(),
            name => format!("{} was changed in the repository's files of the worktree", printable(name)),
        });
    }
    Ok(findings)
}

/// Findings about the repository: configuration, hooks, ignore rules, branches, tags, stashes. None for a worktree of a
/// version of charrette that read them in another way.
pub(super) fn find_shared_tampering(
    record: &WorktreeRecord,
    place: &WorktreePlace,
    common_dir: &Path,
) -> Result<Vec<String>> {
    let Some(shared) = &record.shared_files else { return Ok(Vec::new()) };
    let now = SharedFiles::read(&place.folder, &record.git_dir, common_dir)?;
    // Tags arrive with every fetch.
    let is_new_tag =
        |name: &str, kind: ChangeKind| name.starts_with("refs/tags/") && kind == ChangeKind::Added;
    let differing = shared.differences(&now).into_iter();
    let names = differing.filter(|(name, kind)| !is_new_tag(name, *kind)).map(|(name, _)| name);
    let describe = |name: String| match name.strip_prefix("refs/") {
        Some("stash") => "a stash was made or dropped while the task was at work".to_owned(),
        Some(_) => format!("{} was made, moved or deleted while the task was at work", printable(&name)),
        None => format!(".git/{} was changed while the task was at work", printable(&name)),
    };
    Ok(names.map(describe).collect())
}

/// Repositories below folders with captured files, and files that the worktree's own index hides. `captured` is the index
/// of the capture, `made` the one that the worktree was made with.
pub(super) fn find_hidden(
    place: &WorktreePlace,
    captured: &[IndexEntry],
    own: &[IndexEntry],
    made: &[IndexEntry],
) -> Vec<String> {
    let mut findings = Vec::new();
    let mut folders: BTreeSet<&[u8]> = BTreeSet::new();
    for entry in captured {
        let mut path = entry.path.as_bytes();
        while let Some(end) = path.iter().rposition(|byte| *byte == b'/') {
            path = &path[..end];
            if !folders.insert(path) {
                break;
            }
        }
    }
    for folder in folders {
        let path = place.folder.join(OsStr::from_bytes(folder));
        if path.join(".git").symlink_metadata().is_ok() {
            let text = String::from_utf8_lossy(folder);
            findings.push(format!("{} was made a git repository of its own", printable(&text)));
        }
    }
    let was_flagged: BTreeSet<&[u8]> =
        made.iter().filter(|entry| entry.is_flagged).map(|entry| entry.path.as_bytes()).collect();
    let flagged = own.iter().filter(|entry| entry.is_flagged && !was_flagged.contains(entry.path.as_bytes()));
    findings.extend(flagged.map(|entry| format!("git was told not to look at {}", entry.path)));
    findings
}

/// Entries of an index; git is asked if the format is unknown.
pub(super) fn index_entries(git: Git<'_>, index: &Path) -> Result<Vec<IndexEntry>> {
    let bytes = match fs_err::read(index) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    Ok(match parse_index(&bytes) {
        Some(entries) => entries,
        None => list_index(git.with_index(index))?,
    })
}

/// Limits what is told.
pub(super) fn shorten(mut findings: Vec<String>) -> Vec<String> {
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS);
    if more > 0 {
        findings.push(format!("and {more} more"));
    }
    findings
}

/// Files of a worktree's own in the repository.
pub(super) fn read_own_files(git_dir: &Path) -> Result<Digests> {
    let mut digests = Digests::new();
    add_files(git_dir, "", 0, &mut digests)?;
    Ok(digests)
}

fn add_files(folder: &Path, prefix: &str, depth: usize, digests: &mut Digests) -> Result<()> {
    let entries = match fs_err::read_dir(folder) {
        // Then each file of it is gone.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(());
        }
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_restless =
            depth == 0 && (RESTLESS.contains(&name.as_str()) || name.starts_with("sharedindex"));
        if is_restless || name.ends_with(".lock") {
            continue;
        }
        let (path, name) = (entry.path(), format!("{prefix}{name}"));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if depth < MAX_DEPTH {
                add_files(&path, &format!("{name}/"), depth + 1, digests)?;
            }
        } else if kind.is_file() {
            digests.insert(name, sha256(&fs_err::read(&path)?));
        } else {
            digests.insert(name, "not a file".to_owned());
        }
    }
    Ok(())
}

/// Names whose digests differ.
fn differing<'a>(before: &'a Digests, after: &'a Digests) -> impl Iterator<Item = &'a str> {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let changed = after.iter().filter(|(name, digest)| before.get(*name) != Some(digest));
    gone.chain(changed.map(|(name, _)| name)).map(String::as_str)
}
