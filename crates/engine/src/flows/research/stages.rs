//! The stages of a research run.

use charrette_model::progress::Stage;

/// In order.
pub const STAGES: &[Stage] = &[
    Stage { number: "1", name: "discovery", ledger: "research Step 1 — discovery", phase: "discovery" },
    Stage { number: "2", name: "synthesis", ledger: "research Step 2 — synthesis", phase: "synthesis" },
];
