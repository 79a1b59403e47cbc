//! Worktree of a task as the folder of a seat that writes: who can take such a seat, and which folders can be one.

use super::state::AgentPool;
use crate::profile::{Agent, Transport};
use charrette_engine::ports::{LaunchError, LaunchOrder};
use std::path::Path;

impl AgentPool {
    /// An error if the agent of that order cannot change files, or its worktree is not one.
    pub(super) fn check_write_seat(&self, order: &LaunchOrder) -> Result<(), LaunchError> {
        let agent = self.roster().get(&order.agent);
        let problem = order.workplace.worktree().zip(agent);
        let problem = problem.and_then(|(folder, agent)| self.write_seat_problem(agent, folder));
        problem.map_or(Ok(()), |problem| Err(LaunchError::failed(problem)))
    }

    /// Reason that an agent cannot be started with the right to change that worktree.
    pub fn write_seat_problem(&self, agent: &Agent, worktree: &Path) -> Option<String> {
        if agent.profile.transport == Transport::Openai {
            return Some("an endpoint has no tools on this machine and cannot change files".to_owned());
        }
        self.worktree_problem(worktree)
    }

    /// Reason that nothing may be started with the right to change that folder.
    pub(crate) fn worktree_problem(&self, folder: &Path) -> Option<String> {
        let shown = folder.display();
        let is_folder = fs_err::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
        if !folder.is_absolute() || !is_folder {
            return Some(format!("its worktree is missing: {shown}"));
        }
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let holds_more = self.sandbox().holds_more(&real) || self.host().folder.starts_with(&real);
        holds_more.then(|| {
            format!("its worktree {shown} holds the repository, the home folder or files of charrette or git")
        })
    }
}
