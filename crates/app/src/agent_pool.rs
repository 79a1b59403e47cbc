//! Opens the agent pool of a site, from its configuration and environment.

use crate::sandbox::sandbox_config;
use crate::site::Site;
use charrette_agents::host::HostEnvironment;
use charrette_agents::orphans::{Orphan, reap_orphans};
use charrette_agents::pool::{AgentPolicy, AgentPool, AgentPoolConfig, asks_folder, drivers_folder};
use charrette_agents::profile::Roster;
use charrette_engine::Cancel;
use charrette_engine::ports::{Clock, Tree};
use charrette_model::seats::{AgentHealth, CLAUDE, Candidate, EMBEDDED, SeatTables, config};
use charrette_model::stamp::Now;
use charrette_store::LogFolder;
use charrette_store::active::active_folder;
use charrette_survey::RepositorySurvey;
use std::path::PathBuf;
use std::sync::Arc;

/// Configured agents of this site, and the problems in their configuration, one line each.
pub fn roster(site: &Site) -> (Roster, Vec<String>) {
    let (roster, problems) = Roster::from_settings(&site.settings);
    let mut problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let chains = AgentPolicy::from_settings(&site.settings).seats;
    problems.extend(config::problems(&chains, &site.registry.seats(), &configured_candidates(&roster)));
    (roster, problems)
}

/// Configured agents as candidates, without searching for their programs.
pub fn configured_candidates(roster: &Roster) -> Vec<Candidate> {
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

/// Candidates for the seats of this site, before any health probe.
pub fn candidates(site: &Site, roster: &Roster) -> Vec<Candidate> {
    let health = AgentHealth::default();
    charrette_agents::pool::candidates(roster, &host_environment(site), &health, true)
}

/// Repository survey of this site, for flows and for the embedded agent.
pub fn surveyor(site: &Site, feature: Option<String>) -> RepositorySurvey {
    RepositorySurvey {
        feature,
        root: site.root.clone(),
        cache: site.environment.user_state_folder().map(|folder| folder.join("survey")),
        summary_words: site.settings.summary_words(),
        today: timestamp(site).chars().take(10).collect(),
        sources: site.environment.source_roots(),
    }
}

/// Folder and environment variables for agents.
pub fn host_environment(site: &Site) -> HostEnvironment {
    HostEnvironment {
        folder: site.root.clone(),
        in_repository: site.repository.is_some(),
        hook: hook_program(site),
        active_folder: Some(active_folder(site.repository.as_ref(), &site.root)),
        variables: site.environment.variables.clone(),
    }
}

/// The hook beside our own program, if it is installed there.
fn hook_program(site: &Site) -> Option<PathBuf> {
    let hook = site.environment.program.as_ref()?.with_file_name("charrette-hook");
    hook.is_file().then_some(hook)
}

/// Folder for state that outlives a run: the user's state folder, else the repository's.
pub fn state_folder(site: &Site) -> PathBuf {
    site.environment.user_state_folder().unwrap_or_else(|| site.root.join(site.settings.state_folder()))
}

/// Folder with the worktrees of tasks, each in the folder of its run. An agent sees its own only.
pub fn worktrees_folder(site: &Site) -> PathBuf {
    state_folder(site).join("worktrees")
}

/// Options of an agent pool.
#[derive(Debug, Clone, Default)]
pub struct AgentPoolOptions {
    /// Description of what the driver does, for people.
    pub purpose: String,
    pub feature: Option<String>,
    pub seats: SeatTables,
    /// Folder of the run's ledgers; none outside a run.
    pub ledgers: Option<LogFolder>,
    /// Folder of the run's lane scratch folders; none outside a run.
    pub lanes: Option<PathBuf>,
    /// True if the embedded agent may take the place of agents that failed, without a question.
    pub embedded_allowed: bool,
}

/// Opens an agent pool for this site. Orphaned agents of dead drivers are ended first.
pub fn open(site: &Site, options: AgentPoolOptions, tree: Arc<dyn Tree>, cancel: &Cancel) -> AgentPool {
    let policy = AgentPolicy::from_settings(&site.settings);
    end_orphans(site);
    let (roster, problems) = roster(site);
    for problem in problems {
        site.notices.note(format!("Warning: {problem}"));
    }
    let state_folder = state_folder(site);
    AgentPool::new(AgentPoolConfig {
        roster,
        host: host_environment(site),
        policy,
        seats: options.seats,
        ledgers: options.ledgers.unwrap_or_else(|| LogFolder::new(&asks_folder(&state_folder))),
        lanes: options.lanes.unwrap_or_else(|| state_folder.join("scratch")),
        state_folder,
        driver: uuid::Uuid::new_v4().to_string(),
        purpose: options.purpose,
        feature: options.feature.clone(),
        clock: Arc::new(SiteClock(site.now)),
        cancel: cancel.clone(),
        tree,
        sandbox: sandbox_config(site),
        embedded: Some(Arc::new(surveyor(site, options.feature))),
        embedded_allowed: options.embedded_allowed,
    })
}

/// Ends orphaned agents of dead drivers and reports them.
pub fn end_orphans(site: &Site) {
    let grace = AgentPolicy::from_settings(&site.settings).grace();
    match reap_orphans(&drivers_folder(&state_folder(site)), grace) {
        Ok(ended) => report_ended_orphans(site, &ended),
        Err(error) => {
            site.notices.note(format!("Warning: cannot look for orphaned agents: {error}"));
        }
    }
}

/// Current time as a timestamp.
pub fn timestamp(site: &Site) -> String {
    SiteClock(site.now).now().stamp().to_string()
}

/// Reports the orphaned processes that were ended.
pub fn report_ended_orphans(site: &Site, ended: &[Orphan]) {
    if ended.is_empty() {
        return;
    }
    let pids: Vec<String> = ended.iter().map(|orphan| orphan.pid.to_string()).collect();
    let pids = pids.join(", ");
    site.notices.note(match ended.len() {
        1 => format!("Ended 1 orphaned agent process of a killed run (pid {pids})"),
        count => format!("Ended {count} orphaned agent processes of killed runs (pids {pids})"),
    });
}

/// Clock of a site: real time, or the frozen time of `CHARRETTE_NOW`.
#[derive(Debug, Clone, Copy)]
pub struct SiteClock(pub Now);

impl Clock for SiteClock {
    fn now(&self) -> Now {
        self.0.advanced_to(jiff::Timestamp::now())
    }
}
