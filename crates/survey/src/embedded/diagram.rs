//! The illustrator: a diagram of the files of the plan, their imports and tests.
//!
//! Its seat reads only the plan, so the diagram shows the files the plan names.

use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use super::plan_text::{PlanText, SECTIONS};
use super::synthesis::cited_files;
use crate::tree::kind::{FileKind, file_kind};
use std::fmt::Write as _;

/// Maximum number of nodes.
const MAX_NODES: usize = 12;

/// Draws the plan as a Mermaid flowchart.
pub(super) fn draw(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let plan = required_artifact(inputs, "plan.txt")?;
    let listed = PlanText::read(plan).section(SECTIONS[0]).unwrap_or_default();
    let mut files: Vec<(String, FileKind)> = cited_files(inputs, &listed)
        .into_iter()
        .filter_map(|path| file_kind(&path).map(|kind| (path, kind)))
        .collect();
    files.retain(|(_, kind)| *kind != FileKind::Doc);
    files.truncate(MAX_NODES);
    let mut body = String::from("flowchart TD\n  %% No model took part.\n");
    // Writing to a string cannot fail.
    let _ = writeln!(body, "  change([\"{}\"])", label(inputs.feature));
    for (n, (path, _)) in files.iter().enumerate() {
        let _ = writeln!(body, "  f{n}[\"{}\"]", label(path));
    }
    for (n, _) in files.iter().enumerate().filter(|(_, (_, kind))| *kind != FileKind::Test) {
        let _ = writeln!(body, "  change --> f{n}");
    }
    let mut edges = import_edges(inputs, &files);
    edges.extend(strategy_edges(inputs, &PlanText::read(plan), &files));
    edges.sort_unstable();
    edges.dedup();
    for (from, to, tests) in edges {
        let arrow = if tests { "-. tests .->" } else { "-- uses -->" };
        let _ = writeln!(body, "  f{from} {arrow} f{to}");
    }
    Ok(format!("## Architecture Diagram\n\n```mermaid\n{body}```\n"))
}

/// Test edges from the testing strategy: lines that name a file and then its tests.
fn strategy_edges(
    inputs: &DraftInputs<'_>,
    plan: &PlanText<'_>,
    files: &[(String, FileKind)],
) -> Vec<(usize, usize, bool)> {
    let position = |path: &String| files.iter().position(|(known, _)| known == path);
    let mut edges = Vec::new();
    for line in plan.items(SECTIONS[4]) {
        let mut named = cited_files(inputs, &line).into_iter();
        let Some(to) = named.next().and_then(|path| position(&path)) else { continue };
        let tests = named.filter_map(|path| position(&path)).filter(|n| files[*n].1 == FileKind::Test);
        edges.extend(tests.filter(|_| files[to].1 != FileKind::Test).map(|from| (from, to, true)));
    }
    edges
}

/// Import and test edges, by position, as the survey found them.
fn import_edges(inputs: &DraftInputs<'_>, files: &[(String, FileKind)]) -> Vec<(usize, usize, bool)> {
    let position = |path: &str| files.iter().position(|(known, _)| known == path);
    let is_test = |n: usize| files[n].1 == FileKind::Test;
    let imports = inputs.survey.imports.iter().filter_map(|import| {
        let (from, to) = (position(&import.from)?, position(&import.to)?);
        (!is_test(from)).then_some((from, to, false))
    });
    let tests = inputs.survey.tests.iter().flat_map(|test| {
        test.covers.iter().filter_map(|covered| Some((position(&test.path)?, position(covered)?, true)))
    });
    imports.chain(tests).filter(|(from, to, _)| from != to).collect()
}

/// Node label: only characters that Mermaid takes literally.
fn label(text: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ' ' | '@' | '+');
    text.chars().filter(plain).take(80).collect()
}
