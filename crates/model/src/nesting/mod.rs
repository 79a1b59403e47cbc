//! Nested designs, and designs whose heavy part runs in a worker process: the worker's status line and the
//! check of its files ([`heavy`]), and the messages of both ([`texts`]).
//!
//! The files exchanged between them are in [`crate::session`] and [`crate::manifest`].

pub mod heavy;
pub mod texts;

pub use heavy::{HeavyStatus, YIELDED, verify_status};
