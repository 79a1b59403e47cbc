//! The tracker of this site, as the engine asks for it.

use crate::commands::config::integrations_text;
use crate::env_vars::{self, LINEAR_API_KEY};
use crate::site::Site;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::flows::design::{IssueOrder, Standing, Tracker, TrackerError};
use charrette_engine::ports::BoxFuture;
use charrette_integrations::linear::{Linear, NewIssue, Patience};
use charrette_integrations::{leads_here, stable_id};
use charrette_model::config::integrations;
use charrette_model::spec::record::LinearIssue;
use futures_util::future::{Either, select};
use secrecy::SecretString;
use std::pin::pin;

/// The tracker, as it is configured right now.
#[derive(Debug)]
pub(crate) struct TrackerHere {
    pub(crate) standing: Standing,
    access: Access,
    cancel: Cancel,
}

/// Everything that is needed to ask it.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) team: String,
    endpoint: Result<String, String>,
    key: Option<SecretString>,
}

impl TrackerHere {
    /// What is configured at this site.
    pub(crate) fn of(site: &Site, cancel: &Cancel) -> TrackerHere {
        let (standing, team) = configured(site);
        let access = Access { team, endpoint: endpoint(site), key: env_vars::secret(LINEAR_API_KEY) };
        TrackerHere { standing, access, cancel: cancel.clone() }
    }

    /// How to ask it.
    pub(crate) fn access(&self) -> &Access {
        &self.access
    }
}

/// What the file of integrations says, and the team.
fn configured(site: &Site) -> (Standing, String) {
    let text = match integrations_text(&site.root) {
        Ok(Some(text)) => text,
        Ok(None) => return (Standing::NotConfigured, String::new()),
        Err(error) => {
            let why = format!("{} ({})", integrations::LINEAR_NOT_CONFIGURED, error.message);
            return (Standing::Unusable(why), String::new());
        }
    };
    match integrations::read(Some(&text)) {
        Ok((integrations, _)) if integrations.linear.enabled => {
            (Standing::On, integrations.linear.team.unwrap_or_default())
        }
        Ok(_) => (Standing::Off, String::new()),
        Err(problem) => (Standing::Unusable(problem.to_string()), String::new()),
    }
}

/// Where to ask. A repository may not send its reader's key to a place of its own choice.
fn endpoint(site: &Site) -> Result<String, String> {
    let endpoint = site.settings.linear_endpoint().to_owned();
    let origin = site.settings.all().get("linear.endpoint").map(|setting| setting.origin.as_str());
    let is_of_repository = origin.is_some_and(|origin| origin.starts_with("charrette.toml:"));
    let is_linear = endpoint.starts_with("https://api.linear.app/");
    if is_of_repository && !is_linear && !leads_here(&endpoint) {
        return Err("linear.endpoint stands in this repository's charrette.toml, and your key would go there; if you want that, set it in your own configuration".to_owned());
    }
    Ok(endpoint)
}

impl Access {
    /// A client, or why there is none.
    pub(crate) fn client(&self, patience: Patience) -> Result<Linear, String> {
        let endpoint = self.endpoint.clone()?;
        let key = self.key.clone().ok_or_else(|| format!("{LINEAR_API_KEY} is not set"))?;
        Linear::new(&endpoint, key, patience).map_err(|error| error.to_string())
    }

    async fn create(self, order: IssueOrder) -> Result<LinearIssue, String> {
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

impl Tracker for TrackerHere {
    fn standing(&self) -> Standing {
        self.standing.clone()
    }

    fn create(&self, order: IssueOrder) -> BoxFuture<'static, Result<LinearIssue, TrackerError>> {
        let (access, cancel) = (self.access.clone(), self.cancel.clone());
        Box::pin(async move {
            match select(pin!(access.create(order)), pin!(cancel.requested(Urgency::Soon))).await {
                Either::Left((made, _)) => made.map_err(TrackerError::Failed),
                Either::Right(_) => Err(TrackerError::Interrupted),
            }
        })
    }
}
