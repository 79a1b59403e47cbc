//! Seats of the design of a specification, in the order of its steps. Those of projects and features are in
//! [`super::level_seats`].

use super::artifact_readers::reads;
use super::artifacts::{
    CONTESTED, DESIGN, DESIGN_NOTES, DIAGRAM_CANDIDATE, FINDINGS, PLAN, PLAN_DRAFT, PLAN_REVIEWED,
    PLAN_WALKED, QUESTIONS_CLARIFY, QUESTIONS_DESIGN, QUESTIONS_INVESTIGATE, QUESTIONS_SCOPE, REQUIREMENTS,
    RESEARCH_DEPENDENCIES, RESEARCH_REQUIREMENTS, RESEARCH_TASKS, SUMMARY, SYNTHESIS, TASKS, VALIDATION,
};
use super::brief::{RESEARCH, VALIDATE};
use super::level_seats::{FEATURE_SEATS, PROJECT_SEATS};
use super::seat_kinds::{
    CLAUDE, CODEX, CURSOR, GENERIC, debater, investigator, judge, lead, planner, researcher, reviewer,
    sketch, voter, walker,
};
use charrette_model::seats::{AnswerForm, ClockFamily, Seat};

/// All tables of the command: specification, project and feature.
pub(in crate::flows) const TABLES: &[&[Seat]] =
    &[RESEARCH_SEATS, SKETCHES, QUICK_SKETCHES, WRITING_SEATS, PROJECT_SEATS, FEATURE_SEATS];

/// Tables of a specification.
pub(super) const SPEC_TABLES: &[&[Seat]] = &[RESEARCH_SEATS, SKETCHES, QUICK_SKETCHES, WRITING_SEATS];

/// Sketch seats of a run: four, each with a lens, or two generic ones.
pub fn sketches(quick: bool) -> &'static [Seat] {
    if quick { QUICK_SKETCHES } else { SKETCHES }
}

/// Seats of the research phase.
const RESEARCH_SEATS: &[Seat] = &[
    researcher("researcher-requirements", "requirements", &[RESEARCH_REQUIREMENTS], &["claude"]),
    researcher("researcher-dependencies", "dependencies", &[RESEARCH_DEPENDENCIES], &["codex"]),
    researcher("researcher-tasks", "tasks", &[RESEARCH_TASKS], &["cursor"]),
    Seat {
        reads: reads!("aggregator", "1a"),
        writes: &[SUMMARY],
        form: AnswerForm::ContextSummary,
        phase: RESEARCH,
        ..lead("aggregator", "1a", "aggregator")
    },
    Seat {
        variant: Some("clarify"),
        reads: reads!("clarifier", "1c"),
        writes: &[QUESTIONS_CLARIFY],
        form: AnswerForm::Questions,
        phase: RESEARCH,
        ..lead("clarifier", "1c", "questioner")
    },
    Seat {
        variant: Some("scope"),
        reads: reads!("scoper", "1d"),
        writes: &[QUESTIONS_SCOPE],
        form: AnswerForm::Questions,
        phase: RESEARCH,
        ..lead("scoper", "1d", "questioner")
    },
];

/// Sketch seats of a regular run.
const SKETCHES: &[Seat] = &[
    sketch("cursor-arch", "sketch-arch", "arch", &["cursor-sketch-arch-output.txt"], CURSOR),
    sketch("cursor-edge", "sketch-edge", "edge", &["cursor-sketch-edge-output.txt"], CURSOR),
    sketch(
        "codex-innovation",
        "sketch-innovation",
        "innovation",
        &["codex-sketch-innovation-output.txt"],
        CODEX,
    ),
    sketch("codex-pragmatic", "sketch-pragmatic", "pragmatic", &["codex-sketch-pragmatic-output.txt"], CODEX),
];

/// Sketch seats of a quick run. Only one of the two tables is used, so they are not spread over the same agents.
const QUICK_SKETCHES: &[Seat] = &[
    sketch("cursor-generic", "sketch-generic", GENERIC, &["cursor-sketch-generic-output.txt"], CURSOR),
    sketch("codex-generic", "sketch-generic", GENERIC, &["codex-sketch-generic-output.txt"], CODEX),
];

/// Seats from the synthesis to the validation.
const WRITING_SEATS: &[Seat] = &[
    Seat {
        reads: reads!("synthesist", "2a"),
        writes: &[SYNTHESIS, CONTESTED],
        form: AnswerForm::Synthesis,
        ..lead("synthesist", "2a", "synthesist")
    },
    debater("debate-1-thesis", "thesis", &["debate-1-cursor-thesis.txt"], CURSOR),
    debater("debate-1-antithesis", "antithesis", &["debate-1-cursor-antithesis.txt"], CURSOR),
    debater("debate-2-thesis", "thesis", &["debate-2-codex-thesis.txt"], CODEX),
    debater("debate-2-antithesis", "antithesis", &["debate-2-codex-antithesis.txt"], CODEX),
    debater("debate-3-thesis", "thesis", &["debate-3-cursor-thesis.txt"], CURSOR),
    debater("debate-3-antithesis", "antithesis", &["debate-3-cursor-antithesis.txt"], CURSOR),
    debater("debate-4-thesis", "thesis", &["debate-4-codex-thesis.txt"], CODEX),
    debater("debate-4-antithesis", "antithesis", &["debate-4-codex-antithesis.txt"], CODEX),
    debater("debate-5-thesis", "thesis", &["debate-5-cursor-thesis.txt"], CURSOR),
    debater("debate-5-antithesis", "antithesis", &["debate-5-cursor-antithesis.txt"], CURSOR),
    judge("judge-cursor", &["cursor-judge-output.txt"], CURSOR),
    judge("judge-codex", &["codex-judge-output.txt"], CODEX),
    judge("judge-claude", &["claude-judge-output.txt"], CLAUDE),
    Seat {
        reads: reads!("inquirer", "2a.6"),
        writes: &[QUESTIONS_INVESTIGATE],
        form: AnswerForm::Inquiries,
        ..lead("inquirer", "2a.6", "inquirer")
    },
    investigator("investigator-1", &["investigation-1.md"]),
    investigator("investigator-2", &["investigation-2.md"]),
    investigator("investigator-3", &["investigation-3.md"]),
    investigator("investigator-4", &["investigation-4.md"]),
    investigator("investigator-5", &["investigation-5.md"]),
    Seat {
        reads: reads!("planner", "2b"),
        ..planner("planner", "2b", "drafting", &[PLAN_DRAFT, DESIGN_NOTES])
    },
    Seat {
        fallback_names: &[("codex", "codex-fallback-cursor-plan-arch-output.txt")],
        ..reviewer("reviewer-arch", "simplicity", &["cursor-plan-arch-output.txt"], CURSOR)
    },
    Seat {
        fallback_names: &[("codex", "codex-fallback-cursor-plan-edge-output.txt")],
        ..reviewer("reviewer-edge", "correctness", &["cursor-plan-edge-output.txt"], CURSOR)
    },
    Seat {
        fallback_names: &[("cursor", "cursor-fallback-codex-plan-innovation-output.txt")],
        ..reviewer("reviewer-innovation", "security", &["codex-primary-plan-innovation-output.txt"], CODEX)
    },
    Seat {
        fallback_names: &[("cursor", "cursor-fallback-codex-plan-pragmatic-output.txt")],
        ..reviewer("reviewer-pragmatic", "fit", &["codex-primary-plan-pragmatic-output.txt"], CODEX)
    },
    Seat {
        reads: reads!("merger", "3"),
        writes: &[FINDINGS],
        form: AnswerForm::MergedFindings,
        ..lead("merger", "3", "merger")
    },
    voter("voter-claude", &["claude-vote-output.txt"], CLAUDE),
    voter("voter-codex", &["codex-vote-output.txt"], CODEX),
    voter("voter-cursor", &["cursor-vote-output.txt"], CURSOR),
    Seat { reads: reads!("reviser", "3"), ..planner("reviser", "3", "revising", &[PLAN_REVIEWED]) },
    walker("walker-1", "1", &["walkthrough-1.md"], CLAUDE),
    walker("walker-2", "2", &["walkthrough-2.md"], CODEX),
    Seat { reads: reads!("mender", "3.2"), ..planner("mender", "3.2", "mending", &[PLAN_WALKED]) },
    Seat {
        variant: Some("design"),
        reads: reads!("discusser", "3.5"),
        writes: &[QUESTIONS_DESIGN],
        form: AnswerForm::Questions,
        ..lead("discusser", "3.5", "questioner")
    },
    Seat { reads: reads!("finisher", "3.5"), ..planner("finisher", "3.5", "finishing", &[PLAN]) },
    Seat {
        reads: reads!("illustrator", "3b"),
        writes: &[DIAGRAM_CANDIDATE],
        form: AnswerForm::Diagram,
        ..lead("illustrator", "3b", "illustrator")
    },
    Seat {
        reads: reads!("writer", "3c"),
        writes: &[REQUIREMENTS, DESIGN, TASKS],
        form: AnswerForm::SpecFiles,
        clock: ClockFamily::Design,
        ..lead("writer", "3c", "writer")
    },
    Seat {
        group: None,
        reads: reads!("validator", "4c"),
        writes: &[VALIDATION],
        form: AnswerForm::Verdict,
        preferred: &["codex", "claude"],
        phase: VALIDATE,
        ..lead("validator", "4c", "validator")
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::design::level_seats;
    use crate::flows::design::stages::STAGES;
    use charrette_model::panel::buckets::Bucket;
    use charrette_model::panel::debate::DebateSide;
    use charrette_model::panel::decisions::MAX_DEBATED;
    use charrette_model::seats::{SeatGroup, SeatTables};
    use charrette_model::spec::resolver::SpecLevel;
    use std::collections::BTreeSet;

    fn tables() -> SeatTables {
        level_seats(SpecLevel::Spec)
    }

    fn seat(id: &str) -> Option<&'static Seat> {
        tables().seat(id)
    }

    fn group(group: SeatGroup) -> impl Iterator<Item = &'static Seat> {
        tables().group(group)
    }

    fn ids(seats: impl Iterator<Item = &'static Seat>) -> Vec<&'static str> {
        seats.map(|seat| seat.id).collect()
    }

    #[test]
    fn every_seat_has_an_id_of_its_own_and_is_found_by_it() {
        for each in tables().all() {
            assert_eq!(seat(each.id), Some(each));
            assert_eq!(SeatGroup::from_name(each.id), None, "{} is a seat and a group", each.id);
        }
        assert_eq!(seat("debate-6-thesis"), None);
        assert_eq!(seat("lead"), None);
    }

    #[test]
    fn seats_stand_in_the_order_of_their_steps() {
        let places = tables().all().map(|seat| {
            STAGES.iter().position(|stage| stage.number == seat.step).unwrap_or_else(|| panic!("{}", seat.id))
        });
        assert!(places.is_sorted());
        for each in TABLES.iter().copied().flatten() {
            let stage = STAGES.iter().find(|stage| stage.number == each.step);
            assert_eq!(Some(each.phase), stage.map(|stage| stage.phase), "{}", each.id);
        }
        assert_eq!(seat("validator").unwrap().phase, "validate");
        assert_eq!(seat("scoper").unwrap().phase, "research");
    }

    #[test]
    fn a_seat_reads_what_the_table_of_artifacts_says() {
        use super::super::artifact_readers::is_reader;
        use super::super::artifacts::ARTIFACTS;
        for seat in TABLES.iter().copied().flatten() {
            let named = ARTIFACTS.iter().filter(|artifact| is_reader(artifact, seat.id, seat.step));
            let named: Vec<&str> = named.map(|artifact| artifact.name).collect();
            assert_eq!(seat.reads, named, "{}", seat.id);
            for file in seat.writes {
                assert!(ARTIFACTS.iter().any(|artifact| artifact.matches(file)), "{file} of {}", seat.id);
            }
        }
    }

    #[test]
    fn the_words_of_the_person_reach_every_seat_after_they_were_said() {
        let reads = |id: &str, file: &str| seat(id).unwrap().reads.contains(&file);
        for (file, after, before) in [
            ("answers/research", "aggregator", "researcher-tasks"),
            ("answers/clarify", "scoper", "clarifier"),
            ("discussion-round1.md", "cursor-arch", "scoper"),
            ("answers/pre-design", "codex-generic", "scoper"),
            ("discussion-round2.md", "finisher", "walker-1"),
            ("feedback-round*.md", "writer", "reviser"),
            ("answers/post-design", "validator", "writer"),
        ] {
            assert!(reads(after, file) && !reads(before, file), "{file}");
        }
        for id in [
            "debate-1-thesis",
            "judge-claude",
            "voter-codex",
            "reviewer-arch",
            "synthesist",
            "walker-2",
            "inquirer",
        ] {
            for file in ["request.md", "answers/clarify", "discussion-round1.md", "answers/pre-design"] {
                assert!(reads(id, file), "{id}: {file}");
            }
        }
        assert!(!reads("merger", "request.md") && !reads("illustrator", "request.md"));
    }

    #[test]
    fn no_two_seats_write_the_same_file() {
        let mut written = BTreeSet::new();
        for seat in tables().all() {
            assert!(!seat.reads.is_empty() && !seat.writes.is_empty(), "{}", seat.id);
            for file in seat.writes {
                assert!(written.insert(file), "{file}");
            }
        }
    }

    #[test]
    fn the_groups_are_those_of_the_contract() {
        for (name, members) in [
            ("researchers", "researcher-requirements researcher-dependencies researcher-tasks"),
            (
                "lead",
                "aggregator clarifier scoper synthesist inquirer planner merger reviser mender discusser finisher illustrator writer",
            ),
            (
                "sketches",
                "cursor-arch cursor-edge codex-innovation codex-pragmatic cursor-generic codex-generic",
            ),
            ("judges", "judge-cursor judge-codex judge-claude"),
            ("reviewers", "reviewer-arch reviewer-edge reviewer-innovation reviewer-pragmatic"),
            ("voters", "voter-claude voter-codex voter-cursor"),
        ] {
            assert_eq!(ids(group(SeatGroup::from_name(name).unwrap())).join(" "), members, "{name}");
        }
        assert_eq!(
            ids(sketches(false).iter()),
            ["cursor-arch", "cursor-edge", "codex-innovation", "codex-pragmatic"]
        );
        assert_eq!(ids(sketches(true).iter()), ["cursor-generic", "codex-generic"]);
    }

    #[test]
    fn there_are_two_debaters_for_every_rank_that_is_debated() {
        assert_eq!(group(SeatGroup::Debaters).count(), 2 * MAX_DEBATED);
        for rank in 1..=MAX_DEBATED {
            for side in DebateSide::BOTH {
                let (tool, role) = (Bucket::of_rank(rank).tool(), side.role());
                let seat = seat(&format!("debate-{rank}-{role}")).unwrap();
                assert_eq!((seat.role, seat.preferred), (role, &[tool][..]));
                assert_eq!(seat.writes, [format!("debate-{rank}-{tool}-{role}.txt")]);
            }
        }
    }

    #[test]
    fn clocks_and_rules_are_those_of_the_contract() {
        let with = |fits: fn(&Seat) -> bool| -> BTreeSet<String> {
            let seats = tables().all().filter(|seat| fits(seat));
            seats
                .map(|seat| {
                    seat.group.filter(|g| *g != SeatGroup::Lead).map_or(seat.id, SeatGroup::name).to_owned()
                })
                .collect()
        };
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(
            with(|seat| seat.clock.default_seconds() == 1800),
            set(&["debaters", "judges", "reviewers", "walkers"])
        );
        assert_eq!(
            with(|seat| seat.clock.default_seconds() == 3600),
            set(&["planner", "reviser", "mender", "finisher", "writer"])
        );
        assert_eq!(with(|seat| seat.clock.default_seconds() == 2400), set(&["investigators"]));
        assert_eq!(with(|seat| !seat.embedded), set(&["debaters", "judges", "investigators"]));
        assert_eq!(with(|seat| seat.flips_health), set(&["sketches", "reviewers"]));
        assert_eq!(
            with(Seat::is_panel),
            set(&[
                "researchers",
                "sketches",
                "debaters",
                "judges",
                "investigators",
                "reviewers",
                "voters",
                "walkers"
            ])
        );
        for clock in ClockFamily::ALL {
            let key: Vec<&str> = clock.setting().split('.').collect();
            let default = charrette_model::config::keys::find(&key).and_then(|key| key.default);
            assert_eq!(default, Some(clock.default_seconds().to_string().as_str()));
        }
    }

    #[test]
    fn a_review_file_is_named_after_the_fallback_agent() {
        for (id, agent, file) in [
            ("reviewer-arch", "cursor", "cursor-plan-arch-output.txt"),
            ("reviewer-arch", "codex", "codex-fallback-cursor-plan-arch-output.txt"),
            ("reviewer-arch", "gemini", "cursor-plan-arch-output.txt"),
            ("reviewer-pragmatic", "codex", "codex-primary-plan-pragmatic-output.txt"),
            ("reviewer-pragmatic", "cursor", "cursor-fallback-codex-plan-pragmatic-output.txt"),
            ("cursor-arch", "codex", "cursor-sketch-arch-output.txt"),
        ] {
            assert_eq!(seat(id).unwrap().answer_file(agent), file, "{id} {agent}");
        }
    }

    #[test]
    fn every_form_has_the_name_it_is_written_with() {
        for form in AnswerForm::ALL {
            assert_eq!(serde_json::to_value(form).unwrap(), form.name());
            assert!(crate::flows::seats().all().any(|seat| seat.form == form), "{}", form.name());
        }
    }
}
