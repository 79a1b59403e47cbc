//! The hook of coding agents: what a session may do while a run is driven.
//!
//! [`hook`] is called with the event and the JSON of a client; its answer is an exit code and a line. Outside a run it
//! allows everything. `environment` reads the variables, `input` the JSON, `subject` finds out who is guarded, `rules`
//! decide; `shell` and `effects` read command lines, `patch` patches, `facts` the repository.
//!
//! Nothing here writes, waits for a lock or starts a process.

mod answer;
mod context;
mod effects;
mod environment;
mod event;
mod facts;
mod hook;
mod input;
mod patch;
mod paths;
mod rules;
mod shell;
mod subject;

pub use answer::Answer;
pub use environment::HookEnvironment;
pub use hook::{hook, run_hook};
