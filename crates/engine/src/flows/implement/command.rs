//! The `FlowSpec` of `charrette implement`.

use super::decisions::{DECISION, PAUSE_GATE, TASK_GATE};
use super::flags::ISSUES;
use super::follow_ups::ISSUES_GATE;
use super::validation::WHOLE_GATE;
use super::{artifacts, flow, pages, seats, stages, start};
use crate::flow::{FlowSpec, GateSpec, OptionSpec, OptionValue};
use charrette_model::checkpoint::Command;

pub static FLOW: FlowSpec = FlowSpec {
    command: Command::Implement,
    about: "Implement an approved specification: one proven commit per task",
    help: "Agents change worktrees of their own; charrette runs the verify commands and proofs, has every change reviewed, \
           commits it and integrates it. Your checkout is only moved by a fast-forward at the end. An interrupted run \
           continues with --resume.",
    argument: "FEATURE",
    example: "add-rate-limit",
    phases: &[flow::IMPLEMENTATION, flow::VALIDATION],
    stages: stages::STAGES,
    seats: &[seats::SEATS],
    artifacts: artifacts::ARTIFACTS,
    // Reviews and approval cannot be left out by another program.
    options: &[
        word("task", "ID", "Only these tasks, by id, with commas between them"),
        word("from", "ID", "Only this task and those after it in tasks.md"),
        word("until", "ID", "Only this task and those before it in tasks.md"),
        word(
            "pause-after",
            "N|phase",
            "Pause after this many integrated tasks, or after each phase of tasks.md",
        ),
        word("parallel", "N", "Maximum number of tasks at work at the same time"),
        switch("sequential", "One task at a time"),
        switch(ISSUES, "Create a Linear issue for each follow-up, once you have approved their texts"),
    ],
    late_options: &[ISSUES],
    gates: &[
        GateSpec { name: TASK_GATE, keys: &[DECISION] },
        GateSpec { name: PAUSE_GATE, keys: &[PAUSE_GATE] },
        GateSpec { name: "baseline", keys: &["baseline"] },
        GateSpec { name: WHOLE_GATE, keys: &[WHOLE_GATE] },
        GateSpec { name: ISSUES_GATE, keys: &[ISSUES] },
    ],
    in_spec_tree: true,
    needs_spec: true,
    moves_head: true,
    check: start::check,
    outline: start::outline,
    preview: pages::preview,
    deliverables: pages::deliverables,
    closing: pages::closing,
    redo: |from, phase, _| from == phase,
    run: |run| Box::pin(flow::implement(run)),
    ..FlowSpec::EMPTY
};

const fn word(name: &'static str, value: &'static str, about: &'static str) -> OptionSpec {
    OptionSpec { name, value: Some(OptionValue::Word(value)), about }
}

const fn switch(name: &'static str, about: &'static str) -> OptionSpec {
    OptionSpec { name, value: None, about }
}
