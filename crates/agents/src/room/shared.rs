//! The agents there are, and all they share: where they work, what is known of them, what they are held to.

use super::budget::{Purse, today};
use super::rules::Rules;
use crate::profile::{Agent, Roster};
use crate::strays::Driver;
use crate::supervisor::Report;
use crate::surroundings::Surroundings;
use charrette_engine::Cancel;
use charrette_engine::ports::{Clock, EmbeddedAgent, Tree};
use charrette_model::ledger::CallRecord;
use charrette_model::ledger::call::ANSWERED;
use charrette_model::redact::Redactor;
use charrette_model::seats::{self, AgentHealth, Candidate, Seat, SeatTables};
use charrette_model::session;
use charrette_model::stamp::Now;
use charrette_store::ledger::{append_call, append_day};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tokio::sync::OnceCell;

/// Everything a room is made of.
pub struct Furnishing {
    /// Who there is.
    pub roster: Roster,
    /// Where they may sit.
    pub seats: SeatTables,
    /// Where they work.
    pub surroundings: Surroundings,
    /// What they are held to.
    pub rules: Rules,
    /// Where drivers are put on record, and what days cost.
    pub state_folder: PathBuf,
    /// A name for this driver that no other has.
    pub driver: String,
    /// What it is doing, for people.
    pub purpose: String,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The request to end.
    pub cancel: Cancel,
    /// The work tree, to see what agents change in it.
    pub tree: Arc<dyn Tree>,
    /// The folder with the ledgers of the run, and its request and survey for the embedded agent.
    pub ledgers: PathBuf,
    /// The folder in which every lane has a scratch folder.
    pub lanes: PathBuf,
    /// The agent inside charrette, if there is one.
    pub embedded: Option<Arc<dyn EmbeddedAgent>>,
}

/// The agents there are, and all they share.
#[derive(Clone)]
pub struct Room {
    inner: Arc<Inner>,
}

struct Inner {
    roster: Roster,
    seats: SeatTables,
    surroundings: Surroundings,
    rules: Rules,
    /// On record from the first agent on.
    driver: Mutex<Option<Driver>>,
    driver_name: String,
    purpose: String,
    state_folder: PathBuf,
    redactor: Redactor,
    clock: Arc<dyn Clock>,
    cancel: Cancel,
    health: Mutex<AgentHealth>,
    /// One for each agent: filled when it has been asked whether it works.
    probed: BTreeMap<String, OnceCell<Result<(), String>>>,
    purse: Purse,
    embedded: Option<Arc<dyn EmbeddedAgent>>,
    tree: Arc<dyn Tree>,
    ledgers: PathBuf,
    lanes: PathBuf,
    /// Looked for once: a run that goes through forty seats would search the machine forty times.
    present: OnceLock<Vec<Candidate>>,
}

impl Room {
    /// A room, ready for the first agent. What dead drivers left behind should have been reaped before.
    pub fn open(furnishing: Furnishing) -> Room {
        let Furnishing {
            roster,
            seats,
            surroundings,
            rules,
            state_folder,
            driver,
            purpose,
            clock,
            cancel,
            tree,
            ledgers,
            lanes,
            embedded,
        } = furnishing;
        let secrets: Vec<(String, String)> =
            surroundings.secrets().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let names = roster.all().map(|agent| (agent.name.clone(), OnceCell::new()));
        let probed = names.collect();
        let purse = Purse::new(rules.budget);
        let inner = Inner {
            roster,
            seats,
            surroundings,
            rules,
            driver: Mutex::default(),
            driver_name: driver,
            purpose,
            state_folder,
            redactor: Redactor::new(secrets),
            clock,
            cancel,
            health: Mutex::default(),
            probed,
            purse,
            embedded,
            tree,
            ledgers,
            lanes,
            present: OnceLock::new(),
        };
        Room { inner: Arc::new(inner) }
    }

    /// Who there is.
    pub fn roster(&self) -> &Roster {
        &self.inner.roster
    }

    /// Where they may sit.
    pub fn seats(&self) -> &SeatTables {
        &self.inner.seats
    }

    /// What they are held to.
    pub fn rules(&self) -> &Rules {
        &self.inner.rules
    }

    /// Where they work.
    pub fn surroundings(&self) -> &Surroundings {
        &self.inner.surroundings
    }

    /// Takes secrets out of texts.
    pub fn redactor(&self) -> &Redactor {
        &self.inner.redactor
    }

    /// The time.
    pub(super) fn now(&self) -> Now {
        self.inner.clock.now()
    }

    pub(super) fn purse(&self) -> &Purse {
        &self.inner.purse
    }

    pub(super) fn state_folder(&self) -> &Path {
        &self.inner.state_folder
    }

    pub(super) fn embedded_agent(&self) -> Option<&Arc<dyn EmbeddedAgent>> {
        self.inner.embedded.as_ref()
    }

    /// The work tree.
    pub fn tree(&self) -> &Arc<dyn Tree> {
        &self.inner.tree
    }

    pub(super) fn ledgers(&self) -> &Path {
        &self.inner.ledgers
    }

    /// The scratch folder of a lane.
    pub(super) fn lane(&self, name: &str) -> PathBuf {
        self.inner.lanes.join(name)
    }

    pub(super) fn cancel(&self) -> &Cancel {
        &self.inner.cancel
    }

    /// What the processes of a lane carry. Whoever gets one is on record, so that they can be found.
    pub(super) fn token(&self, lane: &str) -> io::Result<String> {
        let mut driver = self.inner.driver.lock().unwrap_or_else(PoisonError::into_inner);
        let registered = match &mut *driver {
            Some(driver) => driver,
            none => {
                let folder = drivers_folder(&self.inner.state_folder);
                none.insert(Driver::register(&folder, &self.inner.driver_name, &self.inner.purpose)?)
            }
        };
        Ok(registered.token(lane))
    }

    pub(super) fn probed(&self, agent: &str) -> Option<&OnceCell<Result<(), String>>> {
        self.inner.probed.get(agent)
    }

    pub(super) fn health(&self) -> MutexGuard<'_, AgentHealth> {
        self.inner.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns what a calling run knows: whoever failed there is neither asked nor seated here.
    pub fn learn(&self, known: session::Health) {
        self.health().learn(known);
    }

    /// What other runs are told about those who sit here.
    pub fn session_health(&self) -> session::Health {
        self.health().session()
    }

    /// Everybody who might take a seat, with what is known of them.
    pub fn candidates(&self) -> Vec<Candidate> {
        let Inner { roster, surroundings, embedded, present, .. } = &*self.inner;
        let look = || candidates(roster, surroundings, &AgentHealth::default(), embedded.is_some());
        let mut all = present.get_or_init(look).clone();
        let health = self.health();
        for candidate in all.iter_mut().filter(|candidate| candidate.name != seats::EMBEDDED) {
            candidate.healthy = health.of(&candidate.name);
        }
        all
    }

    /// A call as the ledgers have it.
    pub fn record_of(&self, agent: &Agent, seat: &str, report: &Report) -> CallRecord {
        let record = self.record(&agent.name, &agent.profile.vendor, seat, report);
        CallRecord { model: record.model.clone().or_else(|| agent.model.clone()), ..record }
    }

    pub(super) fn record(&self, agent: &str, vendor: &str, seat: &str, report: &Report) -> CallRecord {
        let outcome = &report.outcome;
        let usage = outcome.usage.as_ref();
        let status = match &outcome.answer {
            Ok(_) => ANSWERED.to_owned(),
            Err(failure) => failure.kind.to_string(),
        };
        CallRecord {
            at: self.now().stamp(),
            run: String::new(),
            // A room is opened for a run, `design of add-login`, or for something that is none.
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
        }
    }

    /// Puts a call on the ledger in that folder, and on that of the day. Ledgers are for people: a full disk must
    /// not cost an answer.
    pub fn put_on_ledger(&self, folder: &Path, record: &CallRecord) {
        let _ = append_call(folder, record);
        let _ = append_day(&days_folder(&self.inner.state_folder), today(self.now()), record);
    }

    /// A scratch folder outside the repository that nobody else has.
    pub fn scratch(&self, name: &str) -> io::Result<PathBuf> {
        let unique = format!("{}-{name}", self.inner.driver_name);
        let folder = self.inner.state_folder.join("scratch").join(unique);
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// Who may take a seat, seen together with the rest of its panel.
pub fn chain_of(seat_id: &str, tables: &SeatTables, rules: &Rules, candidates: &[Candidate]) -> Vec<String> {
    let Some(seat) = tables.seat(seat_id) else { return Vec::new() };
    let panel: Vec<&'static Seat> = if seat.is_panel() { tables.peers(seat).collect() } else { vec![seat] };
    let placements = seats::plan(panel, &rules.seats, candidates);
    let mine = placements.into_iter().find(|placement| placement.seat.id == seat.id);
    mine.map(|placement| placement.chain.agents).unwrap_or_default()
}

/// Everybody who might take a seat, with what is known of them.
pub fn candidates(
    roster: &Roster,
    surroundings: &Surroundings,
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
        installed: agent.is_installed(surroundings),
        healthy: health.of(&agent.name),
    });
    all.chain(with_embedded.then_some(embedded)).collect()
}

/// Where drivers are put on record.
pub fn drivers_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("drivers")
}

/// Where the ledger of single questions is.
pub fn asks_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("asks")
}

/// Where the ledgers of days are.
pub fn days_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("days")
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Room").field("surroundings", &self.inner.surroundings).finish_non_exhaustive()
    }
}
