//! Preview and closing page of an implementation.

use super::artifacts::{FOLLOW_UP_ISSUES, FOLLOW_UPS, REPORT};
use super::delivery::{LANDING, LandingRecord};
use super::flow::IMPLEMENTATION;
use super::seats::SEATS;
use crate::flow::Deliverable;
use crate::pages::{ClosingPage, FinishedRun, PhasePlan};
use crate::ports::worktrees::Landing;
use charrette_model::seats::Seat;
use charrette_model::spec::record::LinearIssue;
use serde_json::{Map, Value};

/// Describes a phase.
pub(super) fn preview(flags: &Map<String, Value>, phase: &str) -> PhasePlan {
    let no_review = flags.get("no-review").and_then(Value::as_bool).unwrap_or_default();
    let seats = |names: &[&str]| -> Vec<&'static Seat> {
        SEATS.iter().filter(|seat| names.contains(&seat.id)).collect()
    };
    let group = |name: &str, ids: &[&str]| (name.to_owned(), seats(ids));
    if phase == IMPLEMENTATION {
        let mut groups = vec![group("writes", &["implementer"])];
        if !no_review {
            groups.push(group("reviews", &["task-reviewer"]));
        }
        let brief = "each task in a worktree: change, verify, proof, review, commit, integration";
        return PhasePlan { brief: brief.to_owned(), groups };
    }
    let mut groups = Vec::new();
    if !no_review {
        groups.push(group("reviews", &["comprehensive-reviewer-1", "comprehensive-reviewer-2"]));
        groups.push(group("merges", &["change-merger"]));
        groups.push(group("votes", &["change-voter-claude", "change-voter-codex", "change-voter-cursor"]));
    }
    groups.push(group("repairs", &["fixer"]));
    PhasePlan {
        brief: "full verification, review of the whole, vote, one repair round, report, landing".to_owned(),
        groups,
    }
}

/// Files of an implementation for people.
pub(super) fn deliverables(_: &Map<String, Value>) -> Vec<Deliverable> {
    vec![
        (REPORT, "commits, proofs, reviews and rounds of every task"),
        (FOLLOW_UPS, "drafts of issues for what was found and is out of scope"),
    ]
}

/// Makes the closing page.
pub(super) fn closing(run: &FinishedRun<'_>) -> ClosingPage {
    if !run.is_complete {
        return ClosingPage {
            title: format!("{}: the requested phase is complete.", run.feature),
            next: Some(format!("charrette implement {} --resume", run.feature)),
            ..ClosingPage::default()
        };
    }
    let record: Option<LandingRecord> = serde_json::from_str(&run.text(LANDING)).ok();
    let open = record.as_ref().map(|record| record.open.clone()).unwrap_or_default();
    let state = if open.is_empty() { "is implemented" } else { "is implemented in part" };
    let (title, next) = match record.map(|record| record.landing) {
        Some(Landing::Landed { branch, .. }) => {
            let place = if branch.is_empty() { "HEAD".to_owned() } else { format!("branch {branch}") };
            (format!("{} {state}: it is on {place}.", run.feature), None)
        }
        Some(Landing::Waiting { reason, command }) => {
            (format!("{} {state} and waits to be taken: {reason}.", run.feature), Some(command))
        }
        None => (format!("{}: nothing was changed.", run.feature), None),
    };
    let mut notes = vec![run.authorship().headline(), format!("Intermediate files: {}/", run.workspace)];
    if !open.is_empty() {
        notes.push(format!("Not done: {}", open.join(", ")));
    }
    let issues: Vec<LinearIssue> = serde_json::from_str(&run.text(FOLLOW_UP_ISSUES)).unwrap_or_default();
    notes.extend(issues.iter().map(|issue| format!("Linear: {} - {}", issue.identifier, issue.url)));
    let files = deliverables(run.flags).into_iter().filter(|(name, _)| !run.text(name).is_empty());
    ClosingPage {
        title,
        notes,
        files: files.map(|(name, about)| (name.to_owned(), about.to_owned())).collect(),
        next: next.or_else(|| Some(format!("less {}/{REPORT}", run.workspace))),
        ..ClosingPage::default()
    }
}
