//! The room that agents work in, as this site's configuration and environment furnish it.

use crate::site::Site;
use charrette_agents::profile::Roster;
use charrette_agents::room::{Furnishing, Room, Rules, asks_folder, drivers_folder};
use charrette_agents::strays::{Stray, reap};
use charrette_agents::surroundings::Surroundings;
use charrette_engine::Cancel;
use charrette_engine::ports::{Clock, Tree};
use charrette_model::seats::{AgentHealth, CLAUDE, Candidate, EMBEDDED, SeatTables, configured};
use charrette_model::stamp::Now;
use charrette_survey::RepositorySurvey;
use std::path::PathBuf;
use std::sync::Arc;

/// The agents of this site's configuration, and what is wrong with it, one line each.
pub fn roster(site: &Site) -> (Roster, Vec<String>) {
    let (roster, problems) = Roster::configured(&site.settings);
    let mut problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let chains = Rules::configured(&site.settings).seats;
    problems.extend(configured::problems(&chains, &site.registry.seats(), &known(&roster)));
    (roster, problems)
}

/// The agents of a configuration, there or not: nobody is looked for.
pub fn known(roster: &Roster) -> Vec<Candidate> {
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
pub fn candidates(site: &Site, roster: &Roster) -> Vec<Candidate> {
    let health = AgentHealth::default();
    charrette_agents::room::candidates(roster, &surroundings(site), &health, true)
}

/// The survey of this site: for flows, and for the agent inside charrette.
pub fn surveyor(site: &Site, feature: Option<String>) -> RepositorySurvey {
    RepositorySurvey {
        feature,
        root: site.root.clone(),
        cache: site.environment.user_state_folder().map(|folder| folder.join("survey")),
        summary_words: site.settings.summary_words(),
        today: at_present(site).chars().take(10).collect(),
    }
}

/// Where agents work, and what of our environment they might see.
pub fn surroundings(site: &Site) -> Surroundings {
    Surroundings {
        folder: site.root.clone(),
        in_repository: site.repository.is_some(),
        variables: site.environment.variables.clone(),
    }
}

/// Where we remember what outlives a run: in the user's state folder, else in the repository's.
pub fn state_folder(site: &Site) -> PathBuf {
    site.environment.user_state_folder().unwrap_or_else(|| site.root.join(site.settings.state_folder()))
}

/// What a room is opened for.
#[derive(Debug, Clone, Default)]
pub struct Purpose {
    /// What the driver is doing, for people.
    pub purpose: String,
    /// The feature, if it has one.
    pub feature: Option<String>,
    /// The seats that are taken here.
    pub seats: SeatTables,
    /// Where the ledgers of the run are, if it is for one.
    pub ledgers: Option<PathBuf>,
    /// Where the scratch folders of its lanes are.
    pub lanes: Option<PathBuf>,
}

/// A room for this site. What dead drivers left behind is ended first.
pub fn open(site: &Site, purpose: Purpose, tree: Arc<dyn Tree>, cancel: &Cancel) -> Room {
    let rules = Rules::configured(&site.settings);
    end_strays(site);
    let (roster, problems) = roster(site);
    for problem in problems {
        site.notices.note(format!("Warning: {problem}"));
    }
    let state_folder = state_folder(site);
    Room::open(Furnishing {
        roster,
        surroundings: surroundings(site),
        rules,
        seats: purpose.seats,
        ledgers: purpose.ledgers.unwrap_or_else(|| asks_folder(&state_folder)),
        lanes: purpose.lanes.unwrap_or_else(|| state_folder.join("scratch")),
        state_folder,
        driver: uuid::Uuid::new_v4().to_string(),
        purpose: purpose.purpose,
        clock: Arc::new(SiteClock(site.now)),
        cancel: cancel.clone(),
        tree,
        embedded: Some(Arc::new(surveyor(site, purpose.feature))),
    })
}

/// Ends what dead drivers left behind, and says so.
pub fn end_strays(site: &Site) {
    let grace = Rules::configured(&site.settings).grace();
    match reap(&drivers_folder(&state_folder(site)), grace) {
        Ok(ended) => say_ended(site, &ended),
        Err(error) => {
            site.notices.note(format!("Warning: cannot look for agents that were left behind: {error}"));
        }
    }
}

/// The time, as it is written down.
pub fn at_present(site: &Site) -> String {
    SiteClock(site.now).now().stamp().to_string()
}

/// Says which processes were ended.
pub fn say_ended(site: &Site, ended: &[Stray]) {
    if ended.is_empty() {
        return;
    }
    let pids: Vec<String> = ended.iter().map(|stray| stray.pid.to_string()).collect();
    let count = if ended.len() == 1 { "1 process".to_owned() } else { format!("{} processes", ended.len()) };
    site.notices
        .note(format!("Ended {count} that a run left behind when it was killed: {}", pids.join(", ")));
}

/// The time, or the one it was frozen at.
#[derive(Debug, Clone, Copy)]
pub struct SiteClock(pub Now);

impl Clock for SiteClock {
    fn now(&self) -> Now {
        self.0.at_present(jiff::Timestamp::now())
    }
}
