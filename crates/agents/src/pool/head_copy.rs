//! Copy of HEAD for one call, in which the agent may write and run programs. It is removed after the call, however that
//! ends; [`crate::orphans`] removes those of a killed driver.

use super::state::AgentPool;
use crate::orphans::remove_folder;
use crate::profile::{Agent, Transport};
use charrette_engine::ports::{LaunchOrder, Workplace};
use std::io;
use std::path::{Path, PathBuf};
use tokio::task::spawn_blocking;

/// Folder of the shared copy. Lanes have longer names.
const WORKSHOP: &str = "workshop";

/// A copy of HEAD. Removed when dropped, unless later calls share it.
#[derive(Debug)]
pub(super) struct HeadCopy {
    folder: PathBuf,
    is_shared: bool,
}

impl HeadCopy {
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes the copy without blocking other calls.
    pub(super) async fn remove(self) {
        let _ = spawn_blocking(move || drop(self)).await;
    }
}

impl Drop for HeadCopy {
    fn drop(&mut self) {
        if !self.is_shared {
            let _ = remove_folder(&self.folder);
        }
    }
}

impl AgentPool {
    /// Makes the copy that an order asks for; none for endpoints, which have no tools on this machine.
    pub(super) async fn copy_for(
        &self,
        agent: &Agent,
        order: &LaunchOrder,
    ) -> Result<Option<HeadCopy>, String> {
        let is_shared = match order.workplace {
            Workplace::Checkout | Workplace::Worktree(_) | Workplace::WorktreeToRead(_) => return Ok(None),
            Workplace::Scratch => false,
            Workplace::Workshop => true,
        };
        if agent.profile.transport == Transport::Openai {
            return Ok(None);
        }
        if !self.host().in_repository {
            return Err("this is not a git repository".to_owned());
        }
        if is_shared {
            return self.workshop().await.map(Some);
        }
        let copy = self.prepare_copy(&order.lane).map_err(|error| error.to_string())?;
        self.tree().copy_head(copy.folder.clone()).await?;
        Ok(Some(copy))
    }

    /// The copy that the calls of one voice share; made by the first of them.
    async fn workshop(&self) -> Result<HeadCopy, String> {
        let copies = self.copies_folder().map_err(|error| error.to_string())?;
        let folder = copies.join(WORKSHOP);
        if folder.join(".git").exists() {
            return Ok(HeadCopy { folder, is_shared: true });
        }
        let mut copy = self.prepare_copy(WORKSHOP).map_err(|error| error.to_string())?;
        self.tree().copy_head(copy.folder.clone()).await?;
        // Only a copy that is complete stays.
        copy.is_shared = true;
        Ok(copy)
    }

    /// Place of a copy: its parent exists, it does not.
    fn prepare_copy(&self, lane: &str) -> io::Result<HeadCopy> {
        let copies = self.copies_folder()?;
        fs_err::create_dir_all(&copies)?;
        let folder = copies.join(lane);
        remove_folder(&folder)?;
        Ok(HeadCopy { folder, is_shared: false })
    }
}
