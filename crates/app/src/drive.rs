//! Driving a run: everything it is driven with, from its start or its last stop to its end or the next one.

use crate::error::AppError;
use crate::events::EventFile;
use crate::nesting::Nesting;
use crate::ports;
use crate::room::{self, Purpose, SiteClock};
use crate::site::Site;
use crate::start::{OpenRun, order_of};
use crate::webhooks::{self, Messenger};
use crate::which::shown_feature;
use crate::workspaces::workspace_of;
use charrette_agents::room::availability;
use charrette_engine::journal::FileJournal;
use charrette_engine::ports::{Asker, Clock, Journal};
use charrette_engine::{Broadcast, Cancel, EventKind, Flow, Run, Watcher, drive as drive_flow};
use std::sync::Arc;

/// What a face adds to a run.
pub struct Face {
    /// Asks a person, if there is one.
    pub asker: Arc<dyn Asker>,
    /// Are told of every event.
    pub watchers: Vec<Watcher>,
    /// Where the run stands among other runs.
    pub nesting: Nesting,
    /// What a caller says about the branch, as typed.
    pub branch_info: Option<String>,
}

impl Face {
    /// A face that only asks.
    pub fn asking(asker: Arc<dyn Asker>) -> Face {
        Face { asker, watchers: Vec::new(), nesting: Nesting::default(), branch_info: None }
    }
}

/// Drives a run to its end or its next stop. The record says where it stands, whatever happens here.
pub async fn drive(site: &Site, opened: OpenRun, face: Face, cancel: &Cancel) -> Result<Flow<()>, AppError> {
    let OpenRun { flow, place, lease, resumed, until } = opened;
    let Face { asker, watchers, nesting, branch_info } = face;
    let name = place.name.clone();
    let workspace = Arc::new(workspace_of(site, &place.document)?);
    let clock: Arc<dyn Clock> = Arc::new(SiteClock(site.now));
    let order = Arc::new(order_of(site, &place, until)?);
    let tree = ports::tree(site);
    let room = Arc::new(room::open(
        site,
        Purpose {
            purpose: format!("{} of {}", name.command(), shown_feature(&name)),
            feature: name.feature().map(ToString::to_string),
            seats: flow.seat_tables(),
            ledgers: Some(workspace.folder().to_owned()),
            lanes: Some(workspace.lanes().to_owned()),
        },
        tree.clone(),
        cancel,
    ));
    nesting.enter(&room);

    let broadcast = Broadcast::default();
    broadcast.subscribe(EventFile::open(workspace.folder()).watcher());
    broadcast.subscribe(nesting.ledgers(site, name.command(), workspace.folder()).watcher(clock.clone()));
    for watcher in nesting.health_watcher(site, &room).into_iter().chain(watchers) {
        broadcast.subscribe(watcher);
    }
    let messenger = Messenger::begin(site, &name).unwrap_or_else(|problem| {
        webhooks::say(site, &problem);
        None
    });
    if let Some(messenger) = &messenger {
        broadcast.subscribe(messenger.watcher());
    }
    let journal: Arc<dyn Journal> =
        Arc::new(FileJournal::new(place, clock, cancel.clone(), broadcast.clone()));
    let feature = name.feature().map(ToString::to_string);
    journal.tell(EventKind::RunStarted { command: name.command().to_owned(), feature, resumed });
    // Going on may need nobody; those who are needed are asked then whether they work.
    for message in availability(&room, !resumed).await {
        journal.tell(EventKind::Warning { message });
    }
    nesting.tell_health(site, &room);
    let around = ports::Around {
        site,
        name: &name,
        workspace: &workspace,
        lease: lease.as_ref(),
        room: &room,
        tree,
        asker,
        nesting: &nesting,
        branch_info: branch_info.as_deref(),
        broadcast: &broadcast,
        cancel,
    };
    let ports = ports::of(&around, &order);
    let run = Run::new(journal, ports, order, flow.stages).with_parallel(site.settings.parallel());
    let outcome = drive_flow(flow, &run).await;
    if let Some(messenger) = messenger
        && let Some(problem) = messenger.end().await
    {
        webhooks::say(site, &problem);
    }
    drop(lease);
    Ok(outcome)
}
