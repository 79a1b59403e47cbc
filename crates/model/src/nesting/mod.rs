//! A design inside another run, and a design whose heavy part is done by another process: the one line a worker
//! answers with and the gate its files must pass ([`heavy`]), and the sentences that go with both ([`texts`]).
//!
//! What travels between the two as files is in [`crate::session`] and [`crate::manifest`].

pub mod heavy;
pub mod texts;

pub use heavy::{HeavyStatus, YIELDED, judged};
