//! `charrette next`: the tasks that can be done now.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::tasks::listing::SpecTasks;
use charrette_app::tasks::next::{NextPage, TaskView, find_next};
use charrette_model::escape::{one_line, printable_lines};
use charrette_model::implement::WorkMode;
use clap::Args;
use std::process::ExitCode;

/// Show the tasks of a specification that can be done now
///
/// A task can be done when all tasks that it depends on are ticked. The first one is shown with its text, files, proof and
/// requirements; the others by name. For people who implement by hand: `charrette done TASK` verifies and ticks one.
#[derive(Debug, Args)]
pub(crate) struct NextArgs {
    /// Name of the specification [default: the only one with open tasks]
    #[arg(value_name = "FEATURE")]
    feature: Option<String>,
}

pub(crate) fn next(invocation: &Invocation, args: &NextArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    let tasks = SpecTasks::open(&site, "next", args.feature.as_deref())?;
    let page = find_next(&tasks);
    if invocation.json {
        output::print_json(&page)?;
        return Ok(ExitCode::SUCCESS);
    }
    if tasks.is_implemented_by_agents(&site) {
        output::note(
            invocation,
            "Agents implement this specification; their tasks are ticked when the work lands.",
        );
    }
    output::print_line(&render(&page))?;
    Ok(ExitCode::SUCCESS)
}

fn render(page: &NextPage) -> String {
    let feature = one_line(&page.feature);
    let mut lines = vec![format!("{feature}: {} of {} tasks done", page.done, page.total)];
    if let Some((first, others)) = page.next.split_first() {
        lines.push(String::new());
        lines.push(printable_lines(first.text.trim()));
        lines.push(String::new());
        lines.extend(facts(first));
        if !others.is_empty() {
            lines.push("\nAlso possible now:".to_owned());
            lines.extend(others.iter().map(|task| format!("  {}: {}", task.id, one_line(&task.title))));
        }
    }
    if !page.waiting.is_empty() {
        lines.push("\nWaiting:".to_owned());
        for task in &page.waiting {
            let title = one_line(&task.title);
            lines.push(format!("  {}: {title} (after {})", task.id, task.waits_for.join(", ")));
        }
    }
    lines.push(match page.next.first() {
        Some(first) => format!("\n  -> When it is done: charrette done {} {feature}", first.id),
        None => "All tasks are done.".to_owned(),
    });
    lines.join("\n")
}

/// Facts of the specification about a task, one line each.
fn facts(task: &TaskView) -> Vec<String> {
    let files = match &task.files {
        None => "the specification does not say".to_owned(),
        Some(files) if files.is_empty() => "none".to_owned(),
        Some(files) => files.join(", "),
    };
    let derived = if task.proof_is_derived { " (derived from its files)" } else { "" };
    let mut all = vec![("Files", files), ("Proof", format!("{}{derived}", task.proof))];
    if !task.depends_on.is_empty() {
        all.push(("After", format!("{} (done)", task.depends_on.join(", "))));
    }
    if !task.requirements.is_empty() {
        all.push(("Requirements", task.requirements.join(", ")));
    }
    if task.mode == WorkMode::Human {
        all.push(("By", "a person".to_owned()));
    }
    all.into_iter().map(|(name, value)| format!("{:<14}{}", format!("{name}:"), one_line(&value))).collect()
}
