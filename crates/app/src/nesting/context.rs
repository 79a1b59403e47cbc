//! Nesting of a run: its calling run and its worker, applied while it is driven.

use super::caller::SessionCaller;
use super::session::Session;
use super::worker::{WorkerOptions, WorkerProcess, cancel_when_parent_exits};
use crate::ports::RunContext;
use crate::site::Site;
use crate::stage_ledgers::StageLedgers;
use charrette_agents::pool::AgentPool;
use charrette_engine::ports::Caller;
use charrette_engine::{EventKind, ProcessRole, Watcher};
use charrette_model::session::Health;
use charrette_store::{Lease, LogFolder};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// Nesting of a run. By default it has no caller and no worker.
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    /// Session of the calling run.
    pub session: Option<Arc<Session>>,
    pub worker_mode: WorkerMode,
}

/// Process that does the heavy part of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkerMode {
    /// This process, together with the rest.
    #[default]
    InProcess,
    /// A worker process.
    Delegated,
    /// This process is the worker and does nothing else. Agent health as given by its parent.
    Worker(Health),
}

impl Nesting {
    /// Ledgers that stages are marked in, including the caller's.
    pub(crate) fn stage_ledgers(&self, site: &Site, command: &str, workspace: LogFolder) -> StageLedgers {
        let of_session = |session: &Arc<Session>| session.ledgers(&site.environment, &site.notices);
        let (times, tokens) = self.session.as_ref().map(of_session).unwrap_or_default();
        StageLedgers::new(command, workspace).with_caller(times, tokens)
    }

    /// Marks agents as unhealthy that the caller or the parent found so.
    pub(crate) fn apply_known_health(&self, pool: &AgentPool) {
        if let Some(session) = &self.session {
            pool.import_health(session.known_unhealthy());
        }
        if let WorkerMode::Worker(health) = self.worker_mode {
            pool.import_health(health);
        }
    }

    /// Writes the health of the agents for other runs of the session.
    pub(crate) fn publish_health(&self, site: &Site, pool: &AgentPool) {
        let Some(session) = &self.session else { return };
        if let Err(error) = session.write_health(pool.session_health()) {
            site.notices.problem(format!("Warning: cannot write the health file: {error}"));
        }
    }

    /// Watcher that publishes the health whenever it changes.
    pub(crate) fn health_watcher(&self, site: &Site, pool: &Arc<AgentPool>) -> Option<Watcher> {
        self.session.as_ref()?;
        let (nesting, site, pool) = (self.clone(), site.clone(), pool.clone());
        let published: Mutex<Option<Health>> = Mutex::default();
        Some(Arc::new(move |event| {
            if matches!(event.kind, EventKind::AgentFinished { .. } | EventKind::StepFinished { .. }) {
                let mut published = published.lock().unwrap_or_else(PoisonError::into_inner);
                let known = pool.session_health();
                if published.replace(known) != Some(known) {
                    nesting.publish_health(&site, &pool);
                }
            }
        }))
    }

    /// The calling run, if there is one.
    pub(crate) fn caller(&self, context: &RunContext<'_>) -> Option<Arc<dyn Caller>> {
        let session = self.session.clone().filter(|_| !matches!(self.worker_mode, WorkerMode::Worker(_)))?;
        Some(Arc::new(SessionCaller {
            session,
            workspace: context.workspace.folder().to_owned(),
            environment: context.site.environment.clone(),
            now: context.site.now,
        }))
    }

    /// Role of this process for the heavy part.
    pub(crate) fn process_role(&self, context: &RunContext<'_>, flags: &Map<String, Value>) -> ProcessRole {
        match self.worker_mode {
            WorkerMode::InProcess => ProcessRole::Sole,
            WorkerMode::Worker(_) => {
                cancel_when_parent_exits(context.cancel);
                ProcessRole::Worker
            }
            WorkerMode::Delegated => match context.lease.map(Lease::handle) {
                Some(Ok(lease)) => {
                    let options = WorkerOptions::new(context, flags, lease);
                    ProcessRole::Delegator(Arc::new(WorkerProcess::new(options)))
                }
                problem => {
                    let why =
                        problem.and_then(Result::err).map(|error| format!(": {error}")).unwrap_or_default();
                    context.site.notices.problem(format!(
                        "Warning: cannot start a worker{why}; its part runs in this process"
                    ));
                    ProcessRole::Sole
                }
            },
        }
    }
}
