//! The built-in role definitions and the parts they share.

/// Name (the file name without `.md`) and text of a role or part.
pub type NamedText = (&'static str, &'static str);

/// Role definitions.
pub const ROLES: &[NamedText] = &[
    ("aggregator", include_str!("../../../../assets/roles/aggregator.md")),
    ("antithesis", include_str!("../../../../assets/roles/antithesis.md")),
    ("change-merger", include_str!("../../../../assets/roles/change-merger.md")),
    ("change-voter", include_str!("../../../../assets/roles/change-voter.md")),
    ("comprehensive-reviewer", include_str!("../../../../assets/roles/comprehensive-reviewer.md")),
    ("conflict-fixer", include_str!("../../../../assets/roles/conflict-fixer.md")),
    ("fixer", include_str!("../../../../assets/roles/fixer.md")),
    ("illustrator", include_str!("../../../../assets/roles/illustrator.md")),
    ("implementer", include_str!("../../../../assets/roles/implementer.md")),
    ("inquirer", include_str!("../../../../assets/roles/inquirer.md")),
    ("investigator", include_str!("../../../../assets/roles/investigator.md")),
    ("judge", include_str!("../../../../assets/roles/judge.md")),
    ("level-aggregator", include_str!("../../../../assets/roles/level-aggregator.md")),
    ("level-researcher", include_str!("../../../../assets/roles/level-researcher.md")),
    ("level-validator", include_str!("../../../../assets/roles/level-validator.md")),
    ("level-writer", include_str!("../../../../assets/roles/level-writer.md")),
    ("merger", include_str!("../../../../assets/roles/merger.md")),
    ("planner", include_str!("../../../../assets/roles/planner.md")),
    ("questioner", include_str!("../../../../assets/roles/questioner.md")),
    ("researcher", include_str!("../../../../assets/roles/researcher.md")),
    ("reviewer", include_str!("../../../../assets/roles/reviewer.md")),
    ("sketch-arch", include_str!("../../../../assets/roles/sketch-arch.md")),
    ("sketch-edge", include_str!("../../../../assets/roles/sketch-edge.md")),
    ("sketch-generic", include_str!("../../../../assets/roles/sketch-generic.md")),
    ("sketch-innovation", include_str!("../../../../assets/roles/sketch-innovation.md")),
    ("sketch-pragmatic", include_str!("../../../../assets/roles/sketch-pragmatic.md")),
    ("synthesist", include_str!("../../../../assets/roles/synthesist.md")),
    ("task-reviewer", include_str!("../../../../assets/roles/task-reviewer.md")),
    ("thesis", include_str!("../../../../assets/roles/thesis.md")),
    ("topic-researcher", include_str!("../../../../assets/roles/topic-researcher.md")),
    ("topic-synthesist", include_str!("../../../../assets/roles/topic-synthesist.md")),
    ("validator", include_str!("../../../../assets/roles/validator.md")),
    ("voter", include_str!("../../../../assets/roles/voter.md")),
    ("walker", include_str!("../../../../assets/roles/walker.md")),
    ("writer", include_str!("../../../../assets/roles/writer.md")),
];

/// Parts that definitions include.
pub const PARTS: &[NamedText] = &[
    ("parts/debate", include_str!("../../../../assets/roles/parts/debate.md")),
    ("parts/edits", include_str!("../../../../assets/roles/parts/edits.md")),
    ("parts/example", include_str!("../../../../assets/roles/parts/example.md")),
    ("parts/lens-arch", include_str!("../../../../assets/roles/parts/lens-arch.md")),
    ("parts/lens-edge", include_str!("../../../../assets/roles/parts/lens-edge.md")),
    ("parts/lens-generic", include_str!("../../../../assets/roles/parts/lens-generic.md")),
    ("parts/lens-innovation", include_str!("../../../../assets/roles/parts/lens-innovation.md")),
    ("parts/lens-pragmatic", include_str!("../../../../assets/roles/parts/lens-pragmatic.md")),
    ("parts/mindset", include_str!("../../../../assets/roles/parts/mindset.md")),
    ("parts/review-correctness", include_str!("../../../../assets/roles/parts/review-correctness.md")),
    ("parts/review-fit", include_str!("../../../../assets/roles/parts/review-fit.md")),
    ("parts/review-security", include_str!("../../../../assets/roles/parts/review-security.md")),
    ("parts/review-simplicity", include_str!("../../../../assets/roles/parts/review-simplicity.md")),
    ("parts/rules", include_str!("../../../../assets/roles/parts/rules.md")),
    ("parts/sketch", include_str!("../../../../assets/roles/parts/sketch.md")),
    ("parts/task", include_str!("../../../../assets/roles/parts/task.md")),
];

/// Finds the built-in text of a role or part.
pub fn text(name: &str) -> Option<&'static str> {
    ROLES.iter().chain(PARTS).find(|(known, _)| *known == name).map(|(_, text)| *text)
}
