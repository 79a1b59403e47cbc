//! `design.md`: components, data flow, decisions, risks.

use super::spec_inputs::SpecInputs;
use crate::embedded::citable_facts::{join_list, sanitize};
use charrette_model::panel::resolutions::{DecisionOutcome, read_resolutions};
use std::fmt::Write as _;

pub(super) fn write(spec: &SpecInputs<'_>) -> String {
    let mut text = format!("# Design: {}\n\n{}\n", spec.facts.title().to_lowercase(), SpecInputs::notice());
    let approach = spec.lines("Approach");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n## Overview\n\n{}",
        approach.first().cloned().unwrap_or_else(|| "The plan says nothing about the approach.".to_owned())
    );
    let _ = writeln!(
        text,
        "\n## Architecture\n\nToday: {}\n\nThen: the same files, changed as the components say; no file is added.",
        current_state(spec)
    );
    text.push_str("\n## Component Design\n");
    for (n, path) in spec.components.iter().enumerate() {
        let _ = writeln!(text, "\n### C{}: {path}\n\n{}", n + 1, component(spec, path));
    }
    if spec.components.is_empty() {
        text.push_str("\nNo file of the repository fits the request: a person must name the components.\n");
    }
    text.push_str("\n## Data Models\n\nNone is known to change. What is stored, and in which form, is for a person to decide if the request needs it.\n");
    let _ = writeln!(text, "\n## Data Flow\n\n{}", data_flow(spec));
    let _ = writeln!(
        text,
        "\n## Error Handling\n\n{}",
        bullet_list(&spec.lines("Edge cases"), "The plan names no edge cases.")
    );
    let _ = writeln!(
        text,
        "\n## Testing Strategy\n\n{}",
        bullet_list(&spec.lines("Testing strategy"), "The plan names no tests.")
    );
    let _ = writeln!(text, "\n## Decisions\n{}", decisions(spec));
    let _ = writeln!(
        text,
        "## Risks\n\n{}",
        bullet_list(&spec.lines("Failure modes"), "The plan names no failure modes.")
    );
    let _ = writeln!(
        text,
        "\n## Confidence\n\nlow: places were found by words, names and history; no one with an understanding of the code has reviewed it. Weakest: the behaviour itself, its limits, and whether {} is the right place.",
        spec.components.first().map_or("any file", String::as_str)
    );
    text
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
    let tests =
        tests.map_or_else(|| "No test was found for it.".to_owned(), |tests| format!("Covered by {tests}."));
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

/// Decisions with their votes or reasons.
fn decisions(spec: &SpecInputs<'_>) -> String {
    let (resolutions, _) = read_resolutions(spec.inputs.artifact("dialectic-resolutions.md"));
    let mut text = String::new();
    for (n, resolution) in resolutions.iter().enumerate() {
        let how = match resolution.outcome {
            DecisionOutcome::Voted { thesis, anti_thesis, .. } => {
                format!("Voted {} to {}.", thesis.max(anti_thesis), thesis.min(anti_thesis))
            }
            _ => "No vote took place; the synthesis stands.".to_owned(),
        };
        let _ = writeln!(
            text,
            "\n### D{}: {}\n\n{} {how} {}",
            n + 1,
            sanitize(&resolution.title, 80),
            sanitize(&resolution.resolution, 300),
            sanitize(&resolution.why, 300)
        );
    }
    if resolutions.is_empty() {
        let place = spec.components.first().map_or_else(|| "an unknown place".to_owned(), Clone::clone);
        let _ = writeln!(
            text,
            "\n### D1: Where the change begins\n\nIn {place}, against every other file of the survey, because most of the evidence leads there. No vote took place."
        );
    }
    text
}

fn bullet_list(lines: &[String], otherwise: &str) -> String {
    if lines.is_empty() {
        return otherwise.to_owned();
    }
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}
