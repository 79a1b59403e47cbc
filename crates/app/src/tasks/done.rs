//! A task that a person did by hand: verified in the checkout by the same commands as an agent's work, proven, and ticked.

use super::listing::SpecTasks;
use super::proving::{ProofResult, prove, prove_red};
use super::ticking::tick_task;
use crate::checkout_lease::lease_this_checkout;
use crate::error::{AppError, ErrorKind};
use crate::ports::task_worktrees;
use crate::site::Site;
use crate::verify_run::{CheckoutVerifier, VerifiedCommand};
use charrette_checkout::TaskWorktrees;
use charrette_engine::flows::implement::{describe_ending, read_changes};
use charrette_engine::ports::PortError;
use charrette_engine::ports::worktrees::{Change, Overlay, WorktreeOrder, Worktrees as _};
use charrette_git::Git;
use charrette_model::config::VerifyCommand;
use charrette_model::escape::printable;
use charrette_model::implement::change::{ChangeIssueKind, ChangeRules, test_paths};
use charrette_model::implement::{FileChange, ImplementTask, Proof, judge_change};
use charrette_store::workspace::sha256;
use std::path::Path;

/// How a task is verified.
#[derive(Debug, Clone, Default)]
pub struct DoneOptions {
    /// The commit before the work; without it, the work is what is not committed.
    pub since: Option<String>,
    /// True if changed files that belong to no task are accepted.
    pub outside: bool,
}

/// A task that was verified.
#[derive(Debug, Clone)]
pub struct DoneReport {
    pub commands: Vec<VerifiedCommand>,
    pub proof: ProofResult,
    /// Tree of the checkout that was verified.
    pub tree: String,
    /// Remarks that do not stand in the way, one line each.
    pub remarks: Vec<String>,
    /// True if all commands are green, the proof holds, and the task is ticked.
    pub is_done: bool,
}

/// Refuses a task that cannot be done now: not approved, or its prerequisites are open.
pub fn require_ready(site: &Site, tasks: &SpecTasks, task: &ImplementTask) -> Result<(), AppError> {
    tasks.require_approval(site)?;
    let open = tasks.open_prerequisites(task);
    if !open.is_empty() {
        return Err(AppError::new(
            ErrorKind::Refused,
            format!("{} depends on {}, which is not done", task.id, open.join(", ")),
        )
        .hint(format!("See what can be done now: charrette next {}", tasks.feature)));
    }
    if site.settings.verify().is_empty() {
        return Err(AppError::new(
            ErrorKind::Refused,
            "no verify commands are configured, so nothing could be proven",
        )
        .hint("See what this repository suggests, and write it to charrette.toml: charrette verify init"));
    }
    Ok(())
}

/// Verifies a task on the content of the checkout, and ticks it if everything holds. `show` is called after each command.
pub async fn verify_and_tick(
    site: &Site,
    tasks: &SpecTasks,
    task: &ImplementTask,
    options: &DoneOptions,
    verifier: &CheckoutVerifier<'_>,
    mut show: impl FnMut(&VerifiedCommand) -> Result<(), AppError>,
) -> Result<DoneReport, AppError> {
    let _checkout = lease_this_checkout(site)?;
    let worktrees = task_worktrees(site);
    let base = base_commit(site, options.since.as_deref())?;
    let change = worktrees.capture_checkout(base.clone()).await.map_err(port_error)?;
    let work = own_work(site, &worktrees, &base, &change).await?;
    let remarks = judge_work(site, tasks, task, &work, options.outside)?;
    let verify = site.settings.verify();
    let mut commands = Vec::new();
    for (name, command) in verify.for_task() {
        let command: VerifyCommand = command.clone();
        let verified = verifier.run(name, command).await?;
        show(&verified)?;
        commands.push(verified);
    }
    let mut proof = prove(verifier, &verify, &site.root, &task.proof).await?;
    let needs_red = matches!(task.proof.proof, Proof::Test(_) | Proof::Command(_)) && !work.is_empty();
    if proof.holds && needs_red {
        let before = Before { worktrees: &worktrees, base, tree: &change.tree, tests: test_paths(&work) };
        let place = before.lay_out(site, verifier).await?;
        let red = prove_red(verifier, &verify, Path::new(&place), &task.proof, &proof).await;
        worktrees.clean_up(Before::run(site), Vec::new()).await.map_err(port_error)?;
        proof = red?;
    }
    require_unchanged(&worktrees, &change).await?;
    let is_done = proof.holds && commands.iter().all(|command| command.report.is_green());
    if is_done {
        tick_task(site, tasks, &task.id)?;
    }
    Ok(DoneReport { commands, proof, tree: change.tree, remarks, is_done })
}

/// The commit that the work is compared with.
fn base_commit(site: &Site, since: Option<&str>) -> Result<String, AppError> {
    let revision = since.unwrap_or("HEAD");
    let commit = format!("{revision}^{{commit}}");
    let found = Git::new(&site.root).find(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    found.ok_or_else(|| match since {
        Some(_) => AppError::usage(format!("{} is not a commit here", printable(revision))),
        None => AppError::new(ErrorKind::Refused, "this folder has no commit to compare the work with")
            .hint("Make one: git commit"),
    })
}

/// Changed files with their texts, without those of charrette itself.
async fn own_work(
    site: &Site,
    worktrees: &TaskWorktrees,
    base: &str,
    change: &Change,
) -> Result<Vec<FileChange>, AppError> {
    let own = own_folders(site);
    let is_own = |path: &str| own.iter().any(|folder| path.starts_with(&format!("{folder}/")));
    let files: Vec<_> = change.files.iter().filter(|file| !is_own(&file.path)).cloned().collect();
    read_changes(worktrees, &base.to_owned(), &change.tree, &files).await.map_err(port_error)
}

fn own_folders(site: &Site) -> Vec<String> {
    let settings = &site.settings;
    let own = [settings.specs_folder(), settings.workspace_folder(), settings.state_folder()];
    own.map(str::to_owned).to_vec()
}

/// Judges the work by the rules for tasks. A file of another task is a remark: a person may work on several.
fn judge_work(
    site: &Site,
    tasks: &SpecTasks,
    task: &ImplementTask,
    work: &[FileChange],
    outside: bool,
) -> Result<Vec<String>, AppError> {
    let rules = ChangeRules {
        max_file_bytes: site.settings.implement().max_file_bytes,
        own_folders: own_folders(site),
    };
    let report = judge_change(task, work, &rules);
    let belongs = |path: &str| tasks.plan.tasks.iter().any(|other| other.files.covers(path));
    let (mut wrong, mut remarks) = (Vec::new(), Vec::new());
    for issue in &report.issues {
        let is_foreign = issue.kind == ChangeIssueKind::Outside;
        let is_wrong = issue.is_refusal || (is_foreign && !outside && !belongs(&issue.path));
        if is_wrong { &mut wrong } else { &mut remarks }.push(issue.to_string());
    }
    if wrong.is_empty() {
        return Ok(remarks);
    }
    let error =
        AppError::new(ErrorKind::Refused, format!("{} is not ticked: its change cannot land", task.id));
    let error = wrong.iter().fold(error, AppError::more);
    Err(error.hint(
        "Undo or commit what does not belong to the task; files of no task are accepted with --outside",
    ))
}

/// The tree before the work, with the new tests laid over it.
struct Before<'a> {
    worktrees: &'a TaskWorktrees,
    base: String,
    tree: &'a str,
    tests: Vec<String>,
}

impl Before<'_> {
    /// Name for the worktree: one for each checkout, which the checkout's lease protects.
    fn run(site: &Site) -> String {
        let digest = sha256(site.root.to_string_lossy().as_bytes());
        let digest: String = digest.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
        format!("done-{digest}")
    }

    async fn lay_out(&self, site: &Site, verifier: &CheckoutVerifier<'_>) -> Result<String, AppError> {
        let overlay = Overlay { tree: self.tree.to_owned(), paths: self.tests.clone() };
        let order = WorktreeOrder {
            run: Before::run(site),
            name: "before".to_owned(),
            content: self.base.clone(),
            overlay: Some(overlay).filter(|overlay| !overlay.paths.is_empty()),
            reset: true,
            includes: true,
        };
        let made = self.worktrees.prepare(order).await.map_err(port_error)?;
        match verifier.set_up(Path::new(&made.path)).await? {
            Some(report) if !report.is_green() => Err(AppError::failed(format!(
                "verify.setup failed on the tree before the work ({}): {}",
                describe_ending(&report),
                report.command
            ))),
            _ => Ok(made.path),
        }
    }
}

/// Refuses content that changed while it was verified.
async fn require_unchanged(worktrees: &TaskWorktrees, change: &Change) -> Result<(), AppError> {
    let now = worktrees.capture_checkout(change.tree.clone()).await.map_err(port_error)?;
    if now.files.is_empty() {
        return Ok(());
    }
    let paths: Vec<String> = now.files.iter().take(5).map(|file| printable(&file.path).to_string()).collect();
    Err(AppError::new(
        ErrorKind::Refused,
        format!("files changed while they were verified: {}", paths.join(", ")),
    )
    .hint("Nothing was ticked. Try again; files that a command writes belong into .gitignore"))
}

fn port_error(error: PortError) -> AppError {
    match error {
        PortError::Interrupted => AppError::new(ErrorKind::Interrupted, "interrupted"),
        PortError::Refused(problem) => AppError::new(ErrorKind::Refused, problem),
        PortError::Failed(problem) => AppError::failed(problem),
    }
}
