//! Variants of the regular run, and faults of seats.

use serde_json::{Value, json};

/// Variants of the regular run: other answers of single seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelVariant {
    /// The clarifier has no question.
    NothingUnclear,
    /// The synthesist finds nothing contested.
    NothingContested,
    /// The synthesist finds seven contested decisions, two more than are debated.
    SevenContested,
    /// The diagram breaks a rule of the sanitizer both times: `pipe-in-node-label`.
    DiagramRejected,
    /// The diagram follows the rules both times, and cannot be parsed.
    DiagramUnparsable,
    /// The validator rejects a requirement that cannot be tested, until the writer has repaired it.
    RepairNeeded,
    /// Like [`PanelVariant::RepairNeeded`], but the repair changes nothing.
    RepairFails,
}

impl PanelVariant {
    pub const ALL: [PanelVariant; 7] = [
        PanelVariant::NothingUnclear,
        PanelVariant::NothingContested,
        PanelVariant::SevenContested,
        PanelVariant::DiagramRejected,
        PanelVariant::DiagramUnparsable,
        PanelVariant::RepairNeeded,
        PanelVariant::RepairFails,
    ];

    /// Parts that replace those of the regular run, by step.
    pub(super) fn parts(self) -> Vec<(&'static str, Value)> {
        let says = |step, file: &str| (step, json!({"says": format!("variants/{file}.txt")}));
        let objects = json!([
            {"given": "to wait a while", "says": "variants/validator-fails.txt"},
            {"says": "validator.txt"},
        ]);
        match self {
            PanelVariant::NothingUnclear => vec![says("clarifier", "nothing-unclear")],
            PanelVariant::NothingContested => vec![says("synthesist", "nothing-contested")],
            PanelVariant::SevenContested => vec![says("synthesist", "seven-contested")],
            PanelVariant::DiagramRejected => {
                vec![says("illustrator", "diagram-rejected"), says("illustrator/again", "diagram-rejected")]
            }
            PanelVariant::DiagramUnparsable => vec![
                says("illustrator", "diagram-unparsable"),
                says("illustrator/again", "diagram-unparsable"),
            ],
            PanelVariant::RepairNeeded => vec![says("writer", "writer-vague"), ("validator", objects)],
            PanelVariant::RepairFails => vec![
                says("writer", "writer-vague"),
                says("writer/repair", "writer-vague"),
                ("validator", objects),
            ],
        }
    }
}

/// Faults of a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatFault {
    /// Never answers.
    Hangs,
    /// Prints an error and exits with code 1.
    Fails,
    /// Prints 8 MB and no answer.
    Floods,
    /// Exits with code 0 without an answer.
    EmptyAnswer,
    /// Answers in a form that cannot be parsed.
    UnstructuredAnswer,
}

impl SeatFault {
    pub(super) fn part(self) -> Value {
        match self {
            SeatFault::Hangs => json!({"hang": true}),
            SeatFault::Fails => json!({"stderr": "something broke, as the script says", "exit": 1}),
            SeatFault::Floods => json!({"flood_mb": 8}),
            SeatFault::EmptyAnswer => json!({"answer": ""}),
            SeatFault::UnstructuredAnswer => {
                json!({"answer": "Sure! I had a look, and it all seems fine to me.\n"})
            }
        }
    }
}
