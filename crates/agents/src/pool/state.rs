//! The pool of agents: roster, seats, health, budget, ledgers.

use super::budget::{BudgetTracker, today};
use super::policy::AgentPolicy;
use super::queued::QueueUse;
use crate::host::HostEnvironment;
use crate::orphans::Driver;
use crate::profile::{Agent, Roster};
use crate::sandbox::SandboxConfig;
use crate::supervisor::CallReport;
use charrette_engine::Cancel;
use charrette_engine::ports::{Clock, EmbeddedAgent, Tree};
use charrette_model::ledger::CallRecord;
use charrette_model::ledger::call::ANSWERED;
use charrette_model::redact::Redactor;
use charrette_model::seats::{self, AgentHealth, Candidate, Placement, SeatTables};
use charrette_model::session;
use charrette_model::stamp::Now;
use charrette_store::LogFolder;
use charrette_store::ledger::{append_call, append_day};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::OnceCell;

/// Parts of a pool.
pub struct AgentPoolConfig {
    pub roster: Roster,
    pub seats: SeatTables,
    pub host: HostEnvironment,
    pub policy: AgentPolicy,
    /// Folder for records of drivers and ledgers of days.
    pub state_folder: PathBuf,
    /// Unique name of this driver.
    pub driver: String,
    /// Purpose of this driver, for messages.
    pub purpose: String,
    /// Feature of the run, if there is one.
    pub feature: Option<String>,
    pub clock: Arc<dyn Clock>,
    pub cancel: Cancel,
    /// Work tree, to detect what agents change in it.
    pub tree: Arc<dyn Tree>,
    /// Folder with the ledgers of the run, and with its request and survey for the embedded agent.
    pub ledgers: LogFolder,
    /// Folder with the scratch folders of lanes.
    pub lanes: PathBuf,
    pub sandbox: SandboxConfig,
    pub embedded: Option<Arc<dyn EmbeddedAgent>>,
    /// True if the embedded agent may take the place of agents that failed, without a question.
    pub embedded_allowed: bool,
}

/// Result of a probe, once it is known.
pub(super) type ProbeCell = Arc<OnceCell<Result<(), String>>>;

/// The agents of a run, and their shared state.
#[derive(Clone)]
pub struct AgentPool {
    inner: Arc<Inner>,
}

struct Inner {
    roster: Roster,
    seats: SeatTables,
    host: HostEnvironment,
    policy: AgentPolicy,
    /// Registered before the first agent is started.
    driver: Mutex<Option<Driver>>,
    driver_name: String,
    purpose: String,
    feature: Option<String>,
    queue_use: QueueUse,
    state_folder: PathBuf,
    redactor: Redactor,
    clock: Arc<dyn Clock>,
    cancel: Cancel,
    health: Mutex<AgentHealth>,
    /// Probe results, by agent.
    probed: Mutex<BTreeMap<String, ProbeCell>>,
    /// Result of the last call or probe, by agent.
    last_results: Mutex<BTreeMap<String, Result<(), String>>>,
    embedded_allowed: bool,
    budget: BudgetTracker,
    embedded: Option<Arc<dyn EmbeddedAgent>>,
    tree: Arc<dyn Tree>,
    ledgers: LogFolder,
    lanes: PathBuf,
    sandbox: SandboxConfig,
    /// Cached: a run with forty seats would search PATH forty times.
    installed: OnceLock<Vec<Candidate>>,
    /// The panel that was planned last: its seats are asked for one after the other.
    planned: Mutex<Option<PlannedPanel>>,
}

/// A panel with its agents, and the health that it was planned for.
struct PlannedPanel {
    candidates: Vec<Candidate>,
    placements: Vec<Placement>,
}

impl AgentPool {
    /// Orphans of dead drivers should have been reaped before.
    pub fn new(config: AgentPoolConfig) -> AgentPool {
        let AgentPoolConfig {
            roster,
            seats,
            host,
            policy,
            state_folder,
            driver,
            purpose,
            feature,
            clock,
            cancel,
            tree,
            ledgers,
            lanes,
            sandbox,
            embedded,
            embedded_allowed,
        } = config;
        let secrets: Vec<(String, String)> =
            host.secrets().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let probed = Mutex::new(probe_cells(&roster));
        let budget = BudgetTracker::new(policy.budget);
        let queue_use = QueueUse::new(&state_folder, &purpose, clock.clone(), cancel.clone());
        let inner = Inner {
            roster,
            seats,
            host,
            policy,
            driver: Mutex::default(),
            driver_name: driver,
            purpose,
            feature,
            queue_use,
            state_folder,
            redactor: Redactor::new(secrets),
            clock,
            cancel,
            health: Mutex::default(),
            probed,
            last_results: Mutex::default(),
            embedded_allowed,
            budget,
            embedded,
            tree,
            ledgers,
            lanes,
            sandbox,
            installed: OnceLock::new(),
            planned: Mutex::default(),
        };
        AgentPool { inner: Arc::new(inner) }
    }

    pub fn roster(&self) -> &Roster {
        &self.inner.roster
    }

    pub fn seats(&self) -> &SeatTables {
        &self.inner.seats
    }

    pub fn policy(&self) -> &AgentPolicy {
        &self.inner.policy
    }

    pub fn host(&self) -> &HostEnvironment {
        &self.inner.host
    }

    pub fn sandbox(&self) -> &SandboxConfig {
        &self.inner.sandbox
    }

    /// Agents for a seat, in order of preference. The seats of a panel are planned together.
    pub fn seat_chain(&self, seat_id: &str) -> Vec<String> {
        let Some(seat) = self.seats().seat(seat_id) else { return Vec::new() };
        let (panel, candidates) = (self.seats().panel(seat), self.candidates());
        let mut planned = self.inner.planned.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = planned.as_ref().is_some_and(|planned| {
            let seats = planned.placements.iter().map(|placement| placement.seat.id);
            planned.candidates == candidates && seats.eq(panel.iter().map(|seat| seat.id))
        });
        if !is_known {
            let placements = seats::plan_seating(panel, &self.policy().seats, &candidates);
            *planned = Some(PlannedPanel { candidates, placements });
        }
        let placements = planned.iter().flat_map(|planned| &planned.placements);
        let placement = placements.into_iter().find(|placement| placement.seat.id == seat.id);
        placement.map(|placement| placement.chain.agents.clone()).unwrap_or_default()
    }

    /// Removes secrets from texts.
    pub fn redactor(&self) -> &Redactor {
        &self.inner.redactor
    }

    pub(super) fn now(&self) -> Now {
        self.inner.clock.now()
    }

    pub(super) fn budget(&self) -> &BudgetTracker {
        &self.inner.budget
    }

    pub(super) fn state_folder(&self) -> &Path {
        &self.inner.state_folder
    }

    pub(super) fn embedded_agent(&self) -> Option<&Arc<dyn EmbeddedAgent>> {
        self.inner.embedded.as_ref()
    }

    pub fn tree(&self) -> &Arc<dyn Tree> {
        &self.inner.tree
    }

    pub(super) fn ledgers(&self) -> &LogFolder {
        &self.inner.ledgers
    }

    /// Scratch folder of a lane.
    pub(super) fn lane_folder(&self, name: &str) -> PathBuf {
        self.inner.lanes.join(name)
    }

    pub(super) fn feature(&self) -> Option<&str> {
        self.inner.feature.as_deref()
    }

    pub(super) fn queue_use(&self) -> &QueueUse {
        &self.inner.queue_use
    }

    pub(crate) fn cancel(&self) -> &Cancel {
        &self.inner.cancel
    }

    /// Lane token for the environment of a process. Registers this driver first, so that its orphans can be
    /// found.
    pub(crate) fn lane_token(&self, lane: &str) -> io::Result<String> {
        self.with_driver(|driver| driver.token(lane))
    }

    /// Folder for copies of the repository. Registers this driver first, so that what it leaves is found.
    pub(crate) fn copies_folder(&self) -> io::Result<PathBuf> {
        self.with_driver(|driver| driver.copies().to_owned())
    }

    fn with_driver<T>(&self, ask: impl FnOnce(&Driver) -> T) -> io::Result<T> {
        let mut driver = self.inner.driver.lock().unwrap_or_else(PoisonError::into_inner);
        let registered = match &mut *driver {
            Some(driver) => driver,
            none => {
                let folder = drivers_folder(&self.inner.state_folder);
                none.insert(Driver::register(&folder, &self.inner.driver_name, &self.inner.purpose)?)
            }
        };
        Ok(ask(registered))
    }

    pub(super) fn probe_cell(&self, agent: &str) -> Option<ProbeCell> {
        self.inner.probed.lock().unwrap_or_else(PoisonError::into_inner).get(agent).cloned()
    }

    pub(super) fn may_fall_back(&self) -> bool {
        self.inner.embedded_allowed
    }

    /// Forgets failures and probes: every agent may be called again.
    pub(super) fn reset_health(&self) {
        *self.health() = AgentHealth::default();
        let mut probed = self.inner.probed.lock().unwrap_or_else(PoisonError::into_inner);
        *probed = probe_cells(&self.inner.roster);
    }

    /// Notes how the last call or probe of an agent ended: `Err` is the reason of a failure.
    pub(super) fn note_result(&self, agent: &str, result: Result<(), String>) {
        let mut results = self.inner.last_results.lock().unwrap_or_else(PoisonError::into_inner);
        results.insert(agent.to_owned(), result);
    }

    /// Result of the last call or probe of each agent, by agent; only agents that were called.
    pub fn last_results(&self) -> BTreeMap<String, Result<(), String>> {
        self.inner.last_results.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn health(&self) -> MutexGuard<'_, AgentHealth> {
        self.inner.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes over the health of a calling run: agents that failed there are not called here.
    pub fn import_health(&self, known: session::Health) {
        self.health().merge_session(known);
    }

    /// Health of the agents, for child runs.
    pub fn session_health(&self) -> session::Health {
        self.health().to_session()
    }

    /// True if an agent other than the embedded one is installed.
    pub fn has_installed_agent(&self) -> bool {
        self.candidates().iter().any(|candidate| candidate.name != seats::EMBEDDED && candidate.installed)
    }

    /// All agents that might take a seat, with their health.
    pub fn candidates(&self) -> Vec<Candidate> {
        let Inner { roster, host, embedded, installed, .. } = &*self.inner;
        let search = || candidates(roster, host, &AgentHealth::default(), embedded.is_some());
        let mut all = installed.get_or_init(search).clone();
        let health = self.health();
        for candidate in all.iter_mut().filter(|candidate| candidate.name != seats::EMBEDDED) {
            candidate.healthy = health.is_healthy(&candidate.name);
        }
        all
    }

    /// Ledger record of a call.
    pub fn call_record(&self, agent: &Agent, seat: &str, report: &CallReport) -> CallRecord {
        let record = self.record(&agent.name, &agent.profile.vendor, seat, report);
        CallRecord { model: record.model.clone().or_else(|| agent.model.clone()), ..record }
    }

    pub(super) fn record(&self, agent: &str, vendor: &str, seat: &str, report: &CallReport) -> CallRecord {
        let outcome = &report.outcome;
        let usage = outcome.usage.as_ref();
        let status = match &outcome.answer {
            Ok(_) => ANSWERED.to_owned(),
            Err(failure) => failure.kind.to_string(),
        };
        CallRecord {
            at: self.now().stamp(),
            run: String::new(),
            // The purpose of a run is `design of add-login`; others have no command.
            command: self
                .inner
                .purpose
                .split_once(" of ")
                .map(|(command, _)| command.to_owned())
                .unwrap_or_default(),
            phase: String::new(),
            step: String::new(),
            seat: seat.to_owned(),
            agent: agent.to_owned(),
            vendor: Some(vendor.to_owned()),
            model: outcome.model.clone(),
            session: outcome.session.clone(),
            status,
            seconds: report.elapsed.as_secs_f64(),
            input: usage.map(|usage| usage.input),
            output: usage.map(|usage| usage.output),
            cached: usage.map(|usage| usage.cached),
            usd: usage.and_then(|usage| usage.usd),
            session_total: outcome.session_total.clone(),
            citations: None,
        }
    }

    /// Appends a call to the ledger in that folder, and to the one of the day. Errors are ignored: a full disk
    /// must not cost an answer.
    pub fn append_to_ledgers(&self, folder: &LogFolder, record: &CallRecord) {
        // The folder of `charrette ask` may not exist yet.
        let _ = folder.create();
        let _ = append_call(folder, record);
        let _ = append_day(&days_folder(&self.inner.state_folder), today(self.now()), record);
    }

    /// Creates a unique scratch folder outside the repository.
    pub fn create_scratch_folder(&self, name: &str) -> io::Result<PathBuf> {
        let unique = format!("{}-{name}", self.inner.driver_name);
        let folder = self.inner.state_folder.join("scratch").join(unique);
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }
}

fn probe_cells(roster: &Roster) -> BTreeMap<String, ProbeCell> {
    roster.all().map(|agent| (agent.name.clone(), ProbeCell::default())).collect()
}

/// Agents for a seat, in order of preference. The seats of a panel are planned together.
pub fn seat_chain(
    seat_id: &str,
    tables: &SeatTables,
    policy: &AgentPolicy,
    candidates: &[Candidate],
) -> Vec<String> {
    let Some(seat) = tables.seat(seat_id) else { return Vec::new() };
    let placements = seats::plan_seating(tables.panel(seat), &policy.seats, candidates);
    let placement = placements.into_iter().find(|placement| placement.seat.id == seat.id);
    placement.map(|placement| placement.chain.agents).unwrap_or_default()
}

/// All agents that might take a seat, with their health.
pub fn candidates(
    roster: &Roster,
    host: &HostEnvironment,
    health: &AgentHealth,
    with_embedded: bool,
) -> Vec<Candidate> {
    let embedded = Candidate {
        name: seats::EMBEDDED.to_owned(),
        vendor: seats::EMBEDDED.to_owned(),
        external: false,
        installed: true,
        healthy: Some(true),
    };
    let all = roster.all().map(|agent| Candidate {
        name: agent.name.clone(),
        vendor: agent.profile.vendor.clone(),
        external: agent.name != seats::CLAUDE,
        installed: agent.is_installed(host),
        healthy: health.is_healthy(&agent.name),
    });
    all.chain(with_embedded.then_some(embedded)).collect()
}

/// Folder with the records of drivers.
pub fn drivers_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("drivers")
}

/// Folder with the ledger of `charrette ask`.
pub fn asks_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("asks")
}

/// Folder with the ledgers of days.
pub fn days_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("days")
}

impl std::fmt::Debug for AgentPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentPool").field("host", &self.inner.host).finish_non_exhaustive()
    }
}
