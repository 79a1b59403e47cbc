//! Proof that the hooks of a client hold.
//!
//! [`prove`] starts the real client against a scripted model on loopback ([`model`]), with a throw-away home and a
//! throw-away repository in which a run is driven ([`stage`]). The user's hooks of charrette are copied there
//! ([`configuration`]), and nothing else of the user's. The model makes tool calls that must be blocked and calls that
//! must pass ([`calls`]), in the main thread and in a subagent; [`verdict`] judges what came of them. [`trust`] reads
//! whether the user has trusted the hooks in Codex, [`record`] keeps results.

mod calls;
mod client_run;
mod configuration;
mod hook_check;
mod model;
mod process;
mod record;
mod stage;
mod trust;
mod verdict;

pub use client_run::{ClientProgram, ProofError, client_version, prove};
pub use configuration::{Configuration, Layer};
pub use record::{Proof, Proofs};
pub use trust::{CodexTrust, codex_trust};
pub use verdict::{Failure, Verdict};
