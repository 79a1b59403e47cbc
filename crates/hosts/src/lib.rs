//! Configuration of the coding agents that people work in: which hooks charrette puts there, how they are added, found
//! and taken out again.
//!
//! [`client`] lists the clients and their files, [`wiring`] the hooks of each. [`json_hooks`] edits JSON files and keeps
//! their comments, order and foreign entries; [`owned`] has the files that belong to charrette as a whole. [`plan`]
//! compares what is on disk with what is wanted, [`apply`] writes it, [`receipts`] remembers what was there before,
//! [`diff`] shows it.
//!
//! MCP servers and skills will be further [`wiring`] of the same files. Nothing here prints or reads the environment.

mod apply;
mod client;
mod diff;
pub mod json_hooks;
pub mod owned;
mod plan;
mod receipts;
mod wiring;

pub use apply::{ApplyError, apply};
pub use client::{Client, HookFile, Scope, UserFolders, hook_files};
pub use diff::diff;
pub use plan::{Change, FileChange, Plan, Problem, plan_installation, plan_removal};
pub use receipts::{Before, Receipt, Receipts};
pub use wiring::{HOOK_PROGRAM, HookLayout, WantedHook, wanted_hooks};
