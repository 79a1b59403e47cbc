//! Stages of a design: number, name, ledger label and phase.

use charrette_model::progress::StageSpec;

const fn stage(
    number: &'static str,
    name: &'static str,
    ledger: &'static str,
    phase: &'static str,
) -> StageSpec {
    StageSpec { number, name, ledger, phase }
}

/// Stages in order.
pub const STAGES: &[StageSpec] = &[
    stage("0", "setup", "design Step 0 — session setup", "research"),
    stage("1", "branch", "design Step 1 — branch", "research"),
    stage("1a", "research", "design Step 1a — research", "research"),
    stage("1c", "questions", "design Step 1c — questions", "research"),
    stage("1d", "discussion r1", "design Step 1d — discussion r1", "research"),
    stage("1e", "pre-design gate", "design Step 1e — pre-design gate", "research"),
    stage("2a", "sketches", "design Step 2a — sketches", "write"),
    stage("2a.5", "dialectic", "design Step 2a.5 — dialectic", "write"),
    stage("2a.6", "investigation", "design Step 2a.6 — investigation", "write"),
    stage("2b", "full plan", "design Step 2b — plan", "write"),
    stage("3", "plan review", "design Step 3 — plan review", "write"),
    stage("3.2", "walk-through", "design Step 3.2 — walk-through", "write"),
    stage("3.5", "discussion r2", "design Step 3.5 — discussion r2", "write"),
    stage("3b", "arch diagram", "design Step 3b — arch diagram", "write"),
    stage("3c", "spec files", "design Step 3c — spec files", "write"),
    stage("4", "rejected findings", "design Step 4 — rejected findings", "write"),
    stage("4a", "post-design gate", "design Step 4a — post-design gate", "write"),
    stage("4b", "tracker", "design Step 4b — tracker", "write"),
    stage("4c", "validate", "design Step 4c — validate", "validate"),
    stage("5", "cleanup", "design Step 5 — cleanup", "validate"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_model::checkpoint::Command;
    use std::collections::BTreeSet;

    #[test]
    fn every_number_is_used_once_and_every_phase_is_one_of_the_commands() {
        let mut numbers = BTreeSet::new();
        for stage in STAGES {
            assert!(numbers.insert(stage.number), "{}", stage.number);
            assert!(Command::Design.phases().contains(&stage.phase), "{}", stage.number);
            assert!(stage.ledger.starts_with(&format!("design Step {} — ", stage.number)));
        }
        assert!(!numbers.contains("9"));
    }
}
