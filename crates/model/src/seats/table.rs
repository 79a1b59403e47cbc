//! Every seat of the design of a specification, in the order of its steps. Those of projects and features are in
//! [`super::levels`].

use super::levels::every;
use super::seat::{AnswerForm, ClockFamily, Group, Seat};

const REQUEST: &str = "request.md";
const SUMMARY: &str = "context-summary.md";
const ROUND_1: &str = "discussion-round1.md";
const PRE_DESIGN: &str = "answers/pre-design";
const SYNTHESIS: &str = "approach-synthesis.txt";
const CONTESTED: &str = "contested-decisions.md";
const RESOLUTIONS: &str = "dialectic-resolutions.md";
const DRAFT: &str = "plan-draft.txt";
const REVIEWED: &str = "plan-reviewed.txt";
const PLAN: &str = "plan.txt";
const TALLY: &str = "voting-tally.md";
const FEEDBACK: &str = "feedback-round*.md";

/// The seat of that id, of whatever level.
pub fn seat(id: &str) -> Option<&'static Seat> {
    every().find(|seat| seat.id == id)
}

/// The seats of a group, in order. Of the sketches these are all; see [`sketches`] for those of one run.
pub fn group(group: Group) -> impl Iterator<Item = &'static Seat> {
    SEATS.iter().filter(move |seat| seat.group == Some(group))
}

/// The sketches of a run: four, each with a lens of its own, or two plain ones.
pub fn sketches(quick: bool) -> impl Iterator<Item = &'static Seat> {
    group(Group::Sketches).filter(move |seat| (seat.variant == Some(GENERIC)) == quick)
}

/// Every seat.
pub const SEATS: &[Seat] = &[
    researcher("researcher-requirements", "requirements", &["research-requirements.md"], &["claude"]),
    researcher("researcher-dependencies", "dependencies", &["research-dependencies.md"], &["codex"]),
    researcher("researcher-tasks", "tasks", &["research-tasks.md"], &["cursor"]),
    Seat {
        reads: &["research-requirements.md", "research-dependencies.md", "research-tasks.md"],
        writes: &[SUMMARY],
        form: AnswerForm::ContextSummary,
        ..lead("aggregator", "1a", "aggregator")
    },
    Seat {
        variant: Some("clarify"),
        reads: &[REQUEST, SUMMARY],
        writes: &["questions-clarify.md"],
        form: AnswerForm::Questions,
        ..lead("clarifier", "1c", "questioner")
    },
    Seat {
        variant: Some("scope"),
        reads: &[REQUEST, SUMMARY, "answers/clarify"],
        writes: &["questions-scope.md"],
        form: AnswerForm::Questions,
        ..lead("scoper", "1d", "questioner")
    },
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
    sketch("cursor-generic", "sketch-generic", GENERIC, &["cursor-sketch-generic-output.txt"], CURSOR),
    sketch("codex-generic", "sketch-generic", GENERIC, &["codex-sketch-generic-output.txt"], CODEX),
    Seat {
        reads: &["*-sketch-*-output.txt"],
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
        reads: &[REQUEST, SUMMARY, PRE_DESIGN, SYNTHESIS, ROUND_1, RESOLUTIONS],
        ..planner("planner", "2b", "drafting", &[DRAFT])
    },
    reviewer("reviewer-arch", "arch", &["cursor-plan-arch-output.txt"], &["cursor", "codex"]),
    reviewer("reviewer-edge", "edge", &["cursor-plan-edge-output.txt"], &["cursor", "codex"]),
    reviewer(
        "reviewer-innovation",
        "innovation",
        &["codex-primary-plan-innovation-output.txt"],
        &["codex", "cursor"],
    ),
    reviewer(
        "reviewer-pragmatic",
        "pragmatic",
        &["codex-primary-plan-pragmatic-output.txt"],
        &["codex", "cursor"],
    ),
    Seat {
        reads: &["*-plan-*-output.txt"],
        writes: &["findings.md"],
        form: AnswerForm::MergedFindings,
        ..lead("merger", "3", "merger")
    },
    voter("voter-claude", &["claude-vote-output.txt"], CLAUDE),
    voter("voter-codex", &["codex-vote-output.txt"], CODEX),
    voter("voter-cursor", &["cursor-vote-output.txt"], CURSOR),
    Seat { reads: &[DRAFT, "accepted-plan-findings.md"], ..planner("reviser", "3", "revising", &[REVIEWED]) },
    Seat {
        variant: Some("design"),
        reads: &[REVIEWED, ROUND_1, CONTESTED, RESOLUTIONS, TALLY],
        writes: &["questions-design.md"],
        form: AnswerForm::Questions,
        ..lead("discusser", "3.5", "questioner")
    },
    Seat {
        reads: &[REVIEWED, "discussion-round2.md", FEEDBACK],
        ..planner("finisher", "3.5", "finishing", &[PLAN])
    },
    Seat {
        reads: &[PLAN, FEEDBACK],
        writes: &["architecture-diagram.candidate.md"],
        form: AnswerForm::Diagram,
        ..lead("illustrator", "3b", "illustrator")
    },
    Seat {
        reads: &[REQUEST, SUMMARY, PRE_DESIGN, PLAN, RESOLUTIONS, TALLY, FEEDBACK],
        writes: &["requirements.md", "design.md", "tasks.md"],
        form: AnswerForm::SpecFiles,
        clock: ClockFamily::Review,
        ..lead("writer", "3c", "writer")
    },
    Seat {
        group: None,
        reads: &[
            "specs/requirements.md",
            "specs/design.md",
            "specs/tasks.md",
            "specs/summary.md",
            "specs/spec.json",
            "specs/meta.yaml",
            "checks.md",
        ],
        writes: &["validation.md"],
        form: AnswerForm::Verdict,
        first: &["codex", "claude"],
        ..lead("validator", "4c", "validator")
    },
];

const CURSOR: Names = &["cursor"];
const CODEX: Names = &["codex"];
const CLAUDE: Names = &["claude"];
const GENERIC: &str = "generic";

type Names = &'static [&'static str];

/// What most seats have in common: one voice that brings things together.
pub(super) const fn lead(id: &'static str, step: &'static str, role: &'static str) -> Seat {
    Seat {
        id,
        group: Some(Group::Lead),
        step,
        role,
        variant: None,
        reads: &[],
        writes: &[],
        form: AnswerForm::Plan,
        first: &["claude", "codex"],
        clock: ClockFamily::Sketch,
        embedded: true,
        flips_health: false,
    }
}

const fn planner(id: &'static str, step: &'static str, variant: &'static str, writes: Names) -> Seat {
    Seat { variant: Some(variant), writes, clock: ClockFamily::Review, ..lead(id, step, "planner") }
}

const fn researcher(id: &'static str, variant: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        group: Some(Group::Researchers),
        variant: Some(variant),
        reads: &[REQUEST, "survey.json"],
        writes,
        form: AnswerForm::HandoffResponse,
        first,
        ..lead(id, "1a", "researcher")
    }
}

const fn sketch(
    id: &'static str,
    role: &'static str,
    variant: &'static str,
    writes: Names,
    first: Names,
) -> Seat {
    Seat {
        group: Some(Group::Sketches),
        variant: Some(variant),
        reads: &[REQUEST, SUMMARY, ROUND_1, PRE_DESIGN],
        writes,
        form: AnswerForm::Sketch,
        first,
        flips_health: true,
        ..lead(id, "2a", role)
    }
}

/// A debater's number is the rank of its decision, which also says whose bucket it is in.
const fn debater(id: &'static str, role: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        group: Some(Group::Debaters),
        reads: &[SYNTHESIS, CONTESTED],
        writes,
        form: AnswerForm::Defense,
        first,
        clock: ClockFamily::Review,
        embedded: false,
        ..lead(id, "2a.5", role)
    }
}

const fn judge(id: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        group: Some(Group::Judges),
        reads: &["dialectic-ballot.txt"],
        writes,
        form: AnswerForm::DecisionVotes,
        first,
        clock: ClockFamily::Review,
        embedded: false,
        ..lead(id, "2a.5", "judge")
    }
}

const fn reviewer(id: &'static str, variant: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        group: Some(Group::Reviewers),
        variant: Some(variant),
        reads: &[REQUEST, DRAFT],
        writes,
        form: AnswerForm::Findings,
        first,
        clock: ClockFamily::Review,
        flips_health: true,
        ..lead(id, "3", "reviewer")
    }
}

const fn voter(id: &'static str, writes: Names, first: Names) -> Seat {
    Seat {
        group: Some(Group::Voters),
        reads: &["ballot.txt", DRAFT],
        writes,
        form: AnswerForm::FindingVotes,
        first,
        ..lead(id, "3", "voter")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::buckets::Bucket;
    use crate::panel::debate::Side;
    use crate::panel::decisions::DEBATED_AT_MOST;
    use crate::progress::steps::{DESIGN, Step};
    use std::collections::BTreeSet;

    fn ids(seats: impl Iterator<Item = &'static Seat>) -> Vec<&'static str> {
        seats.map(|seat| seat.id).collect()
    }

    #[test]
    fn every_seat_has_an_id_of_its_own_and_is_found_by_it() {
        for each in SEATS {
            assert_eq!(seat(each.id), Some(each));
            assert_eq!(Group::named(each.id), None, "{} is a seat and a group", each.id);
        }
        assert_eq!(seat("debate-6-thesis"), None);
        assert_eq!(seat("lead"), None);
    }

    #[test]
    fn seats_stand_in_the_order_of_their_steps() {
        let places = SEATS.iter().map(|seat| {
            DESIGN.iter().position(|step| step.number == seat.step).unwrap_or_else(|| panic!("{}", seat.id))
        });
        assert!(places.is_sorted());
        assert_eq!(seat("validator").unwrap().phase(), "validate");
        assert_eq!(seat("scoper").unwrap().phase(), Step::design("1d").unwrap().phase);
    }

    #[test]
    fn no_two_seats_write_the_same_file() {
        let mut written = BTreeSet::new();
        for seat in SEATS {
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
                "aggregator clarifier scoper synthesist planner merger reviser discusser finisher illustrator writer",
            ),
            (
                "sketches",
                "cursor-arch cursor-edge codex-innovation codex-pragmatic cursor-generic codex-generic",
            ),
            ("judges", "judge-cursor judge-codex judge-claude"),
            ("reviewers", "reviewer-arch reviewer-edge reviewer-innovation reviewer-pragmatic"),
            ("voters", "voter-claude voter-codex voter-cursor"),
        ] {
            assert_eq!(ids(group(Group::named(name).unwrap())).join(" "), members, "{name}");
        }
        assert_eq!(
            ids(sketches(false)),
            ["cursor-arch", "cursor-edge", "codex-innovation", "codex-pragmatic"]
        );
        assert_eq!(ids(sketches(true)), ["cursor-generic", "codex-generic"]);
    }

    #[test]
    fn there_are_two_debaters_for_every_rank_that_is_debated() {
        assert_eq!(group(Group::Debaters).count(), 2 * DEBATED_AT_MOST);
        for rank in 1..=DEBATED_AT_MOST {
            for side in Side::BOTH {
                let (tool, role) = (Bucket::of_rank(rank).tool(), side.role());
                let seat = seat(&format!("debate-{rank}-{role}")).unwrap();
                assert_eq!((seat.role, seat.first), (role, &[tool][..]));
                assert_eq!(seat.writes, [format!("debate-{rank}-{tool}-{role}.txt")]);
            }
        }
    }

    #[test]
    fn clocks_and_rules_are_those_of_the_contract() {
        let with = |fits: fn(&Seat) -> bool| -> BTreeSet<String> {
            let seats = SEATS.iter().filter(|seat| fits(seat));
            seats
                .map(|seat| seat.group.filter(|g| *g != Group::Lead).map_or(seat.id, Group::name).to_owned())
                .collect()
        };
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(
            with(|seat| seat.clock.default_seconds() == 1800),
            set(&["debaters", "judges", "planner", "reviewers", "reviser", "finisher", "writer"])
        );
        assert_eq!(with(|seat| !seat.embedded), set(&["debaters", "judges"]));
        assert_eq!(with(|seat| seat.flips_health), set(&["sketches", "reviewers"]));
        assert_eq!(
            with(Seat::is_panel),
            set(&["researchers", "sketches", "debaters", "judges", "reviewers", "voters"])
        );
        for clock in [ClockFamily::Sketch, ClockFamily::Review] {
            let key: Vec<&str> = clock.setting().split('.').collect();
            let default = crate::config::keys::find(&key).and_then(|key| key.default);
            assert_eq!(default, Some(clock.default_seconds().to_string().as_str()));
        }
    }

    #[test]
    fn a_reviewers_file_says_when_the_other_of_the_two_wrote_it() {
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
            assert!(SEATS.iter().any(|seat| seat.form == form), "{}", form.name());
        }
    }
}
