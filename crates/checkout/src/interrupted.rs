//! Takes back a move of the checkout that a kill interrupted inside git: a switch, a fast-forward or a rebase.
//!
//! The move is on record before git starts (`RunRecord::moving`). While it lasts, git writes files of the target, and moves HEAD
//! last. So as long as HEAD is where it was, a file that the move changes and that has the content of the target, or the
//! beginning of it, was written by git; it becomes again what it was. Everything else is left as it is.

use crate::PortError;
use crate::located::repository_in_use;
use crate::run_checkout::RunCheckout;
use charrette_git::{Git, GitError, LockFile};
use charrette_model::checkpoint::CheckoutMove;
use charrette_model::escape::{one_line, printable_lines};
use charrette_model::gate::texts;
use charrette_store::Repository;
use std::path::{Path, PathBuf};

mod half_written;

use half_written::take_back_files;

/// Folders in which git keeps the state of a rebase.
const REBASE_FOLDERS: [&str; 2] = ["rebase-merge", APPLY_FOLDER];
/// The one of them that `git am` has as well.
const APPLY_FOLDER: &str = "rebase-apply";

/// The repository whose work tree has that root.
fn repository(root: &Path) -> Option<Repository> {
    repository_in_use(root).ok().flatten()
}

/// Folder of a rebase that is not finished.
pub fn unfinished_rebase(root: &Path) -> Option<PathBuf> {
    let repository = repository(root)?;
    REBASE_FOLDERS.iter().map(|name| repository.git_dir().join(name)).find(|folder| folder.is_dir())
}

/// Locks that keep git from moving this checkout, each described on one line with its age and the cure.
pub(crate) fn blocking_locks(root: &Path) -> Vec<String> {
    let Some(repository) = repository(root) else { return Vec::new() };
    let locks = LockFile::find(repository.git_dir(), repository.common_dir());
    let blocks = |lock: &&LockFile| {
        ["index.lock", "HEAD.lock"].iter().any(|name| lock.path == repository.git_dir().join(name))
    };
    locks.iter().filter(blocks).map(|lock| one_line(&lock.describe())).collect()
}

/// The move that was begun and is not finished: git's HEAD is where it was, or the rebase is at work.
enum Unfinished {
    /// HEAD has not moved; with the folder of the rebase, if it is one.
    Before(Option<PathBuf>),
    /// HEAD is detached, on the way.
    Rebasing,
}

fn unfinished(git: Git<'_>, root: &Path, begun: &CheckoutMove) -> Option<Unfinished> {
    let is_at_start = git.find(&["rev-parse", "--verify", "--quiet", "HEAD"]).as_ref() == Some(&begun.from);
    let is_on_branch = git.succeeds(&["symbolic-ref", "--quiet", "HEAD"]);
    let rebase = unfinished_rebase(root).filter(|folder| is_rebase_of(folder, begun, is_on_branch));
    match rebase {
        Some(_) if !is_on_branch => Some(Unfinished::Rebasing),
        rebase if is_at_start => Some(Unfinished::Before(rebase)),
        _ => None,
    }
}

/// True if a rebase is the one that was recorded. Git may have been killed before it had written down what it was about;
/// then it had not detached HEAD either. What `git am` has begun, in a folder of the same name, is none.
fn is_rebase_of(folder: &Path, begun: &CheckoutMove, is_on_branch: bool) -> bool {
    let says = |name: &str, commit: &str| {
        let text = fs_err::read_to_string(folder.join(name)).unwrap_or_default();
        text.trim() == commit || (is_on_branch && text.trim().is_empty())
    };
    !is_of_am(folder) && says("orig-head", &begun.from) && says("onto", &begun.to)
}

/// True if patches that a person applies are in that folder. Git marks both uses of it.
fn is_of_am(folder: &Path) -> bool {
    folder.ends_with(APPLY_FOLDER) && !folder.join("rebasing").exists()
}

/// Takes back a recorded move that was interrupted. Returns a warning for people if there was anything to take back.
pub(crate) fn take_back(checkout: &RunCheckout) -> Result<Option<String>, PortError> {
    let Some(begun) = checkout.recorded_move() else { return Ok(None) };
    let (git, root) = (checkout.git(), checkout.options.root.as_path());
    let Some(found) = unfinished(git, root, &begun) else { return Ok(None) };
    let failed = |error: GitError| PortError::Failed(failure(&error.reason()));
    let locks = blocking_locks(root);
    if !locks.is_empty() {
        // Nothing to mend is no reason to stop: the lock may be another one's.
        return match found {
            Unfinished::Before(None) if !half_written::is_any(git, root, &begun).map_err(failed)? => Ok(None),
            _ => Err(PortError::Refused(format!(
                "{}\n{}\n{}",
                texts::INTERRUPTED_MOVE,
                locks.join("\n"),
                texts::THEN_RESUME
            ))),
        };
    }
    let mended = match found {
        Unfinished::Before(rebase) => {
            let files = take_back_files(git, root, &begun).map_err(failed)?;
            if let Some(folder) = &rebase {
                end_rebase(git, folder)?;
            }
            rebase.is_some() || files > 0
        }
        Unfinished::Rebasing => {
            keep_copies(checkout, &begun)?;
            git.act(&["rebase", "--abort"]).map_err(failed)?;
            true
        }
    };
    // Nothing of it is left. A rebase that a person begins after it may have the same two ends.
    let _ = checkout.forget_move();
    Ok(mended.then(|| texts::MOVE_TAKEN_BACK.to_owned()))
}

/// Forgets the recorded move after git has refused it or given it up, unless it left something to take back.
pub(crate) fn forget_ended(checkout: &RunCheckout, error: &GitError) {
    let Some(begun) = checkout.recorded_move().filter(|_| !error.is_killed()) else { return };
    let (git, root) = (checkout.git(), checkout.options.root.as_path());
    let is_over = match unfinished(git, root, &begun) {
        Some(Unfinished::Before(None)) => half_written::is_any(git, root, &begun).is_ok_and(|any| !any),
        other => other.is_none(),
    };
    if is_over {
        // Where nothing can be recorded, it is said elsewhere.
        let _ = checkout.forget_move();
    }
}

/// True if a recorded move was interrupted, and a resumed run would take it back.
pub(crate) fn is_pending(checkout: &RunCheckout) -> bool {
    let Some(begun) = checkout.recorded_move() else { return false };
    let (git, root) = (checkout.git(), checkout.options.root.as_path());
    match unfinished(git, root, &begun) {
        Some(Unfinished::Before(None)) => half_written::is_any(git, root, &begun).unwrap_or(false),
        other => other.is_some(),
    }
}

/// Ends a rebase that has moved nothing yet: its state goes, files and HEAD stay.
fn end_rebase(git: Git<'_>, folder: &Path) -> Result<(), PortError> {
    if git.act(&["rebase", "--quit"]).is_ok() && !folder.exists() {
        return Ok(());
    }
    // Git was killed before it had written down what it needs for that.
    fs_err::remove_dir_all(folder).map_err(|error| PortError::Failed(error.to_string()))
}

/// Keeps what an abort of the rebase would overwrite and what no commit on the way has, in the workspace.
fn keep_copies(checkout: &RunCheckout, begun: &CheckoutMove) -> Result<(), PortError> {
    let failed = |error: String| PortError::Failed(format!("cannot keep what a rebase left: {error}"));
    let root = &checkout.options.root;
    let unknown =
        half_written::unknown_files(checkout.git(), root, begun).map_err(|error| failed(error.reason()))?;
    let Some(evidence) = checkout.evidence_folder().filter(|_| !unknown.is_empty()) else { return Ok(()) };
    let folder = evidence.join("interrupted-rebase");
    for path in unknown {
        let kept = folder.join(&path);
        let made = kept.parent().map_or(Ok(()), fs_err::create_dir_all);
        made.and_then(|()| fs_err::copy(root.join(&path), &kept))
            .map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

fn failure(reason: &str) -> String {
    format!("{}: {}", texts::INTERRUPTED_MOVE, printable_lines(reason))
}
