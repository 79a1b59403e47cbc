//! The pool of agents of a run; implements the engine's `Launcher`.
//!
//! [`state`] is the pool itself, [`policy`] its configuration, [`call`] one supervised call of one agent,
//! [`embedded`] a call of the embedded agent, [`probe`] the health check, [`budget`] the cost limits,
//! [`call_tree_diff`] the detection of changed files, [`instructions`] the repository's notes for agents.
//! [`launcher`] launches agents for the engine: health, budget, rate limits, ledgers. [`availability`] reports
//! missing reviewers.

mod availability;
mod budget;
mod call;
mod call_tree_diff;
mod embedded;
mod instructions;
mod launcher;
mod policy;
mod probe;
mod state;

pub use availability::availability;
pub use call::{AgentCall, CallReport, ResumedSession};
pub use policy::{AgentPolicy, Budget, RateLimitPolicy};
pub use probe::ProbeResult;
pub use state::{
    AgentPool, AgentPoolConfig, asks_folder, candidates, days_folder, drivers_folder, seat_chain,
};
