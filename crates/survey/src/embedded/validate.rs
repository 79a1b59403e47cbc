//! The validator: the deterministic checks, and nothing that would need judgement.

use super::draft::{DraftError, needed};
use super::ground::NO_MODEL;
use super::inputs::Inputs;
use charrette_model::shown::one_line;
use charrette_model::spec::links::{Texts, links};
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::tasks::list::TaskList;
use std::fmt::Write as _;

/// Something wrong: whether it matters, where, what.
struct Issue {
    critical: bool,
    place: String,
    text: String,
}

/// Checks the specification.
pub(super) fn validate(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let requirements = needed(inputs, "requirements.md")?;
    let design = needed(inputs, "design.md")?;
    let tasks = needed(inputs, "tasks.md")?;
    let mut issues = Vec::new();
    let read = Requirements::parse(requirements);
    issues.extend(
        read.problems.iter().map(|problem| critical("requirements.md", problem.line, &problem.message)),
    );
    if read.requirements.is_empty() {
        issues.push(critical("requirements.md", 1, "nothing is demanded"));
    }
    let list = TaskList::parse(tasks);
    issues.extend(list.problems.iter().map(|problem| critical("tasks.md", problem.line, &problem.message)));
    if list.tasks.is_empty() {
        issues.push(critical("tasks.md", 1, "there is no task"));
    }
    for task in &list.tasks {
        if task.prompt.is_none() {
            issues.push(critical("tasks.md", task.line, &format!("{} has no prompt", task.id)));
        }
        for file in task.files.iter().filter(|file| !file.contains("(new)")) {
            if inputs.files.lines(file).is_none() {
                issues.push(critical(
                    "tasks.md",
                    task.line,
                    &format!(
                        "{} names {}, which does not exist and is not marked (new)",
                        task.id,
                        one_line(file)
                    ),
                ));
            }
        }
    }
    let found = links(Texts { requirements, design: Some(design), tasks });
    issues.extend(
        found.dangling.iter().map(|dangling| {
            critical(dangling.file, dangling.line, &format!("{} leads nowhere", dangling.id))
        }),
    );
    issues.extend(found.uncovered.iter().map(|id| critical("tasks.md", 1, &format!("no task covers {id}"))));
    issues.extend(checks(inputs.artifact("checks")));
    Ok(written(&issues))
}

fn critical(file: &str, line: usize, text: &str) -> Issue {
    Issue { critical: true, place: format!("{file}:{}", line.max(1)), text: one_line(text) }
}

/// What programs found before: a line that begins with "error" is critical, one with "warning" is not.
fn checks(text: &str) -> Vec<Issue> {
    let mut issues = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start_matches(['-', '*', ' ', '[']);
        let lower = bare.to_lowercase();
        let critical = ["error", "critical", "fail"].iter().any(|word| lower.starts_with(word));
        if critical || ["warning", "minor"].iter().any(|word| lower.starts_with(word)) {
            issues.push(Issue { critical, place: "checks".to_owned(), text: one_line(bare) });
        }
    }
    issues
}

fn written(issues: &[Issue]) -> String {
    let verdict = if issues.iter().any(|issue| issue.critical) { "FAIL" } else { "PASS" };
    let mut text = format!(
        "Verdict: {verdict}\n\n> {NO_MODEL} Only shapes, numbers, links and paths were checked; whether the files say the right thing is for a person to judge.\n"
    );
    if !issues.is_empty() {
        text.push('\n');
    }
    for issue in issues {
        let weight = if issue.critical { "CRITICAL" } else { "MINOR" };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- [{weight}] {}: {}", issue.place, issue.text);
    }
    text
}
