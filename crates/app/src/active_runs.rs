//! Entries of driven and waiting runs in `active.json`, for hooks.
//!
//! A run is driven all the same if the file cannot be written: hooks are one of several guards.

use crate::site::Site;
use charrette_engine::journal::RunStorage;
use charrette_engine::{EventKind, FlowResult, Stop, Watcher};
use charrette_model::config::Settings;
use charrette_store::active::{ActiveRegister, ActiveRun, HookSettings, ReactionToErrors, Rights};
use charrette_store::{Repository, Signature, StoreError, Workspace};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Longest file with the name of a branch that is read, in bytes.
const MAX_BRANCH_BYTES: usize = 1024;

/// Entry of a run that this process drives. Removed when the run ends, unless it waits for a person.
pub(crate) struct ActiveEntry {
    register: ActiveRegister,
    id: String,
    site: Site,
    /// HEAD when the run was registered.
    head: Option<Signature>,
    is_over: bool,
}

impl ActiveEntry {
    /// Registers a run; none if that is not possible.
    pub(crate) fn register(site: &Site, storage: &RunStorage, workspace: &Workspace) -> Option<ActiveEntry> {
        let run = storage.document.run.as_ref()?;
        let entry = ActiveEntry {
            register: register(site),
            id: run.id.clone(),
            site: site.clone(),
            // Before the branch is read.
            head: find_head(site.repository.as_ref()),
            is_over: false,
        };
        let registered = entry.register.put(
            ActiveRun {
                id: run.id.clone(),
                document: storage.name.stem(),
                command: storage.name.command().to_owned(),
                feature: storage.name.feature().map(ToString::to_string),
                root: site.root.clone(),
                state: storage.documents.folder().path().to_owned(),
                workspace: Some(workspace.folder().to_owned()),
                phase: None,
                rights: Rights::ReadOnly,
                branch: current_branch(site.repository.as_ref()),
                driver: None,
                waits: Vec::new(),
            },
            &hook_settings(&site.settings),
            main_branch(site).as_deref(),
        );
        entry.report(registered);
        Some(entry)
    }

    /// Watcher that keeps phase, branch and waiting gates up to date.
    pub(crate) fn watcher(&self) -> Watcher {
        let (register, id, repository) =
            (self.register.clone(), self.id.clone(), self.site.repository.clone());
        let known_head = Mutex::new(self.head);
        Arc::new(move |event| {
            // True if another branch may be checked out now.
            let has_moved = || {
                let mut known = known_head.lock().unwrap_or_else(PoisonError::into_inner);
                let now = find_head(repository.as_ref());
                std::mem::replace(&mut *known, now) != now
            };
            // Late or lost updates only change what a session is told.
            let _ = match &event.kind {
                EventKind::PhaseStarted { phase } => {
                    let branch = current_branch(repository.as_ref());
                    register.update(&id, |run| {
                        run.phase = Some(phase.clone());
                        run.branch = branch;
                    })
                }
                EventKind::StageBegan { .. } if has_moved() => {
                    let branch = current_branch(repository.as_ref());
                    register.update(&id, |run| run.branch = branch)
                }
                EventKind::GateWaiting { gate, .. } => register.update(&id, |run| {
                    if !run.waits.contains(gate) {
                        run.waits.push(gate.clone());
                    }
                }),
                EventKind::GateAnswered { gate, .. } => {
                    register.update(&id, |run| run.waits.retain(|waiting| waiting != gate))
                }
                _ => return,
            };
        })
    }

    /// Ends the entry: a run that waits for a person stays in the file, without a driver.
    pub(crate) fn end(mut self, outcome: &FlowResult<()>) {
        self.is_over = true;
        let ended = match outcome {
            Err(Stop::Waiting(waits)) => self.register.update(&self.id, |run| {
                run.driver = None;
                run.waits = waits.iter().map(|wait| wait.gate.clone()).collect();
            }),
            _ => self.register.remove(&self.id),
        };
        self.report(ended);
    }

    fn report(&self, changed: Result<(), StoreError>) {
        if let Err(error) = changed {
            let folder = self.register.folder().display();
            self.site
                .notices
                .note(format!("Warning: hooks cannot see this run: {folder}/active.json: {error}"));
        }
    }
}

impl Drop for ActiveEntry {
    fn drop(&mut self) {
        if !self.is_over {
            let _ = self.register.remove(&self.id);
        }
    }
}

/// Removes the entry of a run that was archived.
pub(crate) fn forget(site: &Site, id: &str) {
    // A run that is gone is neither driven nor waiting; a stale entry is dropped by the next change.
    let _ = register(site).remove(id);
}

fn register(site: &Site) -> ActiveRegister {
    ActiveRegister::new(site.repository.as_ref(), &site.root, site.holder())
}

fn hook_settings(settings: &Settings) -> HookSettings {
    let on_error = match settings.hooks_on_error() {
        "closed" => ReactionToErrors::Closed,
        _ => ReactionToErrors::Open,
    };
    HookSettings {
        on_error,
        danger: settings.has_hook_rule("danger"),
        secrets: settings.has_hook_rule("secrets"),
    }
}

/// The main branch: configured, or that of the remote.
fn main_branch(site: &Site) -> Option<String> {
    let configured = site.settings.main_branch();
    if !configured.is_empty() {
        return Some(configured.to_owned());
    }
    let common = site.repository.as_ref()?.common_dir();
    branch_in(&common.join("refs/remotes/origin/HEAD"), "refs/remotes/origin/")
}

fn current_branch(repository: Option<&Repository>) -> Option<String> {
    branch_in(&repository?.git_dir().join("HEAD"), "refs/heads/")
}

/// HEAD without its content: git replaces the file when another branch is checked out.
fn find_head(repository: Option<&Repository>) -> Option<Signature> {
    let meta = repository?.git_dir().join("HEAD").symlink_metadata().ok()?;
    Some(Signature::of(&meta))
}

/// The branch that a symbolic reference names.
fn branch_in(file: &Path, prefix: &str) -> Option<String> {
    let text = fs_err::read_to_string(file).ok().filter(|text| text.len() <= MAX_BRANCH_BYTES)?;
    text.strip_prefix("ref:")?.trim().strip_prefix(prefix).map(str::to_owned)
}
