//! Seats of projects and features: three researchers, an aggregator, a writer and a validator. There are no sketches,
//! debates or votes.

use super::artifact_readers::reads;
use super::artifacts::{
    FEATURE, FEATURES, PROJECT, RESEARCH_BREAKDOWN, RESEARCH_DEPENDENCIES, RESEARCH_DOMAIN,
    RESEARCH_ROUGH_SPECS, RESEARCH_SCOPE, RESEARCH_VISION, SPECS, SUMMARY, VALIDATION,
};
use super::brief::{RESEARCH, VALIDATE};
use super::seat_kinds::lead;
use super::seats::SPEC_TABLES;
use charrette_model::seats::{AnswerForm, ClockFamily, Seat, SeatGroup, SeatTables};
use charrette_model::spec::resolver::SpecLevel;

/// Seats of a design at a level, in the order of its steps.
pub fn level_seats(level: SpecLevel) -> SeatTables {
    SeatTables::new(match level {
        SpecLevel::Project => vec![PROJECT_SEATS],
        SpecLevel::Feature => vec![FEATURE_SEATS],
        SpecLevel::Spec => SPEC_TABLES.to_vec(),
    })
}

pub(super) const PROJECT_SEATS: &[Seat] = &[
    researcher("researcher-vision", "vision", &[RESEARCH_VISION], &["claude"]),
    researcher("researcher-scope", "scope", &[RESEARCH_SCOPE], &["codex"]),
    researcher("researcher-rough-specs", "rough-specs", &[RESEARCH_ROUGH_SPECS], &["cursor"]),
    Seat { reads: reads!("project-aggregator", "1a"), ..aggregator("project-aggregator", "project") },
    writer("project-writer", "project", &[PROJECT, FEATURES]),
    validator("project-validator", "project", reads!("project-validator", "4c")),
];

pub(super) const FEATURE_SEATS: &[Seat] = &[
    researcher("researcher-feature-domain", "feature-domain", &[RESEARCH_DOMAIN], &["claude"]),
    researcher("researcher-spec-breakdown", "spec-breakdown", &[RESEARCH_BREAKDOWN], &["codex"]),
    // The shorter id is taken by the seat of a specification.
    researcher("researcher-feature-dependencies", "dependencies", &[RESEARCH_DEPENDENCIES], &["cursor"]),
    Seat { reads: reads!("feature-aggregator", "1a"), ..aggregator("feature-aggregator", "feature") },
    writer("feature-writer", "feature", &[FEATURE, SPECS]),
    validator("feature-validator", "feature", reads!("feature-validator", "4c")),
];

type Names = &'static [&'static str];

const fn researcher(id: &'static str, variant: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        group: Some(SeatGroup::Researchers),
        variant: Some(variant),
        reads: reads!("researcher-vision", "1a"),
        writes,
        form: AnswerForm::HandoffResponse,
        preferred,
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
        reads: reads!("project-writer", "3c"),
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
        preferred: &["codex", "claude"],
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
        let ids: BTreeSet<&str> = seats().all().map(|seat| seat.id).collect();
        assert_eq!(ids.len(), seats().all().count());
        for one in seats().all() {
            assert_eq!(seats().seat(one.id), Some(one));
        }
    }

    #[test]
    fn a_level_has_three_researchers_who_are_planned_together() {
        for (level, modes) in [
            (SpecLevel::Project, ["vision", "scope", "rough-specs"]),
            (SpecLevel::Feature, ["feature-domain", "spec-breakdown", "dependencies"]),
            (SpecLevel::Spec, ["requirements", "dependencies", "tasks"]),
        ] {
            let first = level_seats(level).all().next().unwrap();
            let found: Vec<&str> = seats().peers(first).filter_map(|seat| seat.variant).collect();
            assert_eq!(found, modes);
        }
    }

    #[test]
    fn within_a_level_no_two_seats_write_the_same_file() {
        for level in [SpecLevel::Project, SpecLevel::Feature] {
            let mut written = BTreeSet::new();
            let files = level_seats(level).all().flat_map(|seat| seat.writes);
            files.for_each(|file| assert!(written.insert(file), "{file}"));
        }
    }
}
