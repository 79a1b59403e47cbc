//! The seats of a research run, in the order of its steps.

use super::artifacts::{BEHAVIOUR, HISTORY, NOTES, REQUEST, STRUCTURE, SURVEY};
use super::flow::{DISCOVERY, SYNTHESIS};
use charrette_model::seats::{AnswerForm, ClockFamily, Group, Seat};

/// Every seat.
pub const SEATS: &[Seat] = &[
    researcher("topic-structure", "structure", &[STRUCTURE], &["claude"]),
    researcher("topic-behaviour", "behaviour", &[BEHAVIOUR], &["codex"]),
    researcher("topic-history", "history", &[HISTORY], &["cursor"]),
    Seat {
        id: "topic-synthesist",
        group: Some(Group::Lead),
        step: "2",
        phase: SYNTHESIS,
        role: "topic-synthesist",
        variant: None,
        reads: &[REQUEST, STRUCTURE, BEHAVIOUR, HISTORY],
        writes: &[NOTES],
        fallback_names: &[],
        form: AnswerForm::ResearchNotes,
        first: &["claude", "codex"],
        clock: ClockFamily::Sketch,
        embedded: true,
        flips_health: false,
    },
];

type Names = &'static [&'static str];

const fn researcher(id: &'static str, variant: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        id,
        group: Some(Group::Researchers),
        step: "1",
        phase: DISCOVERY,
        role: "topic-researcher",
        variant: Some(variant),
        reads: &[REQUEST, SURVEY],
        writes,
        fallback_names: &[],
        form: AnswerForm::HandoffResponse,
        first,
        clock: ClockFamily::Sketch,
        embedded: true,
        flips_health: false,
    }
}
