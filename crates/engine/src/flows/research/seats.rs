//! Seats of a research run, in the order of its steps.

use super::artifacts::{BEHAVIOUR, HISTORY, NOTES, REQUEST, STRUCTURE, SURVEY, SURVEY_DIGEST};
use super::flow::{DISCOVERY, SYNTHESIS};
use charrette_model::seats::{AnswerForm, ClockFamily, Seat, SeatGroup};

pub const SEATS: &[Seat] = &[
    researcher("topic-structure", "structure", &[STRUCTURE], &["claude"]),
    researcher("topic-behaviour", "behaviour", &[BEHAVIOUR], &["codex"]),
    researcher("topic-history", "history", &[HISTORY], &["cursor"]),
    Seat {
        id: "topic-synthesist",
        group: Some(SeatGroup::Lead),
        step: "2",
        phase: SYNTHESIS,
        role: "topic-synthesist",
        variant: None,
        reads: &[REQUEST, STRUCTURE, BEHAVIOUR, HISTORY],
        writes: &[NOTES],
        fallback_names: &[],
        form: AnswerForm::ResearchNotes,
        preferred: &["claude", "codex"],
        clock: ClockFamily::Sketch,
        embedded: true,
        flips_health: false,
    },
];

type Names = &'static [&'static str];

const fn researcher(id: &'static str, variant: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        id,
        group: Some(SeatGroup::Researchers),
        step: "1",
        phase: DISCOVERY,
        role: "topic-researcher",
        variant: Some(variant),
        reads: &[REQUEST, SURVEY, SURVEY_DIGEST],
        writes,
        fallback_names: &[],
        form: AnswerForm::HandoffResponse,
        preferred,
        clock: ClockFamily::Sketch,
        embedded: true,
        flips_health: false,
    }
}
