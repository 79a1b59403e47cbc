//! The checkout, which one process at a time may move: its lease, the branch that a run needs, and what is said when it is
//! taken.

use crate::error::{AppError, ErrorKind};
use crate::ports;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use charrette_git::Git;
use charrette_model::checkpoint::{Checkpoint, DocumentName};
use charrette_model::escape::shell_word;
use charrette_store::active::{ActiveRun, active_folder, read_active};
use charrette_store::{Documents, Holder, Lease, StoreError};
use std::path::Path;

/// Takes the checkout for this process. `feature` is that of a run which could as well begin in another tree.
pub(crate) fn lease_checkout(
    site: &Site,
    documents: &Documents,
    feature: Option<&str>,
) -> Result<Lease, AppError> {
    let lease = documents.lease_checkout().map_err(|error| match error {
        StoreError::Locked { holder, .. } => in_use(site, holder.as_ref(), feature),
        other => AppError::from(other),
    })?;
    // The file of the lease may have been removed while its holder is at work.
    match driven_elsewhere(site) {
        Some(run) => Err(in_use(site, holder_of(&run).as_ref(), feature)),
        None => Ok(lease),
    }
}

/// Takes the checkout for a short operation.
pub fn lease_this_checkout(site: &Site) -> Result<Lease, AppError> {
    lease_checkout(site, &site.documents(), None)
}

/// A run that another process drives in this checkout, by the register of active runs.
fn driven_elsewhere(site: &Site) -> Option<ActiveRun> {
    let moves_head = |run: &ActiveRun| site.registry.get(&run.command).is_some_and(|flow| flow.moves_head);
    let is_other = |run: &ActiveRun| run.driver.as_ref().is_some_and(|it| it.pid != std::process::id());
    let mut driven = active_runs(site).into_iter();
    driven.find(|run| run.root == site.root && is_other(run) && moves_head(run) && run.is_driven())
}

fn active_runs(site: &Site) -> Vec<ActiveRun> {
    let folder = active_folder(site.repository.as_ref(), &site.root);
    read_active(&folder).ok().flatten().map(|active| active.runs).unwrap_or_default()
}

fn holder_of(run: &ActiveRun) -> Option<Holder> {
    let driver = run.driver.as_ref()?;
    let command = format!("charrette {} {}", run.command, run.feature.as_deref().unwrap_or_default());
    Some(Holder {
        pid: driver.pid,
        since: "its start".to_owned(),
        command: command.trim_end().to_owned(),
        namespace: None,
    })
}

fn in_use(site: &Site, holder: Option<&Holder>, feature: Option<&str>) -> AppError {
    let message = format!("this checkout is in use{}", Holder::describe(holder));
    let mut runs = active_runs(site).into_iter();
    let held = holder.and_then(|holder| {
        runs.find(|run| run.driver.as_ref().is_some_and(|driver| driver.pid == holder.pid))?.feature
    });
    let stop = match held {
        Some(feature) => format!("Wait for it, or stop it: charrette stop {feature}"),
        None => "Wait for it; charrette status names the runs here".to_owned(),
    };
    let error = AppError::new(ErrorKind::Refused, message).hint(stop);
    match feature.and_then(|feature| worktree_command(site, feature)) {
        Some(command) => error.hint(format!("Or begin in a tree of its own: {command}")),
        None => error,
    }
}

/// Command that makes a work tree in which a new run for that feature can begin.
fn worktree_command(site: &Site, feature: &str) -> Option<String> {
    let facts = ports::facts(site).ok()?;
    let git = Git::new(&site.root);
    // Without a commit there is nothing to begin from.
    let start = format!("{}^{{commit}}", facts.main);
    if !git.succeeds(&["rev-parse", "--verify", "--quiet", "--end-of-options", &start]) {
        return None;
    }
    let listed = git.find(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin"]);
    let listed = listed.unwrap_or_default();
    let is_taken = |name: &str| {
        let mut local = facts.branches.iter().map(String::as_str);
        local.any(|branch| excludes(branch, name)) || listed.lines().any(|branch| excludes(branch, name))
    };
    let wanted = format!("{}/{}", facts.user_prefix, feature.replace(['/', '.'], "-"));
    let branch = free_name(&wanted, is_taken)?;
    let repository = site.root.file_name()?.to_string_lossy().into_owned();
    let last = branch.rsplit('/').next()?;
    let folder = site.root.with_file_name(format!("{repository}-{last}")).to_string_lossy().into_owned();
    let folder = shell_word(&free_name(&folder, |path| Path::new(path).symlink_metadata().is_ok())?);
    Some(format!(
        "git worktree add -b {} {folder} {} && cd {folder}",
        shell_word(&branch),
        shell_word(&facts.main)
    ))
}

/// True if git can have no branch of that name beside this one: one would be the other, or a folder of the other's.
fn excludes(branch: &str, name: &str) -> bool {
    let is_below = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|it| it.starts_with('/'));
    branch == name || is_below(branch, name) || is_below(name, branch)
}

/// The name, or the first one with a number that is free.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> Option<String> {
    let numbered = (2..100).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name))
}

/// Folder of another worktree that has a branch checked out. Git does not check it out a second time.
pub(crate) fn worktree_of(site: &Site, branch: &str) -> Option<String> {
    let all = Git::new(&site.root).find(&["worktree", "list", "--porcelain"])?;
    let wanted = format!("branch refs/heads/{branch}");
    let holder = all.split("\n\n").find(|entry| entry.lines().any(|line| line == wanted))?;
    let folder = holder.lines().find_map(|line| line.strip_prefix("worktree "))?;
    (Path::new(folder) != site.root).then(|| folder.to_owned())
}

/// True if the branch made for a run exists.
pub(crate) fn has_branch(site: &Site, document: &Checkpoint) -> bool {
    let branch = document.run.as_ref().and_then(|run| run.branch.as_deref());
    branch.is_some_and(|branch| exists(Git::new(&site.root), branch))
}

fn exists(git: Git<'_>, branch: &str) -> bool {
    git.succeeds(&["show-ref", "--verify", "--quiet", &format!("refs/heads/{branch}")])
}

/// Refuses to work on a run while another branch is checked out than the one made for it.
pub(crate) fn require_branch(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
) -> Result<(), AppError> {
    let Some(branch) = document.run.as_ref().and_then(|run| run.branch.as_deref()) else { return Ok(()) };
    let git = Git::new(&site.root);
    let current = git.find(&["symbolic-ref", "--quiet", "--short", "HEAD"]);
    if current.as_deref() == Some(branch) {
        return Ok(());
    }
    let feature = feature_argument(name);
    let here = current.map_or_else(|| "a detached HEAD".to_owned(), |current| format!("branch {current}"));
    let word = shell_word(branch);
    if exists(git, branch) {
        let message = format!("{feature} works on branch {branch}, but {here} is checked out");
        let back = match worktree_of(site, branch) {
            None => format!("Nothing was changed. Return to its branch: git switch {word}"),
            Some(folder) => {
                format!("Nothing was changed. Go to where it is checked out: cd {}", shell_word(&folder))
            }
        };
        return Err(AppError::new(ErrorKind::Refused, message).hint(back));
    }
    let message =
        format!("{feature} works on branch {branch}, which does not exist any more; {here} is checked out");
    let is_commit = |id: &&str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let saved = document.head_commit.as_deref().filter(is_commit);
    let restore = match saved {
        Some(commit) => format!("git switch -c {word} {}", &commit[..commit.len().min(12)]),
        None => format!("git switch -c {word}"),
    };
    Err(AppError::new(ErrorKind::Refused, message)
        .hint(format!("Nothing was changed. Make it again where the run was saved: {restore}"))
        .hint(format!("Or, if it has another name now: git branch -m NEW-NAME {word} && git switch {word}"))
        .hint(format!("Or discard the run: charrette abandon {feature}; files in specs/ are kept")))
}
