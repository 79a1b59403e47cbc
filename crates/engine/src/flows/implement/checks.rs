//! Commands on a tree that is about to land: in worktrees that no agent has worked in, so that ignored files of an agent
//! prove nothing.

use super::work::{Work, step_error};
use crate::ports::verifier::{CommandEnding, CommandOrder, CommandReport, ProofCommand};
use crate::ports::worktrees::{FileAt, ObjectId, Overlay, Worktree, WorktreeOrder};
use crate::step::StepError;
use charrette_model::config::VerifyCommand;
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// Files at the root that decide what `setup` installs.
const MANIFESTS: [&str; 14] = [
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "requirements.txt",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "Gemfile.lock",
    "composer.lock",
    "go.mod",
    "Cargo.lock",
    "pom.xml",
];

/// Worktrees for commands: as many as are in use at the same time. Each is set up once per process, and again if the
/// manifests differ.
#[derive(Debug, Default)]
pub(super) struct CheckPlaces {
    busy: Mutex<BTreeSet<usize>>,
    /// Digest of the manifests that a worktree was set up with, by name.
    ready: Mutex<BTreeMap<String, String>>,
}

/// A worktree for commands, in use until it is dropped.
struct CheckPlace {
    number: usize,
    places: Arc<CheckPlaces>,
}

impl CheckPlace {
    fn take(places: &Arc<CheckPlaces>) -> CheckPlace {
        let mut busy = places.busy.lock().unwrap_or_else(PoisonError::into_inner);
        // One of them is free.
        let number = (1..=busy.len() + 1).find(|number| !busy.contains(number)).unwrap_or_default();
        busy.insert(number);
        drop(busy);
        CheckPlace { number, places: places.clone() }
    }

    fn name(&self) -> String {
        format!("check-{}", self.number)
    }
}

impl Drop for CheckPlace {
    fn drop(&mut self) {
        self.places.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

/// A command with its name, such as `test`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedCommand {
    pub(super) name: String,
    pub(super) command: ProofCommand,
    pub(super) network: bool,
}

/// Recorded result of a command. Its output is in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CheckResult {
    pub(super) name: String,
    pub(super) command: String,
    pub(super) exit: Option<i32>,
    pub(super) is_green: bool,
    /// How it ended, in words.
    pub(super) ending: String,
    pub(super) seconds: f64,
}

impl CheckResult {
    pub(super) fn new(name: &str, report: &CommandReport) -> CheckResult {
        CheckResult {
            name: name.to_owned(),
            command: report.command.clone(),
            exit: report.exit,
            is_green: report.is_green(),
            ending: describe_ending(report),
            seconds: report.seconds,
        }
    }
}

/// How a command ended, in words.
pub fn describe_ending(report: &CommandReport) -> String {
    match &report.ending {
        CommandEnding::Exited => report.exit.map_or_else(String::new, |code| format!("exit code {code}")),
        CommandEnding::Signalled(signal) => format!("ended by signal {signal}"),
        CommandEnding::TimedOut => format!("ended at its time limit after {:.0} s", report.seconds),
        CommandEnding::Flooded => "ended because its output exceeded the limit".to_owned(),
        CommandEnding::NotStarted(reason) => format!("could not be started: {reason}"),
    }
}

/// Runs commands one after the other on a tree, with files of another tree laid over it.
pub(super) async fn run_on(
    work: &Work,
    content: &ObjectId,
    overlay: Option<Overlay>,
    commands: &[NamedCommand],
) -> Result<Vec<CommandReport>, StepError> {
    let place = CheckPlace::take(&work.places);
    let name = place.name();
    let order = WorktreeOrder {
        run: work.run.clone(),
        name: name.clone(),
        content: content.clone(),
        overlay,
        reset: true,
        includes: true,
    };
    let worktree = work.worktrees.prepare(order).await.map_err(step_error)?;
    set_up_place(work, content, &name, &worktree).await?;
    let mut reports = Vec::new();
    for command in commands {
        reports.push(run_command(work, &format!("{name}-{}", command.name), &worktree.path, command).await?);
    }
    Ok(reports)
}

/// Sets up a worktree for commands, unless this process has done so with the same manifests.
async fn set_up_place(
    work: &Work,
    content: &ObjectId,
    name: &str,
    worktree: &Worktree,
) -> Result<(), StepError> {
    if work.verify.setup.is_none() {
        return Ok(());
    }
    let files = MANIFESTS.map(|path| FileAt { at: content.clone(), path: path.to_owned() });
    let texts = work.worktrees.read(files.to_vec()).await.map_err(step_error)?;
    let digest = sha256(&serde_json::to_vec(&texts).unwrap_or_default());
    let ready = || work.places.ready.lock().unwrap_or_else(PoisonError::into_inner);
    if !worktree.is_new && ready().get(name) == Some(&digest) {
        return Ok(());
    }
    set_up(work, name, worktree).await?;
    ready().insert(name.to_owned(), digest);
    Ok(())
}

/// Runs the command `setup` in a worktree.
pub(super) async fn set_up(work: &Work, name: &str, worktree: &Worktree) -> Result<(), StepError> {
    let Some(command) = setup_command(work) else { return Ok(()) };
    let report = run_command(work, &format!("{name}-setup"), &worktree.path, &command).await?;
    if report.is_green() {
        return Ok(());
    }
    let tail = tail(&report.output, 2000);
    Err(StepError::Verbatim(format!(
        "verify.setup failed ({}): {}\n{tail}",
        describe_ending(&report),
        report.command
    )))
}

fn setup_command(work: &Work) -> Option<NamedCommand> {
    let command = work.verify.setup.as_ref()?;
    Some(NamedCommand {
        name: "setup".to_owned(),
        command: proof_command(command),
        network: work.verify.network,
    })
}

/// A command of a person, as it is executed.
pub(super) fn proof_command(command: &VerifyCommand) -> ProofCommand {
    match command {
        VerifyCommand::Line(line) => ProofCommand::Line(line.clone()),
        VerifyCommand::Argv(argv) => ProofCommand::Argv(argv.clone()),
    }
}

/// Runs one command in a folder.
pub(super) async fn run_command(
    work: &Work,
    lane: &str,
    folder: &str,
    command: &NamedCommand,
) -> Result<CommandReport, StepError> {
    let order = CommandOrder {
        run: work.run.clone(),
        lane: lane.to_owned(),
        command: command.command.clone(),
        folder: folder.to_owned(),
        timeout: work.verify.timeout,
        network: command.network,
    };
    work.verifier.run(order).await.map_err(step_error)
}

/// Outputs of commands as one page.
pub(super) fn render_reports(title: &str, reports: &[(&str, &CommandReport)]) -> String {
    let mut page = format!("# {title}\n");
    for (name, report) in reports {
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## {name}: {}\n\n`{}`: {}, {:.1} s\n",
            if report.is_green() { "green" } else { "red" },
            report.command,
            describe_ending(report),
            report.seconds
        );
        if !report.output.trim().is_empty() {
            let _ = write!(page, "\n{}\n", crate::prompt::fence(report.output.trim_end()));
        }
    }
    page
}

/// Last characters of an output.
pub(super) fn tail(output: &str, limit: usize) -> String {
    let skipped = output.chars().count().saturating_sub(limit);
    output.chars().skip(skipped).collect()
}
