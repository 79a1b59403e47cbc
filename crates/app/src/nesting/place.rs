//! Where a run stands among other runs, and what that adds to it while it is driven.

use super::caller::CallerHere;
use super::session::Session;
use super::worker::{Order, WorkerHere, end_with_parent};
use crate::ports::Around;
use crate::site::Site;
use crate::stage_marks::StageLedgers;
use charrette_agents::room::Room;
use charrette_engine::ports::Caller;
use charrette_engine::{EventKind, Part as EnginePart, Watcher};
use charrette_model::session::Health;
use charrette_store::Lease;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a run stands among other runs. By default it stands alone.
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    /// What a caller handed over.
    pub session: Option<Arc<Session>>,
    /// Who does the part that can be handed over.
    pub part: Part,
}

/// Who does the part of a run that can be handed over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Part {
    /// This process, like everything else.
    #[default]
    Whole,
    /// A worker.
    HandedOver,
    /// This process, and nothing else: it is the worker. Health as it was told.
    OnlyThat(Health),
}

impl Nesting {
    /// Where stages are marked.
    pub(crate) fn ledgers(&self, site: &Site, command: &str, workspace: &Path) -> StageLedgers {
        let of_session = |session: &Arc<Session>| session.ledgers(&site.environment, &site.notices);
        let (times, tokens) = self.session.as_ref().map(of_session).unwrap_or_default();
        StageLedgers::of(command, workspace).and(times, tokens)
    }

    /// Whoever is known not to answer is not asked here.
    pub(crate) fn enter(&self, room: &Room) {
        if let Some(session) = &self.session {
            room.learn(session.unhealthy());
        }
        if let Part::OnlyThat(health) = self.part {
            room.learn(health);
        }
    }

    /// Tells other runs who answers, once everybody who is asked beforehand was.
    pub(crate) fn tell_health(&self, site: &Site, room: &Room) {
        let Some(session) = &self.session else { return };
        if let Err(error) = session.tell_health(room.session_health()) {
            site.notices.problem(format!("Warning: the health file was not written: {error}"));
        }
    }

    /// The same whenever an agent that was asked has failed meanwhile.
    pub(crate) fn health_watcher(&self, site: &Site, room: &Arc<Room>) -> Option<Watcher> {
        self.session.as_ref()?;
        let (nesting, site, room) = (self.clone(), site.clone(), room.clone());
        let told: Mutex<Option<Health>> = Mutex::default();
        Some(Arc::new(move |event| {
            if matches!(event.kind, EventKind::AgentFinished { .. } | EventKind::StepFinished { .. }) {
                let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                let known = room.session_health();
                if told.replace(known) != Some(known) {
                    nesting.tell_health(&site, &room);
                }
            }
        }))
    }

    /// The run that called this one, if one did.
    pub(crate) fn caller(&self, around: &Around<'_>) -> Option<Arc<dyn Caller>> {
        let session = self.session.clone().filter(|_| !matches!(self.part, Part::OnlyThat(_)))?;
        Some(Arc::new(CallerHere {
            session,
            workspace: around.workspace.folder().to_owned(),
            environment: around.site.environment.clone(),
            now: around.site.now,
        }))
    }

    /// Who does the part that can be handed over.
    pub(crate) fn part(&self, around: &Around<'_>, flags: &Map<String, Value>) -> EnginePart {
        match self.part {
            Part::Whole => EnginePart::Whole,
            Part::OnlyThat(_) => {
                end_with_parent(around.cancel);
                EnginePart::OnlyThat
            }
            Part::HandedOver => match around.lease.map(Lease::handle) {
                Some(Ok(lease)) => {
                    EnginePart::HandedOver(Arc::new(WorkerHere::new(Order::of(around, flags, lease))))
                }
                problem => {
                    let why =
                        problem.and_then(Result::err).map(|error| format!(": {error}")).unwrap_or_default();
                    around
                        .site
                        .notices
                        .problem(format!("Warning: no worker can be started{why}; its part is done here"));
                    EnginePart::Whole
                }
            },
        }
    }
}
