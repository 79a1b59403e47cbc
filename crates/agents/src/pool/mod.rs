//! The pool of agents of a run; implements the engine's `Launcher`.
//!
//! [`state`] is the pool itself, [`policy`] its configuration, [`call`] one supervised call of one agent,
//! [`embedded`] a call of the embedded agent, [`queued`] a call that waits in the queue, [`probe`] the health check,
//! [`budget`] the cost limits, [`call_tree_diff`] the detection of changed files, [`head_copy`] a folder for agents that
//! try things out, [`worktree`] the folder of a task, [`instructions`] the repository's notes for agents. [`launcher`] launches agents for the engine:
//! health, budget, rate limits, ledgers, sessions. [`fallback`] asks before the embedded agent replaces agents that
//! failed. [`availability`] reports missing reviewers.

mod availability;
mod budget;
mod call;
mod call_tree_diff;
mod embedded;
mod fallback;
mod head_copy;
mod instructions;
mod launcher;
mod login;
mod policy;
mod probe;
mod queued;
mod state;
mod worktree;

pub use availability::availability;
pub use call::{AgentCall, CallOrigin, CallReport, EndHook, ResumedSession};
pub use policy::{AgentPolicy, Budget, RateLimitPolicy, WebPolicy};
pub use probe::ProbeResult;
pub use state::{
    AgentPool, AgentPoolConfig, asks_folder, candidates, days_folder, drivers_folder, seat_chain,
};
