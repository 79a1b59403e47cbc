//! Files of an implementation: names, writers and readers.

use crate::artifact::ArtifactSpec;
pub use charrette_model::panel::file_names::{
    ACCEPTED, BALLOT, FINDINGS, OUT_OF_SCOPE, OUT_OF_SCOPE_ACCEPTED, REJECTED, REQUEST, REVIEWERS,
    SPEC_DESIGN, SPEC_JSON, SPEC_META, SPEC_REQUIREMENTS, SPEC_SUMMARY, SPEC_TASKS, TALLY, UNDECIDED, VOTES,
};

/// Brief of a task: its text, requirements, decisions, prerequisites, verify commands and proof.
pub const TASK_BRIEFS: &str = "tasks/*/brief.md";
/// Hint of a person for another attempt.
pub const HINTS: &str = "tasks/*/hint.md";
/// Evidence against the work of a round, for the next one.
pub const EVIDENCE: &str = "tasks/*/evidence-*.md";
/// Change of a round, as a diff.
pub const CHANGES: &str = "tasks/*/change-*.patch";
/// Output of the verify commands and the proof on the change of a round.
pub const CHECKS: &str = "tasks/*/checks-*.md";
/// Answers of the implementers.
pub const IMPLEMENTATIONS: &str = "impl-*.md";
/// Reviews of tasks.
pub const TASK_REVIEWS: &str = "review-*.md";
/// Outputs of the verify commands on the whole.
pub const FINAL_VERIFICATION: &str = "final-verification.md";
/// Change of the whole implementation, as a diff.
pub const WHOLE_CHANGE: &str = "whole-change.patch";
/// Requirements with their tasks, and changed files with theirs.
pub const DRIFT: &str = "drift.md";
/// Reviews of the whole change.
pub const COMPREHENSIVE_REVIEWS: &str = "comprehensive-review-*.md";
/// Answer of the fixer.
pub const FIXES: &str = "fixes.md";
/// Output of the verify commands on the repaired tree.
pub const REPAIR_CHECKS: &str = "repair-checks.md";
/// Report of the run, for people.
pub const REPORT: &str = "implementation-report.md";
/// Drafts of issues for what was found and is out of scope.
pub const FOLLOW_UPS: &str = "follow-ups.md";
/// Issues that were created for follow-ups: identifier and URL of each.
pub const FOLLOW_UP_ISSUES: &str = "follow-up-issues.json";
/// Summary of the implementation phase.
pub const IMPLEMENTATION_SUMMARY: &str = "implementation-summary.md";
/// Summary of the validation phase.
pub const VALIDATION_SUMMARY: &str = "validation-summary.md";

/// All files of an implementation, in the order they are written.
pub const ARTIFACTS: &[ArtifactSpec] = &[
    ArtifactSpec::new(
        REQUEST,
        "request",
        &[
            "implementer",
            "task-reviewer",
            "conflict-fixer",
            "comprehensive-reviewer-*",
            "fixer",
            "change-voter-*",
        ],
        "what was asked for, word for word",
    )
    .of_person(),
    ArtifactSpec::new(
        SPEC_REQUIREMENTS,
        "request",
        &["read", "comprehensive-reviewer-*", "change-voter-*", "fixer"],
        "the approved requirements",
    )
    .of_person(),
    ArtifactSpec::new(SPEC_DESIGN, "request", &["read", "comprehensive-reviewer-*"], "the approved design")
        .of_person(),
    ArtifactSpec::new(SPEC_TASKS, "request", &["read", "comprehensive-reviewer-*"], "the approved tasks")
        .of_person(),
    ArtifactSpec::new(SPEC_JSON, "request", &["read"], "the record of the specification"),
    ArtifactSpec::new(
        TASK_BRIEFS,
        "brief",
        &["implementer", "task-reviewer", "conflict-fixer"],
        "the task: text, requirements, decisions, prerequisites, verify commands, proof",
    )
    .of_person(),
    ArtifactSpec::new(HINTS, "hint", &["implementer", "conflict-fixer"], "hint of the person").of_person(),
    ArtifactSpec::new(
        EVIDENCE,
        "round",
        &["implementer", "conflict-fixer"],
        "what speaks against the last round",
    )
    .worked_on(),
    ArtifactSpec::new(
        IMPLEMENTATIONS,
        "implementer",
        &["round", "task-reviewer"],
        "answer of the implementer",
    ),
    ArtifactSpec::new(CHANGES, "change", &["task-reviewer"], "the change of a round").worked_on(),
    ArtifactSpec::new(CHECKS, "checks", &["round", "task-reviewer"], "outputs of verify commands and proof"),
    ArtifactSpec::new(TASK_REVIEWS, "task-reviewer", &["round"], "review of a task"),
    ArtifactSpec::new(IMPLEMENTATION_SUMMARY, "summary", &[], "summary of the phase"),
    ArtifactSpec::new(
        FINAL_VERIFICATION,
        "verification",
        &["comprehensive-reviewer-*", "fixer"],
        "outputs of all verify commands",
    ),
    ArtifactSpec::new(
        WHOLE_CHANGE,
        "whole-change",
        &["comprehensive-reviewer-*", "change-voter-*"],
        "the whole change",
    )
    .worked_on(),
    ArtifactSpec::new(
        DRIFT,
        "drift",
        &["comprehensive-reviewer-*"],
        "requirements and files with their tasks",
    ),
    ArtifactSpec::new(
        COMPREHENSIVE_REVIEWS,
        "comprehensive-reviewer-*",
        &["change-merger", "review/numbered"],
        "review of the whole change",
    ),
    ArtifactSpec::new(REVIEWERS, "review/labels", &["change-merger", "review/numbered"], "who reviewed what"),
    ArtifactSpec::new(FINDINGS, "change-merger", &["review/ballot", "review/tally"], "all findings"),
    ArtifactSpec::new(BALLOT, "review/ballot", &["change-voter-*"], "the ballot").worked_on(),
    ArtifactSpec::new(VOTES, "change-voter-*", &["review/tally"], "votes"),
    ArtifactSpec::new(TALLY, "review/tally", &[], "tally of the votes"),
    ArtifactSpec::new(ACCEPTED, "review/tally", &["fixer"], "accepted findings").worked_on(),
    ArtifactSpec::new(UNDECIDED, "review/tally", &["report"], "findings without a quorum"),
    ArtifactSpec::new(REJECTED, "review/tally", &["report"], "rejected findings"),
    ArtifactSpec::new(OUT_OF_SCOPE, "review/tally", &[], "out-of-scope observations"),
    ArtifactSpec::new(
        OUT_OF_SCOPE_ACCEPTED,
        "review/tally",
        &["follow-ups"],
        "accepted out-of-scope findings",
    ),
    ArtifactSpec::new(FIXES, "fixer", &["report"], "answer of the fixer"),
    ArtifactSpec::new(
        REPAIR_CHECKS,
        "repair/verify",
        &["report"],
        "outputs of verify commands after the repair",
    ),
    ArtifactSpec::new(REPORT, "report", &[], "commits, proofs, reviews, rounds and costs of every task"),
    ArtifactSpec::new(FOLLOW_UPS, "follow-ups", &[], "drafts of issues for what is out of scope"),
    ArtifactSpec::new(FOLLOW_UP_ISSUES, "tracker/record", &[], "issues that were created for follow-ups"),
    ArtifactSpec::new(VALIDATION_SUMMARY, "report", &[], "summary of the phase"),
];
