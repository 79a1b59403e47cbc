//! The validator: the deterministic checks only.

use super::citable_facts::NO_MODEL;
use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use charrette_model::markdown::flat;
use charrette_model::panel::severity::{Severity, severity_findings};
use charrette_model::spec::check::{IssueCode, SpecFiles, check};
use std::fmt::Write as _;

/// Checks the specification.
pub(super) fn validate(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let files = SpecFiles {
        requirements: required_artifact(inputs, "requirements.md")?,
        design: required_artifact(inputs, "design.md")?,
        tasks: required_artifact(inputs, "tasks.md")?,
        summary: inputs.artifact("summary.md"),
        spec_json: inputs.artifact("spec.json"),
        meta: inputs.artifact("meta.yaml"),
    };
    let issues = check(&files, None, &|path: &str| inputs.files.exists(path));
    // Open points are the person's; they stop no validation.
    let issues = issues.iter().filter(|issue| issue.code != IssueCode::OpenPoint);
    let mut found: Vec<String> = issues.map(|issue| format!("[CRITICAL] {issue}")).collect();
    // Earlier checks may have found more: they have also seen the plan.
    for line in inputs.artifact("checks.md").lines().flat_map(severity_findings) {
        let weight = if line.severity == Severity::Critical { "CRITICAL" } else { "MINOR" };
        let known = format!("[{weight}] {}", flat(&line.text));
        if !found.contains(&known) {
            found.push(known);
        }
    }
    Ok(render_verdict(&found))
}

/// Renders the verdict and the issues.
pub(super) fn render_verdict(found: &[String]) -> String {
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
