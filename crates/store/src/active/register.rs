//! Changes of `active.json`: under a lock of its own, always whole.

use super::file::{
    ACTIVE_VERSION, Active, ActiveRun, DriverProcess, HookSettings, RELATIVE_FOLDER, active_path,
    main_checkout, read_active,
};
use super::process::process_start;
use crate::atomic;
use crate::error::StoreError;
use crate::layout::StateFolder;
use crate::lock::{DocumentLock, Holder};
use crate::repository::Repository;
use std::io;
use std::path::Path;

/// Maximum number of runs in the file. Of waiting ones the newest are kept.
const MAX_RUNS: usize = 64;

/// Writer of `active.json`.
#[derive(Debug, Clone)]
pub struct ActiveRegister {
    folder: StateFolder,
    holder: Holder,
}

impl ActiveRegister {
    /// For a repository, or for a folder outside one.
    pub fn new(repository: Option<&Repository>, root: &Path, holder: Holder) -> ActiveRegister {
        let folder = StateFolder::new(&main_checkout(repository, root), RELATIVE_FOLDER);
        ActiveRegister { folder, holder }
    }

    /// The folder of the file.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Registers a run as driven by this process, or changes its entry.
    pub fn put(
        &self,
        mut run: ActiveRun,
        hooks: &HookSettings,
        main_branch: Option<&str>,
    ) -> Result<(), StoreError> {
        let pid = std::process::id();
        run.driver = Some(DriverProcess { pid, start: process_start(pid) });
        self.change(|active| {
            active.hooks = hooks.clone();
            active.main_branch = main_branch.map(str::to_owned);
            active.runs.retain(|other| other.id != run.id);
            active.runs.insert(0, run);
        })
    }

    /// Changes the entry of a run, if it has one.
    pub fn update(&self, id: &str, change: impl FnOnce(&mut ActiveRun)) -> Result<(), StoreError> {
        self.change(|active| {
            if let Some(run) = active.runs.iter_mut().find(|run| run.id == id) {
                change(run);
            }
        })
    }

    /// Removes the entry of a run.
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        if active_path(self.folder.path()).symlink_metadata().is_err() {
            return Ok(());
        }
        self.change(|active| active.runs.retain(|run| run.id != id))
    }

    /// Changes the file under its lock. Entries of dead drivers that wait for nothing are dropped; a file without
    /// entries is removed.
    fn change(&self, change: impl FnOnce(&mut Active)) -> Result<(), StoreError> {
        self.folder.prepare()?;
        let _lock = DocumentLock::acquire(&self.folder.locks().join("active.lock"), &self.holder)?;
        // Derived from the runs: a file that cannot be used is replaced.
        let before = read_active(self.folder.path()).ok().flatten();
        let mut active = before.clone().unwrap_or_default();
        active.version = ACTIVE_VERSION;
        change(&mut active);
        active.runs.retain_mut(|run| {
            if run.driver.is_some() && !run.is_driven() {
                run.driver = None;
            }
            run.driver.is_some() || !run.waits.is_empty()
        });
        let (mut driven, waiting): (Vec<_>, Vec<_>) =
            active.runs.into_iter().partition(|run| run.driver.is_some());
        driven.extend(waiting);
        driven.truncate(MAX_RUNS);
        active.runs = driven;
        let path = active_path(self.folder.path());
        if active.runs.is_empty() {
            return match fs_err::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            };
        }
        if before.as_ref() == Some(&active) {
            return Ok(());
        }
        let bytes = serde_json::to_vec(&active).map_err(io::Error::other)?;
        let temp = self.folder.path().join(".active.json.tmp");
        Ok(atomic::replace_until_reboot(&path, &temp, &bytes)?)
    }
}
