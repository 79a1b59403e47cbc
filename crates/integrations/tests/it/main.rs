//! The clients against servers on loopback that behave, and misbehave, as the real ones do.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod linear;
mod webhook;
