//! The process that does the heavy part of a design: how it is started, waited for and cleaned up after.
//!
//! It is this binary again. Its standard input is the lease of the run, held by both, so no third process can come
//! between them and the run stays leased for as long as either lives. Its standard output is one line for us; when
//! we are gone, nobody reads that, which is how it learns that it is to end.

use super::session::Session;
use crate::arguments::Global;
use crate::room;
use crate::site::Site;
use charrette_agents::room::{Room, Rules, drivers_folder};
use charrette_agents::strays::reap;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::explain::forecast;
use charrette_engine::flows::design::{HeavyWorker, Refusal};
use charrette_engine::ports::BoxFuture;
use charrette_model::checkpoint::{DocumentName, StepStatus};
use charrette_model::nesting::heavy::{HeavyStatus, judged};
use charrette_model::session::Health;
use charrette_store::{Documents, Workspace};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};

/// What is read of what a worker prints.
const MOST_READ: u64 = 64 << 10;

/// The worker of a run, as seen by the process that waits for it.
#[derive(Clone)]
pub(super) struct WorkerHere(Arc<Order>);

/// Everything a worker is told, and what is needed to look after it.
pub(super) struct Order {
    pub(super) name: DocumentName,
    pub(super) documents: Documents,
    pub(super) workspace: Arc<Workspace>,
    pub(super) auto: bool,
    pub(super) no_checkpoint: bool,
    pub(super) branch_info: Option<String>,
    pub(super) session: Option<Arc<Session>>,
    /// A second handle of the lease that this process holds.
    pub(super) lease: File,
    pub(super) room: Arc<Room>,
    pub(super) cancel: Cancel,
    pub(super) root: PathBuf,
    pub(super) upkeep: Upkeep,
}

/// How agents that a worker left behind are ended.
pub(super) struct Upkeep {
    global: Global,
    drivers: PathBuf,
    grace: Duration,
}

impl Upkeep {
    pub(super) fn of(global: &Global, site: &Site) -> Upkeep {
        Upkeep {
            global: global.clone(),
            drivers: drivers_folder(&room::state_folder(site)),
            grace: Rules::configured(&site.settings).grace(),
        }
    }

    fn end_strays(&self) {
        if let Ok(ended) = reap(&self.drivers, self.grace) {
            room::say_ended(&self.global, &ended);
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
            order.upkeep.end_strays();
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
        let mut words: Vec<OsString> = vec!["design-heavy".into(), "--workspace".into()];
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
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).current_dir(&self.root);
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

    /// Whether all of it is on record, and nothing it read has changed since.
    fn is_done(&self) -> bool {
        let Ok(Some(loaded)) = self.documents.load(&self.name) else { return false };
        let last = if self.auto { "rejected/any" } else { "review/tally" };
        let steps = forecast(&loaded.document, &self.workspace);
        let is_last_done = steps.iter().any(|step| step.step == last && step.status == StepStatus::Done);
        let size = |name: &str| self.found(name).map(|bytes| bytes.len() as u64);
        is_last_done
            && steps.iter().all(|step| step.why.is_none())
            && judged(Some(HeavyStatus::Complete), size) == HeavyStatus::Complete
    }

    fn found(&self, name: &str) -> Option<Vec<u8>> {
        self.workspace.read(name, None).ok().flatten()
    }
}

impl HeavyWorker for WorkerHere {
    fn is_needed(&self) -> bool {
        !self.0.is_done()
    }

    fn work(&self) -> BoxFuture<'static, Result<String, Refusal>> {
        Box::pin(self.clone().worked())
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.0.found(name)
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
