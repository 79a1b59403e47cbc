//! Services outside: a tracker ([`linear`]) and whoever wants to be told ([`webhook`]).
//!
//! Everything here is typed, bounded in time and size, and safe to repeat: what is made carries an id of ours, so
//! that asking twice makes one. Secrets come in as [`secrecy::SecretString`] and leave in one header each. Which
//! service is asked, when, and what becomes of the answer is for others: nothing here knows runs, files or screens.

#![warn(missing_docs)]

mod http;
pub mod linear;
mod stable_id;
pub mod webhook;

pub use http::{AddressProblem, leads_here};
pub use stable_id::stable_id;
