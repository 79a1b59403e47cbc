//! What changes or judges a work tree: whether a run may begin in it, the branch it works on, what agents changed in it.
//!
//! [`CheckoutHere`] is the work tree of one run: `entrance` and `preflight` decide whether it may begin, `branching` goes
//! to its branch, `delivery` puts a file where the user wants it. [`Facts`] is what git and the configuration say about
//! branches, [`Mainline`] main and its remote. [`TreeWatch`] tells what agents changed and undoes it; many who ask at once
//! are served by one look (`coalesce`); [`tree`] is what it looks with.
//!
//! The rules are in `charrette_model::{branch, gate, tree}`; here git is asked and obeyed.

#![warn(missing_docs)]

mod adapter;
mod branching;
mod coalesce;
mod delivery;
mod entrance;
mod facts;
mod here;
mod mainline;
mod preflight;
pub mod tree;
mod watch;

pub use charrette_engine::ports::{BranchOrder, Branched, Entrance, Refusal};
pub use facts::{Facts, FactsError};
pub use here::{CheckoutHere, CheckoutPlace};
pub use mainline::{FETCH_TIMEOUT, Mainline};
pub use watch::TreeWatch;
