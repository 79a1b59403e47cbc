//! `tasks.md`: the failing test, then one task per component, then checks and docs.

use super::spec_inputs::SpecInputs;
use crate::embedded::citable_facts::{join_list, sanitize};
use charrette_model::implement::Proof;
use charrette_model::implement::argv::parse_argv;
use std::fmt::Write as _;

struct Task {
    title: String,
    refs: Vec<String>,
    body: String,
    files: Vec<String>,
    proof: String,
    role: &'static str,
    what: String,
    restrictions: &'static str,
    success: String,
}

pub(super) fn write(spec: &SpecInputs<'_>) -> String {
    let mut phases = vec![("The test", vec![first_test_task(spec)]), ("The change", change_tasks(spec))];
    phases.push(("What goes with it", vec![closing_task(spec)]));
    let mut text = format!("# Tasks: {}\n\n{}\n", spec.facts.title(), SpecInputs::notice());
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
    let chain: Vec<String> = (1..=total).map(task_id).collect();
    let _ = writeln!(
        text,
        "\n## Progress\n\n**Total:** 0/{total} tasks complete\n\n## Task Dependencies\n\n{}",
        chain.join(" -> ")
    );
    let proof = spec
        .facts
        .test_command()
        .map_or_else(|| "Every test passes.".to_owned(), |run| format!("\"{}\" passes.", sanitize(run, 100)));
    let _ = writeln!(
        text,
        "\n## Completion Criteria\n\n1. [ ] {proof}\n2. [ ] A person has filled in what the requirements leave open."
    );
    text
}

fn write_task(text: &mut String, n: usize, task: &Task) {
    let Task { title, refs, body, files, proof, role, what, restrictions, success } = task;
    let _ = writeln!(text, "\n### {}: {title} [{}]\n{body}\n", task_id(n), refs.join(", "));
    let named = if files.is_empty() { "none".to_owned() } else { files.join(", ") };
    let _ = writeln!(text, "**Files:** {named}");
    if n > 1 {
        let _ = writeln!(text, "**Depends on:** {}", task_id(n - 1));
    }
    let _ = writeln!(text, "**Proof:** {proof}");
    let _ = writeln!(
        text,
        "\n**_Prompt:** **Role:** {role} | **Task:** {what} | **Restrictions:** {restrictions} | **Success:** {success}"
    );
}

fn task_id(n: usize) -> String {
    format!("T{n:03}")
}

fn first_test_task(spec: &SpecInputs<'_>) -> Task {
    let place = spec.first_test().map(str::to_owned);
    let covers = |test: &str| spec.components.iter().any(|path| spec.facts.tests_of(path).contains(&test));
    let at = match place.as_deref() {
        None => "where the repository's tests live".to_owned(),
        Some(path) if covers(path) => format!("in {path}"),
        Some(path) => format!(
            "in {path} (the nearest that was found; whether a file of its own is better is for a person to decide)"
        ),
    };
    Task {
        title: "A test that fails".to_owned(),
        refs: ["REQ-1.1".to_owned(), "REQ-1.2".to_owned()].into_iter().chain(spec.person_ids()).collect(),
        body: format!(
            "Write down what must happen as a test {at}, before anything changes. It must fail for the right reason."
        ),
        files: place.into_iter().collect(),
        proof: Proof::None("it fails until the behaviour is there".to_owned()).to_string(),
        role: "developer who writes tests first",
        what: format!("write a failing test for: {}", spec.facts.behaviour()),
        restrictions: "change nothing but tests",
        success: "the test fails because the behaviour is missing".to_owned(),
    }
}

fn change_tasks(spec: &SpecInputs<'_>) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (n, path) in spec.components.iter().enumerate() {
        let refs = vec![
            if n == 0 { "REQ-1.1" } else { "REQ-1.2" }.to_owned(),
            "REQ-1.3".to_owned(),
            format!("C{}", n + 1),
        ];
        let covered = spec.facts.covered_by(path);
        let proof = covered.map_or_else(
            || spec.proof(),
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
            proof: suite_proof(spec),
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
            proof: Proof::None("a person names the place".to_owned()).to_string(),
            role: "the person who asked",
            what: "name the file in which the behaviour belongs".to_owned(),
            restrictions: "nothing is changed",
            success: "a path is named".to_owned(),
        });
    }
    tasks
}

/// The command that runs the tests, if it can be run without a shell.
fn suite_proof(spec: &SpecInputs<'_>) -> String {
    let proof = match spec.facts.test_command().map(parse_argv) {
        Some(Ok(argv)) => Proof::Command(argv),
        Some(Err(_)) => Proof::None("the command that runs the tests needs a shell".to_owned()),
        None => Proof::None("no command that runs the tests was found".to_owned()),
    };
    proof.to_string()
}

fn closing_task(spec: &SpecInputs<'_>) -> Task {
    let run = spec
        .facts
        .test_command()
        .map_or_else(|| "all tests".to_owned(), |run| format!("\"{}\"", sanitize(run, 100)));
    let lint = spec
        .inputs
        .survey
        .commands
        .lint
        .as_deref()
        .map(|run| format!(" and \"{}\"", sanitize(run, 100)))
        .unwrap_or_default();
    let docs = if spec.docs.is_empty() {
        "Say what changed where users look for it.".to_owned()
    } else {
        format!("Say what changed in {}.", join_list(&spec.docs))
    };
    Task {
        title: "Nothing else changed".to_owned(),
        refs: vec!["NFR-1".to_owned()],
        body: format!("Run {run}{lint}. {docs}"),
        files: spec.docs.clone(),
        proof: suite_proof(spec),
        role: "developer of this repository",
        what: "prove that everything else behaves as before, and document the change".to_owned(),
        restrictions: "no existing test is changed to make it pass",
        success: format!("{run}{lint} {}", if lint.is_empty() { "passes" } else { "pass" }),
    }
}
