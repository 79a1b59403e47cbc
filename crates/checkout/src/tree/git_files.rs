//! Files of the repository itself that decide what git does or shows: configuration, hooks, ignore rules, branches, tags,
//! stashes, operations that are in progress. An agent that changes one of them could hide, run or lose something.
//!
//! Left out are files that honest processes in the background change: branches of remotes, objects and packs, logs of
//! branches, and what other work trees do with their own branches.

use super::changes::compare;
use super::digests::{digest_behind, digest_with_permission, text};
use super::error::TreeError;
use super::other_worktrees::{OtherWorktrees, is_work_of_others, read_other_worktrees};
use super::refs::{Refs, TABLES, add_file_refs, is_lock, table_refs};
use charrette_model::tree::ChangeKind;
use charrette_store::Repository;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// Files and folders below the git folder of a work tree and below the one that all share. Of a folder that stands for
/// an operation in progress only its presence counts.
const FILES: [&str; 18] = [
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    SHALLOW,
    "objects/info/alternates",
    "logs/refs/stash",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "SQUASH_MSG",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_LOG",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
];

/// Where the history of a shallow clone ends.
const SHALLOW: &str = "shallow";

/// Folders below the git folder of which every file counts.
const FOLDERS: [&str; 2] = [HOOKS, "info"];

/// Programs that git starts, if they are executable.
const HOOKS: &str = "hooks";

/// Beginning of the names of lists that git makes for clients of simple servers when it collects garbage.
const SERVER_INFO: &str = "info/refs";

/// The repository's own files at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GitFiles {
    /// Content digests by path below the git folder, and refs with what they point to.
    files: BTreeMap<String, String>,
    /// Other work trees.
    #[serde(default)]
    others: OtherWorktrees,
    /// Tags that the last fetch brought, with what they point to.
    #[serde(default)]
    fetched: BTreeMap<String, String>,
}

impl GitFiles {
    /// Reads the files of a repository.
    pub(crate) fn read(repository: &Repository) -> Result<GitFiles, TreeError> {
        let (git_dir, common_dir) = (repository.git_dir(), repository.common_dir());
        GitFiles::read_folders(&repository.work_tree, git_dir, common_dir)
    }

    /// Reads the files below the git folder of the work tree at `root`, and below the one that all work trees share.
    pub(crate) fn read_folders(
        root: &Path,
        git_dir: &Path,
        common_dir: &Path,
    ) -> Result<GitFiles, TreeError> {
        let (mut files, mut refs) = (BTreeMap::new(), Refs::new());
        let folders = if git_dir == common_dir { vec![git_dir] } else { vec![git_dir, common_dir] };
        for folder in &folders {
            for name in FILES {
                add_file(&folder.join(name), name, &mut files)?;
            }
            for name in FOLDERS {
                add_folder(&folder.join(name), name, 0, &mut files)?;
            }
        }
        let tables = table_refs(common_dir)?;
        for entry in tables.iter().flat_map(|tables| tables.iter()) {
            refs.insert(entry.name.clone(), entry.id.clone());
        }
        for folder in folders.iter().filter(|_| tables.is_none()) {
            add_file_refs(folder, &mut refs)?;
        }
        // After the refs: a branch that has moved is in the log of its work tree already.
        let mut others = read_other_worktrees(git_dir, common_dir)?;
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        for entry in tables.iter().flat_map(|tables| tables.iter()) {
            // Files of another work tree do not say which branch it has.
            if !entry.checked_out.is_empty() && Path::new(&entry.checked_out) != root {
                let other = others.entry(entry.checked_out.clone()).or_default();
                other.branches.push(entry.name.clone());
            }
        }
        let mut fetched = BTreeMap::new();
        for folder in &folders {
            fetched.extend(fetched_tags(folder)?);
        }
        files.append(&mut refs);
        Ok(GitFiles { files, others, fetched })
    }

    /// Names that differ in a later state of the same repository.
    pub(crate) fn differences(&self, later: &GitFiles) -> Vec<(String, ChangeKind)> {
        let differing = compare(&self.files, &later.files).filter(|(name, kind)| {
            let was_moved = later.files.get(*name).is_some_and(|id| {
                name.starts_with("refs/heads/")
                    && is_work_of_others(&self.others, &later.others, name, id, *kind)
            });
            let was_fetched = *kind == ChangeKind::Added
                && later.fetched.get(*name).is_some_and(|id| later.files.get(*name) == Some(id));
            // A fetch may move the end of a shallow history, and lose it.
            let may_be_fetched = *name == SHALLOW && *kind != ChangeKind::Added;
            !was_moved && !was_fetched && !may_be_fetched
        });
        let mut found: Vec<(String, ChangeKind)> =
            differing.map(|(name, kind)| (name.clone(), kind)).collect();
        for (name, now) in &later.others {
            let then = self.others.get(name);
            if then.is_none() && now.is_plain {
                continue;
            }
            let links = then.map(|then| then.links.clone()).unwrap_or_default();
            let links: Vec<_> =
                compare(&links, &now.links).map(|(link, kind)| (link.clone(), kind)).collect();
            found.extend(links.into_iter().map(|(link, kind)| (format!("worktrees/{name}/{link}"), kind)));
        }
        found
    }
}

/// Tags that the last fetch of a work tree brought.
fn fetched_tags(git_dir: &Path) -> Result<BTreeMap<String, String>, TreeError> {
    let text = text(&git_dir.join("FETCH_HEAD"))?.unwrap_or_default();
    let tag = |line: &str| {
        let (id, rest) = line.split_once('\t')?;
        let (name, _) = rest.split_once("tag '")?.1.split_once("' of ")?;
        Some((format!("refs/tags/{name}"), id.to_owned()))
    };
    Ok(text.lines().filter_map(tag).collect())
}

/// Files that say what is checked out, as they are now: HEAD, the index and the list of tables with refs.
pub(super) const SWITCHED: [&str; 3] = ["HEAD", "index", TABLES];

fn add_folder(
    folder: &Path,
    name: &str,
    depth: usize,
    files: &mut BTreeMap<String, String>,
) -> Result<(), TreeError> {
    let entries = match fs_err::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // A link or a file where git wants a folder.
        Err(_) if !folder.is_dir() => return add_file(folder, name, files),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if is_lock(&name) || name.starts_with(SERVER_INFO) {
            continue;
        }
        if entry.file_type()?.is_dir() && depth < MAX_DEPTH {
            add_folder(&entry.path(), &name, depth + 1, files)?;
        } else {
            add_file(&entry.path(), &name, files)?;
        }
    }
    Ok(())
}

/// Adds a file, or a link with what is behind it; of anything else only its presence counts.
fn add_file(file: &Path, name: &str, files: &mut BTreeMap<String, String>) -> Result<(), TreeError> {
    let is_hook = name.starts_with(HOOKS);
    let digest = if is_hook { digest_with_permission(file)? } else { digest_behind(file)? };
    files.extend(digest.map(|digest| (name.to_owned(), digest)));
    Ok(())
}
