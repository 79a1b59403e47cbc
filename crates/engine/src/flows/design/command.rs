//! The `FlowSpec` of `charrette design`.

use super::brief::{APPROVE, PHASES};
use super::{artifacts, closing, flow, preview, seats, stages};
use crate::flow::{EMBEDDED_OPTION, FlowSpec, GateSpec, OptionSpec, OptionValue, PhaseGuard};
use charrette_model::checkpoint::Command;

/// Questions before the approval, of all levels.
const POST_DESIGN_KEYS: &[&str] = &[
    "what_built",
    "decisions",
    "risks",
    "omissions",
    "confidence",
    "features_produced",
    "rough_specs",
    "coverage",
    "granularity",
    "naming",
    "specs_produced",
    "dependencies",
    "build_order",
    "cross_feature",
    "gaps",
    "open_#",
    "approval",
];

/// Gates of all levels.
const GATES: &[GateSpec] = &[
    GateSpec { name: "branch", keys: &["branch"] },
    GateSpec { name: "clarify", keys: &["q#"] },
    GateSpec { name: "discussion-1", keys: &["d#"] },
    GateSpec {
        name: "pre-design",
        keys: &[
            "understanding",
            "approach",
            "assumptions",
            "trade_offs",
            "scope",
            "unknowns",
            "vision",
            "users",
            "features",
            "boundaries",
            "priorities",
            "risks",
            "rough_specs_input",
            "dependencies",
            "complexity",
            "constraints",
        ],
    },
    GateSpec { name: "discussion-2", keys: &["d#"] },
    GateSpec { name: "post-design", keys: POST_DESIGN_KEYS },
    GateSpec { name: "stopped", keys: &["answer"] },
];

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
        EMBEDDED_OPTION,
        OptionSpec {
            name: "level",
            value: Some(OptionValue::Word("LEVEL")),
            about: "What to design: project, feature or spec",
        },
    ],
    late_options: &[APPROVE],
    gates: GATES,
    guards: &[PhaseGuard {
        phase: "validate",
        missing_files: "Spec files must exist before validation.",
        gate: "post-design",
        override_flag: "no-checkpoint",
        not_approved: "the design is not approved, so there is nothing to validate",
    }],
    in_spec_tree: true,
    moves_head: true,
    makes_branch: true,
    preview: preview::preview,
    deliverables: preview::deliverables,
    closing: closing::closing,
    redo: preview::redo,
    run: |run| Box::pin(flow::design(run)),
    ..FlowSpec::EMPTY
};
