//! Worktrees and refs of runs that are gone.

use super::TaskWorktrees;
use super::error::Result;
use super::places::{Places, SCRATCH};
use super::record::RunRecord;
use super::removal::remove_folder;
use charrette_engine::ports::PortError;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// Worktrees and refs of a run whose document is gone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOver {
    pub run: String,
    /// Folder of its worktrees, if there is one.
    pub folder: Option<PathBuf>,
    /// Refs of the run.
    pub refs: Vec<String>,
    /// True if its repository no longer exists.
    pub repository_is_gone: bool,
}

impl TaskWorktrees {
    /// Worktrees and refs of runs of this repository that are not among the known ones, and worktrees of repositories that
    /// no longer exist.
    pub fn find_left_over(&self, known_runs: &[String]) -> std::result::Result<Vec<LeftOver>, PortError> {
        Ok(self.places.find_left_over(known_runs)?)
    }

    /// Removes what a run left behind. Work that no branch contains stays on its integration ref.
    pub fn remove_left_over(&self, left_over: &LeftOver) -> std::result::Result<(), PortError> {
        Ok(self.places.remove_left_over(left_over)?)
    }
}

impl Places {
    fn find_left_over(&self, known_runs: &[String]) -> Result<Vec<LeftOver>> {
        self.remove_dead_scratch()?;
        let mut found: BTreeMap<String, LeftOver> = BTreeMap::new();
        let common_dir = self.common_dir()?;
        for (name, _) in self.list_refs("refs/charrette")? {
            let Some(rest) = name.strip_prefix("refs/charrette/") else { continue };
            let run = rest.split('/').next().unwrap_or(rest);
            let run = run.strip_suffix(".work").unwrap_or(run).to_owned();
            let left_over = found.entry(run.clone()).or_default();
            left_over.run = run;
            left_over.refs.push(name);
        }
        for entry in self.entries()? {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(place) = self.run(&name) else { continue };
            let record = RunRecord::load(&place)?;
            let is_gone = record.as_ref().is_some_and(|record| !record.common_dir.exists());
            // A folder without a record was made by half.
            if record.is_some_and(|record| record.common_dir != common_dir) && !is_gone {
                continue;
            }
            let left_over = found.entry(name.clone()).or_default();
            left_over.run = name;
            left_over.folder = Some(entry.path());
            left_over.repository_is_gone = is_gone;
        }
        Ok(found.into_values().filter(|left_over| !known_runs.contains(&left_over.run)).collect())
    }

    fn remove_left_over(&self, left_over: &LeftOver) -> Result<()> {
        if left_over.repository_is_gone {
            return Ok(remove_folder(self.run(&left_over.run)?.folder())?);
        }
        self.clean_up(&left_over.run, &[])
    }

    /// Removes scratch folders of processes that have ended.
    pub(super) fn remove_dead_scratch(&self) -> Result<()> {
        for entry in self.entries()? {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(owner) = name.strip_prefix(SCRATCH) else { continue };
            let pid = owner.split('-').next().and_then(|pid| pid.parse::<i32>().ok()).and_then(Pid::from_raw);
            if !pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH)) {
                remove_folder(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Entries of the folder of all worktrees.
    fn entries(&self) -> Result<Vec<fs_err::DirEntry>> {
        match fs_err::read_dir(self.worktrees()?) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            other => Ok(other?.collect::<io::Result<_>>()?),
        }
    }
}
