//! `design.md`: what is there, what changes, what was decided and by whom.

use super::parts::Parts;
use crate::embedded::ground::{listed, said};
use charrette_model::panel::resolutions::{Outcome, read_resolutions};
use std::fmt::Write as _;

/// Writes the file.
pub(super) fn write(parts: &Parts<'_>) -> String {
    let mut text = format!("# Design: {}\n\n{}\n", parts.ground.title().to_lowercase(), Parts::notice());
    let approach = parts.lines("Approach");
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n## Overview\n\n{}",
        approach.first().cloned().unwrap_or_else(|| "The plan says nothing about the approach.".to_owned())
    );
    let _ = writeln!(
        text,
        "\n## Architecture\n\nToday: {}\n\nThen: the same files, changed as the components say; no file is added.",
        today(parts)
    );
    text.push_str("\n## Component Design\n");
    for (n, path) in parts.components.iter().enumerate() {
        let _ = writeln!(text, "\n### C{}: {path}\n\n{}", n + 1, component(parts, path));
    }
    if parts.components.is_empty() {
        text.push_str("\nNo file of the repository fits the request: a person must name the components.\n");
    }
    text.push_str("\n## Data Models\n\nNone is known to change. What is stored, and in which form, is for a person to decide if the request needs it.\n");
    let _ = writeln!(text, "\n## Data Flow\n\n{}", flow(parts));
    let _ = writeln!(
        text,
        "\n## Error Handling\n\n{}",
        bullets(&parts.lines("Edge cases"), "The plan names no edge cases.")
    );
    let _ = writeln!(
        text,
        "\n## Testing Strategy\n\n{}",
        bullets(&parts.lines("Testing strategy"), "The plan names no tests.")
    );
    let _ = writeln!(text, "\n## Decisions\n{}", decisions(parts));
    let _ = writeln!(
        text,
        "## Risks\n\n{}",
        bullets(&parts.lines("Failure modes"), "The plan names no failure modes.")
    );
    let _ = writeln!(
        text,
        "\n## Confidence\n\nlow: places were found by words, names and history; nobody with an understanding of the code has looked. Weakest: the behaviour itself, its limits, and whether {} is the right place.",
        parts.components.first().map_or("any file", String::as_str)
    );
    text
}

fn today(parts: &Parts<'_>) -> String {
    let mut sentences = Vec::new();
    for path in parts.components.iter().take(3) {
        let symbols: Vec<String> = parts
            .ground
            .symbols_of(path)
            .iter()
            .take(3)
            .map(|symbol| format!("{} (line {})", said(&symbol.name, 60), symbol.line))
            .collect();
        if !symbols.is_empty() {
            sentences.push(format!("{path} has {}.", listed(&symbols)));
        }
        let users = parts.ground.users_of(path);
        if !users.is_empty() {
            sentences.push(format!("{path} is used by {}.", listed(&users)));
        }
    }
    if sentences.is_empty() { "the survey shows no structure here.".to_owned() } else { sentences.join(" ") }
}

fn component(parts: &Parts<'_>, path: &str) -> String {
    let known = parts.ground.files.iter().find(|file| file.path == path);
    let reason = known
        .and_then(|file| file.reasons.first())
        .map_or_else(|| "The plan names it.".to_owned(), |reason| format!("It {}.", said(reason, 160)));
    let tests = parts.ground.covered_by(path);
    let tests =
        tests.map_or_else(|| "No test was found for it.".to_owned(), |tests| format!("Covered by {tests}."));
    format!(
        "`{path}`. {reason} {tests} What exactly changes in it is for whoever implements it, within the requirements."
    )
}

fn flow(parts: &Parts<'_>) -> String {
    let named = |path: &String| parts.components.contains(path) || parts.tests.contains(path);
    let imports: Vec<String> = parts
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

/// What was decided, by which vote or for which reason.
fn decisions(parts: &Parts<'_>) -> String {
    let (resolutions, _) = read_resolutions(parts.inputs.artifact("dialectic-resolutions.md"));
    let mut text = String::new();
    for (n, resolution) in resolutions.iter().enumerate() {
        let how = match resolution.outcome {
            Outcome::Voted { thesis, anti_thesis, .. } => {
                format!("Voted {} to {}.", thesis.max(anti_thesis), thesis.min(anti_thesis))
            }
            _ => "Nobody voted; the synthesis stands.".to_owned(),
        };
        let _ = writeln!(
            text,
            "\n### D{}: {}\n\n{} {how} {}",
            n + 1,
            said(&resolution.title, 80),
            said(&resolution.resolution, 300),
            said(&resolution.why, 300)
        );
    }
    if resolutions.is_empty() {
        let place = parts.components.first().map_or_else(|| "an unknown place".to_owned(), Clone::clone);
        let _ = writeln!(
            text,
            "\n### D1: Where the change begins\n\nIn {place}, against every other file of the survey, because most of the evidence leads there. Nobody voted."
        );
    }
    text
}

fn bullets(lines: &[String], otherwise: &str) -> String {
    if lines.is_empty() {
        return otherwise.to_owned();
    }
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}
