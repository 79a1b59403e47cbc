//! `charrette design`: from a request to an approved specification.

mod studio;

pub use studio::{BranchOrder, Branched, Entrance, Refusal, Studio};
