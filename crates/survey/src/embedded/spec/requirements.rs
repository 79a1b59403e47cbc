//! `requirements.md`: EARS sentences about the named behaviour, each with what would prove it.

use super::parts::Parts;
use crate::embedded::ground::{is_citable, listed, risk_place, said};
use crate::report::Risk;
use std::fmt::Write as _;

/// Writes the file.
pub(super) fn write(parts: &Parts<'_>) -> String {
    let ground = &parts.ground;
    let mut text = format!("# {}\n\n{}\n>\n> **Status:** Draft\n", ground.title(), Parts::notice());
    if let Some(today) = parts.inputs.today {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "> **Created:** {today}");
    }
    let _ = writeln!(text, "> **Spec ID:** {}", said(parts.inputs.feature, 80));
    let _ = writeln!(text, "\n## Overview\n\nThe request {}. {}", ground.wish().asks, overview(parts));
    let _ = writeln!(
        text,
        "\n## User Stories\n\n### US1: {}\nAs somebody who asked for it (to be filled in: who), {}, so that (to be filled in: which need is met).\n\n**Acceptance Criteria:**",
        ground.title(),
        ground.wish().want
    );
    for (n, criterion) in criteria(parts).iter().enumerate() {
        let _ = writeln!(text, "- **REQ-1.{}:** {criterion}", n + 1);
    }
    text.push_str("\n## Non-Functional Requirements\n");
    let _ = writeln!(
        text,
        "- **NFR-1:** THE SYSTEM SHALL keep today's behaviour for everybody who does not use this; {}.",
        unchanged(parts)
    );
    text.push_str("\n## Out of Scope\n");
    for line in out_of_scope(parts) {
        let _ = writeln!(text, "- {line}");
    }
    text.push_str("\n## Dependencies\n\n| Dependency | Why |\n|---|---|\n");
    let related = ground.related_dependencies();
    if related.is_empty() {
        text.push_str("| none | nothing in the manifests shares a word with the request |\n");
    }
    for dependency in related.iter().take(5) {
        let _ = writeln!(
            text,
            "| {} | already there ({}:{}); whether it serves is for a person to decide |",
            said(&dependency.name, 60),
            dependency.path,
            dependency.line
        );
    }
    text
}

fn overview(parts: &Parts<'_>) -> String {
    if parts.components.is_empty() {
        return "No file of the repository fits it.".to_owned();
    }
    format!("It concerns {}.", listed(&parts.components))
}

/// What is demanded. Where only a person can know, the sentence says so in its place.
fn criteria(parts: &Parts<'_>) -> Vec<String> {
    let proof = parts.proof();
    let mut all = vec![
        format!("THE SYSTEM SHALL {}; it is accepted when {proof}.", parts.ground.wish().shall),
        format!(
            "WHEN {} (to be filled in: by whom, with what input), THE SYSTEM SHALL give the result that the request names (to be filled in: which); it is accepted when {proof}.",
            occasion(parts)
        ),
    ];
    let entry = parts.components.first().filter(|path| is_citable(path));
    let at = entry.map_or_else(String::new, |path| format!(" where it enters {path}"));
    all.push(format!("IF what is given is missing, malformed or beyond a limit (to be filled in: which limits), THEN THE SYSTEM SHALL report an error{at} and change nothing; it is accepted when {proof}."));
    for risk in minded(parts) {
        let verb = if risk.kind == "panic" {
            "report an error instead of ending"
        } else {
            "report the error that is dropped today"
        };
        all.push(format!("IF the new code reaches {} and it fails there, THEN THE SYSTEM SHALL {verb}; it is accepted when {proof}.", risk_place(risk)));
    }
    all
}

/// When the behaviour shows: by what the first component defines, if that is known.
fn occasion(parts: &Parts<'_>) -> String {
    let symbols = parts.components.first().map(|path| parts.ground.symbols_of(path)).unwrap_or_default();
    // What is called says more than what is only a type.
    let called = symbols.iter().find(|symbol| matches!(symbol.kind.as_str(), "function" | "method"));
    called.or(symbols.first()).map_or_else(
        || "this is used as the request describes".to_owned(),
        |symbol| format!("{} ({}:{}) is used for this", said(&symbol.name, 60), symbol.path, symbol.line),
    )
}

/// The number of the first criterion about a risk.
const FIRST_RISK: usize = 4;

/// The criteria about risks in a file, by their ids.
pub(super) fn risk_criteria(parts: &Parts<'_>, path: &str) -> Vec<String> {
    let minded = minded(parts);
    let of_file = minded.iter().enumerate().filter(|(_, risk)| risk.path == path);
    of_file.map(|(n, _)| format!("REQ-1.{}", FIRST_RISK + n)).collect()
}

/// Places where the code fails badly today, in files that change.
fn minded<'a>(parts: &Parts<'a>) -> Vec<&'a Risk> {
    let fails_badly = |risk: &&Risk| matches!(risk.kind.as_str(), "panic" | "swallowed");
    let changes = |risk: &&Risk| parts.components.contains(&risk.path);
    parts.ground.risks().into_iter().filter(changes).filter(fails_badly).take(2).collect()
}

fn unchanged(parts: &Parts<'_>) -> String {
    match parts.ground.test_command() {
        Some(run) => {
            format!("it is accepted when \"{}\" passes with no existing test changed", said(run, 100))
        }
        None => "it is accepted when no existing test had to be changed".to_owned(),
    }
}

fn out_of_scope(parts: &Parts<'_>) -> Vec<String> {
    let mut lines = vec!["Whatever the request does not name.".to_owned()];
    let others: Vec<&str> = parts
        .ground
        .sources()
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| !parts.components.iter().any(|component| component == path))
        .take(4)
        .collect();
    if !others.is_empty() {
        lines.push(format!("{}: found by the survey, not part of the plan.", listed(&others)));
    }
    lines
}
