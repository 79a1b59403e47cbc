//! The example flow, driven by the real binary with real agents-on-a-script: killed, edited, answered, raced.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod asked;
mod cancellation;
mod crowd;
mod disturbed;
mod errand;
mod gates;
mod incidents;
mod reuse;
mod stage;
mod strays;
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
