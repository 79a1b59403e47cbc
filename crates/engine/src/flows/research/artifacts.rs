//! The files of a research run: what each is called, who writes it and who reads it.

use crate::artifact::ArtifactSpec;
pub use charrette_model::panel::names::{REQUEST, SURVEY};

/// What exists and how it hangs together.
pub const STRUCTURE: &str = "research-structure.md";
/// What happens when it runs.
pub const BEHAVIOUR: &str = "research-behaviour.md";
/// How it came to be.
pub const HISTORY: &str = "research-history.md";
/// What a run leaves behind.
pub const NOTES: &str = "research-notes.md";
/// Where the notes were put.
pub const DELIVERED: &str = "delivered.json";

/// Every file of a research run, in the order they come.
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
        about: "what the repository says for itself",
    },
    ArtifactSpec {
        name: STRUCTURE,
        writer: "topic-structure",
        readers: &["topic-synthesist"],
        about: "what exists and how it hangs together",
    },
    ArtifactSpec {
        name: BEHAVIOUR,
        writer: "topic-behaviour",
        readers: &["topic-synthesist"],
        about: "what happens when it runs",
    },
    ArtifactSpec {
        name: HISTORY,
        writer: "topic-history",
        readers: &["topic-synthesist"],
        about: "how it came to be",
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
        about: "where the notes were put with --out",
    },
];
