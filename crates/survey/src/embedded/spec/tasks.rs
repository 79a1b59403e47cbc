//! `tasks.md`: the test first, then one component at a time, then what goes with it.

use super::parts::Parts;
use super::requirements::risk_criteria;
use crate::embedded::ground::{listed, said};
use std::fmt::Write as _;

struct Task {
    title: String,
    refs: Vec<String>,
    body: String,
    files: Vec<String>,
    role: &'static str,
    what: String,
    restrictions: &'static str,
    success: String,
}

/// Writes the file.
pub(super) fn write(parts: &Parts<'_>) -> String {
    let mut phases = vec![("The test", vec![first_test(parts)]), ("The change", changes(parts))];
    phases.push(("What goes with it", vec![closing(parts)]));
    let mut text = format!("# Tasks: {}\n\n{}\n", parts.ground.title().to_lowercase(), Parts::notice());
    let total: usize = phases.iter().map(|(_, tasks)| tasks.len()).sum();
    let mut n = 0;
    for (phase, (name, tasks)) in phases.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n## Phase {}: {name}", phase + 1);
        for task in tasks {
            n += 1;
            write_task(&mut text, n, task);
        }
    }
    let chain: Vec<String> = (1..=total).map(id).collect();
    let _ = writeln!(
        text,
        "\n## Progress\n\n**Total:** 0/{total} tasks complete\n\n## Task Dependencies\n\n{}",
        chain.join(" -> ")
    );
    let proof = parts
        .ground
        .test_command()
        .map_or_else(|| "Every test passes.".to_owned(), |run| format!("\"{}\" passes.", said(run, 100)));
    let _ = writeln!(
        text,
        "\n## Completion Criteria\n\n1. [ ] {proof}\n2. [ ] A person has filled in what the requirements leave open."
    );
    text
}

fn write_task(text: &mut String, n: usize, task: &Task) {
    let Task { title, refs, body, files, role, what, restrictions, success } = task;
    let _ = writeln!(text, "\n### {}: {title} [{}]\n{body}\n", id(n), refs.join(", "));
    let named = if files.is_empty() { "none".to_owned() } else { files.join(", ") };
    let _ = writeln!(text, "**Files:** {named}");
    if n > 1 {
        let _ = writeln!(text, "**Depends on:** {}", id(n - 1));
    }
    let _ = writeln!(
        text,
        "\n**_Prompt:** **Role:** {role} | **Task:** {what} | **Restrictions:** {restrictions} | **Success:** {success}"
    );
}

fn id(n: usize) -> String {
    format!("T{n:03}")
}

fn first_test(parts: &Parts<'_>) -> Task {
    let place = parts.first_test().map(str::to_owned);
    let covers = |test: &str| parts.components.iter().any(|path| parts.ground.tests_of(path).contains(&test));
    let at = match place.as_deref() {
        None => "where the repository's tests live".to_owned(),
        Some(path) if covers(path) => format!("in {path}"),
        Some(path) => format!(
            "in {path} (the nearest that was found; whether a file of its own is better is for a person to decide)"
        ),
    };
    Task {
        title: "A test that fails".to_owned(),
        refs: vec!["REQ-1.1".to_owned(), "REQ-1.2".to_owned()],
        body: format!(
            "Write down what must happen as a test {at}, before anything changes. It must fail for the right reason."
        ),
        files: place.into_iter().collect(),
        role: "developer who writes tests first",
        what: format!("write a failing test for: {}", parts.ground.behaviour()),
        restrictions: "change nothing but tests",
        success: "the test fails because the behaviour is missing".to_owned(),
    }
}

fn changes(parts: &Parts<'_>) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (n, path) in parts.components.iter().enumerate() {
        let mut refs = vec![
            if n == 0 { "REQ-1.1" } else { "REQ-1.2" }.to_owned(),
            "REQ-1.3".to_owned(),
            format!("C{}", n + 1),
        ];
        refs.extend(risk_criteria(parts, path));
        let covered = parts.ground.covered_by(path);
        let proof = covered.map_or_else(
            || parts.proof(),
            |tests| format!("passing: {}", tests.replace("inside it", &format!("inside {path}"))),
        );
        let body = if n == 0 {
            format!("Make the failing test pass with the smallest change to {path}.")
        } else {
            format!(
                "Change {path} only as far as the first component needs it; if it needs nothing, say so and close the task."
            )
        };
        tasks.push(Task {
            title: format!("{} {path}", if n == 0 { "The behaviour in" } else { "What follows in" }),
            refs,
            body,
            files: vec![path.clone()],
            role: "developer of this repository",
            what: format!(
                "{} in {path}",
                if n == 0 { "implement the behaviour" } else { "adapt what depends on it" }
            ),
            restrictions: "no new dependency, no file that the plan does not name",
            success: proof,
        });
    }
    if tasks.is_empty() {
        tasks.push(Task {
            title: "Find the place".to_owned(),
            refs: vec!["REQ-1.3".to_owned()],
            body: "The survey found no file. A person names the place, and the plan is made again."
                .to_owned(),
            files: vec![],
            role: "the person who asked",
            what: "name the file in which the behaviour belongs".to_owned(),
            restrictions: "nothing is changed",
            success: "a path is named".to_owned(),
        });
    }
    tasks
}

fn closing(parts: &Parts<'_>) -> Task {
    let run = parts
        .ground
        .test_command()
        .map_or_else(|| "all tests".to_owned(), |run| format!("\"{}\"", said(run, 100)));
    let lint = parts
        .inputs
        .survey
        .commands
        .lint
        .as_deref()
        .map(|run| format!(" and \"{}\"", said(run, 100)))
        .unwrap_or_default();
    let docs = if parts.docs.is_empty() {
        "Say what changed where users look for it.".to_owned()
    } else {
        format!("Say what changed in {}.", listed(&parts.docs))
    };
    Task {
        title: "Nothing else changed".to_owned(),
        refs: vec!["NFR-1".to_owned()],
        body: format!("Run {run}{lint}. {docs}"),
        files: parts.docs.clone(),
        role: "developer of this repository",
        what: "prove that everything else behaves as before, and document the change".to_owned(),
        restrictions: "no existing test is changed to make it pass",
        success: format!("{run}{lint} {}", if lint.is_empty() { "passes" } else { "pass" }),
    }
}
