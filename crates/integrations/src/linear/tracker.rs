//! Linear as the engine's tracker port: one issue for each order, even if the order is repeated.

use super::{Linear, LinearOptions, NewIssue};
use crate::stable_id;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::ports::{BoxFuture, IssueOrder, Tracker, TrackerError, TrackerState};
use charrette_model::spec::record::LinearIssue;
use futures_util::future::{Either, select};
use secrecy::SecretString;
use std::pin::pin;

/// Linear as configured by the repository and the user.
#[derive(Debug, Clone)]
pub struct LinearTracker {
    pub state: TrackerState,
    /// UUID, key or name of the team.
    pub team: String,
    /// URL of the GraphQL interface.
    pub endpoint: String,
    pub key: Option<SecretString>,
    /// Environment variable of the key, for messages.
    pub key_name: &'static str,
    pub cancel: Cancel,
}

impl LinearTracker {
    pub fn client(&self, options: LinearOptions) -> Result<Linear, String> {
        let key = self.key.clone().ok_or_else(|| format!("{} is not set", self.key_name))?;
        Linear::new(&self.endpoint, key, options).map_err(|error| error.to_string())
    }

    async fn create_issue(self, order: IssueOrder) -> Result<LinearIssue, String> {
        let linear = self.client(LinearOptions::default())?;
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
            match select(pin!(tracker.create_issue(order)), pin!(cancel.wait_for(Urgency::Soon))).await {
                Either::Left((created, _)) => created.map_err(TrackerError::Failed),
                Either::Right(_) => Err(TrackerError::Interrupted),
            }
        })
    }
}
