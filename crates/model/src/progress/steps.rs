//! The steps of a design run: number, name, the label its times are recorded under, and the phase it is in.

/// One step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its number, as people know it: `2a.5`.
    pub number: &'static str,
    /// Its short name.
    pub name: &'static str,
    /// Its label in the ledgers.
    pub ledger: &'static str,
    /// The phase of the checkpoint it belongs to.
    pub phase: &'static str,
}

const fn step(number: &'static str, name: &'static str, ledger: &'static str, phase: &'static str) -> Step {
    Step { number, name, ledger, phase }
}

/// The steps of a design run, in order.
pub const DESIGN: [Step; 18] = [
    step("0", "setup", "design Step 0 — session setup", "research"),
    step("1", "branch", "design Step 1 — branch", "research"),
    step("1a", "research", "design Step 1a — research", "research"),
    step("1c", "questions", "design Step 1c — questions", "research"),
    step("1d", "discussion r1", "design Step 1d — discussion r1", "research"),
    step("1e", "pre-design gate", "design Step 1e — pre-design gate", "research"),
    step("2a", "sketches", "design Step 2a — sketches", "write"),
    step("2a.5", "dialectic", "design Step 2a.5 — dialectic", "write"),
    step("2b", "full plan", "design Step 2b — plan", "write"),
    step("3", "plan review", "design Step 3 — plan review", "write"),
    step("3.5", "discussion r2", "design Step 3.5 — discussion r2", "write"),
    step("3b", "arch diagram", "design Step 3b — arch diagram", "write"),
    step("3c", "spec files", "design Step 3c — spec files", "write"),
    step("4", "rejected findings", "design Step 4 — rejected findings", "write"),
    step("4a", "post-design gate", "design Step 4a — post-design gate", "write"),
    step("4b", "tracker", "design Step 4b — tracker", "write"),
    step("4c", "validate", "design Step 4c — validate", "validate"),
    step("5", "cleanup", "design Step 5 — cleanup", "validate"),
];

impl Step {
    /// The design step of that number.
    pub fn design(number: &str) -> Option<Step> {
        DESIGN.into_iter().find(|step| step.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Command;

    #[test]
    fn every_number_is_used_once_and_every_phase_is_one_of_the_commands() {
        for step in DESIGN {
            assert_eq!(Step::design(step.number), Some(step));
            assert!(Command::Design.phases().contains(&step.phase), "{}", step.number);
            assert!(step.ledger.starts_with(&format!("design Step {} — ", step.number)));
        }
        assert_eq!(Step::design("9"), None);
    }
}
