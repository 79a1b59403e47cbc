//! The `FlowSpec` of `charrette design`.

use super::brief::PHASES;
use super::{artifacts, closing, flow, preview, seats, stages};
use crate::flow::{FlowSpec, OptionSpec, OptionValue, PhaseGuard};
use charrette_model::checkpoint::Command;

pub static FLOW: FlowSpec = FlowSpec {
    command: Command::Design,
    about: "Design a feature: from a request to an approved specification",
    help: "Research, sketches, a debate, a plan, a review with votes, your approval, six files.",
    argument: "FEATURE",
    example: "add rate limiting to the public API",
    phases: &PHASES,
    stages: stages::STAGES,
    seats: seats::TABLES,
    artifacts: artifacts::ARTIFACTS,
    options: &[
        OptionSpec { name: "auto", value: None, about: "Skip the question rounds" },
        OptionSpec {
            name: "quick",
            value: None,
            about: "Two plain sketches instead of four with a lens each",
        },
        OptionSpec { name: "no-checkpoint", value: None, about: "Pass both gates without asking" },
        OptionSpec {
            name: "level",
            value: Some(OptionValue::Word("LEVEL")),
            about: "What to design: project, feature or spec",
        },
    ],
    guards: &[PhaseGuard {
        phase: "validate",
        missing_files: "Spec files must exist before validation.",
        gate: "post-design",
        override_flag: "no-checkpoint",
        not_approved: "the design is not approved, so there is nothing to validate",
    }],
    in_spec_tree: true,
    moves_head: true,
    preview: preview::preview,
    deliverables: preview::deliverables,
    closing: closing::closing,
    redo: preview::redo,
    run: |run| Box::pin(flow::design(run)),
};
