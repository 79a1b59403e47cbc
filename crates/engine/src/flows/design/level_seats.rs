//! The seats of a project or a feature. Nothing is sketched, debated or voted on there: three researchers, one summary,
//! one writer, one validator.

use super::artifacts::{
    FEATURE, FEATURES, PROJECT, RESEARCH_BREAKDOWN, RESEARCH_DEPENDENCIES, RESEARCH_DOMAIN,
    RESEARCH_ROUGH_SPECS, RESEARCH_SCOPE, RESEARCH_VISION, SPECS, SUMMARY, VALIDATION, reads,
};
use super::brief::{RESEARCH, VALIDATE};
use super::seats::{SPEC_TABLES, lead};
use charrette_model::seats::{AnswerForm, ClockFamily, Group, Seat, SeatTables};
use charrette_model::spec::resolver::Level;

/// The seats of a design at that level, in the order of its steps.
pub fn level_seats(level: Level) -> SeatTables {
    SeatTables::new(match level {
        Level::Project => vec![PROJECT_SEATS],
        Level::Feature => vec![FEATURE_SEATS],
        Level::Spec => SPEC_TABLES.to_vec(),
    })
}

/// The seats of a project.
pub(super) const PROJECT_SEATS: &[Seat] = &[
    researcher("researcher-vision", "vision", &[RESEARCH_VISION], &["claude"]),
    researcher("researcher-scope", "scope", &[RESEARCH_SCOPE], &["codex"]),
    researcher("researcher-rough-specs", "rough-specs", &[RESEARCH_ROUGH_SPECS], &["cursor"]),
    Seat { reads: reads!("project-aggregator"), ..aggregator("project-aggregator", "project") },
    writer("project-writer", "project", &[PROJECT, FEATURES]),
    validator("project-validator", "project", reads!("project-validator")),
];

/// The seats of a feature.
pub(super) const FEATURE_SEATS: &[Seat] = &[
    researcher("researcher-feature-domain", "feature-domain", &[RESEARCH_DOMAIN], &["claude"]),
    researcher("researcher-spec-breakdown", "spec-breakdown", &[RESEARCH_BREAKDOWN], &["codex"]),
    // The one of a specification has the shorter id.
    researcher("researcher-feature-dependencies", "dependencies", &[RESEARCH_DEPENDENCIES], &["cursor"]),
    Seat { reads: reads!("feature-aggregator"), ..aggregator("feature-aggregator", "feature") },
    writer("feature-writer", "feature", &[FEATURE, SPECS]),
    validator("feature-validator", "feature", reads!("feature-validator")),
];

type Names = &'static [&'static str];

const fn researcher(id: &'static str, variant: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        group: Some(Group::Researchers),
        variant: Some(variant),
        reads: reads!("researcher-vision"),
        writes,
        form: AnswerForm::HandoffResponse,
        first,
        phase: RESEARCH,
        ..lead(id, "1a", "level-researcher")
    }
}

const fn aggregator(id: &'static str, variant: &'static str) -> Seat {
    Seat {
        variant: Some(variant),
        writes: &[SUMMARY],
        form: AnswerForm::ContextSummary,
        phase: RESEARCH,
        ..lead(id, "1a", "level-aggregator")
    }
}

const fn writer(id: &'static str, variant: &'static str, writes: Names) -> Seat {
    Seat {
        variant: Some(variant),
        reads: reads!("project-writer"),
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
        writes: &[VALIDATION],
        form: AnswerForm::Verdict,
        first: &["codex", "claude"],
        phase: VALIDATE,
        ..lead(id, "4c", "level-validator")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::seats;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_used_once_and_lead_to_their_seat() {
        let ids: BTreeSet<&str> = seats().every().map(|seat| seat.id).collect();
        assert_eq!(ids.len(), seats().every().count());
        for one in seats().every() {
            assert_eq!(seats().seat(one.id), Some(one));
        }
    }

    #[test]
    fn a_level_has_three_researchers_who_are_planned_together() {
        for (level, modes) in [
            (Level::Project, ["vision", "scope", "rough-specs"]),
            (Level::Feature, ["feature-domain", "spec-breakdown", "dependencies"]),
            (Level::Spec, ["requirements", "dependencies", "tasks"]),
        ] {
            let first = level_seats(level).every().next().unwrap();
            let found: Vec<&str> = seats().peers(first).filter_map(|seat| seat.variant).collect();
            assert_eq!(found, modes);
        }
    }

    #[test]
    fn within_a_level_no_two_seats_write_the_same_file() {
        for level in [Level::Project, Level::Feature] {
            let mut written = BTreeSet::new();
            let files = level_seats(level).every().flat_map(|seat| seat.writes);
            files.for_each(|file| assert!(written.insert(file), "{file}"));
        }
    }
}
