//! Seats of an implementation, in the order of its steps.

use super::artifacts::{
    ACCEPTED, BALLOT, CHANGES, CHECKS, COMPREHENSIVE_REVIEWS, DRIFT, EVIDENCE, FINAL_VERIFICATION, FINDINGS,
    IMPLEMENTATIONS, REQUEST, SPEC_DESIGN, SPEC_REQUIREMENTS, SPEC_TASKS, TASK_BRIEFS, WHOLE_CHANGE,
};
use super::flow::{IMPLEMENTATION, VALIDATION};
use charrette_model::seats::{AnswerForm, ClockFamily, Seat, SeatGroup};

pub const IMPLEMENTER: &str = "implementer";
pub const TASK_REVIEWER: &str = "task-reviewer";
pub const CONFLICT_FIXER: &str = "conflict-fixer";
pub const FIXER: &str = "fixer";
pub const CHANGE_MERGER: &str = "change-merger";

pub const SEATS: &[Seat] = &[
    writer(IMPLEMENTER, "2", IMPLEMENTATION, &[REQUEST, TASK_BRIEFS, EVIDENCE], "impl.md"),
    Seat {
        id: TASK_REVIEWER,
        group: Some(SeatGroup::TaskReviewers),
        step: "2",
        phase: IMPLEMENTATION,
        role: TASK_REVIEWER,
        variant: None,
        reads: &[REQUEST, TASK_BRIEFS, CHANGES, CHECKS, IMPLEMENTATIONS],
        writes: &["review.md"],
        fallback_names: &[],
        form: AnswerForm::TaskReview,
        preferred: &["codex", "claude"],
        clock: ClockFamily::Sketch,
        embedded: false,
        flips_health: false,
    },
    writer(CONFLICT_FIXER, "2", IMPLEMENTATION, &[REQUEST, TASK_BRIEFS, EVIDENCE], "impl.md"),
    comprehensive("comprehensive-reviewer-1", "1", &["comprehensive-review-1.md"], &["claude"]),
    comprehensive("comprehensive-reviewer-2", "2", &["comprehensive-review-2.md"], &["codex"]),
    Seat {
        id: CHANGE_MERGER,
        group: Some(SeatGroup::Lead),
        step: "4",
        phase: VALIDATION,
        role: CHANGE_MERGER,
        variant: None,
        reads: &[COMPREHENSIVE_REVIEWS],
        writes: &[FINDINGS],
        fallback_names: &[],
        form: AnswerForm::MergedFindings,
        preferred: &["claude", "codex"],
        clock: ClockFamily::Sketch,
        embedded: false,
        flips_health: false,
    },
    voter("change-voter-claude", &["claude-vote-output.txt"], &["claude"]),
    voter("change-voter-codex", &["codex-vote-output.txt"], &["codex"]),
    voter("change-voter-cursor", &["cursor-vote-output.txt"], &["cursor"]),
    writer(FIXER, "5", VALIDATION, &[REQUEST, SPEC_REQUIREMENTS, ACCEPTED, FINAL_VERIFICATION], "fixes.md"),
];

type Names = &'static [&'static str];

/// A seat that changes a worktree.
const fn writer(
    id: &'static str,
    step: &'static str,
    phase: &'static str,
    reads: Names,
    file: &'static str,
) -> Seat {
    Seat {
        id,
        group: Some(SeatGroup::Writers),
        step,
        phase,
        role: id,
        variant: None,
        reads,
        writes: match file.as_bytes()[0] {
            b'f' => &["fixes.md"],
            _ => &["impl.md"],
        },
        fallback_names: &[],
        form: AnswerForm::HandoffResponse,
        preferred: &["claude", "codex"],
        clock: ClockFamily::Design,
        embedded: false,
        flips_health: false,
    }
}

const fn comprehensive(id: &'static str, variant: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        id,
        group: Some(SeatGroup::Reviewers),
        step: "4",
        phase: VALIDATION,
        role: "comprehensive-reviewer",
        variant: Some(variant),
        reads: &[
            REQUEST,
            SPEC_REQUIREMENTS,
            SPEC_DESIGN,
            SPEC_TASKS,
            WHOLE_CHANGE,
            FINAL_VERIFICATION,
            DRIFT,
        ],
        writes,
        fallback_names: &[],
        form: AnswerForm::Findings,
        preferred,
        clock: ClockFamily::Review,
        embedded: false,
        flips_health: false,
    }
}

const fn voter(id: &'static str, writes: Names, preferred: Names) -> Seat {
    Seat {
        id,
        group: Some(SeatGroup::Voters),
        step: "4",
        phase: VALIDATION,
        role: "change-voter",
        variant: None,
        reads: &[REQUEST, SPEC_REQUIREMENTS, WHOLE_CHANGE, BALLOT],
        writes,
        fallback_names: &[],
        form: AnswerForm::FindingVotes,
        preferred,
        clock: ClockFamily::Sketch,
        embedded: false,
        flips_health: false,
    }
}
