//! Child runs at this site: created or reopened, sharing the parent's agents, asker and cancellation.

use crate::active_runs::ActiveEntry;
use crate::agent_pool::SiteClock;
use crate::error::ErrorKind;
use crate::nesting::Nesting;
use crate::ports::{self, RunContext};
use crate::site::Site;
use crate::start::{self, NewRun, OpenRun, run_order};
use crate::workspaces::run_workspace;
use charrette_agents::pool::AgentPool;
use charrette_engine::child::OpenChild;
use charrette_engine::journal::FileJournal;
use charrette_engine::ports::children::{ChildError, ChildOrder, Children};
use charrette_engine::ports::{Asker, BoxFuture, Clock, Tree};
use charrette_engine::{Broadcast, Cancel};
use charrette_model::checkpoint::run::record_child;
use charrette_model::checkpoint::{ChildRun as ChildRecord, DocumentName, ParentRun, TransitionError};
use std::sync::Arc;

/// Opens the child runs of a run.
#[derive(Clone)]
pub(crate) struct SiteChildren {
    pub(crate) site: Site,
    pub(crate) parent: DocumentName,
    pub(crate) pool: Arc<AgentPool>,
    pub(crate) tree: Arc<dyn Tree>,
    pub(crate) asker: Arc<dyn Asker>,
    pub(crate) broadcast: Broadcast,
    pub(crate) cancel: Cancel,
}

impl Children for SiteChildren {
    fn open(&self, order: ChildOrder) -> BoxFuture<'static, Result<OpenChild, ChildError>> {
        let children = self.clone();
        Box::pin(async move { children.open_child(order) })
    }
}

impl SiteChildren {
    fn open_child(self, order: ChildOrder) -> Result<OpenChild, ChildError> {
        let refused = |error: crate::AppError| match error.kind {
            ErrorKind::Refused => ChildError::Refused(error.message),
            _ => ChildError::Failed(error.message),
        };
        let failed = |error: &dyn std::fmt::Display| ChildError::Failed(error.to_string());
        let site = &self.site;
        let name =
            DocumentName::for_feature(order.flow.command, Some(&order.feature)).map_err(|e| failed(&e))?;
        if name == self.parent {
            return Err(ChildError::Failed(format!("{} cannot be its own child", name.stem())));
        }
        let documents = site.documents();
        let parent = self.parent_run().map_err(refused)?;
        let existing = documents.load(&name).map_err(|error| failed(&error))?;
        let is_ours = |run: &charrette_model::checkpoint::RunRecord| run.parent.as_ref() == Some(&parent);
        let opened = match existing {
            Some(found) if found.document.run.as_ref().is_some_and(is_ours) => {
                start::reopen(site, &name).map_err(refused)?
            }
            Some(_) => {
                return Err(ChildError::Refused(format!(
                    "run {} already exists and does not belong to {}",
                    name.stem(),
                    self.parent.stem()
                )));
            }
            None => {
                let ChildOrder { flow, request, flags, .. } = order;
                let parent = Some(parent);
                start::create(site, NewRun { flow, name: name.clone(), request, flags, parent })
                    .map_err(refused)?
            }
        };
        self.record_in_parent(&opened).map_err(refused)?;
        self.child_run(opened).map_err(refused)
    }

    /// Reference to the parent, as recorded with its children.
    fn parent_run(&self) -> Result<ParentRun, crate::AppError> {
        let loaded = self.site.documents().load(&self.parent)?;
        let id = loaded.and_then(|loaded| loaded.document.run).map(|run| run.id).unwrap_or_default();
        Ok(ParentRun {
            id,
            command: self.parent.command().to_owned(),
            feature: self.parent.feature().map(ToString::to_string),
            ..ParentRun::default()
        })
    }

    /// Path of a run's document, relative to the root of the work tree.
    fn document_path(&self, name: &DocumentName) -> String {
        let path = self.site.documents().folder().document(name);
        self.site.relative(&path).display().to_string()
    }

    /// Records the child in its parent's document, before it runs.
    fn record_in_parent(&self, opened: &OpenRun) -> Result<(), crate::AppError> {
        let name = &opened.storage.name;
        let record = ChildRecord {
            id: opened.storage.document.run.as_ref().map(|run| run.id.clone()).unwrap_or_default(),
            command: name.command().to_owned(),
            feature: name.feature().map(ToString::to_string),
            root: self.site.root.display().to_string(),
            document: self.document_path(name),
            ..ChildRecord::default()
        };
        self.site.documents().transition(&self.parent, "child", self.site.now, |on_disk, context| {
            record_child(on_disk.ok_or(TransitionError::Gone)?, record.clone(), context)
        })?;
        Ok(())
    }

    fn child_run(&self, opened: OpenRun) -> Result<OpenChild, crate::AppError> {
        let OpenRun { flow: _, storage, lease, .. } = opened;
        let site = &self.site;
        let (name, document) = (storage.name.clone(), storage.name.stem());
        let workspace = Arc::new(run_workspace(site, &storage.document)?);
        let active = ActiveEntry::register(site, &storage, &workspace);
        let order = Arc::new(run_order(site, &storage, None)?);
        let clock: Arc<dyn Clock> = Arc::new(SiteClock(site.now));
        let journal = FileJournal::new(storage, clock, self.cancel.clone(), self.broadcast.clone());
        let nesting = Nesting::default();
        let context = RunContext {
            site,
            name: &name,
            workspace: &workspace,
            lease: lease.as_ref(),
            pool: &self.pool,
            tree: self.tree.clone(),
            asker: self.asker.clone(),
            nesting: &nesting,
            branch_info: None,
            broadcast: &self.broadcast,
            cancel: &self.cancel,
        };
        let ports = ports::assemble(&context, &order);
        let parallel = site.settings.parallel();
        Ok(OpenChild {
            journal: Arc::new(journal),
            ports,
            order,
            parallel,
            document,
            guard: Box::new((lease, active)),
        })
    }
}
