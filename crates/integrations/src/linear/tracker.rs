//! Linear as the engine's tracker: one issue for each order, however often it is given.

use super::{Linear, NewIssue, Patience};
use crate::stable_id;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::ports::{BoxFuture, IssueOrder, Tracker, TrackerError, TrackerState};
use charrette_model::spec::record::LinearIssue;
use futures_util::future::{Either, select};
use secrecy::SecretString;
use std::pin::pin;

/// Linear, as a repository and its user have configured it.
#[derive(Debug, Clone)]
pub struct LinearTracker {
    /// Whether issues are made.
    pub state: TrackerState,
    /// The team, by id, key or name.
    pub team: String,
    /// Where to ask, or why that is not known.
    pub endpoint: Result<String, String>,
    /// The key.
    pub key: Option<SecretString>,
    /// The variable the key is taken from, for messages.
    pub key_name: &'static str,
    /// The request to end.
    pub cancel: Cancel,
}

impl LinearTracker {
    /// A client, or why there is none.
    pub fn client(&self, patience: Patience) -> Result<Linear, String> {
        let endpoint = self.endpoint.clone()?;
        let key = self.key.clone().ok_or_else(|| format!("{} is not set", self.key_name))?;
        Linear::new(&endpoint, key, patience).map_err(|error| error.to_string())
    }

    async fn issue(self, order: IssueOrder) -> Result<LinearIssue, String> {
        let linear = self.client(Patience::default())?;
        let team = linear.team(&self.team).await.map_err(|error| error.to_string())?;
        let issue = NewIssue {
            id: stable_id(&[&order.run, &order.step]),
            team: team.id,
            title: order.title,
            description: order.description,
        };
        linear.create(&issue).await.map_err(|error| error.to_string())
    }
}

impl Tracker for LinearTracker {
    fn state(&self) -> TrackerState {
        self.state.clone()
    }

    fn create(&self, order: IssueOrder) -> BoxFuture<'static, Result<LinearIssue, TrackerError>> {
        let (tracker, cancel) = (self.clone(), self.cancel.clone());
        Box::pin(async move {
            match select(pin!(tracker.issue(order)), pin!(cancel.requested(Urgency::Soon))).await {
                Either::Left((made, _)) => made.map_err(TrackerError::Failed),
                Either::Right(_) => Err(TrackerError::Interrupted),
            }
        })
    }
}
