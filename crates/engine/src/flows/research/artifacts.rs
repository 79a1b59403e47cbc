//! Files of a research run: names, writers and readers.

use crate::artifact::ArtifactSpec;
pub use charrette_model::panel::file_names::{REQUEST, SURVEY};

/// Findings on the structure.
pub const STRUCTURE: &str = "research-structure.md";
/// Findings on the behaviour.
pub const BEHAVIOUR: &str = "research-behaviour.md";
/// Findings on the history.
pub const HISTORY: &str = "research-history.md";
/// The notes, the deliverable of a run.
pub const NOTES: &str = "research-notes.md";
/// Record of the delivery with `--out`.
pub const DELIVERED: &str = "delivered.json";

/// All files of a research run, in the order they are written.
pub const ARTIFACTS: &[ArtifactSpec] = &[
    ArtifactSpec {
        name: REQUEST,
        writer: "request",
        readers: &["survey", "topic-structure", "topic-behaviour", "topic-history", "topic-synthesist"],
        about: "the topic, word for word",
    },
    ArtifactSpec {
        name: SURVEY,
        writer: "survey",
        readers: &["topic-structure", "topic-behaviour", "topic-history"],
        about: "survey of the repository",
    },
    ArtifactSpec {
        name: STRUCTURE,
        writer: "topic-structure",
        readers: &["topic-synthesist"],
        about: "findings on the structure",
    },
    ArtifactSpec {
        name: BEHAVIOUR,
        writer: "topic-behaviour",
        readers: &["topic-synthesist"],
        about: "findings on the behaviour",
    },
    ArtifactSpec {
        name: HISTORY,
        writer: "topic-history",
        readers: &["topic-synthesist"],
        about: "findings on the history",
    },
    ArtifactSpec {
        name: NOTES,
        writer: "topic-synthesist",
        readers: &["notes/checked", "deliver"],
        about: "findings, code references, recommendations, open questions",
    },
    ArtifactSpec {
        name: DELIVERED,
        writer: "deliver",
        readers: &[],
        about: "record of the delivery with --out",
    },
];
