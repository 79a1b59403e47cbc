//! A process group that does not outlive us: asked to end, given a moment, then killed.

use charrette_engine::cancel::{Cancel, Urgency};
use rustix::process::{Pid, Signal, kill_process_group};
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::process::Child;

/// The leaders we have started and not yet collected.
static LEADERS: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// A child that leads a process group. Dropping it kills the whole group.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    leader: Option<Pid>,
}

impl Group {
    /// The group that `child` leads; it must have been started as the leader of one.
    pub(crate) fn led_by(child: Child) -> Group {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(leader) = leader {
            leaders().push(leader.as_raw_nonzero().get());
        }
        Group { child, leader }
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Asks the group to end, waits for its leader as long as grace and urgency allow, then kills it.
    pub(crate) async fn end(&mut self, grace: Duration, cancel: &Cancel) -> Option<ExitStatus> {
        self.signal(Signal::TERM);
        tokio::select! {
            _ = self.child.wait() => {}
            () = tokio::time::sleep(grace) => {}
            () = cancel.requested(Urgency::Now) => {}
        }
        self.signal(Signal::KILL);
        self.child.wait().await.ok()
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // The group may be gone already; that is what we want.
            let _ = kill_process_group(leader, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        if let Some(leader) = self.leader {
            leaders().retain(|pid| *pid != leader.as_raw_nonzero().get());
        }
    }
}

/// The leaders that are ours to collect.
pub(crate) fn own_leaders() -> Vec<i32> {
    leaders().clone()
}

fn leaders() -> std::sync::MutexGuard<'static, Vec<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}
