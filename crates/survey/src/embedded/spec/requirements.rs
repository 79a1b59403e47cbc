//! `requirements.md`: EARS sentences about the requested behaviour, each with its proof.

use super::spec_inputs::{OWN_CRITERIA, SpecInputs};
use crate::embedded::citable_facts::{is_citable, join_list, sanitize};
use std::fmt::Write as _;

pub(super) fn write(spec: &SpecInputs<'_>) -> String {
    let facts = &spec.facts;
    let mut text = format!("# {}\n\n{}\n>\n> **Status:** Draft\n", facts.title(), SpecInputs::notice());
    if let Some(today) = spec.inputs.today {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "> **Created:** {today}");
    }
    let _ = writeln!(text, "> **Spec ID:** {}", sanitize(spec.inputs.feature, 80));
    let _ =
        writeln!(text, "\n## Overview\n\nThe request {}. {}", facts.request_phrases().asks, overview(spec));
    let _ = writeln!(
        text,
        "\n## User Stories\n\n### US1: {}\nAs a user (to be filled in: who), {}, so that (to be filled in: which need is met).\n\n**Acceptance Criteria:**",
        facts.title(),
        facts.request_phrases().want
    );
    for (n, criterion) in criteria(spec).iter().enumerate() {
        let _ = writeln!(text, "- **REQ-1.{}:** {criterion}", n + 1);
    }
    text.push_str("\n## Non-Functional Requirements\n");
    let _ = writeln!(
        text,
        "- **NFR-1:** THE SYSTEM SHALL keep today's behaviour for everybody who does not use this; {}.",
        regression_proof(spec)
    );
    text.push_str("\n## Out of Scope\n");
    for line in out_of_scope(spec) {
        let _ = writeln!(text, "- {line}");
    }
    text.push_str("\n## Dependencies\n\n| Dependency | Why |\n|---|---|\n");
    let related = facts.related_dependencies();
    if related.is_empty() {
        text.push_str("| none | nothing in the manifests shares a word with the request |\n");
    }
    for dependency in related.iter().take(5) {
        let _ = writeln!(
            text,
            "| {} | already there ({}:{}); whether it serves is for a person to decide |",
            sanitize(&dependency.name, 60),
            dependency.path,
            dependency.line
        );
    }
    text
}

fn overview(spec: &SpecInputs<'_>) -> String {
    if spec.components.is_empty() {
        return "No file of the repository fits it.".to_owned();
    }
    format!("It concerns {}.", join_list(&spec.components))
}

/// Acceptance criteria. Placeholders mark what only a person can know.
fn criteria(spec: &SpecInputs<'_>) -> Vec<String> {
    let proof = spec.proof();
    let mut all = vec![
        format!("THE SYSTEM SHALL {}; it is accepted when {proof}.", spec.facts.request_phrases().shall),
        format!(
            "WHEN {} (to be filled in: by whom, with what input), THE SYSTEM SHALL give the result that the request names (to be filled in: which); it is accepted when {proof}.",
            trigger(spec)
        ),
    ];
    let entry = spec.components.first().filter(|path| is_citable(path));
    let at = entry.map_or_else(String::new, |path| format!(" where it enters {path}"));
    all.push(format!("IF what is given is missing, malformed or beyond a limit (to be filled in: which limits), THEN THE SYSTEM SHALL report an error{at} and change nothing; it is accepted when {proof}."));
    debug_assert_eq!(all.len(), OWN_CRITERIA, "tasks refer to the criteria by number");
    for (about, words) in spec.person.lines() {
        all.push(format!(
            "THE SYSTEM SHALL be as the person decided about {about}: \"{}\"; it is accepted when {proof}.",
            words.trim_end_matches('.')
        ));
    }
    all
}

/// Condition of the second criterion: use of a definition in the first component, if one is known.
fn trigger(spec: &SpecInputs<'_>) -> String {
    let symbols = spec.components.first().map(|path| spec.facts.symbols_of(path)).unwrap_or_default();
    // Functions say more than types.
    let called = symbols.iter().find(|symbol| matches!(symbol.kind.as_str(), "function" | "method"));
    called.or(symbols.first()).map_or_else(
        || "this is used as the request describes".to_owned(),
        |symbol| format!("{} ({}:{}) is used for this", sanitize(&symbol.name, 60), symbol.path, symbol.line),
    )
}

fn regression_proof(spec: &SpecInputs<'_>) -> String {
    match spec.facts.test_command() {
        Some(run) => {
            format!("it is accepted when \"{}\" passes with no existing test changed", sanitize(run, 100))
        }
        None => "it is accepted when no existing test had to be changed".to_owned(),
    }
}

fn out_of_scope(spec: &SpecInputs<'_>) -> Vec<String> {
    let mut lines = vec!["Everything the request does not name.".to_owned()];
    lines
        .extend(spec.person.scope.iter().map(|words| format!("As the person said about the scope: {words}")));
    if !spec.person.excluded.is_empty() {
        lines.push(format!("{}: taken out by the person.", join_list(&spec.person.excluded)));
    }
    let others: Vec<&str> = spec
        .facts
        .sources()
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| !spec.components.iter().any(|component| component == path))
        .take(4)
        .collect();
    if !others.is_empty() {
        lines.push(format!("{}: found by the survey, not part of the plan.", join_list(&others)));
    }
    lines
}
