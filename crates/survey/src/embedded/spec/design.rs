//! `design.md`: components, data flow, errors, scenarios, decisions, risks, and everything else of the plan.

use super::spec_inputs::SpecInputs;
use crate::embedded::citable_facts::{join_list, sanitize};
use charrette_model::panel::plan::{Scenario, read_scenarios};
use charrette_model::panel::resolutions::read_resolutions;
use std::fmt::Write as _;

pub(super) fn write(spec: &SpecInputs<'_>) -> String {
    let mut text = format!("# Design: {}\n\n{}\n", spec.facts.title(), SpecInputs::notice());
    let approach = spec.lines("Approach");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n## Overview\n\n{}",
        approach.first().cloned().unwrap_or_else(|| "The plan says nothing about the approach.".to_owned())
    );
    add_feedback(&mut text, spec, "Overview");
    let _ = writeln!(
        text,
        "\n## Architecture\n\nToday: {}\n\nThen: the same files, changed as the components say; no file is added.",
        current_state(spec)
    );
    add_feedback(&mut text, spec, "Architecture");
    text.push_str("\n## Component Design\n");
    for (n, path) in spec.components.iter().enumerate() {
        let _ = writeln!(text, "\n### C{}: {path}\n\n{}", n + 1, component(spec, path));
    }
    if spec.components.is_empty() {
        text.push_str("\nNo file of the repository fits the request: a person must name the components.\n");
    }
    let _ = writeln!(
        text,
        "\n## Data Models\n\n{}",
        bullet_list(
            &spec.lines("Interfaces and data"),
            "None is known to change. What is stored, and in which form, is for a person to decide if the request needs it."
        )
    );
    add_feedback(&mut text, spec, "Data Models");
    let _ = writeln!(text, "\n## Data Flow\n\n{}", data_flow(spec));
    add_feedback(&mut text, spec, "Data Flow");
    let mut errors = spec.lines("Error handling");
    errors.extend(spec.lines("Edge cases"));
    let _ = writeln!(
        text,
        "\n## Error Handling\n\n{}",
        bullet_list(&errors, "The plan names no errors and no edge cases.")
    );
    add_feedback(&mut text, spec, "Error Handling");
    let _ = writeln!(text, "\n## Scenarios\n\n{}", scenarios(spec));
    let _ = writeln!(
        text,
        "\n## Testing Strategy\n\n{}",
        bullet_list(&spec.lines("Testing strategy"), "The plan names no tests.")
    );
    add_feedback(&mut text, spec, "Testing Strategy");
    let _ = writeln!(text, "\n## Decisions\n{}", decisions(spec));
    let _ = writeln!(
        text,
        "## Risks\n\n{}",
        bullet_list(&spec.lines("Failure modes"), "The plan names no failure modes.")
    );
    add_feedback(&mut text, spec, "Risks");
    for (title, section) in [
        ("Order of Work", "Order of work"),
        ("Roll-out and Roll-back", "Roll-out and roll-back"),
        ("Rejected Alternatives", "Rejected alternatives"),
        ("Measure First", "Measure first"),
        ("Findings Resolved", "Findings resolved"),
        ("Breaks Resolved", "Breaks resolved"),
        ("Settled with the Person", "Settled with the person"),
    ] {
        let lines = spec.lines(section);
        if !lines.is_empty() {
            let _ = writeln!(text, "\n## {title}\n\n{}", bullet_list(&lines, ""));
        }
    }
    let _ = writeln!(text, "\n## Left out\n\n{}", left_out(spec));
    let _ = writeln!(
        text,
        "\n## Confidence\n\nlow: places were found by words, names and history; no one with an understanding of the code has reviewed it. Weakest: the behaviour itself, its limits, and whether {} is the right place.",
        spec.components.first().map_or("any file", String::as_str)
    );
    text
}

/// Adds feedback of the person that names this section.
fn add_feedback(text: &mut String, spec: &SpecInputs<'_>, section: &str) {
    for line in spec.person.about(section) {
        let _ = writeln!(text, "\n{line}");
    }
}

fn current_state(spec: &SpecInputs<'_>) -> String {
    let mut sentences = Vec::new();
    for path in spec.components.iter().take(3) {
        let symbols: Vec<String> = spec
            .facts
            .symbols_of(path)
            .iter()
            .take(3)
            .map(|symbol| format!("{} (line {})", sanitize(&symbol.name, 60), symbol.line))
            .collect();
        if !symbols.is_empty() {
            sentences.push(format!("{path} has {}.", join_list(&symbols)));
        }
        let users = spec.facts.users_of(path);
        if !users.is_empty() {
            sentences.push(format!("{path} is used by {}.", join_list(&users)));
        }
    }
    if sentences.is_empty() { "the survey shows no structure here.".to_owned() } else { sentences.join(" ") }
}

fn component(spec: &SpecInputs<'_>, path: &str) -> String {
    let known = spec.facts.files.iter().find(|file| file.path == path);
    let reason = known
        .and_then(|file| file.reasons.first())
        .map_or_else(|| "The plan names it.".to_owned(), |reason| format!("It {}.", sanitize(reason, 160)));
    let tests = spec.facts.covered_by(path);
    let tests = tests.map_or_else(
        || "Imports and names do not show which test covers it.".to_owned(),
        |tests| format!("Covered by {tests}."),
    );
    format!(
        "`{path}`. {reason} {tests} The exact change is left to the implementer, within the requirements."
    )
}

fn data_flow(spec: &SpecInputs<'_>) -> String {
    let named = |path: &String| spec.components.contains(path) || spec.tests.contains(path);
    let imports: Vec<String> = spec
        .inputs
        .survey
        .imports
        .iter()
        .filter(|import| named(&import.from) && named(&import.to))
        .map(|import| format!("{} uses {}", import.from, import.to))
        .collect();
    if imports.is_empty() {
        "The survey shows no imports between these files.".to_owned()
    } else {
        format!("By imports: {}.", imports.join("; "))
    }
}

/// Scenarios of the plan with their outcome in the walk-through.
fn scenarios(spec: &SpecInputs<'_>) -> String {
    let scenarios = read_scenarios(spec.plan_text);
    if scenarios.is_empty() {
        return bullet_list(&spec.lines("Scenarios"), "The plan has no scenarios.");
    }
    let record = spec.inputs.artifact("walkthroughs.md");
    let line = |scenario: &Scenario| {
        let row = record.lines().find(|row| row.starts_with(&format!("| {}:", scenario.id)));
        let outcome = row.and_then(|row| row.trim_end_matches(['|', ' ']).rsplit_once(" | "));
        let outcome = outcome.map_or("not walked through".to_owned(), |(_, outcome)| sanitize(outcome, 300));
        format!("- {}: {} Outcome: {outcome}.", scenario.id, sanitize(&scenario.text, 400))
    };
    scenarios.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Files of the plan that no component, test or document of the specification is about.
fn left_out(spec: &SpecInputs<'_>) -> String {
    let kept = [&spec.components, &spec.tests, &spec.docs];
    let dropped: Vec<String> = spec
        .named
        .iter()
        .filter(|path| !kept.iter().any(|paths| paths.contains(path)))
        .map(|path| format!("{path}: the plan names more files than fit into one specification; a person decides whether it changes."))
        .collect();
    bullet_list(&dropped, "None.")
}

/// Decisions of the plan by their names, each with its reason.
fn decisions(spec: &SpecInputs<'_>) -> String {
    let (resolutions, _) = read_resolutions(spec.inputs.artifact("dialectic-resolutions.md"));
    let planned = spec.lines("Decisions");
    let mut text = String::new();
    for (n, resolution) in resolutions.iter().enumerate() {
        let name = format!("DECISION_{}:", resolution.n);
        let planned = planned.iter().find(|line| line.starts_with(&name));
        let decided = planned.cloned().unwrap_or_else(|| {
            format!(
                "{name} {} Reason: {}",
                sanitize(&resolution.resolution, 300),
                sanitize(&resolution.why, 300)
            )
        });
        let _ = writeln!(text, "\n### D{}: {}\n\n{decided}", n + 1, sanitize(&resolution.title, 80));
    }
    // Decisions of the chief designer's own follow without a number.
    let own: Vec<&String> =
        planned.iter().filter(|line| !line.starts_with("DECISION_") && !line.starts_with("None:")).collect();
    for (n, line) in own.iter().enumerate() {
        let _ = writeln!(text, "\n### D{}: A decision of the plan\n\n{line}", resolutions.len() + n + 1);
    }
    if text.is_empty() {
        let decided = spec.components.first().map_or_else(
            || "Nowhere yet: no file of the repository fits the request, so a person names the place first.".to_owned(),
            |place| format!("In {place}, against every other file of the survey, because most of the evidence leads there."),
        );
        let _ = writeln!(text, "\n### D1: Where the change begins\n\n{decided}");
    }
    text
}

fn bullet_list(lines: &[String], otherwise: &str) -> String {
    if lines.is_empty() {
        return otherwise.to_owned();
    }
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}
