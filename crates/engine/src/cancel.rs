//! Asking everything that runs to come to an end.

use tokio::sync::watch;

/// How urgently the end was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Go on.
    None,
    /// Come to an end.
    Soon,
    /// Asked twice: end at once.
    Now,
}

/// A request to end, shared by everything that might run long.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Sender<Urgency>);

impl Default for Cancel {
    fn default() -> Cancel {
        Cancel(watch::Sender::new(Urgency::None))
    }
}

impl Cancel {
    /// Asks for the end, more urgently each time.
    pub fn request(&self) {
        self.0.send_modify(|urgency| {
            *urgency = if *urgency == Urgency::None { Urgency::Soon } else { Urgency::Now };
        });
    }

    /// Whether the end was asked for.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow() > Urgency::None
    }

    /// Waits until the end is asked for with at least this urgency.
    pub async fn requested(&self, urgency: Urgency) {
        let mut changes = self.0.subscribe();
        // The sender lives as long as `self`, so this only ends when the value is reached.
        let _ = changes.wait_for(|now| *now >= urgency).await;
    }
}
