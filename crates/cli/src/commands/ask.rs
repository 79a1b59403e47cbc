//! `charrette ask`: one supervised agent call, with its sidecar files next to the answer.

use super::ask_files::{CallFiles, write_file};
use crate::arguments::seconds;
use crate::invocation::Invocation;
use crate::{input, output, runtime, trusted_site};
use charrette_agents::outcome::{Failure, FailureKind, TimeoutKind};
use charrette_agents::pool::{
    AgentCall, AgentPool, CallOrigin, CallReport, EndHook, RateLimitPolicy, ResumedSession, asks_folder,
    seat_chain,
};
use charrette_agents::profile::Agent;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::agent_pool::{self, AgentPoolOptions};
use charrette_app::enclosure::refuse_inside_agent;
use charrette_app::ports;
use charrette_engine::Cancel;
use charrette_engine::ports::TreeSnapshot;
use charrette_git::Git;
use charrette_model::escape::printable;
use charrette_model::panel::file_names::REQUEST;
use charrette_model::seats::EMBEDDED;
use charrette_model::sidecar::{self, CallMeta};
use charrette_model::tree::{ChangeKind, TreeChange};
use charrette_store::LogFolder;
use charrette_store::atomic::replace_private;
use charrette_store::ledger::calls;
use charrette_store::{Location, locate};
use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Send a prompt to one agent, supervised, and save its answer
///
/// Sidecar files of the call: FILE.done (exit code, written last), FILE.meta (command line), FILE.prompt, FILE.diag
/// (error), FILE.sidecar (standard error) and FILE.json (standard output, if the answer is extracted from it). Exit 0
/// if the agent answered, 124 on timeout, 1 otherwise.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("whom").required(true)), group(ArgGroup::new("what").required(true)))]
pub(crate) struct AskArgs {
    /// Name of the agent
    #[arg(long, value_name = "NAME", group = "whom")]
    agent: Option<String>,
    /// Try the agents of this seat in order until one answers
    #[arg(long, value_name = "ID", group = "whom")]
    seat: Option<String>,
    /// Text of the prompt
    #[arg(long, value_name = "TEXT", group = "what", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// File with the prompt; `-` for standard input
    #[arg(long, value_name = "FILE", group = "what")]
    prompt_file: Option<PathBuf>,
    /// File for the answer
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Timeout of the call [default: the timeout of the seat]
    #[arg(long, value_name = "SECONDS", value_parser = seconds())]
    timeout: Option<u64>,
    /// Allow the agent to change files
    #[arg(long)]
    write: bool,
    /// Let the agent work in this worktree of the repository; with --write it may change that and nothing else
    #[arg(long, value_name = "DIR")]
    worktree: Option<PathBuf>,
    /// Continue the agent's session with this session id
    #[arg(long, value_name = "ID", requires = "agent")]
    session: Option<String>,
}

pub(crate) fn ask(invocation: &Invocation, args: &AskArgs) -> Result<ExitCode, AppError> {
    let site = trusted_site::open(invocation)?;
    refuse_inside_agent(&site, "call other agents")?;
    let files = CallFiles::new(&args.output)?;
    let worktree = args.worktree.as_deref().map(|folder| find_worktree(&site, folder)).transpose()?;
    let prompt = match (&args.prompt, &args.prompt_file) {
        (Some(text), _) => text.clone(),
        (None, file) => input::read_text(file.as_deref())?,
    };
    if prompt.trim().is_empty() {
        return Err(AppError::usage("the prompt is empty"));
    }
    runtime::block_on(async |cancel| {
        let pool = agent_pool::open(
            &site,
            AgentPoolOptions {
                purpose: "ask".to_owned(),
                seats: site.registry.seats(),
                ..AgentPoolOptions::default()
            },
            ports::tree(&site),
            &cancel,
        );
        let call = AskCall {
            invocation,
            args,
            site: &site,
            pool: &pool,
            files: &files,
            worktree: worktree.as_deref(),
            prompt: &prompt,
        };
        call.run(&cancel).await
    })
}

/// Root of that worktree of the site's repository.
fn find_worktree(site: &Site, folder: &Path) -> Result<PathBuf, AppError> {
    let real = folder.canonicalize().map_err(|error| {
        AppError::failed(format!("the worktree {} cannot be used: {error}", folder.display()))
    })?;
    let real_path = |path: &Path| path.canonicalize().ok();
    let common = site.repository.as_ref().and_then(|repository| real_path(repository.common_dir()));
    match locate(&real) {
        Ok(Location::WorkTree(found))
            if common.is_some() && real_path(found.common_dir()) == common && found.work_tree == real =>
        {
            Ok(real)
        }
        _ => Err(AppError::failed(format!("{} is not a worktree of this repository", folder.display()))
            .hint("List worktrees: git worktree list")),
    }
}

/// One `ask` command: inputs of the call.
struct AskCall<'a> {
    invocation: &'a Invocation,
    args: &'a AskArgs,
    site: &'a Site,
    pool: &'a AgentPool,
    files: &'a CallFiles,
    /// Root of the worktree to work in, instead of the checkout.
    worktree: Option<&'a Path>,
    prompt: &'a str,
}

/// Result of calling one agent.
struct CallResult {
    agent: String,
    report: CallReport,
    /// Changes that it and the agents before it may not make; the problem if the tree cannot be compared.
    changes: Result<Vec<TreeChange>, String>,
}

impl AskCall<'_> {
    /// Calls agents until one answers. A collector that waits is told of every end.
    async fn run(&self, cancel: &Cancel) -> Result<ExitCode, AppError> {
        let (candidates, or_embedded) = self.candidates()?;
        self.files.remove_stale()?;
        let result = self.call_in_order(candidates, or_embedded, cancel).await;
        if let Err(error) = &result {
            self.files.end_without_answer(&error.message);
        }
        result
    }

    /// Calls the candidate agents in order until one answers.
    async fn call_in_order(
        &self,
        candidates: Vec<Agent>,
        or_embedded: bool,
        cancel: &Cancel,
    ) -> Result<ExitCode, AppError> {
        let is_installed = |agent: &Agent| agent.is_installed(self.pool.host());
        let mut agents: Vec<Agent> = candidates.into_iter().filter(is_installed).collect();
        let or_embedded = or_embedded && !self.is_write_seat();
        if let Some(folder) = self.worktree.filter(|_| self.args.write) {
            let problem = |agent: &Agent| self.pool.write_seat_problem(agent, folder);
            let refused = agents.iter().find_map(|agent| Some((agent.name.clone(), problem(agent)?)));
            agents.retain(|agent| problem(agent).is_none());
            if let Some((name, problem)) = refused.filter(|_| agents.is_empty()) {
                return Err(AppError::failed(format!("{name} cannot be called: {problem}")));
            }
        }
        let (mut failures, mut changed) = (Vec::new(), Vec::new());
        for (n, agent) in agents.iter().enumerate() {
            let result = self.call_agent(agent, &mut changed).await?;
            let is_last = n + 1 == agents.len() && !or_embedded;
            let is_end = result.report.outcome.answer.is_ok() || result.changes.is_err();
            if is_end || cancel.is_requested() || is_last {
                return self.print_result(&result, &failures);
            }
            failures.push(result.agent);
        }
        if or_embedded {
            self.print_result(&self.call_embedded(changed).await?, &failures)
        } else {
            Err(self.no_agent_error())
        }
    }

    /// Agents named by `--agent` or `--seat`, installed or not; true if the embedded agent is the last resort.
    fn candidates(&self) -> Result<(Vec<Agent>, bool), AppError> {
        let roster = self.pool.roster();
        if let Some(name) = &self.args.agent {
            let agent = roster.get(name).cloned().ok_or_else(|| {
                let names: Vec<&str> = roster.all().map(|agent| agent.name.as_str()).collect();
                AppError::failed(format!("unknown agent {}", printable(name)))
                    .hint(format!("Known agents: {}", names.join(", ")))
            })?;
            return Ok((vec![agent], false));
        }
        let id = self.seat();
        if !self.pool.seats().contains(id) {
            return Err(AppError::failed(format!("unknown seat {}", printable(id)))
                .hint("List seats: charrette roles list"));
        }
        let chain = seat_chain(id, self.pool.seats(), self.pool.policy(), &self.pool.candidates());
        let or_embedded = chain.iter().any(|name| name == EMBEDDED);
        Ok((chain.iter().filter_map(|name| roster.get(name).cloned()).collect(), or_embedded))
    }

    /// Error for a call without an installed agent.
    fn no_agent_error(&self) -> AppError {
        let missing = self.args.agent.as_deref().and_then(|name| self.pool.roster().get(name));
        let problem = match missing {
            Some(agent) => format!("{} cannot be called: {}", agent.name, agent.missing_message()),
            None => format!("no installed agent may take the seat {}", self.seat()),
        };
        AppError::failed(problem).hint("List agents: charrette agents")
    }

    /// Calls the embedded agent for the seat, with the prompt as the request. `changed` is what agents before it did.
    async fn call_embedded(&self, changed: Vec<TreeChange>) -> Result<CallResult, AppError> {
        write_file(&self.files.sidecar(".prompt"), self.prompt)?;
        let reads = BTreeMap::from([(REQUEST.to_owned(), self.prompt.to_owned())]);
        let report = self.pool.call_embedded(self.seat(), reads).await;
        let result = CallResult { agent: EMBEDDED.to_owned(), report, changes: Ok(changed) };
        self.write_answer(&result)?;
        self.write_end(&result)?;
        Ok(result)
    }

    /// Calls one agent and writes the answer and its sidecar files. `changed` is what the agents before it did, and then what
    /// it did, too.
    async fn call_agent(&self, agent: &Agent, changed: &mut Vec<TreeChange>) -> Result<CallResult, AppError> {
        let files = self.files;
        let seat = self.seat();
        let lane =
            self.pool.create_scratch_folder(&format!("ask-{}", agent.name)).map_err(AppError::failed)?;
        let earlier = self.args.session.as_deref().and_then(|session| self.earlier_usage(session));
        let is_text = agent.profile.output.is_text();
        let (stdout, stderr) =
            (if is_text { lane.join("stdout") } else { files.sidecar(".json") }, files.sidecar(".sidecar"));
        let call = AgentCall {
            agent,
            prompt: self.prompt,
            seat,
            origin: CallOrigin::default(),
            folder: self.worktree,
            writing: self.args.write,
            session: self.args.session.as_deref().map(|id| ResumedSession { id, usage: earlier.as_ref() }),
            timeout: Duration::from_secs(self.timeout_seconds()),
            ends_on_rate_limit: self.pool.policy().rate_limit != RateLimitPolicy::Wait,
            lane: &lane,
            run: "ask",
            lane_name: seat,
            stdout: &stdout,
            stderr: &stderr,
            on_end: EndHook::NONE,
        };
        write_file(&files.sidecar(".prompt"), self.prompt)?;
        write_file(&files.sidecar(".meta"), &self.meta(agent, &call))?;
        let before = self.snapshot().await?;
        let report = self.pool.call(call).await;
        let mut result = CallResult { agent: agent.name.clone(), report, changes: Ok(Vec::new()) };
        // It is paid for: it is kept before anything else can fail.
        self.write_answer(&result)?;
        let record = self.pool.call_record(agent, seat, &result.report);
        let folder = LogFolder::new(&asks_folder(&agent_pool::state_folder(self.site)));
        self.pool.append_to_ledgers(&folder, &record);
        result.changes = self.changes(before).await.map(|changes| {
            self.warn_of_changes(agent, &changes);
            changed.extend(changes);
            changed.clone()
        });
        self.write_end(&result)?;
        let _ = fs_err::remove_dir_all(&lane);
        Ok(result)
    }

    /// Content of FILE.meta.
    fn meta(&self, agent: &Agent, call: &AgentCall<'_>) -> String {
        let command = self.pool.command_line(call).unwrap_or_default();
        let command: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        sidecar::meta_text(&CallMeta {
            tool: agent.name.clone(),
            timeout: call.timeout.as_secs(),
            capture_stdout: true,
            capture_stdout_only: true,
            output_file: self.files.output.to_string_lossy().into_owned(),
            command,
            more: [
                ("OUTER_LAUNCHER", "charrette ask".to_owned()),
                ("OUTER_LAUNCHER_PROMPT_FILE", self.files.sidecar(".prompt").to_string_lossy().into_owned()),
                (
                    "OUTER_LAUNCHER_WORKDIR",
                    self.worktree.unwrap_or(&self.site.root).to_string_lossy().into_owned(),
                ),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .to_vec(),
        })
    }

    /// Token usage of this session before the call, if the ledger has it.
    fn earlier_usage(&self, session: &str) -> Option<charrette_model::checkpoint::Usage> {
        let calls = calls(&asks_folder(&agent_pool::state_folder(self.site))).ok()?;
        let mut of_session = calls.into_iter().filter(|call| call.session.as_deref() == Some(session));
        of_session.next_back()?.session_total
    }

    /// True if the agent may change the worktree of a task.
    fn is_write_seat(&self) -> bool {
        self.args.write && self.worktree.is_some()
    }

    /// True if the agent may change the checkout itself.
    fn may_change_checkout(&self) -> bool {
        self.args.write && self.worktree.is_none()
    }

    /// Snapshot of the checkout, for agents that may not change it; with the list of untracked files.
    async fn snapshot(&self) -> Result<Option<TreeSnapshot>, AppError> {
        if self.may_change_checkout() || self.site.repository.is_none() {
            return Ok(None);
        }
        let snapshot = self.pool.tree().snapshot().await.map_err(AppError::failed)?;
        let untracked =
            Git::new(&self.site.root).bytes(&["ls-files", "--others", "--exclude-standard", "-z"]);
        let path = self.files.sidecar(".untracked-baseline");
        replace_private(&path, &untracked.unwrap_or_default()).map_err(AppError::failed)?;
        Ok(Some(snapshot))
    }

    /// Changes of the work tree and its repository since `before`, without the files of this command. An error if they
    /// cannot be compared.
    async fn changes(&self, before: Option<TreeSnapshot>) -> Result<Vec<TreeChange>, String> {
        let Some(before) = before else { return Ok(Vec::new()) };
        let tree = self.pool.tree();
        let after = tree.snapshot().await?;
        let mut changes = tree.changes(before, after).await?;
        // A commit that the agent cannot have made is the person's, and so is what came with it.
        let is_enclosed = self.worktree.is_some() && self.pool.sandbox().is_full();
        if is_enclosed && changes.iter().any(|change| change.kind == ChangeKind::HeadMoved) {
            return Ok(Vec::new());
        }
        let written = self.files.written_in_call();
        changes.retain(|change| !written.contains(&self.site.root.join(change.path.as_path())));
        Ok(changes)
    }

    fn warn_of_changes(&self, agent: &Agent, changes: &[TreeChange]) {
        let rights = if self.is_write_seat() { "may change its worktree only" } else { "may only read" };
        for TreeChange { kind, path, .. } in changes {
            let warning = format!("Warning: {} {rights}, but {kind} {path}", agent.name);
            output::note(self.invocation, &warning);
        }
    }

    /// Writes the answer, or FILE.diag.
    fn write_answer(&self, result: &CallResult) -> Result<(), AppError> {
        let (files, report) = (self.files, &result.report);
        match &report.outcome.answer {
            Ok(text) => write_file(&files.output, &self.pool.redactor().redact(text)),
            Err(failure) => {
                write_file(&files.sidecar(".diag"), &self.diagnosis(&result.agent, failure, report))
            }
        }
    }

    /// Writes what the tree is like, then FILE.done, for which a collector waits.
    fn write_end(&self, result: &CallResult) -> Result<(), AppError> {
        let status = if self.may_change_checkout() || self.site.repository.is_none() {
            Ok(())
        } else {
            self.files.write_tree_status(result.changes.as_deref().ok())
        };
        write_file(&self.files.sidecar(".done"), &sidecar::done_text(sentinel_code(&result.report)))?;
        status
    }

    /// Timeout of the call: `--timeout`, else that of the seat.
    fn timeout_seconds(&self) -> u64 {
        self.args
            .timeout
            .unwrap_or_else(|| self.pool.policy().call_timeout(self.pool.seats().seat(self.seat())).as_secs())
    }

    fn seat(&self) -> &str {
        self.args.seat.as_deref().unwrap_or("ask")
    }

    /// Content of FILE.diag: the error, with secrets redacted.
    fn diagnosis(&self, agent: &str, failure: &Failure, report: &CallReport) -> String {
        let (seconds, last) = (report.elapsed.as_secs(), output_tail(report));
        let text = match (failure.kind, report.code.and_then(|code| u8::try_from(code).ok())) {
            (FailureKind::NoAnswer, Some(0)) if report.bytes == 0 => sidecar::diag_empty(agent, seconds),
            (FailureKind::NoAnswer, Some(code @ 1..)) => {
                sidecar::diag_exit(code, seconds, report.bytes, last.as_bytes())
            }
            (FailureKind::Timeout(TimeoutKind::Total), _) => {
                sidecar::diag_timeout(seconds, self.timeout_seconds(), report.bytes, last.as_bytes())
            }
            _ if failure.message.trim().is_empty() => format!("no answer ({})", failure.kind),
            _ => failure.message.clone(),
        };
        self.pool.redactor().redact(&text).into_owned()
    }

    /// Prints the result and returns the exit code.
    fn print_result(&self, result: &CallResult, failures: &[String]) -> Result<ExitCode, AppError> {
        let CallResult { agent, report, changes } = result;
        let outcome = &report.outcome;
        let redact = |text: &str| self.pool.redactor().redact(text).into_owned();
        for name in failures {
            output::note(self.invocation, &format!("{name} did not answer; falling back to the next agent."));
        }
        for note in &outcome.notes {
            output::note(self.invocation, &format!("{agent}: {}", redact(note)));
        }
        if let Some(message) = report.orphans_message() {
            output::note(self.invocation, &format!("{agent} {message}."));
        }
        let failure = outcome.answer.as_ref().err();
        if self.invocation.json {
            output::print_json(&json!({
                "agent": agent,
                "fallback_from": failures,
                "status": if failure.is_none() { "answered" } else { "failed" },
                "kind": failure.map(|failure| failure.kind.to_string()),
                "message": failure.map(|failure| redact(&failure.message)),
                "seconds": report.elapsed.as_secs_f64(),
                "usage": outcome.usage,
                "model": outcome.model,
                "session": outcome.session,
                "denied": outcome.denied,
                "notes": outcome.notes.iter().map(|note| redact(note)).collect::<Vec<_>>(),
                "changed": changes.as_ref().ok(),
                "left_behind": report.orphans,
                "output": failure.map_or_else(|| Value::from(self.files.output.to_string_lossy()), |_| Value::Null),
            }))?;
        }
        match failure {
            None => {
                output::note(self.invocation, &format!("{agent} answered in {}s.", report.elapsed.as_secs()));
            }
            Some(failure) => {
                output::log(&format!("{agent} did not answer: {}", redact(&failure.message)));
                output::log(&format!("Details are in {}.diag", self.files.output.display()));
            }
        }
        if let Err(problem) = changes {
            return Err(self.uncompared_error(problem, failure.is_none()));
        }
        Ok(ExitCode::from(match failure.map(|failure| failure.kind) {
            None => 0,
            Some(FailureKind::Timeout(_)) => 124,
            Some(FailureKind::Interrupted) => 130,
            Some(_) => 1,
        }))
    }

    /// Error for a call after which the tree could not be compared.
    fn uncompared_error(&self, problem: &str, is_answered: bool) -> AppError {
        let what = "the work tree cannot be compared with its state before the call";
        let mut error = AppError::failed(format!("{what}: {problem}"));
        if is_answered {
            error = error.hint(format!("The answer is kept: {}", self.files.output.display()));
        }
        error
    }
}

/// Exit code in FILE.done: 0 for an answer, 124 for a timeout, else the code of the process, or 99 if unknown.
fn sentinel_code(report: &CallReport) -> u8 {
    match &report.outcome.answer {
        Ok(_) => 0,
        Err(Failure { kind: FailureKind::Timeout(_), .. }) => 124,
        Err(_) => report.code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0).unwrap_or(99),
    }
}

/// Last 200 characters that the agent printed.
fn output_tail(report: &CallReport) -> String {
    let text = if report.stdout_tail.trim().is_empty() { &report.stderr_tail } else { &report.stdout_tail };
    let tail: Vec<char> = text.trim_end().chars().rev().take(200).collect();
    tail.into_iter().rev().collect()
}
