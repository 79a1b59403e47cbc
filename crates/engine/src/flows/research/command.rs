//! `charrette research` as a value.

use super::{artifacts, flow, pages, seats, stages};
use crate::flow::{FlowSpec, OptionSpec, OptionValue};
use charrette_model::checkpoint::Command;

/// The command.
pub static FLOW: FlowSpec = FlowSpec {
    command: Command::Research,
    about: "Research a topic: a cited map of the code",
    help: "Three researchers look at structure, behaviour and history side by side; one set of notes brings together what \
           they found, with every place in the code looked up. Without any agent installed, the embedded one makes the \
           notes from what the repository says for itself. A run that stops for whatever reason goes on with --resume.",
    subject: "TOPIC",
    example: "how requests are authenticated",
    phases: &[flow::DISCOVERY, flow::SYNTHESIS],
    stages: stages::STAGES,
    seats: &[seats::SEATS],
    artifacts: artifacts::ARTIFACTS,
    options: &[OptionSpec {
        name: "out",
        value: Some(OptionValue::File("FILE")),
        about: "Put the notes there as well",
    }],
    guards: &[],
    in_spec_tree: false,
    moves_head: false,
    preview: pages::preview,
    deliverables: pages::deliverables,
    closing: pages::closing,
    redo: |from, phase, _| phase == flow::SYNTHESIS || from == phase,
    run: |run| Box::pin(flow::research(run)),
};
