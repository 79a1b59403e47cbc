//! `implementation-report.md`: the state of a run as the report of the model.

use super::checks::CheckResult;
use super::state::{RoundRecord, RunState};
use super::validation::ValidationOutcome;
use super::work::Work;
use crate::ports::worktrees::{Landing, ObjectId};
use charrette_model::implement::ImplementTask;
use charrette_model::implement::report::{
    CommandLine, ImplementationReport, RoundLine, TaskReport, render_report as render,
};

/// Renders the report.
pub(super) fn render_report(
    feature: &str,
    work: &Work,
    state: &RunState,
    outcome: &ValidationOutcome,
    (tip, landing): (&ObjectId, Option<&Landing>),
) -> String {
    let findings = &outcome.findings;
    let mut reviews: Vec<String> =
        findings.reviewers.iter().map(|agent| format!("reviewed by {agent}")).collect();
    if outcome.repair.is_some() {
        reviews.extend(findings.accepted.iter().map(|title| format!("put right: {title}")));
    }
    reviews.extend(findings.rejected.iter().map(|title| format!("not accepted: {title}")));
    render(&ImplementationReport {
        feature: feature.to_owned(),
        run: work.run.clone(),
        base: work.base.head.clone(),
        tip: tip.clone(),
        landing: landing_text(landing),
        tasks: work.plan().tasks.iter().map(|task| task_report(task, state)).collect(),
        baseline: work.baseline.iter().map(command_line).collect(),
        verification: outcome.results.iter().map(command_line).collect(),
        reviews,
        open_findings: outcome.unrepaired.clone(),
        drift: outcome.drift.clone(),
        cost_usd: None,
        tokens: None,
    })
}

/// Where the work is now.
fn landing_text(landing: Option<&Landing>) -> String {
    match landing {
        None => "nothing was changed".to_owned(),
        Some(Landing::Landed { branch, .. }) if branch.is_empty() => "landed on HEAD".to_owned(),
        Some(Landing::Landed { branch, .. }) => format!("landed on {branch}"),
        Some(Landing::Waiting { reason, command }) => format!("waits: {reason}; {command}"),
    }
}

fn task_report(task: &ImplementTask, state: &RunState) -> TaskReport {
    let rounds = state.rounds.get(&task.id).map(Vec::as_slice).unwrap_or_default();
    let done = state.integrated.get(&task.id);
    let last = rounds.last();
    TaskReport {
        id: task.id.clone(),
        title: task.title.clone(),
        state: state.state(&task.id),
        commits: done.and_then(|done| done.commit.clone()).into_iter().collect(),
        files: done.map(|done| done.files.clone()).unwrap_or_default(),
        proof: task.proof.to_string(),
        verdict: last.and_then(|round| round.verdict_of_proof),
        commands: last.map(|round| round.checks.iter().map(command_line).collect()).unwrap_or_default(),
        rounds: rounds.iter().map(round_line).collect(),
        not_done: Vec::new(),
        decision: state.decisions.get(&task.id).cloned(),
        cost_usd: None,
    }
}

fn round_line(round: &RoundRecord) -> RoundLine {
    let review = match (&round.reviewer, &round.verdict) {
        (Some(reviewer), Some(verdict)) => Some(format!("{reviewer} ({verdict})")),
        (reviewer, _) => reviewer.clone(),
    };
    RoundLine {
        implementer: round.agent.clone().unwrap_or_else(|| "a person".to_owned()),
        reviewer: review,
        outcome: if round.passed { "accepted".to_owned() } else { "sent back".to_owned() },
        findings: round.reasons.clone(),
    }
}

fn command_line(result: &CheckResult) -> CommandLine {
    CommandLine {
        name: result.name.clone(),
        command: result.command.clone(),
        ending: result.ending.clone(),
        is_green: result.is_green,
        seconds: result.seconds,
    }
}
