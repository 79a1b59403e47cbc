//! The `FlowSpec` of `charrette research`.

use super::{artifacts, flow, pages, seats, stages};
use crate::flow::{EMBEDDED_OPTION, FlowSpec, OptionSpec, OptionValue};
use charrette_model::checkpoint::Command;

pub static FLOW: FlowSpec = FlowSpec {
    command: Command::Research,
    about: "Research a topic: a cited map of the code",
    help: "Three researchers investigate structure, behaviour and history in parallel; their findings are merged into one \
           set of notes, and every code reference is verified. Without an installed agent, the embedded one makes the \
           notes from a survey of the repository. An interrupted run continues with --resume.",
    argument: "TOPIC",
    example: "how requests are authenticated",
    phases: &[flow::DISCOVERY, flow::SYNTHESIS],
    stages: stages::STAGES,
    seats: &[seats::SEATS],
    artifacts: artifacts::ARTIFACTS,
    options: &[
        OptionSpec {
            name: "out",
            value: Some(OptionValue::File("FILE")),
            about: "Also write the notes to FILE",
        },
        EMBEDDED_OPTION,
    ],
    preview: pages::preview,
    deliverables: pages::deliverables,
    closing: pages::closing,
    redo: |from, phase, _| phase == flow::SYNTHESIS || from == phase,
    run: |run| Box::pin(flow::research(run)),
    ..FlowSpec::EMPTY
};
