//! Worktrees of tasks.

mod beginning;
mod changes;
mod integration;
mod killed_landings;
mod kills;
mod landing;
mod lies;
mod making;
mod removal;
