//! The process that does the heavy part of a design: how it is started, waited for and cleaned up after.
//!
//! It is this binary again. Its standard input is the lease of the run, held by both, so no third process can come
//! between them and the run stays leased for as long as either lives. Its standard output is one line for us; when
//! we are gone, nobody reads that, which is how it learns that it is to end.

use super::session::Session;
use crate::ports::Around;
use crate::room;
use crate::site::Site;
use charrette_agents::room::Room;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::explain::forecast;
use charrette_engine::ports::{BoxFuture, Refusal, Worker};
use charrette_model::checkpoint::{DocumentName, StepStatus};
use charrette_model::nesting::heavy::{HeavyStatus, judged};
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

/// What is read of what a worker prints.
const MOST_READ: u64 = 64 << 10;

/// The worker of a run, as seen by the process that waits for it.
#[derive(Clone)]
pub(super) struct WorkerHere(Arc<Order>);

/// Everything a worker is told, and what is needed to look after it.
pub(super) struct Order {
    site: Site,
    name: DocumentName,
    documents: Documents,
    workspace: Arc<Workspace>,
    auto: bool,
    no_checkpoint: bool,
    branch_info: Option<String>,
    session: Option<Arc<Session>>,
    /// A second handle of the lease that this process holds.
    lease: File,
    room: Arc<Room>,
    cancel: Cancel,
}

impl Order {
    pub(super) fn of(around: &Around<'_>, flags: &Map<String, Value>, lease: File) -> Order {
        let is_set = |name: &str| flags.get(name).and_then(Value::as_bool).unwrap_or_default();
        Order {
            site: around.site.clone(),
            name: around.name.clone(),
            documents: around.site.documents(),
            workspace: around.workspace.clone(),
            auto: is_set("auto"),
            no_checkpoint: is_set("no-checkpoint"),
            branch_info: around.branch_info.map(str::to_owned),
            session: around.nesting.session.clone(),
            lease,
            room: around.room.clone(),
            cancel: around.cancel.clone(),
        }
    }
}

impl WorkerHere {
    pub(super) fn new(order: Order) -> WorkerHere {
        WorkerHere(Arc::new(order))
    }

    async fn worked(self) -> Result<String, Refusal> {
        let order = &*self.0;
        let cannot = |error: io::Error| Refusal::Failed(format!("the worker cannot be started: {error}"));
        let mut child = order.command().map_err(cannot)?.spawn().map_err(cannot)?;
        let printed = order.heard(&mut child).await;
        let ended = child.wait().await;
        let said = HeavyStatus::parse(&printed);
        if ended.is_err() || said != Some(HeavyStatus::Complete) {
            // One that was killed could not see to its agents.
            room::end_strays(&order.site);
        }
        if let Some(session) = &order.session {
            order.room.learn(session.unhealthy());
        }
        if order.cancel.is_requested() { Err(Refusal::Interrupted) } else { Ok(printed) }
    }
}

impl Order {
    /// Explicit data only: nothing of what this process knows is handed on by other ways.
    fn command(&self) -> io::Result<Command> {
        let heavy = format!("{}-heavy", self.name.command());
        let mut words: Vec<OsString> = vec![heavy.into(), "--workspace".into()];
        words.push(self.workspace.folder().into());
        for (flag, is_set) in [("--auto", self.auto), ("--no-checkpoint", self.no_checkpoint)] {
            words.extend(is_set.then(|| flag.into()));
        }
        let Health { codex, cursor } = self.room.session_health();
        for (flag, healthy) in [("--codex-healthy", codex), ("--cursor-healthy", cursor)] {
            words.extend(healthy.map(|healthy| format!("{flag}={healthy}").into()));
        }
        if let Some(info) = &self.branch_info {
            words.push(format!("--branch-info={info}").into());
        }
        if let Some(session) = &self.session {
            words.extend(["--session-env".into(), session.path().into()]);
        }
        words.extend(["--".into(), self.name.feature().map(ToString::to_string).unwrap_or_default().into()]);
        let program = self.site.environment.program.clone();
        let program = program.ok_or_else(|| io::Error::other("our own program is not known"))?;
        let mut command = Command::new(program);
        command.args(words).current_dir(&self.site.root);
        command.stdin(Stdio::from(self.lease.try_clone()?)).stdout(Stdio::piped());
        Ok(command)
    }

    /// What the worker prints. When this run is to end, nobody listens any more, and the worker notices.
    async fn heard(&self, child: &mut Child) -> String {
        let Some(stdout) = child.stdout.take() else { return String::new() };
        let mut printed = Vec::new();
        let mut limited = stdout.take(MOST_READ);
        let is_cancelled = tokio::select! {
            _ = limited.read_to_end(&mut printed) => false,
            () = self.cancel.requested(Urgency::Soon) => true,
        };
        drop(limited);
        if is_cancelled {
            let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
            tokio::select! {
                _ = child.wait() => {}
                () = self.cancel.requested(Urgency::Now) => {
                    if let Some(pid) = pid {
                        let _ = kill_process(pid, Signal::TERM);
                    }
                }
            }
        }
        String::from_utf8_lossy(&printed).into_owned()
    }

    /// What is left of it: the steps that are not done, or will be done again, and the files that must be there.
    fn left(&self) -> String {
        let Ok(Some(loaded)) = self.documents.load(&self.name) else { return "no document".to_owned() };
        let last = if self.auto { "rejected/any" } else { "review/tally" };
        let steps = forecast(&loaded.document, &self.workspace);
        let is_last_done = steps.iter().any(|step| step.step == last && step.status == StepStatus::Done);
        let size = |name: &str| self.found(name).map(|bytes| bytes.len() as u64);
        let is_done = is_last_done
            && steps.iter().all(|step| step.why.is_none())
            && judged(Some(HeavyStatus::Complete), size) == HeavyStatus::Complete;
        if is_done {
            return String::new();
        }
        let again = steps.iter().filter_map(|step| Some(format!("{}: {}", step.step, step.why.as_ref()?)));
        format!("{} steps on record; {}", steps.len(), again.collect::<Vec<_>>().join("; "))
    }

    fn found(&self, name: &str) -> Option<Vec<u8>> {
        self.workspace.read(name, None).ok().flatten()
    }
}

impl Worker for WorkerHere {
    fn outstanding(&self) -> String {
        self.0.left()
    }

    fn work(&self) -> BoxFuture<'static, Result<String, Refusal>> {
        Box::pin(self.clone().worked())
    }
}

/// The worker's side: asks for the end when nobody reads what it will print.
pub(super) fn end_with_parent(cancel: &Cancel) {
    let cancel = cancel.clone();
    // A thread of its own, because a step may keep the runtime busy. It ends with the process.
    let _ = std::thread::Builder::new().name("parent".to_owned()).spawn(move || {
        let stdout = io::stdout();
        loop {
            // Nothing is waited for but the end of the other side, which is always reported.
            match poll(&mut [PollFd::new(&stdout, PollFlags::empty())], None) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return cancel.request(),
            }
        }
    });
}
