//! Garbage that runs leave in a repository: stale documents and locks, and workspaces of runs that were killed before
//! their document existed.

use crate::enclosure::refuse_inside_agent;
use crate::error::AppError;
use crate::ports;
use crate::site::Site;
use crate::workspaces::PINNED_ROLES;
use charrette_engine::ports::PortError;
use charrette_model::panel::file_names::REQUEST;
use charrette_store::gc::{GcAction, Retention};
use charrette_store::{Lease, Workspace};
use std::collections::HashSet;
use std::path::Path;

/// Collects garbage. With `dry_run`, only returns the planned actions.
pub fn collect(site: &Site, retention: Retention, dry_run: bool) -> Result<Vec<GcAction>, AppError> {
    refuse_inside_agent(site, "remove files of runs")?;
    let mut done = site.documents().gc(retention, site.now, dry_run)?;
    done.extend(remove_unused_workspaces(site, dry_run)?);
    done.extend(remove_left_worktrees(site, dry_run)?);
    Ok(done)
}

/// Removes worktrees and refs of runs that have no document any more. Work that no branch contains stays on its ref.
fn remove_left_worktrees(site: &Site, dry_run: bool) -> Result<Vec<GcAction>, AppError> {
    if site.repository.is_none() {
        return Ok(Vec::new());
    }
    let documents = site.documents();
    let mut known: Vec<String> = Vec::new();
    for row in documents.list()? {
        // A document that cannot be read may be that of any run.
        let Ok(loaded) = documents.load(&row.name) else { return Ok(Vec::new()) };
        known.extend(loaded.and_then(|loaded| Some(loaded.document.run?.id)));
    }
    let worktrees = ports::task_worktrees(site);
    let failed = |error: PortError| match error {
        PortError::Refused(reason) | PortError::Failed(reason) => AppError::failed(reason),
        PortError::Interrupted => AppError::failed("interrupted"),
    };
    let mut done = Vec::new();
    for left_over in worktrees.find_left_over(&known).map_err(failed)? {
        let Some(path) = left_over.folder.clone() else { continue };
        if !dry_run {
            worktrees.remove_left_over(&left_over).map_err(failed)?;
        }
        done.push(GcAction { action: "remove-worktrees", path, bytes: 0 });
    }
    Ok(done)
}

/// Removes workspaces that no document names and that hold nothing but what every run starts with.
fn remove_unused_workspaces(site: &Site, dry_run: bool) -> Result<Vec<GcAction>, AppError> {
    let documents = site.documents();
    let locks = documents.folder().locks();
    let leases = fs_err::read_dir(locks).into_iter().flatten().flatten().map(|entry| entry.path());
    // A run that is about to be created has a workspace and no document yet.
    let is_held = |lease: &Path| Lease::holder(lease).ok().flatten().is_some();
    if leases.into_iter().any(|lease| is_held(&lease)) {
        return Ok(Vec::new());
    }
    // Held meanwhile, so that no run is created. One without a checkout of its own is seen by its lease.
    let Ok(_checkout) = documents.lease_checkout() else { return Ok(Vec::new()) };
    let mut used: HashSet<String> = HashSet::new();
    for row in documents.list()? {
        // A document that cannot be read may name any workspace.
        let Ok(loaded) = documents.load(&row.name) else { return Ok(Vec::new()) };
        used.extend(loaded.and_then(|loaded| loaded.document.run?.workspace));
    }
    let parent = site.settings.workspace_folder();
    let mut done = Vec::new();
    for entry in fs_err::read_dir(site.root.join(parent)).into_iter().flatten().flatten() {
        let path = entry.path();
        let relative = format!("{parent}/{}", entry.file_name().to_string_lossy());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let workspace = Workspace::new(&path, Path::new("/nonexistent"));
        if !is_folder || used.contains(&relative) || !workspace.is_unused(&[REQUEST, PINNED_ROLES]) {
            continue;
        }
        if !dry_run {
            fs_err::remove_dir_all(&path).map_err(AppError::failed)?;
        }
        done.push(GcAction { action: "remove-workspace", path, bytes: 0 });
    }
    Ok(done)
}
