//! A process group that does not outlive us: SIGTERM, a grace period, SIGKILL.

use crate::supervisor::sleep_unstopped;
use charrette_engine::cancel::{Cancel, Urgency};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::process::{Child, Command};

/// Process ids of group leaders that we started and did not reap yet.
static LEADERS: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// A child that leads a process group. Dropping it kills the whole group.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    child: Child,
    leader: Option<Pid>,
}

impl ProcessGroup {
    /// Starts a process. The command must make it the leader of a group, or it makes itself the leader of a session.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<ProcessGroup> {
        // Listed before anybody can take it for an adopted process.
        let mut leaders = leaders();
        let child = command.spawn()?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        leaders.extend(leader.map(|leader| leader.as_raw_nonzero().get()));
        drop(leaders);
        Ok(ProcessGroup { child, leader })
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Ends the group: SIGTERM, then SIGKILL after the grace period or on an urgent cancellation. Time that this process is
    /// stopped itself is no part of the grace period.
    pub(crate) async fn end(&mut self, grace: Duration, cancel: &Cancel) -> Option<ExitStatus> {
        self.signal(Signal::TERM);
        tokio::select! {
            _ = self.child.wait() => {}
            () = sleep_unstopped(grace) => {}
            () = cancel.wait_for(Urgency::Now) => {}
        }
        self.signal(Signal::KILL);
        self.child.wait().await.ok()
    }

    fn signal(&self, signal: Signal) {
        let Some(leader) = self.leader else { return };
        // The group may have ended already, or its leader is about to make it.
        if kill_process_group(leader, signal).is_err() && self.child.id().is_some() {
            let _ = kill_process(leader, signal);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        if let Some(leader) = self.leader {
            leaders().retain(|pid| *pid != leader.as_raw_nonzero().get());
        }
    }
}

/// Looks at the processes that we started, while no other is started or given up.
pub(crate) fn with_own_leaders<T>(look: impl FnOnce(&[i32]) -> T) -> T {
    look(&leaders())
}

fn leaders() -> std::sync::MutexGuard<'static, Vec<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}
