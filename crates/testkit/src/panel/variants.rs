//! Ways in which a run can go otherwise.

use serde_json::{Value, json};

/// Other answers of single seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The clarifier has no question.
    NothingUnclear,
    /// The synthesist sees nothing contested.
    NothingContested,
    /// The synthesist sees seven contested decisions, two more than are debated.
    SevenContested,
    /// The diagram breaks a rule of the sanitizer: `pipe-in-node-label`.
    DiagramRejected,
    /// The diagram keeps the rules and cannot be parsed.
    DiagramUnparsable,
    /// The validator objects to a requirement that cannot be tested, until the writer has repaired it.
    RepairNeeded,
    /// The same, and the repair changes nothing.
    RepairFails,
}

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 7] = [
        Variant::NothingUnclear,
        Variant::NothingContested,
        Variant::SevenContested,
        Variant::DiagramRejected,
        Variant::DiagramUnparsable,
        Variant::RepairNeeded,
        Variant::RepairFails,
    ];

    /// What these steps do instead.
    pub(super) fn parts(self) -> Vec<(&'static str, Value)> {
        let says = |step, file: &str| (step, json!({"says": format!("variants/{file}.txt")}));
        let objects = json!([
            {"given": "to wait a while", "says": "variants/validator-fails.txt"},
            {"says": "validator.txt"},
        ]);
        match self {
            Variant::NothingUnclear => vec![says("clarifier", "nothing-unclear")],
            Variant::NothingContested => vec![says("synthesist", "nothing-contested")],
            Variant::SevenContested => vec![says("synthesist", "seven-contested")],
            Variant::DiagramRejected => vec![says("illustrator", "diagram-rejected")],
            Variant::DiagramUnparsable => vec![says("illustrator", "diagram-unparsable")],
            Variant::RepairNeeded => vec![says("writer", "writer-vague"), ("validator", objects)],
            Variant::RepairFails => vec![
                says("writer", "writer-vague"),
                says("writer/repair", "writer-vague"),
                ("validator", objects),
            ],
        }
    }
}

/// What can happen to a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// It never answers.
    Hangs,
    /// It ends with code 1, having complained.
    Fails,
    /// It prints eight megabytes and no answer.
    Floods,
    /// It ends well, having said nothing.
    SaysNothing,
    /// It answers in a form that nobody asked for.
    Rambles,
}

impl Mishap {
    pub(super) fn part(self) -> Value {
        match self {
            Mishap::Hangs => json!({"hang": true}),
            Mishap::Fails => json!({"stderr": "something broke, as the script says", "exit": 1}),
            Mishap::Floods => json!({"flood_mb": 8}),
            Mishap::SaysNothing => json!({"answer": ""}),
            Mishap::Rambles => json!({"answer": "Sure! I had a look, and it all seems fine to me.\n"}),
        }
    }
}
