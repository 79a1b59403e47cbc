//! Runs inside a run at this site: begun or reopened, with the parent's room, person and request to end.

use crate::error::ErrorKind;
use crate::nesting::Nesting;
use crate::ports::{self, Around};
use crate::room::SiteClock;
use crate::site::Site;
use crate::start::{self, Beginning, OpenRun, order_of};
use crate::workspaces::workspace_of;
use charrette_agents::room::Room;
use charrette_engine::child::ChildRun;
use charrette_engine::journal::FileJournal;
use charrette_engine::ports::children::{ChildError, ChildOrder, Children};
use charrette_engine::ports::{Asker, BoxFuture, Clock, Tree};
use charrette_engine::{Broadcast, Cancel};
use charrette_model::checkpoint::run::note_child;
use charrette_model::checkpoint::{ChildRun as ChildRecord, DocumentName, ParentRun, TransitionError};
use std::sync::Arc;

/// Opens the children of a run.
#[derive(Clone)]
pub(crate) struct SiteChildren {
    pub(crate) site: Site,
    pub(crate) parent: DocumentName,
    pub(crate) room: Arc<Room>,
    pub(crate) tree: Arc<dyn Tree>,
    pub(crate) asker: Arc<dyn Asker>,
    pub(crate) broadcast: Broadcast,
    pub(crate) cancel: Cancel,
}

impl Children for SiteChildren {
    fn open(&self, order: ChildOrder) -> BoxFuture<'static, Result<ChildRun, ChildError>> {
        let children = self.clone();
        Box::pin(async move { children.opened(order) })
    }
}

impl SiteChildren {
    fn opened(self, order: ChildOrder) -> Result<ChildRun, ChildError> {
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
                    "there is a run {} already that does not belong to {}",
                    name.stem(),
                    self.parent.stem()
                )));
            }
            None => {
                let ChildOrder { flow, request, flags, .. } = order;
                let parent = Some(parent);
                start::begin(site, Beginning { flow, name: name.clone(), request, flags, parent })
                    .map_err(refused)?
            }
        };
        self.note(&opened).map_err(refused)?;
        self.child_run(opened).map_err(refused)
    }

    /// The parent, as its children know it.
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

    /// The document of a run, from the root of the work tree.
    fn document_path(&self, name: &DocumentName) -> String {
        let path = self.site.documents().folder().document(name);
        self.site.relative(&path).display().to_string()
    }

    /// Puts the child on record with its parent, before anything of it is done.
    fn note(&self, opened: &OpenRun) -> Result<(), crate::AppError> {
        let name = &opened.place.name;
        let record = ChildRecord {
            id: opened.place.document.run.as_ref().map(|run| run.id.clone()).unwrap_or_default(),
            command: name.command().to_owned(),
            feature: name.feature().map(ToString::to_string),
            root: self.site.root.display().to_string(),
            document: self.document_path(name),
            ..ChildRecord::default()
        };
        self.site.documents().transition(
            &self.parent,
            "child",
            self.site.now,
            |on_disk, circumstances| {
                note_child(on_disk.ok_or(TransitionError::Gone)?, record.clone(), circumstances)
            },
        )?;
        Ok(())
    }

    fn child_run(&self, opened: OpenRun) -> Result<ChildRun, crate::AppError> {
        let OpenRun { flow: _, place, lease, .. } = opened;
        let site = &self.site;
        let (name, document) = (place.name.clone(), place.name.stem());
        let workspace = Arc::new(workspace_of(site, &place.document)?);
        let order = Arc::new(order_of(site, &place, None)?);
        let clock: Arc<dyn Clock> = Arc::new(SiteClock(site.now));
        let journal = FileJournal::new(place, clock, self.cancel.clone(), self.broadcast.clone());
        let nesting = Nesting::default();
        let around = Around {
            site,
            name: &name,
            workspace: &workspace,
            lease: lease.as_ref(),
            room: &self.room,
            tree: self.tree.clone(),
            asker: self.asker.clone(),
            nesting: &nesting,
            branch_info: None,
            broadcast: &self.broadcast,
            cancel: &self.cancel,
        };
        let ports = ports::of(&around, &order);
        let parallel = site.settings.parallel();
        Ok(ChildRun { journal: Arc::new(journal), ports, order, parallel, document, guard: Box::new(lease) })
    }
}
