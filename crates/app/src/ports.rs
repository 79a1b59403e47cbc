//! Assembles the engine's ports for a run at this site from the adapters.

use crate::agent_pool::{self, SiteClock};
use crate::children::SiteChildren;
use crate::error::AppError;
use crate::nesting::Nesting;
use crate::site::Site;
use crate::tracker;
use charrette_agents::pool::{AgentPolicy, AgentPool};
use charrette_agents::verify::SandboxVerifier;
use charrette_checkout::{
    BranchFacts, CheckoutOptions, RunCheckout, Surroundings, TaskWorktrees, TreeWatch, WorktreeOptions,
};
use charrette_diagram::MermaidRenderer;
use charrette_engine::ports::{Asker, Tree};
use charrette_engine::{Broadcast, Cancel, Ports, RunOrder};
use charrette_model::checkpoint::DocumentName;
use charrette_store::{Lease, Workspace};
use std::sync::Arc;

/// Context of a run that is being driven.
pub(crate) struct RunContext<'a> {
    pub(crate) site: &'a Site,
    pub(crate) name: &'a DocumentName,
    pub(crate) workspace: &'a Arc<Workspace>,
    pub(crate) lease: Option<&'a Lease>,
    pub(crate) pool: &'a Arc<AgentPool>,
    pub(crate) tree: Arc<dyn Tree>,
    pub(crate) asker: Arc<dyn Asker>,
    pub(crate) nesting: &'a Nesting,
    pub(crate) branch_info: Option<&'a str>,
    pub(crate) broadcast: &'a Broadcast,
    pub(crate) cancel: &'a Cancel,
}

/// Assembles the ports of a run.
pub(crate) fn assemble(context: &RunContext<'_>, order: &RunOrder) -> Ports {
    let RunContext { site, name, pool, cancel, .. } = *context;
    let feature = name.feature().map(ToString::to_string);
    let children = SiteChildren {
        site: site.clone(),
        parent: name.clone(),
        pool: pool.clone(),
        tree: context.tree.clone(),
        asker: context.asker.clone(),
        broadcast: context.broadcast.clone(),
        cancel: cancel.clone(),
    };
    Ports {
        launcher: pool.clone(),
        asker: context.asker.clone(),
        checkout: Arc::new(checkout(site, name, context.branch_info, cancel)),
        tree: context.tree.clone(),
        surveyor: Arc::new(agent_pool::surveyor(site, feature)),
        diagrams: Arc::new(MermaidRenderer),
        tracker: Arc::new(tracker::tracker(site, cancel)),
        children: Arc::new(children),
        worktrees: Arc::new(task_worktrees(site)),
        verifier: Arc::new(SandboxVerifier::new((**pool).clone())),
        caller: context.nesting.caller(context),
        process_role: context.nesting.process_role(context, &order.flags),
    }
}

/// Worktrees of the tasks of runs at this site.
pub fn task_worktrees(site: &Site) -> TaskWorktrees {
    TaskWorktrees::new(WorktreeOptions { root: site.root.clone(), state: agent_pool::state_folder(site) })
}

/// Checkout of a run at this site.
pub fn checkout(site: &Site, name: &DocumentName, branch_info: Option<&str>, cancel: &Cancel) -> RunCheckout {
    RunCheckout::new(CheckoutOptions {
        root: site.root.clone(),
        in_repository: site.repository.is_some(),
        settings: site.settings.clone(),
        own: AgentPolicy::from_settings(&site.settings).own,
        name: name.clone(),
        branch_info: branch_info.map(str::to_owned),
        documents: site.documents(),
        clock: Arc::new(SiteClock(site.now)),
        cancel: cancel.clone(),
        has_custom_ssh: site.environment.has_custom_git_ssh(),
    })
}

/// Branch facts of this site.
pub fn facts(site: &Site) -> Result<BranchFacts, AppError> {
    BranchFacts::read(&site.root, &site.settings).map_err(AppError::failed)
}

/// Work tree of this site, watched for changes by agents.
pub fn tree(site: &Site) -> Arc<dyn Tree> {
    let surroundings =
        Surroundings { user: site.environment.git_files(), state: Some(site.documents().folder().clone()) };
    let own = AgentPolicy::from_settings(&site.settings).own;
    Arc::new(TreeWatch::new(site.root.clone(), own, surroundings))
}
