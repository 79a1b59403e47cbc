//! What a run is driven with at this site: the adapters, put together.

use crate::children::SiteChildren;
use crate::error::AppError;
use crate::nesting::Nesting;
use crate::room::{self, SiteClock};
use crate::site::Site;
use crate::tracker;
use charrette_agents::room::{Room, Rules};
use charrette_checkout::{CheckoutHere, CheckoutPlace, Facts, TreeWatch};
use charrette_diagram::MermaidDrawing;
use charrette_engine::ports::{Asker, Tree};
use charrette_engine::{Broadcast, Cancel, Order, Ports};
use charrette_model::checkpoint::DocumentName;
use charrette_store::{Lease, Workspace};
use std::sync::Arc;

/// What surrounds a run that is driven.
pub(crate) struct Around<'a> {
    pub(crate) site: &'a Site,
    pub(crate) name: &'a DocumentName,
    pub(crate) workspace: &'a Arc<Workspace>,
    pub(crate) lease: Option<&'a Lease>,
    pub(crate) room: &'a Arc<Room>,
    pub(crate) tree: Arc<dyn Tree>,
    pub(crate) asker: Arc<dyn Asker>,
    pub(crate) nesting: &'a Nesting,
    pub(crate) branch_info: Option<&'a str>,
    pub(crate) broadcast: &'a Broadcast,
    pub(crate) cancel: &'a Cancel,
}

/// The ports of a run.
pub(crate) fn of(around: &Around<'_>, order: &Order) -> Ports {
    let Around { site, name, room, cancel, .. } = *around;
    let feature = name.feature().map(ToString::to_string);
    let children = SiteChildren {
        site: site.clone(),
        parent: name.clone(),
        room: room.clone(),
        tree: around.tree.clone(),
        asker: around.asker.clone(),
        broadcast: around.broadcast.clone(),
        cancel: cancel.clone(),
    };
    Ports {
        launcher: room.clone(),
        asker: around.asker.clone(),
        checkout: Arc::new(checkout(site, name, around.branch_info, cancel)),
        tree: around.tree.clone(),
        surveyor: Arc::new(room::surveyor(site, feature)),
        drawing: Arc::new(MermaidDrawing),
        tracker: Arc::new(tracker::tracker(site, cancel)),
        children: Arc::new(children),
        caller: around.nesting.caller(around),
        part: around.nesting.part(around, &order.flags),
    }
}

/// The work tree of this site, for a run.
pub fn checkout(
    site: &Site,
    name: &DocumentName,
    branch_info: Option<&str>,
    cancel: &Cancel,
) -> CheckoutHere {
    CheckoutHere::new(CheckoutPlace {
        root: site.root.clone(),
        in_repository: site.repository.is_some(),
        settings: site.settings.clone(),
        own: Rules::configured(&site.settings).own,
        name: name.clone(),
        branch_info: branch_info.map(str::to_owned),
        documents: site.documents(),
        clock: Arc::new(SiteClock(site.now)),
        cancel: cancel.clone(),
        ssh_is_chosen: site.environment.git_ssh_is_chosen(),
    })
}

/// What git and the configuration say about branches here.
pub fn facts(site: &Site) -> Result<Facts, AppError> {
    Facts::find(&site.root, &site.settings).map_err(AppError::failed)
}

/// The work tree, watched for what agents change in it.
pub fn tree(site: &Site) -> Arc<dyn Tree> {
    Arc::new(TreeWatch::new(site.root.clone(), Rules::configured(&site.settings).own))
}
