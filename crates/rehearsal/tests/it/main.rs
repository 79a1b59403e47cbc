//! The example flows, driven by the real binary with scripted agents: killed, edited, answered, raced.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod bad_agents;
mod cancellation;
mod child_runs;
mod crowd;
mod failures;
mod gates;
mod incidents;
mod orphans;
mod reuse;
mod stage;
mod terminal;

use stage::Stage;

/// Every execution of an undisturbed run: seat or output, and who did it. The aggregator is asked twice and
/// replaced once.
const UNDISTURBED: [&str; 12] = [
    "aggregator beta",
    "aggregator broken",
    "aggregator broken",
    "finisher alpha",
    "plan.md local",
    "receipt.md local",
    "researcher-a alpha",
    "researcher-b alpha",
    "researcher-c alpha",
    "sketch-depth alpha",
    "sketch-scope alpha",
    "survey.md local",
];
