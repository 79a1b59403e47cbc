//! Other work trees of the repository. People work there while agents work here: their branches move, and that is no
//! change of ours, unless the other work tree knows nothing of it.

use super::digests::{digest_behind, text};
use super::error::TreeError;
use charrette_model::tree::ChangeKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Beginning of the reason with which charrette locks worktrees of its own.
const OWN_REASON: &str = "charrette";

/// Files in the folder of a work tree's own files that say where it is and what settings it has.
const LINKS: [&str; 3] = ["gitdir", "commondir", "config.worktree"];

/// Files that name the branch of a work tree, the last two while it is being rebased.
const HEADS: [&str; 3] = ["HEAD", "rebase-merge/head-name", "rebase-apply/head-name"];

/// Maximum length of a line of a log.
const MAX_LOG_LINE: u64 = 16 << 10;

/// Other work trees by name; the main one has none.
pub(super) type OtherWorktrees = BTreeMap<String, OtherWorktree>;

/// Another work tree of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OtherWorktree {
    /// Branches that are checked out or being rebased there.
    pub(super) branches: Vec<String>,
    /// Digests of the files that say where it is, by name.
    pub(super) links: BTreeMap<String, String>,
    /// Commit that its HEAD was moved to last, as its log says; none without a log.
    pub(super) tip: Option<String>,
    /// True if charrette made it for a task, or if it is one as git makes it: its folder leads back to it, and it has no
    /// settings of its own.
    pub(super) is_plain: bool,
}

/// Reads all work trees but the one with its own files in `git_dir`.
pub(super) fn read_other_worktrees(git_dir: &Path, common_dir: &Path) -> Result<OtherWorktrees, TreeError> {
    let mut found = OtherWorktrees::new();
    let mut add = |name: String, folder: &Path| -> Result<(), TreeError> {
        if folder != git_dir {
            found.insert(name, OtherWorktree::read(folder)?);
        }
        Ok(())
    };
    add(String::new(), common_dir)?;
    for entry in fs_err::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten() {
        add(entry.file_name().to_string_lossy().into_owned(), &entry.path())?;
    }
    Ok(found)
}

impl OtherWorktree {
    fn read(folder: &Path) -> Result<OtherWorktree, TreeError> {
        let mut worktree =
            OtherWorktree { tip: last_commit(&folder.join("logs/HEAD")), ..OtherWorktree::default() };
        for name in HEADS {
            let Some(head) = text(&folder.join(name))? else { continue };
            let branch = head.strip_prefix("ref: ").unwrap_or(&head);
            worktree.branches.extend(branch.starts_with("refs/").then(|| branch.to_owned()));
        }
        // Settings of the main work tree are among the files of the repository.
        for name in
            LINKS.iter().filter(|_| folder.parent().is_some_and(|parent| parent.ends_with("worktrees")))
        {
            let digest = digest_behind(&folder.join(name))?;
            worktree.links.extend(digest.map(|digest| ((*name).to_owned(), digest)));
        }
        let is_own = text(&folder.join("locked"))?.is_some_and(|reason| reason.starts_with(OWN_REASON));
        worktree.is_plain = is_own || is_as_made(folder)?;
        Ok(worktree)
    }
}

/// True if the files of a work tree are as git makes them, and its folder leads back to them.
fn is_as_made(folder: &Path) -> Result<bool, TreeError> {
    let Some(link) = text(&folder.join("gitdir"))? else { return Ok(false) };
    let target = text(&folder.join(link))?.unwrap_or_default();
    let target = target.strip_prefix("gitdir: ").map(Path::new).and_then(|target| target.canonicalize().ok());
    Ok(target.is_some_and(|target| folder.canonicalize().is_ok_and(|folder| target == folder))
        && text(&folder.join("commondir"))?.as_deref() == Some("../..")
        && text(&folder.join("config.worktree"))?.is_none())
}

/// True if a branch that now points to `id` was moved, or made, by work in another work tree: one that was there before
/// and has, or had, the branch checked out; or a new one that began with a new branch. Its log ends with that commit.
pub(super) fn is_work_of_others(
    before: &OtherWorktrees,
    after: &OtherWorktrees,
    branch: &str,
    id: &str,
    kind: ChangeKind,
) -> bool {
    after.iter().any(|(name, now)| {
        let is_there = |worktree: &OtherWorktree| worktree.branches.iter().any(|other| other == branch);
        let is_logged = now.tip.as_deref() == Some(id);
        match before.get(name) {
            None => kind == ChangeKind::Added && now.is_plain && is_there(now) && is_logged,
            Some(then) => {
                let has_log = then.tip.is_some() || now.tip.is_some();
                then.links == now.links && (is_there(then) || is_there(now)) && (is_logged || !has_log)
            }
        }
    })
}

/// Commit of the last line of a log; none without one.
fn last_commit(log: &Path) -> Option<String> {
    let mut file = fs_err::File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_LOG_LINE))).ok()?;
    let mut end = Vec::new();
    file.take(MAX_LOG_LINE).read_to_end(&mut end).ok()?;
    String::from_utf8_lossy(&end).lines().next_back()?.split(' ').nth(1).map(str::to_owned)
}
