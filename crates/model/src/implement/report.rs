//! `implementation-report.md`: what was done for each task, by whom, how it was proven, and what is left.

use super::drift::{DriftTable, cell};
use super::schedule::TaskState;
use super::verdict::ProofVerdict;
use crate::escape::{one_line, printable_lines};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Report of an implementation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImplementationReport {
    pub feature: String,
    pub run: String,
    /// Commit that the work began at.
    pub base: String,
    /// Last commit of the work.
    pub tip: String,
    /// Where the work is now: the branch it landed on, or how to take it.
    pub landing: String,
    pub tasks: Vec<TaskReport>,
    /// Commands on the untouched base.
    pub baseline: Vec<CommandLine>,
    /// Commands on the integrated tree.
    pub verification: Vec<CommandLine>,
    /// Reviews of the whole: who, and what came of their findings, one line each.
    pub reviews: Vec<String>,
    /// Accepted findings that were not put right, one line each.
    pub open_findings: Vec<String>,
    pub drift: DriftTable,
    /// Cost of all calls in dollars; none if no agent states it.
    pub cost_usd: Option<f64>,
    pub tokens: Option<u64>,
}

/// What was done for a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskReport {
    pub id: String,
    pub title: String,
    pub state: TaskState,
    pub commits: Vec<String>,
    pub files: Vec<String>,
    /// The proof as the specification states it.
    pub proof: String,
    pub verdict: Option<ProofVerdict>,
    pub commands: Vec<CommandLine>,
    pub rounds: Vec<RoundLine>,
    /// What the implementer says was not done.
    pub not_done: Vec<String>,
    /// What a person decided about it, if they were asked.
    pub decision: Option<String>,
    pub cost_usd: Option<f64>,
}

/// A command that was run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandLine {
    pub name: String,
    pub command: String,
    /// How it ended, such as `exit 0` or `timed out`.
    pub ending: String,
    pub is_green: bool,
    pub seconds: f64,
}

/// A round of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundLine {
    pub implementer: String,
    pub reviewer: Option<String>,
    /// What came of it, in a few words.
    pub outcome: String,
    /// Findings that went back, one line each.
    pub findings: Vec<String>,
}

/// Renders `implementation-report.md`.
pub fn render_report(report: &ImplementationReport) -> String {
    let mut text = format!("# Implementation of {}\n\n", one_line(&report.feature));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "> **Run:** {}", one_line(&report.run));
    let _ = writeln!(text, "> **Commits:** {}..{}", short(&report.base), short(&report.tip));
    let _ = writeln!(text, "> **Result:** {}", one_line(&report.landing));
    if let Some(cost) = shown_cost(report.cost_usd, report.tokens) {
        let _ = writeln!(text, "> **Cost:** {cost}");
    }
    let _ = writeln!(text, "\n## Tasks\n\n{}", task_table(&report.tasks));
    for task in &report.tasks {
        text.push_str(&task_section(task));
    }
    if !report.baseline.is_empty() {
        let _ = writeln!(text, "## Before the work\n\n{}", command_table(&report.baseline));
    }
    let _ = writeln!(text, "## Verification of the whole\n\n{}", command_table(&report.verification));
    let _ = writeln!(text, "## Review of the whole\n\n{}", bullets(&report.reviews));
    if !report.open_findings.is_empty() {
        let _ = writeln!(text, "Accepted and not put right:\n\n{}", bullets(&report.open_findings));
    }
    let problems = report.drift.remarks();
    let summary = if problems.is_empty() {
        "Every requirement is met and proven or has a reason, and every changed file belongs to a task.\n"
            .to_owned()
    } else {
        bullets(&problems)
    };
    let _ = write!(text, "## Drift\n\n{summary}\n{}", report.drift.to_markdown());
    text
}

fn task_table(tasks: &[TaskReport]) -> String {
    if tasks.is_empty() {
        return "None.\n".to_owned();
    }
    let mut text = String::from("| task | state | proof | rounds | commits |\n|---|---|---|---|---|\n");
    for task in tasks {
        let proof = task.verdict.map_or_else(|| "–".to_owned(), |verdict| verdict.to_string());
        let commits = task.commits.iter().map(|commit| short(commit)).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            text,
            "| {} {} | {} | {} | {} | {} |",
            cell(&task.id),
            cell(&task.title),
            state_word(task.state),
            cell(&proof),
            task.rounds.len(),
            cell(&commits)
        );
    }
    text
}

fn task_section(task: &TaskReport) -> String {
    let mut text = format!("### {}: {}\n\n", one_line(&task.id), one_line(&task.title));
    let _ = writeln!(text, "- State: {}", state_word(task.state));
    if !task.proof.is_empty() {
        let verdict = task.verdict.map(|verdict| format!(" ({verdict})")).unwrap_or_default();
        let _ = writeln!(text, "- Proof: {}{verdict}", one_line(&task.proof));
    }
    if !task.files.is_empty() {
        let _ = writeln!(
            text,
            "- Files: {}",
            task.files.iter().map(|path| one_line(path)).collect::<Vec<_>>().join(", ")
        );
    }
    if let Some(decision) = &task.decision {
        let _ = writeln!(text, "- Decided by a person: {}", one_line(decision));
    }
    if let Some(cost) = shown_cost(task.cost_usd, None) {
        let _ = writeln!(text, "- Cost: {cost}");
    }
    for missing in &task.not_done {
        let _ = writeln!(text, "- Not done, says the implementer: {}", one_line(missing));
    }
    text.push('\n');
    for (at, round) in task.rounds.iter().enumerate() {
        let reviewer = round
            .reviewer
            .as_ref()
            .map(|name| format!(", reviewed by {}", one_line(name)))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "{}. {}{reviewer}: {}",
            at + 1,
            one_line(&round.implementer),
            one_line(&round.outcome)
        );
        for finding in &round.findings {
            let _ = writeln!(text, "   - {}", printable_lines(&one_line(finding)));
        }
    }
    if !task.rounds.is_empty() {
        text.push('\n');
    }
    if !task.commands.is_empty() {
        let _ = writeln!(text, "{}", command_table(&task.commands));
    }
    text
}

fn command_table(commands: &[CommandLine]) -> String {
    if commands.is_empty() {
        return "None.\n".to_owned();
    }
    let mut text = String::from("| command | | ended | seconds |\n|---|---|---|---|\n");
    for line in commands {
        let mark = if line.is_green { "green" } else { "**red**" };
        let name = format!("{}: `{}`", line.name, line.command.replace('`', "'"));
        let _ = writeln!(text, "| {} | {mark} | {} | {:.1} |", cell(&name), cell(&line.ending), line.seconds);
    }
    text
}

fn bullets(lines: &[String]) -> String {
    if lines.is_empty() {
        return "None.\n".to_owned();
    }
    lines.iter().fold(String::new(), |list, line| list + "- " + &one_line(line) + "\n")
}

fn state_word(state: TaskState) -> &'static str {
    match state {
        TaskState::Integrated => "done",
        TaskState::Skipped => "skipped",
        TaskState::Parked => "waits for a person",
        TaskState::Left => "not selected",
        TaskState::Pending => "not begun",
        TaskState::Running => "at work",
    }
}

fn short(commit: &str) -> String {
    one_line(commit).chars().take(12).collect()
}

fn shown_cost(usd: Option<f64>, tokens: Option<u64>) -> Option<String> {
    match (usd, tokens) {
        (Some(usd), Some(tokens)) => Some(format!("${usd:.2}, {tokens} tokens")),
        (Some(usd), None) => Some(format!("${usd:.2}")),
        (None, Some(tokens)) => Some(format!("{tokens} tokens")),
        (None, None) => None,
    }
}
