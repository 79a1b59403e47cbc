//! Worker process that does the heavy part of a design: its start, its output, and the cleanup after it.
//!
//! It is this binary again. Its standard input is the lease of the run, held by both, so the run stays leased for as
//! long as either lives. Its standard output is one line for the parent; when the parent is gone, the pipe is closed,
//! which is how the worker learns that it is to end.

use super::session::Session;
use crate::agent_pool;
use crate::environment::CHARRETTE_TRUST;
use crate::ports::RunContext;
use crate::site::Site;
use charrette_agents::pool::AgentPool;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::explain::forecast;
use charrette_engine::ports::{BoxFuture, PortError, Worker};
use charrette_model::checkpoint::{DocumentName, StepStatus};
use charrette_model::nesting::heavy::{HeavyStatus, verify_status};
use charrette_model::session::Health;
use charrette_store::{Documents, Workspace};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

/// Maximum number of bytes read of a worker's output.
const OUTPUT_LIMIT: u64 = 64 << 10;

/// Worker process of a run, as seen by its parent.
#[derive(Clone)]
pub(super) struct WorkerProcess(Arc<WorkerOptions>);

/// Options of a worker process.
pub(super) struct WorkerOptions {
    site: Site,
    name: DocumentName,
    documents: Documents,
    workspace: Arc<Workspace>,
    auto: bool,
    no_checkpoint: bool,
    branch_info: Option<String>,
    session: Option<Arc<Session>>,
    /// Second handle of the lease that this process holds.
    lease: File,
    pool: Arc<AgentPool>,
    cancel: Cancel,
}

impl WorkerOptions {
    pub(super) fn new(context: &RunContext<'_>, flags: &Map<String, Value>, lease: File) -> WorkerOptions {
        let is_set = |name: &str| flags.get(name).and_then(Value::as_bool).unwrap_or_default();
        WorkerOptions {
            site: context.site.clone(),
            name: context.name.clone(),
            documents: context.site.documents(),
            workspace: context.workspace.clone(),
            auto: is_set("auto"),
            no_checkpoint: is_set("no-checkpoint"),
            branch_info: context.branch_info.map(str::to_owned),
            session: context.nesting.session.clone(),
            lease,
            pool: context.pool.clone(),
            cancel: context.cancel.clone(),
        }
    }
}

impl WorkerProcess {
    pub(super) fn new(options: WorkerOptions) -> WorkerProcess {
        WorkerProcess(Arc::new(options))
    }

    async fn run(self) -> Result<String, PortError> {
        let options = &*self.0;
        let cannot = |error: io::Error| PortError::Failed(format!("cannot start the worker: {error}"));
        let mut child = options.command().map_err(cannot)?.spawn().map_err(cannot)?;
        let printed = options.read_output(&mut child).await;
        let ended = child.wait().await;
        let status = HeavyStatus::parse(&printed);
        if ended.is_err() || status != Some(HeavyStatus::Complete) {
            // A worker that was killed leaves orphaned agents.
            agent_pool::end_orphans(&options.site);
        }
        if let Some(session) = &options.session {
            options.pool.import_health(session.known_unhealthy());
        }
        if options.cancel.is_requested() { Err(PortError::Interrupted) } else { Ok(printed) }
    }
}

impl WorkerOptions {
    /// Command line of the worker. Everything the worker needs is passed explicitly.
    fn command(&self) -> io::Result<Command> {
        let heavy = format!("{}-heavy", self.name.command());
        let mut arguments: Vec<OsString> = vec![heavy.into(), "--workspace".into()];
        arguments.push(self.workspace.folder().into());
        for (flag, is_set) in [("--auto", self.auto), ("--no-checkpoint", self.no_checkpoint)] {
            arguments.extend(is_set.then(|| flag.into()));
        }
        let Health { codex, cursor } = self.pool.session_health();
        for (flag, healthy) in [("--codex-healthy", codex), ("--cursor-healthy", cursor)] {
            arguments.extend(healthy.map(|healthy| format!("{flag}={healthy}").into()));
        }
        if let Some(info) = &self.branch_info {
            arguments.push(format!("--branch-info={info}").into());
        }
        if let Some(session) = &self.session {
            arguments.extend(["--session-env".into(), session.path().into()]);
        }
        arguments
            .extend(["--".into(), self.name.feature().map(ToString::to_string).unwrap_or_default().into()]);
        let program = self.site.environment.program.clone();
        let program = program.ok_or_else(|| io::Error::other("the path of our own program is unknown"))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.site.root);
        // The worker trusts what this process trusts and nothing else: not what has been changed since.
        match self.site.trust.digest_in_use() {
            Some(digest) => command.env(CHARRETTE_TRUST, digest),
            None => command.env_remove(CHARRETTE_TRUST),
        };
        command.stdin(Stdio::from(self.lease.try_clone()?)).stdout(Stdio::piped());
        Ok(command)
    }

    /// Reads the worker's output. On cancellation the pipe is closed, which the worker notices.
    async fn read_output(&self, child: &mut Child) -> String {
        let Some(stdout) = child.stdout.take() else { return String::new() };
        let mut printed = Vec::new();
        let mut limited = stdout.take(OUTPUT_LIMIT);
        let is_cancelled = tokio::select! {
            _ = limited.read_to_end(&mut printed) => false,
            () = self.cancel.wait_for(Urgency::Soon) => true,
        };
        drop(limited);
        if is_cancelled {
            let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
            tokio::select! {
                _ = child.wait() => {}
                () = self.cancel.wait_for(Urgency::Now) => {
                    if let Some(pid) = pid {
                        let _ = kill_process(pid, Signal::TERM);
                    }
                }
            }
        }
        String::from_utf8_lossy(&printed).into_owned()
    }

    /// Remaining work of the heavy part, as recorded by the engine; empty if nothing is left. The text is digested.
    fn remaining_work(&self) -> String {
        let Ok(Some(loaded)) = self.documents.load(&self.name) else { return "no document".to_owned() };
        let last = if self.auto { "rejected/any" } else { "review/tally" };
        let steps = forecast(&loaded.document, &self.workspace);
        let is_last_done = steps.iter().any(|step| step.step == last && step.status == StepStatus::Done);
        let size = |name: &str| self.read_artifact(name).map(|bytes| bytes.len() as u64);
        let is_done = is_last_done
            && steps.iter().all(|step| step.why.is_none())
            && verify_status(Some(HeavyStatus::Complete), size) == HeavyStatus::Complete;
        if is_done {
            return String::new();
        }
        let again = steps.iter().filter_map(|step| Some(format!("{}: {}", step.step, step.why.as_ref()?)));
        format!("{} steps on record; {}", steps.len(), again.collect::<Vec<_>>().join("; "))
    }

    fn read_artifact(&self, name: &str) -> Option<Vec<u8>> {
        self.workspace.read(name, None).ok().flatten()
    }
}

impl Worker for WorkerProcess {
    fn outstanding(&self) -> String {
        self.0.remaining_work()
    }

    fn work(&self) -> BoxFuture<'static, Result<String, PortError>> {
        Box::pin(self.clone().run())
    }
}

/// Runs in the worker: cancels it when its parent has closed the pipe.
pub(super) fn cancel_when_parent_exits(cancel: &Cancel) {
    let cancel = cancel.clone();
    // A thread of its own, because a step may keep the runtime busy. It ends with the process.
    let _ = std::thread::Builder::new().name("parent".to_owned()).spawn(move || {
        let stdout = io::stdout();
        loop {
            // Waits for nothing but the end of the other side, which poll always reports.
            match poll(&mut [PollFd::new(&stdout, PollFlags::empty())], None) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return cancel.request(),
            }
        }
    });
}
