//! Files of a research run: names, writers and readers.

use crate::artifact::ArtifactSpec;
pub use charrette_model::panel::file_names::{REQUEST, SURVEY, SURVEY_DIGEST};

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
    ArtifactSpec::new(
        REQUEST,
        "request",
        &["survey", "topic-structure", "topic-behaviour", "topic-history", "topic-synthesist"],
        "the topic, word for word",
    )
    .of_person(),
    ArtifactSpec::new(SURVEY, "survey", &[], "survey of the repository").of_repository().by_path_for(&[
        "topic-structure",
        "topic-behaviour",
        "topic-history",
    ]),
    ArtifactSpec::new(
        SURVEY_DIGEST,
        "survey",
        &["topic-structure", "topic-behaviour", "topic-history"],
        "survey of the repository, condensed",
    )
    .of_repository(),
    ArtifactSpec::new(STRUCTURE, "topic-structure", &["topic-synthesist"], "findings on the structure"),
    ArtifactSpec::new(BEHAVIOUR, "topic-behaviour", &["topic-synthesist"], "findings on the behaviour"),
    ArtifactSpec::new(HISTORY, "topic-history", &["topic-synthesist"], "findings on the history"),
    ArtifactSpec::new(
        NOTES,
        "topic-synthesist",
        &["notes/checked", "deliver"],
        "findings, code references, recommendations, open questions",
    ),
    ArtifactSpec::new(DELIVERED, "deliver", &[], "record of the delivery with --out"),
];
