//! Configuration of the coding agents that people work in: which hooks, servers and skills charrette puts there, how they
//! are added, found and taken out again.
//!
//! [`client`] lists the clients and their folders, [`files`] the files of each part of an installation. [`wiring`] has the
//! hooks of each client, [`server`] the entry of the MCP server, [`entries`] both as edits of a user's file;
//! [`json_hooks`], `json_file` and [`toml_text`] keep comments, order and foreign entries. [`owned`] has the files that
//! belong to charrette as a whole. [`plan`] compares what is on disk with what is wanted, [`apply`] writes it,
//! [`receipts`] remembers what was there before, [`diff`] shows it. [`plugin_presence`] finds clients that have the
//! plug-in already.
//!
//! Nothing here prints or reads the environment.

mod apply;
mod client;
mod diff;
mod edit;
mod entries;
mod files;
mod json_file;
pub mod json_hooks;
pub mod owned;
mod plan;
mod plugin_presence;
mod receipts;
mod server;
pub mod toml_text;
mod wiring;

pub use apply::{ApplyError, apply, apply_change};
pub use client::{Client, Scope, UserFolders};
pub use diff::diff;
pub use edit::{Difference, EditProblem, Edited};
pub use entries::Entry;
pub use files::{ClientParts, Content, HostFile, Part, Selection, client_files};
pub use owned::Skill;
pub use plan::{Change, FileChange, Plan, Problem, files_of, plan_edit, plan_installation, plan_removal};
pub use plugin_presence::{installed_plugin, plugin_parts};
pub use receipts::{Before, Receipt, Receipts};
pub use server::{SERVER, SERVER_PROGRAM, ServerLayout};
pub use wiring::{HOOK_PROGRAM, HookLayout, WantedHook, wanted_hooks};
