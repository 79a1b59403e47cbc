//! State documents on disk: whole at any moment, changed under a lock, with a history of every change.
//!
//! [`atomic`] replaces files, [`lock`] has locks and leases, [`layout`] knows the paths, [`documents`]
//! combines the three into transitions. [`history`] records them, [`archive`] compresses abandoned runs,
//! [`document_custody`] keeps driven documents as their driver left them, [`answer_notes`] tells the answers of people from
//! forgeries. [`workspace`] has the artifacts of a run, [`LogFolder`] opens its logs, [`events`] its event log, [`ledger`] the
//! cost of its agents,
//! [`listing`] lists all runs, [`active`] those that hooks must know of, [`gc`] collects garbage. [`repository`] finds the work tree, [`head`] reads
//! its HEAD without starting git, [`integrations`] the configuration of external services, [`specs`] the tree
//! of specifications, [`trust_file`] the contents of repositories that a person trusts.
//!
//! Everything is synchronous. The terminal, the network and the environment are deliberately absent.

pub mod active;
mod answer_notes;
pub mod archive;
pub mod atomic;
mod custody;
mod document_custody;
pub mod documents;
pub mod error;
pub mod events;
mod evidence;
pub mod gc;
pub mod head;
pub mod history;
pub mod integrations;
pub mod layout;
pub mod ledger;
pub mod listing;
pub mod lock;
mod log_folder;
mod parse_cache;
pub mod plain_file;
mod pretty;
pub mod remains;
pub mod repository;
mod signature;
pub mod specs;
pub mod trust_file;
pub mod workspace;

pub use answer_notes::AnswerNotes;
pub use custody::ForeignChange;
pub use document_custody::{DocumentCustody, DocumentKeeper};
pub use documents::{Documents, LoadedDocument};
pub use error::StoreError;
pub use lock::{Holder, Lease};
pub use log_folder::LogFolder;
pub use repository::{Location, Repository, locate};
pub use signature::Signature;
pub use workspace::Workspace;
