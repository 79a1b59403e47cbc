//! The example flow, driven by the real binary with real agents-on-a-script: killed, edited, answered, raced.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

mod asked;
mod cancellation;
mod crowd;
mod design_again;
mod design_flags;
mod design_gates;
mod design_levels;
mod design_mishaps;
mod design_nested;
mod design_regular;
mod design_repositories;
mod design_requests;
mod design_researchers;
mod design_terminal;
mod design_tracker;
mod design_webhooks;
mod design_worker;
mod disturbed;
mod gates;
mod incidents;
mod panel_answers;
mod panel_bed;
mod reuse;
mod stage;
mod strays;
mod terminal;
mod workshop;

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
