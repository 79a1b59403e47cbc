//! The seats of a project or a feature. Nothing is sketched, debated or voted on there: three researchers, one summary,
//! one writer, one validator.

use super::seat::{AnswerForm, ClockFamily, Group, Seat};
use super::table::{SEATS, lead};
use crate::spec::resolver::Level;

/// The seats of a design at that level, in the order of its steps.
pub fn level_seats(level: Level) -> &'static [Seat] {
    match level {
        Level::Project => PROJECT_SEATS,
        Level::Feature => FEATURE_SEATS,
        Level::Spec => SEATS,
    }
}

/// Every seat of every level, each once.
pub fn every() -> impl Iterator<Item = &'static Seat> {
    SEATS.iter().chain(PROJECT_SEATS).chain(FEATURE_SEATS)
}

/// The seats of one group that sit at the same table as this one, itself included.
pub fn peers(seat: &Seat) -> impl Iterator<Item = &'static Seat> {
    let all = [SEATS, PROJECT_SEATS, FEATURE_SEATS];
    let table = all.into_iter().find(|seats| seats.iter().any(|one| one.id == seat.id)).unwrap_or_default();
    let group = seat.group;
    table.iter().filter(move |one| one.group == group)
}

/// The seats of a project.
pub const PROJECT_SEATS: &[Seat] = &[
    researcher("researcher-vision", "vision", &["research-vision.md"], &["claude"]),
    researcher("researcher-scope", "scope", &["research-scope.md"], &["codex"]),
    researcher("researcher-rough-specs", "rough-specs", &["research-rough-specs.md"], &["cursor"]),
    Seat {
        reads: &["request.md", "research-vision.md", "research-scope.md", "research-rough-specs.md"],
        ..aggregator("project-aggregator", "project")
    },
    writer("project-writer", "project", &["project.md", "features.json"]),
    validator("project-validator", "project", &["specs/project.md", "specs/features.json", "checks.md"]),
];

/// The seats of a feature.
pub const FEATURE_SEATS: &[Seat] = &[
    researcher("researcher-feature-domain", "feature-domain", &["research-feature-domain.md"], &["claude"]),
    researcher("researcher-spec-breakdown", "spec-breakdown", &["research-spec-breakdown.md"], &["codex"]),
    // The one of a specification has the shorter id.
    researcher("researcher-feature-dependencies", "dependencies", &["research-dependencies.md"], &["cursor"]),
    Seat {
        reads: &[
            "request.md",
            "research-feature-domain.md",
            "research-spec-breakdown.md",
            "research-dependencies.md",
        ],
        ..aggregator("feature-aggregator", "feature")
    },
    writer("feature-writer", "feature", &["feature.md", "specs.json"]),
    validator("feature-validator", "feature", &["specs/feature.md", "specs/specs.json", "checks.md"]),
];

type Names = &'static [&'static str];

const fn researcher(id: &'static str, variant: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        group: Some(Group::Researchers),
        variant: Some(variant),
        reads: &["request.md", "survey.json"],
        writes,
        form: AnswerForm::HandoffResponse,
        first,
        ..lead(id, "1a", "level-researcher")
    }
}

const fn aggregator(id: &'static str, variant: &'static str) -> Seat {
    Seat {
        variant: Some(variant),
        writes: &["context-summary.md"],
        form: AnswerForm::ContextSummary,
        ..lead(id, "1a", "level-aggregator")
    }
}

const fn writer(id: &'static str, variant: &'static str, writes: Names) -> Seat {
    Seat {
        variant: Some(variant),
        reads: &["request.md", "context-summary.md", "answers/pre-design", "feedback-round*.md"],
        writes,
        form: AnswerForm::SpecFiles,
        clock: ClockFamily::Review,
        ..lead(id, "3c", "level-writer")
    }
}

const fn validator(id: &'static str, variant: &'static str, reads: Names) -> Seat {
    Seat {
        group: None,
        variant: Some(variant),
        reads,
        writes: &["validation.md"],
        form: AnswerForm::Verdict,
        first: &["codex", "claude"],
        ..lead(id, "4c", "level-validator")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::seat;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_used_once_and_lead_to_their_seat() {
        let ids: BTreeSet<&str> = every().map(|seat| seat.id).collect();
        assert_eq!(ids.len(), every().count());
        for one in every() {
            assert_eq!(seat(one.id), Some(one));
        }
    }

    #[test]
    fn a_level_has_three_researchers_who_are_planned_together() {
        for (level, modes) in [
            (Level::Project, ["vision", "scope", "rough-specs"]),
            (Level::Feature, ["feature-domain", "spec-breakdown", "dependencies"]),
            (Level::Spec, ["requirements", "dependencies", "tasks"]),
        ] {
            let first = level_seats(level).first().unwrap();
            let found: Vec<&str> = peers(first).filter_map(|seat| seat.variant).collect();
            assert_eq!(found, modes);
        }
    }

    #[test]
    fn within_a_level_no_two_seats_write_the_same_file() {
        for level in [Level::Project, Level::Feature] {
            let mut written = BTreeSet::new();
            let files = level_seats(level).iter().flat_map(|seat| seat.writes);
            files.for_each(|file| assert!(written.insert(file), "{file}"));
        }
    }
}
