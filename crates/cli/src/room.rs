//! The room that agents work in, as this site's configuration and environment furnish it.

use crate::arguments::Global;
use crate::embedded::Surveyor;
use crate::error::CommandError;
use crate::site::Site;
use crate::{env_vars, output};
use charrette_agents::profile::Roster;
use charrette_agents::room::{Furnishing, Room, Rules, drivers_folder};
use charrette_agents::strays::{Stray, reap};
use charrette_agents::surroundings::Surroundings;
use charrette_engine::Cancel;
use charrette_engine::ports::Clock;
use charrette_model::seats::{AgentHealth, CLAUDE, Candidate, EMBEDDED, configured};
use charrette_model::stamp::Now;
use std::path::PathBuf;
use std::sync::Arc;

/// The agents of this site's configuration, and what is wrong with it, one line each.
pub(crate) fn roster(site: &Site) -> (Roster, Vec<String>) {
    let (roster, problems) = Roster::configured(&site.settings);
    let mut problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    problems.extend(configured::problems(&Rules::configured(&site.settings).seats, &known(&roster)));
    (roster, problems)
}

/// The agents of a configuration, there or not: nobody is looked for.
pub(crate) fn known(roster: &Roster) -> Vec<Candidate> {
    let candidate = |name: &str, vendor: &str| Candidate {
        name: name.to_owned(),
        vendor: vendor.to_owned(),
        external: name != CLAUDE && name != EMBEDDED,
        installed: false,
        healthy: None,
    };
    let agents = roster.all().map(|agent| candidate(&agent.name, &agent.profile.vendor));
    agents.chain([candidate(EMBEDDED, EMBEDDED)]).collect()
}

/// Everybody who might take a seat here, before anybody was asked whether they work.
pub(crate) fn candidates(site: &Site, roster: &Roster) -> Vec<Candidate> {
    let health = AgentHealth::default();
    charrette_agents::room::candidates(roster, &surroundings(site), &health, true)
}

/// The agent inside charrette, for this site.
fn surveyor(site: &Site, feature: Option<String>) -> Surveyor {
    Surveyor {
        feature,
        root: site.root.clone(),
        cache: env_vars::user_state_folder().map(|folder| folder.join("survey")),
        summary_words: site.settings.summary_words(),
        today: at_present(site).chars().take(10).collect(),
    }
}

/// Where agents work, and what of our environment they might see.
pub(crate) fn surroundings(site: &Site) -> Surroundings {
    Surroundings {
        folder: site.root.clone(),
        in_repository: site.repository.is_some(),
        variables: env_vars::everything(),
    }
}

/// Where we remember what outlives a run: in the user's state folder, else in the repository's.
pub(crate) fn state_folder(site: &Site) -> PathBuf {
    env_vars::user_state_folder().unwrap_or_else(|| site.root.join(site.settings.state_folder()))
}

/// A room for this site. What dead drivers left behind is ended first.
pub(crate) fn open(
    global: &Global,
    site: &Site,
    (purpose, feature): (&str, Option<String>),
    cancel: &Cancel,
) -> Room {
    let rules = Rules::configured(&site.settings);
    end_strays(global, site);
    let (roster, problems) = roster(site);
    for problem in problems {
        output::note(global, &format!("Warning: {problem}"));
    }
    Room::open(Furnishing {
        roster,
        surroundings: surroundings(site),
        rules,
        state_folder: state_folder(site),
        driver: uuid::Uuid::new_v4().to_string(),
        purpose: purpose.to_owned(),
        clock: Arc::new(SiteClock(site.now)),
        cancel: cancel.clone(),
        embedded: Some(Arc::new(surveyor(site, feature))),
    })
}

/// Ends what dead drivers left behind, and says so.
pub(crate) fn end_strays(global: &Global, site: &Site) {
    let grace = Rules::configured(&site.settings).grace();
    match reap(&drivers_folder(&state_folder(site)), grace) {
        Ok(ended) => say_ended(global, &ended),
        Err(error) => {
            output::note(global, &format!("Warning: cannot look for agents that were left behind: {error}"));
        }
    }
}

/// The time, as it is written down.
pub(crate) fn at_present(site: &Site) -> String {
    SiteClock(site.now).now().stamp().to_string()
}

/// Says who was ended.
pub(crate) fn say_ended(global: &Global, ended: &[Stray]) {
    if ended.is_empty() {
        return;
    }
    let pids: Vec<String> = ended.iter().map(|stray| stray.pid.to_string()).collect();
    let count = if ended.len() == 1 { "1 process".to_owned() } else { format!("{} processes", ended.len()) };
    output::note(
        global,
        &format!("Ended {count} that a run left behind when it was killed: {}", pids.join(", ")),
    );
}

/// A runtime for agents, and a request to end that listens to the signals that mean it.
pub(crate) fn with_agents<T>(
    work: impl AsyncFnOnce(Cancel) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CommandError::failed(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let cancel = Cancel::default();
        listen(&cancel)
            .map_err(|error| CommandError::failed(format!("cannot listen for signals: {error}")))?;
        work(cancel).await
    })
}

/// Turns the signals that mean "end" into a request to end. A second one makes it urgent, nothing worse.
fn listen(cancel: &Cancel) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let cancel = cancel.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                cancel.request();
            }
        });
    }
    Ok(())
}

/// The time, or the one it was frozen at.
#[derive(Debug)]
pub(crate) struct SiteClock(pub(crate) Now);

impl Clock for SiteClock {
    fn now(&self) -> Now {
        self.0.at_present(jiff::Timestamp::now())
    }
}
