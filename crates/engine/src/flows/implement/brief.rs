//! The brief of a task: everything its seats need to know, in one file.

use super::attempt::Attempt;
use super::state::IntegratedTask;
use crate::artifact::{Artifact, Input};
use crate::step::Step;
use crate::stop::FlowResult;
use std::fmt::Write as _;

/// Writes the brief of a task: its text, requirements word for word, decisions, results of the tasks it depends on,
/// verify commands and proof.
pub(super) async fn write_brief(attempt: &Attempt<'_>, before: &[IntegratedTask]) -> FlowResult<Brief> {
    let text = render(attempt, before);
    let step = Step::new(attempt.id("brief")).reads(&Input::given("brief", &text));
    let (file, page) = (attempt.file("brief.md"), text.clone());
    attempt.phase.make(Artifact::named(&file), step, |_| async move { Ok(page) }).await?;
    Ok(Brief { name: file, text })
}

/// Brief of a task. It is shown to the seats, and is no input of their steps: those name what its result depends on.
pub(super) struct Brief {
    pub(super) name: String,
    pub(super) text: String,
}

fn render(attempt: &Attempt<'_>, before: &[IntegratedTask]) -> String {
    let (work, task) = (attempt.work, attempt.task);
    let mut page = format!("# {}: {}\n\n## Task\n\n{}\n", task.id, task.title, task.text.trim());
    // Writing to a string cannot fail.
    let _ = write!(page, "\n## Files it may touch\n\n{}\n", task.files.shown());
    page.push_str("\n## Requirements, word for word\n\n");
    let requirements = work.specification.requirements_of(task);
    for (id, text) in &requirements {
        let _ = writeln!(page, "- **{id}**: {text}");
    }
    if requirements.is_empty() {
        page.push_str("The task names none.\n");
    }
    if !work.specification.decisions.trim().is_empty() {
        let _ = write!(page, "\n## Decisions that bind\n\n{}\n", work.specification.decisions.trim());
    }
    if !before.is_empty() {
        page.push_str("\n## Tasks it depends on, already integrated\n");
        for task in before {
            let _ = write!(page, "\n### {}: {}\n\n{}\n", task.id, task.title, task.summary.trim());
            if !task.files.is_empty() {
                let _ = writeln!(page, "\nFiles: {}", task.files.join(", "));
            }
        }
    }
    page.push_str("\n## Verify commands\n\nThey are run on your change by a program, not by you; run them yourself before you finish.\n\n");
    for (name, command) in work.verify.for_task() {
        let _ = writeln!(page, "- {name}: `{}`", command.shown());
    }
    let _ = write!(page, "\n## Proof\n\nThe task is done when this holds: {}\n", task.proof);
    page
}
