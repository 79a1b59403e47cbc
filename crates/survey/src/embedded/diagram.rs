//! The illustrator: the files of the plan, who uses whom, and what tests them.

use super::draft::{DraftError, needed};
use super::inputs::Inputs;
use super::plan_text::{PlanText, SECTIONS};
use super::synthesis::named_files;
use crate::tree::kind::{Kind, kind};
use std::fmt::Write as _;

/// So many nodes can be taken in.
const MOST: usize = 12;

/// Draws the plan.
pub(super) fn draw(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let plan = needed(inputs, "plan.txt")?;
    let listed = PlanText::read(plan).section(SECTIONS[0]).unwrap_or_default();
    let mut files = named_files(inputs, &listed);
    files.retain(|path| kind(path) != Some(Kind::Doc));
    files.truncate(MOST);
    let node = |path: &str| files.iter().position(|file| file == path).map(|n| format!("f{n}"));
    let mut body = String::new();
    // Writing to a string cannot fail.
    let _ =
        writeln!(body, "flowchart TD\n  %% No model took part.\n  change([\"{}\"])", label(inputs.feature));
    for (n, file) in files.iter().enumerate() {
        let _ = writeln!(body, "  f{n}[\"{}\"]", label(file));
    }
    let tests = &inputs.survey.tests;
    let is_test = |path: &str| {
        tests.iter().any(|test| test.path == path && test.covers.iter().any(|covered| covered != path))
    };
    for (n, file) in files.iter().enumerate().filter(|(_, file)| !is_test(file)) {
        let _ = writeln!(body, "  change --> f{n}");
        for import in inputs.survey.imports.iter().filter(|import| import.from == *file) {
            if let Some(to) = node(&import.to) {
                let _ = writeln!(body, "  f{n} -- uses --> {to}");
            }
        }
    }
    for test in tests {
        let Some(from) = node(&test.path) else { continue };
        for to in
            test.covers.iter().filter(|covered| **covered != test.path).filter_map(|covered| node(covered))
        {
            let _ = writeln!(body, "  {from} -. tests .-> {to}");
        }
    }
    Ok(format!("## Architecture Diagram\n\n```mermaid\n{body}```\n"))
}

/// A label in quotes: only what Mermaid takes literally.
fn label(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | ' ' | '@' | '+'))
        .take(80)
        .collect()
}
