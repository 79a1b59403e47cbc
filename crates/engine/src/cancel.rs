//! Cancellation of a run, shared by everything that may run long.

use tokio::sync::watch;

/// Urgency of a cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Not cancelled.
    None,
    /// Stop in order.
    Soon,
    /// Requested twice: stop at once.
    Now,
}

/// A cancellation token.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Sender<Urgency>);

impl Default for Cancel {
    fn default() -> Cancel {
        Cancel(watch::Sender::new(Urgency::None))
    }
}

impl Cancel {
    /// Cancels; a second call makes it urgent.
    pub fn request(&self) {
        self.0.send_modify(|urgency| {
            *urgency = if *urgency == Urgency::None { Urgency::Soon } else { Urgency::Now };
        });
    }

    /// True if the run is cancelled.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow() > Urgency::None
    }

    /// Waits until the run is cancelled with at least this urgency.
    pub async fn wait_for(&self, urgency: Urgency) {
        let mut changes = self.0.subscribe();
        // The sender lives as long as `self`, so this only ends when the value is reached.
        let _ = changes.wait_for(|now| *now >= urgency).await;
    }
}
