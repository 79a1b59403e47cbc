//! Step 4c: the specification is checked by rules, then by the validator, and repaired at most once.
//!
//! A repair changes what was approved, so the run goes through its last gate again. A second failure ends it: the
//! phase has failed, and the run can be resumed when somebody has mended the files.

use super::artifacts::{CHECKS, REPAIR_ISSUES, REPAIRED, VALIDATE_SUMMARY, VALIDATION};
use super::brief::Brief;
use super::flow::Seatings;
use super::specification::{DRAFTS, Sources, drafts_digest, publish, spec_file, spec_files};
use crate::artifact::{Artifact, Input};
use crate::panel::{Desk, spec_files as split};
use crate::ports::Checkout;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::{Flow, Stop};
use charrette_model::panel::verdict::read_review;
use charrette_model::spec::check::{FileFacts, SpecFiles, check, report};
use serde::{Deserialize, Serialize};

const REPAIR: [&str; 3] = ["repair/requirements.md", "repair/design.md", "repair/tasks.md"];

/// Checks, validates, and repairs once.
pub(super) async fn validate(
    phase: &PhaseHandle<'_>,
    desk: &Desk,
    brief: &Brief,
    plan: &Artifact,
    summary: &Artifact,
    seatings: &Seatings,
) -> Flow<()> {
    let stage = phase.stage("4c");
    checks(phase, plan).await?;
    phase.agent(desk.call("validator")?).await?;
    stage.show("Validation", VALIDATION);
    match verdict(phase, &DRAFTS).await? {
        Verdict::Passed => {
            stage.done("passed");
            Ok(())
        }
        Verdict::Failed => {
            stage.warn("failed; one repair");
            rewrite(phase, desk, "writer", (&DRAFTS, &REPAIR)).await?;
            publish(phase, "spec-files/repair", REPAIR, brief, &Sources { summary, seatings }).await?;
            Err(Stop::Again)
        }
    }
}

/// The files of the repository.
struct Facts<'a>(&'a dyn Checkout);

impl FileFacts for Facts<'_> {
    fn exists(&self, path: &str) -> bool {
        self.0.is_there(path)
    }
}

/// What rules can say, with file and line.
async fn checks(phase: &PhaseHandle<'_>, plan: &Artifact) -> Flow<()> {
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
            let issues = check(&files, Some(&context.text(&plan)?), &Facts(&*checkout));
            context.write(CHECKS, report(&issues))
        })
        .await
}

/// What rules and validator come to together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    /// Nothing is wrong.
    Passed,
    /// Something is, and it may be repaired.
    Failed,
}

/// Both must agree that nothing is wrong. What was repaired and still fails has failed.
pub(super) async fn verdict(phase: &PhaseHandle<'_>, drafts: &'static [&'static str]) -> Flow<Verdict> {
    let step = Step::new("verdict")
        .reads(CHECKS)
        .reads(VALIDATION)
        .reads(&artifacts(drafts))
        .reads(&Input::optional(REPAIRED));
    phase
        .step(step, move |context| async move {
            let [checks, validation] = [context.text(CHECKS)?, context.text(VALIDATION)?];
            let passes = |text: &str| read_review(text, &["PASS", "FAIL"]).verdict.as_deref() == Some("PASS");
            if passes(&checks) && passes(&validation) {
                let said = "Validation passed: the rules found nothing, and neither did the validator.\n";
                context.write(VALIDATE_SUMMARY, said)?;
                return Ok(Verdict::Passed);
            }
            let repaired = context.optional_text(REPAIRED)?;
            let now = drafts_digest(&context, drafts)?;
            if repaired.is_some_and(|repaired| repaired.trim() == now) {
                return Err(StepError::Failed(format!(
                    "the specification does not pass, and was repaired once already:\n{}",
                    issues(&checks, &validation)
                )));
            }
            Ok(Verdict::Failed)
        })
        .await
}

/// Everything that was found, one line each.
fn issues(checks: &str, validation: &str) -> String {
    let lines = checks.lines().chain(validation.lines()).map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| line.starts_with("- ")).collect();
    if lines.is_empty() { "- the verdict is FAIL, without an issue".to_owned() } else { lines.join("\n") }
}

/// A writer gets its drafts back, with what is wrong with them; what it answers are other files.
pub(super) async fn rewrite(
    phase: &PhaseHandle<'_>,
    desk: &Desk,
    writer: &str,
    (drafts, repaired): (&'static [&'static str], &'static [&'static str]),
) -> Flow<()> {
    let step = Step::new("repair/issues").reads(CHECKS).reads(VALIDATION);
    phase
        .step(step, |context| async move {
            let text = issues(&context.text(CHECKS)?, &context.text(VALIDATION)?);
            context.write(REPAIR_ISSUES, format!("{text}\n"))
        })
        .await?;
    let note = "This is a repair: your files failed validation. Put right what repair-issues.md says, and leave the rest word for word.";
    let assignment = desk.seat(writer)?.note(note);
    let seat = assignment.seat();
    let call = assignment
        .call()?
        .step_id("writer/repair")
        .reads(REPAIR_ISSUES)
        .reads(&artifacts(drafts))
        .writes_instead(repaired)
        .grammar(move |answer| {
            let files = split(seat, answer)?;
            Ok(files.into_iter().map(|(name, text)| (format!("repair/{name}"), text)).collect())
        });
    phase.agent(call).await?;
    Ok(())
}

/// Files of the workspace, as inputs.
pub(super) fn artifacts(names: &[&str]) -> Vec<Input> {
    names.iter().map(|name| Input::Artifact((*name).to_owned())).collect()
}
