//! The clients against servers on loopback, with the faults of real services.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod linear;
mod webhook;
