//! Stages of a research run.

use charrette_model::progress::StageSpec;

/// Stages in order.
pub const STAGES: &[StageSpec] = &[
    StageSpec { number: "1", name: "discovery", ledger: "research Step 1 — discovery", phase: "discovery" },
    StageSpec { number: "2", name: "synthesis", ledger: "research Step 2 — synthesis", phase: "synthesis" },
];
