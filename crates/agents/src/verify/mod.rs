//! Verify commands and proofs of tasks, run in the sandbox of a seat that writes; implements the engine's `Verifier`.
//!
//! [`verifier`] runs an order, [`environment`] is what a command gets of ours, [`process`] runs it within its limits and
//! ends everything it started, [`excerpt`] keeps the beginning and the end of its output.

mod environment;
mod excerpt;
mod process;
mod verifier;

pub(crate) use environment::BUILD_CACHES;
pub use verifier::SandboxVerifier;
