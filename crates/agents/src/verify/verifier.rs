//! Runs the commands of orders.

use super::environment::command_environment;
use super::excerpt::Excerpt;
use super::process::{CommandEnd, CommandProcess, StopReason};
use crate::orphans::lane_mark;
use crate::orphans::remove_folder;
use crate::outcome::output_exceeded;
use crate::pool::AgentPool;
use crate::sandbox::{CallPlaces, CallSandbox};
use crate::supervisor::{CallTimeouts, survivors_message};
use charrette_engine::ports::BoxFuture;
use charrette_engine::ports::checkout::PortError;
use charrette_engine::ports::verifier::{CommandEnding, CommandOrder, CommandReport, ProofCommand, Verifier};
use charrette_sandbox::{NetworkIsolation, Protection};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// Shell of commands that a person wrote as a line.
const SHELL: &str = "/bin/sh";

/// Runs verify commands and proofs, each in the sandbox of a seat that writes.
#[derive(Debug, Clone)]
pub struct SandboxVerifier {
    pool: AgentPool,
    /// True if commands may run in the user's own checkout.
    in_checkout: bool,
    isolation: Arc<OnceCell<NetworkIsolation>>,
}

impl SandboxVerifier {
    /// A verifier of worktrees, with the sandbox, limits and cancellation of that pool.
    pub fn new(pool: AgentPool) -> SandboxVerifier {
        SandboxVerifier { pool, in_checkout: false, isolation: Arc::default() }
    }

    /// A verifier that also runs commands in the user's own checkout, which they may then change.
    #[must_use]
    pub fn in_checkout(self) -> SandboxVerifier {
        SandboxVerifier { in_checkout: true, ..self }
    }

    /// Isolation by which this system keeps commands from the network.
    pub async fn network_isolation(&self) -> NetworkIsolation {
        let sandbox = self.pool.sandbox();
        let Some(launcher) = sandbox.launcher() else { return NetworkIsolation::None };
        let landlock = match (&sandbox.protection, sandbox.is_active()) {
            (Protection::Landlock(abi), true) => Some(*abi),
            _ => None,
        };
        let ask =
            || tokio::task::spawn_blocking(move || NetworkIsolation::of_this_system(&launcher, landlock));
        *self.isolation.get_or_init(|| async { ask().await.unwrap_or_default() }).await
    }

    async fn run_order(self, order: CommandOrder) -> Result<CommandReport, PortError> {
        if self.pool.cancel().is_requested() {
            return Err(PortError::Interrupted);
        }
        if let Some(missing) = self.pool.sandbox().missing() {
            return Err(PortError::Refused(missing));
        }
        let folder = PathBuf::from(&order.folder);
        let is_checkout = self.in_checkout && folder == self.pool.host().folder;
        if let Some(problem) = self.pool.worktree_problem(&folder).filter(|_| !is_checkout) {
            return Err(PortError::Failed(format!("`{}` was not run: {problem}", order.command.shown())));
        }
        let scratch = self.create_scratch(&order.lane).map_err(|error| {
            PortError::Failed(format!("the temporary folder of {} cannot be created: {error}", order.lane))
        })?;
        let result = self.run_in(&order, &folder, &scratch).await;
        let _ = tokio::task::spawn_blocking(move || remove_folder(&scratch)).await;
        result
    }

    /// A new folder that is removed after the command, with its driver, or by the next start.
    fn create_scratch(&self, lane: &str) -> std::io::Result<PathBuf> {
        let folder = self.pool.copies_folder()?.join(format!("{lane}.verify"));
        remove_folder(&folder)?;
        fs_err::create_dir_all(&folder)?;
        folder.canonicalize()
    }

    async fn run_in(
        &self,
        order: &CommandOrder,
        folder: &Path,
        scratch: &Path,
    ) -> Result<CommandReport, PortError> {
        let pool = &self.pool;
        let network = if order.network { NetworkIsolation::None } else { self.network_isolation().await };
        let places =
            CallPlaces { lane: scratch, temporary: scratch, folder: Some(folder), writable: Some(folder) };
        let sandbox = CallSandbox::for_command(pool.sandbox(), pool.roster(), pool.host(), places, network);
        let command = words(&order.command);
        let token = pool.lane_token(&order.lane).map_err(|error| {
            PortError::Failed(format!(
                "`{}` was not run, because its driver cannot be registered: {error}",
                order.command.shown()
            ))
        })?;
        let output_limit = pool.policy().output_bytes;
        let process = CommandProcess {
            command: sandbox
                .as_ref()
                .map_or_else(|| command.clone(), |sandbox| sandbox.wrap(&command, lane_mark(&token))),
            environment: command_environment(pool.host(), scratch, order.network),
            folder: folder.to_owned(),
            token,
            leads_session: sandbox.is_some(),
            timeouts: CallTimeouts {
                first_byte: None,
                idle: None,
                total: Duration::from_secs(order.timeout),
                grace: pool.policy().grace(),
            },
            output_limit,
        };
        let report = CommandReport { command: order.command.shown(), ..CommandReport::default() };
        let end = match process.run(Excerpt::new(pool.line_redactor()), pool.cancel()).await {
            Ok(end) => end,
            Err(error) => {
                let reason = not_started(&order.command, folder, &format!("cannot be started: {error}"));
                return Ok(CommandReport { ending: CommandEnding::NotStarted(reason), ..report });
            }
        };
        if let Some(survivors) = &end.orphans.survivors {
            let left = survivors_message(survivors);
            return Err(PortError::Failed(format!("`{}` {left}", order.command.shown())));
        }
        if end.stop == StopReason::Interrupted {
            return Err(PortError::Interrupted);
        }
        let ending = ending(&end, order, folder);
        let mut report = CommandReport {
            exit: end.status.and_then(|status| status.code()).filter(|_| ending == CommandEnding::Exited),
            ending,
            seconds: end.elapsed.as_secs_f64(),
            output_bytes: end.output_bytes,
            ..report
        };
        let is_green = report.is_green();
        let hint = sandbox.filter(|_| !is_green).and_then(|sandbox| sandbox.refusal_hint(&end.output));
        report.output = match report.ending {
            CommandEnding::NotStarted(_) => String::new(),
            _ => with_notes(&end, order.timeout, output_limit, hint),
        };
        Ok(report)
    }
}

impl Verifier for SandboxVerifier {
    fn run(&self, order: CommandOrder) -> BoxFuture<'static, Result<CommandReport, PortError>> {
        Box::pin(self.clone().run_order(order))
    }
}

fn words(command: &ProofCommand) -> Vec<OsString> {
    match command {
        ProofCommand::Argv(argv) => argv.iter().map(OsString::from).collect(),
        ProofCommand::Line(line) => [SHELL, "-c", line].map(OsString::from).to_vec(),
    }
}

fn ending(end: &CommandEnd, order: &CommandOrder, folder: &Path) -> CommandEnding {
    let (code, signal) =
        (end.status.and_then(|status| status.code()), end.status.and_then(|status| status.signal()));
    match (end.stop, signal) {
        (StopReason::TimedOut, _) => CommandEnding::TimedOut,
        (StopReason::Flooded, _) => CommandEnding::Flooded,
        (_, Some(signal)) => CommandEnding::Signalled(signal),
        _ => match CallSandbox::launch_failure(code, &end.output) {
            Some(problem) => CommandEnding::NotStarted(not_started(&order.command, folder, problem)),
            None => CommandEnding::Exited,
        },
    }
}

/// Reason that a program was not started, with what is wrong with its name.
fn not_started(command: &ProofCommand, folder: &Path, problem: &str) -> String {
    let ProofCommand::Argv(argv) = command else { return problem.to_owned() };
    match argv.first() {
        None => "there is no program to start".to_owned(),
        Some(program) if program.contains('/') && folder.join(program).is_dir() => {
            format!("{program} is a folder")
        }
        Some(program) => format!("{program} {problem}"),
    }
}

/// The output, followed by what was done about the command.
fn with_notes(end: &CommandEnd, timeout: u64, output_limit: u64, hint: Option<String>) -> String {
    let mut text = end.output.clone();
    let ended = match end.stop {
        StopReason::TimedOut => Some(format!("ended after {timeout} seconds (verify.timeout)")),
        StopReason::Flooded => Some(format!("ended: {}", output_exceeded(output_limit, "limits.output_mb"))),
        StopReason::Exited | StopReason::Interrupted => None,
    };
    let left = match end.orphans.ended.len() {
        0 => None,
        1 => Some("left 1 process running; it was ended".to_owned()),
        count => Some(format!("left {count} processes running; they were ended")),
    };
    for note in [ended, left, hint].into_iter().flatten() {
        let _ = writeln!(text, "[{note}]");
    }
    text
}
