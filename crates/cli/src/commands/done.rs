//! `charrette done`: verifies a task that a person did by hand, and ticks it.

use super::verify_run::{as_json, page};
use crate::invocation::Invocation;
use crate::{output, runtime, trusted_site};
use charrette_app::AppError;
use charrette_app::enclosure::refuse_below_agent;
use charrette_app::tasks::ProofResult;
use charrette_app::tasks::done::{DoneOptions, DoneReport, require_ready, verify_and_tick};
use charrette_app::tasks::listing::SpecTasks;
use charrette_app::verify_run::CheckoutVerifier;
use charrette_model::escape::{one_line, printable};
use charrette_model::implement::ImplementTask;
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Verify a task that was done by hand, and tick it
///
/// Runs the verify commands for a task and its proof on the content of this checkout, in the sandbox. A test or command
/// that proves the task must pass here and fail without the work: on the last commit, or on the one that --since names,
/// with the new test files laid over it. If everything holds, the task is ticked in tasks.md, spec.json and meta.yaml.
///
/// Exit 0 if it is ticked, 1 if a command is red or the proof does not hold, 2 for an unknown task, 4 if the
/// specification is not approved, a prerequisite is open, or the change breaks a rule. Agents cannot tick tasks with it.
#[derive(Debug, Args)]
pub(crate) struct DoneArgs {
    /// Id of the task, such as T003
    #[arg(value_name = "TASK")]
    task: String,
    /// Name of the specification [default: the only one with open tasks]
    #[arg(value_name = "FEATURE")]
    feature: Option<String>,
    /// The commit before the work, if it is committed already [default: HEAD]
    #[arg(long, value_name = "COMMIT")]
    since: Option<String>,
    /// Accept changed files that belong to no task
    #[arg(long)]
    outside: bool,
}

pub(crate) fn done(invocation: &Invocation, args: &DoneArgs) -> Result<ExitCode, AppError> {
    let site = trusted_site::open(invocation)?;
    refuse_below_agent(&site, "tick a task")?;
    let tasks = SpecTasks::open(&site, "done", args.feature.as_deref())?;
    let task = tasks.task(&args.task)?;
    if task.done {
        return already_done(invocation, &tasks, task);
    }
    require_ready(&site, &tasks, task)?;
    let options = DoneOptions { since: args.since.clone(), outside: args.outside };
    let report = runtime::block_on(async |cancel| {
        let verifier = CheckoutVerifier::open(&site, &cancel)?;
        let network = verifier.network().await;
        output::note(invocation, &format!("The commands have {network}."));
        verify_and_tick(&site, &tasks, task, &options, &verifier, |command| {
            if invocation.json { Ok(()) } else { output::print_line(&page(command)) }
        })
        .await
    })?;
    if invocation.json {
        output::print_json(&to_json(&tasks, task, &report))?;
    } else {
        output::print_line(&render(&tasks, task, &report))?;
    }
    Ok(if report.is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn already_done(
    invocation: &Invocation,
    tasks: &SpecTasks,
    task: &ImplementTask,
) -> Result<ExitCode, AppError> {
    if invocation.json {
        output::print_json(
            &json!({"feature": tasks.feature, "task": task.id, "done": true, "changed": false}),
        )?;
    } else {
        output::print_line(&format!("{} is ticked already. Nothing was changed.", task.id))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn render(tasks: &SpecTasks, task: &ImplementTask, report: &DoneReport) -> String {
    let mut lines = vec![proof_page(&report.proof)];
    lines.extend(report.remarks.iter().map(|remark| format!("Note: {}", printable(remark))));
    if report.is_done {
        let (done, total) = (tasks.done_count() + 1, tasks.plan.tasks.len());
        lines.push(format!("{} is done: {} ({done} of {total})", task.id, one_line(&task.title)));
        lines.push(format!("  -> Commit it with its tick, then: charrette next {}", tasks.feature));
        return lines.join("\n");
    }
    let red = report.commands.iter().filter(|command| !command.report.is_green());
    let mut missing: Vec<String> = red.map(|command| format!("{} is red", command.name)).collect();
    if !report.proof.holds {
        missing.push("its proof does not hold".to_owned());
    }
    lines.push(format!("{} is not ticked: {}.", task.id, missing.join(", ")));
    lines.join("\n")
}

/// One line about a proof, with its output below if it does not hold.
fn proof_page(proof: &ProofResult) -> String {
    let derived = if proof.is_derived { " (derived from its files)" } else { "" };
    let line = format!("proof  {}{derived}: {}", printable(&proof.proof), proof.showed);
    let output = proof.output.lines().map(|line| format!("\n  | {line}").trim_end().to_owned());
    line + &output.collect::<String>()
}

fn to_json(tasks: &SpecTasks, task: &ImplementTask, report: &DoneReport) -> Value {
    let commands: Vec<Value> = report.commands.iter().map(as_json).collect();
    json!({
        "feature": tasks.feature,
        "task": task.id,
        "done": report.is_done,
        "changed": report.is_done,
        "tree": report.tree,
        "commands": commands,
        "proof": report.proof,
        "remarks": report.remarks,
    })
}
