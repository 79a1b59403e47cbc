//! Stages of an implementation.

use super::flow::{IMPLEMENTATION, VALIDATION};
use charrette_model::progress::StageSpec;

/// Stages in order.
pub const STAGES: &[StageSpec] = &[
    stage("0", "setup", "implement Step 0 — setup", IMPLEMENTATION),
    stage("1", "baseline", "implement Step 1 — baseline", IMPLEMENTATION),
    stage("2", "tasks", "implement Step 2 — tasks", IMPLEMENTATION),
    stage("3", "full verification", "implement Step 3 — full verification", VALIDATION),
    stage("4", "comprehensive review", "implement Step 4 — comprehensive review", VALIDATION),
    stage("5", "repair", "implement Step 5 — repair", VALIDATION),
    stage("6", "delivery", "implement Step 6 — delivery", VALIDATION),
];

const fn stage(
    number: &'static str,
    name: &'static str,
    ledger: &'static str,
    phase: &'static str,
) -> StageSpec {
    StageSpec { number, name, ledger, phase }
}
