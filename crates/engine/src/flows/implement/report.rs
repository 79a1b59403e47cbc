//! `implementation-report.md`: the state of a run as the report of the model.

use super::checks::CheckResult;
use super::flow::{IMPLEMENTATION, VALIDATION};
use super::state::{RoundRecord, RunState};
use super::validation::ValidationOutcome;
use super::work::Work;
use crate::ports::worktrees::{Landing, ObjectId};
use crate::run::Run;
use charrette_model::checkpoint::Usage;
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
    costs: &RunCosts,
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
        tasks: work.plan().tasks.iter().map(|task| task_report(task, state, costs)).collect(),
        baseline: work.baseline.iter().map(command_line).collect(),
        verification: outcome.results.iter().map(command_line).collect(),
        reviews,
        open_findings: outcome.unrepaired.clone(),
        drift: outcome.drift.clone(),
        cost_usd: costs.usd(""),
        tokens: costs.tokens(),
    })
}

/// Cost of the calls of a run, by step.
#[derive(Debug, Clone, Default)]
pub(super) struct RunCosts(Vec<(String, Usage)>);

impl RunCosts {
    pub(super) async fn read(run: &Run<'_>) -> RunCosts {
        let mut all = run.journal().usage(IMPLEMENTATION).await;
        all.extend(run.journal().usage(VALIDATION).await);
        RunCosts(all)
    }

    /// Dollars of the steps of a task, or of all with an empty id; none if no agent states them.
    fn usd(&self, task: &str) -> Option<f64> {
        let is_its = |step: &str| {
            task.is_empty() || step.strip_prefix(task).is_some_and(|rest| rest.starts_with(['/', '-']))
        };
        let stated = self.0.iter().filter(|(step, _)| is_its(step)).filter_map(|(_, usage)| usage.usd);
        stated.fold(None, |sum, usd| Some(sum.unwrap_or_default() + usd))
    }

    /// Tokens read and written by all calls; none if no agent states them.
    fn tokens(&self) -> Option<u64> {
        let sum = self.0.iter().map(|(_, usage)| usage.input + usage.output).sum();
        Some(sum).filter(|sum| *sum > 0)
    }
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

fn task_report(task: &ImplementTask, state: &RunState, costs: &RunCosts) -> TaskReport {
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
        not_done: last.map(|round| round.not_done.clone()).unwrap_or_default(),
        decision: state.decisions.get(&task.id).cloned(),
        cost_usd: costs.usd(&task.id),
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
        findings: round
            .reasons
            .iter()
            .cloned()
            .chain(round.remarks.iter().map(|remark| format!("noted: {remark}")))
            .collect(),
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
