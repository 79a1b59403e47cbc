//! State documents on disk: whole at any moment, changed under a lock, with a history of every change.
//!
//! [`atomic`] replaces a file, [`lock`] keeps writers apart, [`layout`] knows the paths, [`documents`] puts
//! the three together into transitions. [`history`] remembers them, [`archive`] keeps what is thrown away,
//! [`workspace`] has the artifacts of a run, [`events`] what happened in it, [`ledger`] what its agents took, [`listing`] looks at many documents
//! at once, [`gc`] tidies up. [`repository`] finds the work tree, [`head`] reads its HEAD without starting git,
//! [`integrations`] which services outside it works with.
//!
//! Everything is synchronous. The terminal, the network and the environment are deliberately absent.

#![warn(missing_docs)]

pub mod archive;
pub mod atomic;
pub mod documents;
pub mod error;
pub mod events;
pub mod gc;
pub mod head;
pub mod history;
pub mod integrations;
pub mod layout;
pub mod ledger;
pub mod listing;
pub mod lock;
mod parsed;
mod pretty;
pub mod repository;
pub mod specs;
pub mod workspace;

pub use documents::{Documents, Loaded};
pub use error::StoreError;
pub use lock::{Holder, Lease};
pub use repository::{Location, Repository, locate};
pub use workspace::Workspace;
