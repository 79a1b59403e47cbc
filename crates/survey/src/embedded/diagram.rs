//! The illustrator: the files of the plan, who uses whom, and what tests them.
//!
//! Its seat reads the plan and nothing else, so what it draws comes from the files the plan names.

use super::draft::{DraftError, needed};
use super::inputs::Inputs;
use super::plan_text::{PlanText, SECTIONS};
use super::synthesis::named_files;
use crate::rank::imports::Modules;
use crate::rank::pairs::partners;
use crate::tree::kind::{Kind, kind};
use std::fmt::Write as _;

/// So many nodes can be taken in.
const MOST: usize = 12;

/// Draws the plan.
pub(super) fn draw(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let plan = needed(inputs, "plan.txt")?;
    let listed = PlanText::read(plan).section(SECTIONS[0]).unwrap_or_default();
    let mut files: Vec<(String, Kind)> = named_files(inputs, &listed)
        .into_iter()
        .filter_map(|path| kind(&path).map(|kind| (path, kind)))
        .collect();
    files.retain(|(_, kind)| *kind != Kind::Doc);
    files.truncate(MOST);
    let mut body = String::from("flowchart TD\n  %% No model took part.\n");
    // Writing to a string cannot fail.
    let _ = writeln!(body, "  change([\"{}\"])", label(inputs.feature));
    for (n, (path, _)) in files.iter().enumerate() {
        let _ = writeln!(body, "  f{n}[\"{}\"]", label(path));
    }
    for (n, _) in files.iter().enumerate().filter(|(_, (_, kind))| *kind != Kind::Test) {
        let _ = writeln!(body, "  change --> f{n}");
    }
    let mut edges = edges(inputs, &files);
    edges.extend(covered(inputs, &PlanText::read(plan), &files));
    edges.sort_unstable();
    edges.dedup();
    for (from, to, tests) in edges {
        let arrow = if tests { "-. tests .->" } else { "-- uses -->" };
        let _ = writeln!(body, "  f{from} {arrow} f{to}");
    }
    Ok(format!("## Architecture Diagram\n\n```mermaid\n{body}```\n"))
}

/// What the testing strategy says covers what: lines that name a file and then its tests.
fn covered(inputs: &Inputs<'_>, plan: &PlanText<'_>, files: &[(String, Kind)]) -> Vec<(usize, usize, bool)> {
    let position = |path: &String| files.iter().position(|(known, _)| known == path);
    let mut edges = Vec::new();
    for line in plan.items(SECTIONS[4]) {
        let mut named = named_files(inputs, &line).into_iter();
        let Some(to) = named.next().and_then(|path| position(&path)) else { continue };
        let tests = named.filter_map(|path| position(&path)).filter(|n| files[*n].1 == Kind::Test);
        edges.extend(tests.filter(|_| files[to].1 != Kind::Test).map(|from| (from, to, true)));
    }
    edges
}

/// Who uses or tests whom, by position: imports, and tests with matching names.
fn edges(inputs: &Inputs<'_>, files: &[(String, Kind)]) -> Vec<(usize, usize, bool)> {
    let known: Vec<(&str, Kind)> = files.iter().map(|(path, kind)| (path.as_str(), *kind)).collect();
    let modules = Modules::new(known.iter().copied());
    let partners = partners(&known);
    let mut edges = Vec::new();
    for (from, (path, kind)) in known.iter().enumerate() {
        let mut to = modules.imported(path, &inputs.files.text(path).unwrap_or_default());
        if *kind == Kind::Test {
            to.extend(&partners[from]);
        }
        to.sort_unstable();
        to.dedup();
        edges.extend(to.into_iter().map(|to| (from, to, *kind == Kind::Test && known[to].1 != Kind::Test)));
    }
    edges
}

/// A label in quotes: only what Mermaid takes literally.
fn label(text: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ' ' | '@' | '+');
    text.chars().filter(plain).take(80).collect()
}
