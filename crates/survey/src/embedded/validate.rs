//! The validator: the deterministic checks, and nothing that would need judgement.

use super::draft::{DraftError, needed};
use super::ground::NO_MODEL;
use super::inputs::Inputs;
use charrette_model::panel::lines::flat;
use charrette_model::panel::severity::{Severity, findings_in};
use charrette_model::spec::check::{SpecFiles, check};
use std::fmt::Write as _;

/// Checks the specification.
pub(super) fn validate(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let files = SpecFiles {
        requirements: needed(inputs, "requirements.md")?,
        design: needed(inputs, "design.md")?,
        tasks: needed(inputs, "tasks.md")?,
        summary: inputs.artifact("summary.md"),
        spec_json: inputs.artifact("spec.json"),
        meta: inputs.artifact("meta.yaml"),
    };
    let issues = check(&files, None, &|path: &str| inputs.files.exists(path));
    let mut found: Vec<String> = issues.iter().map(|issue| format!("[CRITICAL] {issue}")).collect();
    // What programs found before may say more: they have also seen the plan.
    for line in inputs.artifact("checks.md").lines().flat_map(findings_in) {
        let weight = if line.severity == Severity::Critical { "CRITICAL" } else { "MINOR" };
        let known = format!("[{weight}] {}", flat(&line.text));
        if !found.contains(&known) {
            found.push(known);
        }
    }
    Ok(written(&found))
}

/// The verdict and the issues.
pub(super) fn written(found: &[String]) -> String {
    let verdict = if found.iter().any(|issue| issue.starts_with("[CRITICAL]")) { "FAIL" } else { "PASS" };
    let mut text = format!(
        "Verdict: {verdict}\n\n> {NO_MODEL} Only shapes, numbers, links and paths were checked; whether the files say the right thing is for a person to judge.\n"
    );
    if !found.is_empty() {
        text.push('\n');
    }
    for issue in found {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {issue}");
    }
    text
}
