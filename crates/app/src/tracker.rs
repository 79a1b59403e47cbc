//! Issue tracker of this site, from its current configuration.

use crate::environment::LINEAR_API_KEY;
use crate::site::Site;
use charrette_engine::Cancel;
use charrette_engine::ports::TrackerState;
use charrette_integrations::linear::LinearTracker;
use charrette_model::config::integrations;

/// Builds the tracker of this site.
pub fn tracker(site: &Site, cancel: &Cancel) -> LinearTracker {
    let (state, team) = read_state(site);
    LinearTracker {
        state,
        team,
        // Never of the repository's choice: the user's key is sent there.
        endpoint: site.settings.linear_endpoint().to_owned(),
        key: site.environment.secret(LINEAR_API_KEY),
        key_name: LINEAR_API_KEY,
        cancel: cancel.clone(),
    }
}

/// State of the tracker of this site.
pub(crate) fn tracker_state(site: &Site) -> TrackerState {
    read_state(site).0
}

/// State of the tracker from the integrations file, and its team. Off, if that is not trusted.
fn read_state(site: &Site) -> (TrackerState, String) {
    let text = match &site.texts.integrations {
        Ok(Some(text)) => text,
        Ok(None) => return (TrackerState::NotConfigured, String::new()),
        Err(error) => {
            let why = format!("{} ({})", integrations::LINEAR_NOT_CONFIGURED, error);
            return (TrackerState::Unusable(why), String::new());
        }
    };
    match integrations::read(Some(text)) {
        Ok((integrations, _)) if integrations.linear.enabled && site.trust.is_trusted() => {
            (TrackerState::On, integrations.linear.team.unwrap_or_default())
        }
        Ok(_) => (TrackerState::Off, String::new()),
        Err(problem) => (TrackerState::Unusable(problem.to_string()), String::new()),
    }
}
