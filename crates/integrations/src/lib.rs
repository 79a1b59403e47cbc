//! Clients of external services: the issue tracker ([`linear`]) and webhooks ([`webhook`]).
//!
//! The clients are typed, bounded in time and size, and safe to repeat: created objects have an id of ours, so
//! that a repeated request creates nothing new. Secrets come in as [`secrecy::SecretString`] and leave in one
//! header each. Callers decide which service is called, when, and what becomes of the response: nothing here
//! knows runs, files or screens.

pub mod linear;
mod stable_id;
mod text;
pub mod webhook;

pub use charrette_http::{AddressError, RetryPolicy};
pub use stable_id::stable_id;
