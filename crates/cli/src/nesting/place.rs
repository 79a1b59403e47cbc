//! Where a design stands among other runs, and what that adds to it while it is driven.

use super::caller::CallerHere;
use super::session::Session;
use super::worker::{Order, Upkeep, WorkerHere, end_with_parent};
use crate::arguments::Global;
use crate::output;
use crate::progress::Showing;
use crate::site::Site;
use crate::stage_marks::StageLedgers;
use charrette_agents::room::Room;
use charrette_engine::flows::design::Design;
use charrette_engine::{Cancel, Event, EventKind};
use charrette_model::checkpoint::DocumentName;
use charrette_model::progress::StepPrefix;
use charrette_model::session::Health;
use charrette_store::{Lease, Workspace};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

type Watcher = Arc<dyn Fn(&Event) + Send + Sync>;

/// Where a design stands among other runs. By default it stands alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Nesting {
    /// What a caller puts in front of numbers and names.
    pub(crate) prefix: StepPrefix,
    /// What a caller handed over.
    pub(crate) session: Option<Arc<Session>>,
    /// Who does the heavy part.
    pub(crate) part: Part,
}

/// Who does the heavy part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Part {
    /// This process, like everything else.
    #[default]
    Everything,
    /// A worker.
    AllButHeavy,
    /// This process, and nothing else: it is the worker. Health as it was told.
    OnlyHeavy(Health),
}

/// What a design is driven with.
pub(crate) struct Around<'a> {
    pub(crate) global: &'a Global,
    pub(crate) site: &'a Site,
    pub(crate) name: &'a DocumentName,
    pub(crate) workspace: &'a Arc<Workspace>,
    pub(crate) lease: Option<&'a Lease>,
    pub(crate) room: &'a Arc<Room>,
    pub(crate) cancel: &'a Cancel,
}

impl Nesting {
    /// How the run is shown.
    pub(crate) fn showing(&self) -> Showing {
        Showing { prefix: self.prefix.clone(), terse: self.session.is_some() }
    }

    /// Where stages are marked, besides the workspace.
    pub(crate) fn ledgers(&self, workspace: &Path) -> StageLedgers {
        let (times, tokens) = self.session.as_ref().map(|session| session.ledgers()).unwrap_or_default();
        StageLedgers::of(workspace).and(times, tokens)
    }

    /// Whoever is known not to answer is not asked here.
    pub(crate) fn enter(&self, room: &Room) {
        if let Some(session) = &self.session {
            room.learn(session.unhealthy());
        }
        if let Part::OnlyHeavy(health) = self.part {
            room.learn(health);
        }
    }

    /// Tells other runs who answers, once everybody who is asked beforehand was.
    pub(crate) fn tell_health(&self, room: &Room) {
        let Some(session) = &self.session else { return };
        if let Err(error) = session.tell_health(room.session_health()) {
            output::log(&format!("Warning: the health file was not written: {error}"));
        }
    }

    /// The same whenever somebody who was asked has failed meanwhile.
    pub(crate) fn watching(&self, room: &Arc<Room>, watcher: Watcher) -> Watcher {
        if self.session.is_none() {
            return watcher;
        }
        let (nesting, room) = (self.clone(), room.clone());
        let told: Mutex<Option<Health>> = Mutex::default();
        Arc::new(move |event| {
            if matches!(event.kind, EventKind::AgentFinished { .. } | EventKind::StepFinished { .. }) {
                let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                let known = room.session_health();
                if told.replace(known) != Some(known) {
                    nesting.tell_health(&room);
                }
            }
            watcher(event);
        })
    }

    /// The design with its caller and its worker, if it has them.
    pub(crate) fn around(
        &self,
        mut design: Design,
        manner: (bool, bool, Option<&str>),
        around: &Around<'_>,
    ) -> Design {
        let Around { global, site, name, workspace, lease, room, cancel } = *around;
        let (auto, no_checkpoint, branch_info) = manner;
        if let (Some(session), false) = (&self.session, matches!(self.part, Part::OnlyHeavy(_))) {
            let workspace = workspace.folder().to_owned();
            design =
                design.called_by(Arc::new(CallerHere { session: session.clone(), workspace, now: site.now }));
        }
        match self.part {
            Part::Everything => design,
            Part::OnlyHeavy(_) => {
                end_with_parent(cancel);
                design.only_heavy()
            }
            Part::AllButHeavy => match lease.map(Lease::handle) {
                Some(Ok(lease)) => design.with_worker(Arc::new(WorkerHere::new(Order {
                    name: name.clone(),
                    documents: site.documents(),
                    workspace: workspace.clone(),
                    auto,
                    no_checkpoint,
                    branch_info: branch_info.map(str::to_owned),
                    session: self.session.clone(),
                    lease,
                    room: room.clone(),
                    cancel: cancel.clone(),
                    root: site.root.clone(),
                    upkeep: Upkeep::of(global, site),
                }))),
                problem => {
                    let why =
                        problem.and_then(Result::err).map(|error| format!(": {error}")).unwrap_or_default();
                    output::log(&format!("Warning: no worker can be started{why}; its part is done here"));
                    design
                }
            },
        }
    }
}
