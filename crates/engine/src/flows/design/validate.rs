//! Step 4c: rule checks, the validator, and at most one repair.
//!
//! A repair changes the approved text, so the flow restarts and reopens the post-design gate. A second failure ends the
//! run; it can be resumed once a person has fixed the files.

use super::artifacts::{CHECKS, REPAIR_ISSUES, REPAIRED, VALIDATE_SUMMARY, VALIDATION};
use super::brief::Brief;
use super::correction::parse_corrections;
use super::specification::{Drafts, Sources, drafts_digest, publish, spec_file, spec_files};
use crate::artifact::{Artifact, Input};
use crate::panel::{Panel, check_manifests};
use crate::ports::Checkout;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::cite::SourceFacts;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::spec::check::{FileFacts, IssueCode, SpecFiles, check, report};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const REPAIRED_DRAFTS: Drafts = ["repair/requirements.md", "repair/design.md", "repair/tasks.md"];

/// Checks, validates, and repairs once.
pub(super) async fn validate(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    plan: &Artifact,
    drafts: Drafts,
    sources: &Sources<'_>,
) -> FlowResult<()> {
    let stage = phase.stage("4c");
    run_checks(phase, plan).await?;
    phase.agent(panel.call("validator")?).await?;
    stage.show_document("Validation", VALIDATION);
    match judge(phase, &drafts).await? {
        ValidationResult::Passed => {
            stage.finish("passed");
            Ok(())
        }
        ValidationResult::Failed => {
            stage.warn("failed; one repair");
            repair_drafts(phase, panel, "writer", &drafts, &REPAIRED_DRAFTS).await?;
            publish(phase, "spec-files/repair", REPAIRED_DRAFTS, Some(drafts), brief, sources).await?;
            Err(Stop::Revise)
        }
    }
}

/// Facts about files, looked up in the checkout.
pub(super) struct CheckoutFileFacts<'a>(pub(super) &'a dyn Checkout);

impl FileFacts for CheckoutFileFacts<'_> {
    fn exists(&self, path: &str) -> bool {
        self.0.exists(path)
    }

    fn sources(&self) -> Option<Arc<dyn SourceFacts>> {
        self.0.sources(&[])
    }
}

/// Runs the rule checks and writes their issues, with file and line.
async fn run_checks(phase: &PhaseHandle<'_>, plan: &Artifact) -> FlowResult<()> {
    let checkout = phase.run.ports.checkout.clone();
    let step = Step::new("checks").reads(&spec_files()).reads(plan);
    let plan = plan.name().to_owned();
    phase
        .step(step, move |context| async move {
            let text = |name: &str| context.text(&spec_file(name));
            let files = SpecFiles {
                requirements: &text("requirements.md")?,
                design: &text("design.md")?,
                tasks: &text("tasks.md")?,
                summary: &text("summary.md")?,
                spec_json: &text("spec.json")?,
                meta: &text("meta.yaml")?,
            };
            let mut issues = check(&files, Some(&context.text(&plan)?), &CheckoutFileFacts(&*checkout));
            // The gate asks the person about open points; no repair can fill them in.
            issues.retain(|issue| issue.code != IssueCode::OpenPoint);
            context.write(CHECKS, report(&issues))
        })
        .await
}

/// Combined result of rules and validator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ValidationResult {
    Passed,
    /// Failed, and not repaired yet.
    Failed,
}

/// Combines the verdicts: both must pass. Drafts that fail after a repair are an error.
pub(super) async fn judge(phase: &PhaseHandle<'_>, drafts: &[&'static str]) -> FlowResult<ValidationResult> {
    let drafts = drafts.to_vec();
    let step = Step::new("verdict")
        .reads(CHECKS)
        .reads(VALIDATION)
        .reads(&artifact_inputs(&drafts))
        .reads(&Input::optional(REPAIRED));
    phase
        .step(step, move |context| async move {
            let [checks, validation] = [context.text(CHECKS)?, context.text(VALIDATION)?];
            let passes =
                |text: &str| read_verdict(text, &["PASS", "FAIL"]).verdict.as_deref() == Some("PASS");
            if passes(&checks) && passes(&validation) {
                let summary = "Validation passed: no issues found by the rules or the validator.\n";
                context.write(VALIDATE_SUMMARY, summary)?;
                return Ok(ValidationResult::Passed);
            }
            let repaired = context.optional_text(REPAIRED)?;
            let current = drafts_digest(&context, &drafts)?;
            if repaired.is_some_and(|repaired| repaired.trim() == current) {
                return Err(StepError::Failed(format!(
                    "validation failed again after the repair:\n{}",
                    list_issues(&checks, &validation)
                )));
            }
            Ok(ValidationResult::Failed)
        })
        .await
}

/// Issues of rules and validator, one line each.
fn list_issues(checks: &str, validation: &str) -> String {
    let lines = checks.lines().chain(validation.lines()).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| line.starts_with("- ")).collect();
    if lines.is_empty() { "- the verdict is FAIL, without an issue".to_owned() } else { lines.join("\n") }
}

/// Has the writer repair its drafts; the repaired ones are new files.
pub(super) async fn repair_drafts(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    writer: &str,
    drafts: &[&'static str],
    repaired: &[&'static str],
) -> FlowResult<()> {
    let step = Step::new("repair/issues").reads(CHECKS).reads(VALIDATION);
    phase
        .step(step, |context| async move {
            let text = list_issues(&context.text(CHECKS)?, &context.text(VALIDATION)?);
            context.write(REPAIR_ISSUES, format!("{text}\n"))
        })
        .await?;
    let note = "This is a repair: your files failed validation. Put right what repair-issues.md says, with edits by section below the line of each file that changes; leave out the files that stay.";
    let drafts = drafts.to_vec();
    let call = panel
        .seat(writer)?
        .note(note)
        .call()?
        .step_id("writer/repair")
        .reads(REPAIR_ISSUES)
        .reads(&artifact_inputs(&drafts))
        .writes_only(repaired)
        .grammar_with(move |answer, inputs| {
            let files = parse_corrections(answer, inputs, &drafts, "repair")?;
            check_manifests(&files)?;
            Ok(files)
        });
    phase.agent(call).await?;
    Ok(())
}

/// Artifacts as inputs.
pub(super) fn artifact_inputs(names: &[&str]) -> Vec<Input> {
    names.iter().map(|name| Input::Artifact((*name).to_owned())).collect()
}
