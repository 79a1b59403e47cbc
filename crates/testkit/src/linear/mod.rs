//! Mock Linear server on a loopback port, for the operations charrette uses.
//!
//! `schema.graphql` holds the part of Linear's published schema that those operations touch, with the types and
//! the non-null marks it has there; a compiler checks every request against it, so a field, an argument or a
//! variable that Linear does not know is rejected here too. [`LinearFault`]s simulate outages.

mod schema;
mod server;

pub use server::{LinearFault, LinearServer};
