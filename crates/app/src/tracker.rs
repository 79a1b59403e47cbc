//! Issue tracker of this site, from its current configuration.

use crate::environment::LINEAR_API_KEY;
use crate::site::Site;
use charrette_engine::Cancel;
use charrette_engine::ports::TrackerState;
use charrette_integrations::is_loopback_address;
use charrette_integrations::linear::LinearTracker;
use charrette_model::config::integrations;
use charrette_store::integrations::integrations_text;

/// Builds the tracker of this site.
pub fn tracker(site: &Site, cancel: &Cancel) -> LinearTracker {
    let (state, team) = read_state(site);
    LinearTracker {
        state,
        team,
        endpoint: endpoint(site),
        key: site.environment.secret(LINEAR_API_KEY),
        key_name: LINEAR_API_KEY,
        cancel: cancel.clone(),
    }
}

/// State of the tracker from the integrations file, and its team.
fn read_state(site: &Site) -> (TrackerState, String) {
    let text = match integrations_text(&site.root) {
        Ok(Some(text)) => text,
        Ok(None) => return (TrackerState::NotConfigured, String::new()),
        Err(error) => {
            let why = format!("{} ({})", integrations::LINEAR_NOT_CONFIGURED, error);
            return (TrackerState::Unusable(why), String::new());
        }
    };
    match integrations::read(Some(&text)) {
        Ok((integrations, _)) if integrations.linear.enabled => {
            (TrackerState::On, integrations.linear.team.unwrap_or_default())
        }
        Ok(_) => (TrackerState::Off, String::new()),
        Err(problem) => (TrackerState::Unusable(problem.to_string()), String::new()),
    }
}

/// Endpoint of the tracker. A repository must not choose where the user's key is sent.
fn endpoint(site: &Site) -> Result<String, String> {
    let endpoint = site.settings.linear_endpoint().to_owned();
    let origin = site.settings.all().get("linear.endpoint").map(|setting| setting.origin.as_str());
    let is_of_repository = origin.is_some_and(|origin| origin.starts_with("charrette.toml:"));
    let is_linear = endpoint.starts_with("https://api.linear.app/");
    if is_of_repository && !is_linear && !is_loopback_address(&endpoint) {
        return Err("linear.endpoint is set in this repository's charrette.toml, so your key would be sent there; if you trust it, set it in your own configuration".to_owned());
    }
    Ok(endpoint)
}
