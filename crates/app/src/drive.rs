//! Drives a run from its start or last stop to its end or next stop.

use crate::active_runs::ActiveEntry;
use crate::agent_pool::{self, AgentPoolOptions, SiteClock};
use crate::error::AppError;
use crate::events::EventFile;
use crate::health_file::{self, AgentProbe};
use crate::nesting::Nesting;
use crate::ports;
use crate::run_lookup::feature_argument;
use crate::sandbox;
use crate::site::Site;
use crate::start::{OpenRun, run_order};
use crate::trust;
use crate::webhooks::{self, WebhookDelivery};
use crate::workspaces::run_workspace;
use charrette_agents::pool::{AgentPool, availability};
use charrette_engine::flow::EMBEDDED_FLAG;
use charrette_engine::journal::FileJournal;
use charrette_engine::ports::{Asker, Clock, Journal};
use charrette_engine::{Broadcast, Cancel, EventKind, FlowResult, Run, Watcher, drive as drive_flow};
use serde_json::Value;
use std::sync::Arc;

/// Hooks of a front end into a run.
pub struct FrontEnd {
    pub asker: Arc<dyn Asker>,
    /// Receive every event.
    pub watchers: Vec<Watcher>,
    pub nesting: Nesting,
    /// The caller's `--branch-info`, as typed.
    pub branch_info: Option<String>,
}

impl FrontEnd {
    /// Front end that only asks questions.
    pub fn asking(asker: Arc<dyn Asker>) -> FrontEnd {
        FrontEnd { asker, watchers: Vec::new(), nesting: Nesting::default(), branch_info: None }
    }
}

/// Drives a run to its end or its next stop. Its document records the state at every step.
pub async fn drive(
    site: &Site,
    open_run: OpenRun,
    front_end: FrontEnd,
    cancel: &Cancel,
) -> Result<FlowResult<()>, AppError> {
    trust::require(site)?;
    sandbox::check_required(site)?;
    let OpenRun { flow, storage, lease, checkout, resumed, until } = open_run;
    let FrontEnd { asker, watchers, nesting, branch_info } = front_end;
    let name = storage.name.clone();
    let workspace = Arc::new(run_workspace(site, &storage.document)?);
    // A worker belongs to the process that holds the lease.
    let active = lease.as_ref().and_then(|_| ActiveEntry::register(site, &storage, &workspace));
    let clock: Arc<dyn Clock> = Arc::new(SiteClock(site.now));
    let order = Arc::new(run_order(site, &storage, until)?);
    let tree = ports::tree(site);
    let pool = Arc::new(agent_pool::open(
        site,
        AgentPoolOptions {
            purpose: format!("{} of {}", name.command(), feature_argument(&name)),
            feature: name.feature().map(ToString::to_string),
            seats: flow.seat_tables(),
            ledgers: Some(workspace.logs()),
            lanes: Some(workspace.lanes().to_owned()),
            embedded_allowed: order.flags.get(EMBEDDED_FLAG).and_then(Value::as_bool).unwrap_or_default(),
        },
        tree.clone(),
        cancel,
    ));
    if let Some(run) = &storage.document.run {
        pool.drives_run(&run.id);
    }
    nesting.apply_known_health(&pool);

    let broadcast = Broadcast::default();
    broadcast.subscribe(EventFile::open(&workspace.logs()).watcher());
    broadcast.subscribe(nesting.stage_ledgers(site, name.command(), workspace.logs()).watcher(clock.clone()));
    for watcher in nesting.health_watcher(site, &pool).into_iter().chain(watchers) {
        broadcast.subscribe(watcher);
    }
    if let Some(active) = &active {
        broadcast.subscribe(active.watcher());
    }
    // The process that holds the lease delivers what its worker records, too.
    let delivery = if lease.is_some() { WebhookDelivery::start(site, &name) } else { Ok(None) };
    let delivery = delivery.unwrap_or_else(|problem| {
        webhooks::warn_off(site, &problem);
        None
    });
    if let Some(delivery) = &delivery {
        broadcast.subscribe(delivery.watcher());
    }
    let journal: Arc<dyn Journal> =
        Arc::new(FileJournal::new(storage, clock, cancel.clone(), broadcast.clone()));
    let feature = name.feature().map(ToString::to_string);
    journal.emit(EventKind::RunStarted { command: name.command().to_owned(), feature, resumed });
    // A resumed run may need no agent; those it needs are probed when they are called.
    // The preview says once that no agent is installed.
    let log_only = !pool.has_installed_agent();
    for message in availability(&pool, !resumed).await {
        journal.emit(EventKind::Warning { message, log_only });
    }
    nesting.publish_health(site, &pool);
    let context = ports::RunContext {
        site,
        name: &name,
        workspace: &workspace,
        lease: lease.as_ref(),
        pool: &pool,
        tree,
        asker,
        nesting: &nesting,
        branch_info: branch_info.as_deref(),
        broadcast: &broadcast,
        cancel,
    };
    let ports = ports::assemble(&context, &order);
    let run = Run::new(journal, ports, order, flow.stages).with_parallel(site.settings.parallel());
    let outcome = drive_flow(flow, &run).await;
    if let Some(delivery) = delivery
        && let Some(problem) = delivery.finish().await
    {
        webhooks::warn_failed(site, &problem);
    }
    keep_health(site, &pool);
    if let Some(active) = active {
        active.end(&outcome);
    }
    drop((lease, checkout));
    Ok(outcome)
}

/// Keeps how the last call of each agent ended, for `charrette agents` and previews.
fn keep_health(site: &Site, pool: &AgentPool) {
    let results = pool.last_results().into_iter();
    let probes: Vec<AgentProbe> = results.map(|(agent, health)| AgentProbe { agent, health }).collect();
    if !probes.is_empty() {
        // For information only.
        let _ = health_file::write(&agent_pool::state_folder(site), &probes, &agent_pool::timestamp(site));
    }
}
