//! A process group that does not outlive us: asked to end, given a moment, then killed.

use charrette_engine::cancel::{Cancel, Urgency};
use rustix::process::{Pid, Signal, kill_process_group};
use std::time::Duration;
use tokio::process::Child;

/// A child that leads a process group. Dropping it kills the whole group.
pub(crate) struct Group {
    child: Child,
    leader: Option<Pid>,
}

impl Group {
    /// The group that `child` leads; it must have been started as the leader of one.
    pub(crate) fn led_by(child: Child) -> Group {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Group { child, leader }
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Asks the group to end, waits for its leader as long as grace and urgency allow, then kills it.
    pub(crate) async fn end(mut self, grace: Duration, cancel: &Cancel) {
        self.signal(Signal::TERM);
        tokio::select! {
            _ = self.child.wait() => {}
            () = tokio::time::sleep(grace) => {}
            () = cancel.requested(Urgency::Now) => {}
        }
        self.signal(Signal::KILL);
        let _ = self.child.wait().await;
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
    }
}
