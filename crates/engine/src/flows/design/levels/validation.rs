//! Step 4c of a project or feature: rule checks, the validator, and at most one repair.

use super::files::publish;
use super::kind::LevelKind;
use crate::flows::design::artifacts::{CHECKS, VALIDATION};
use crate::flows::design::brief::Brief;
use crate::flows::design::validate::{ValidationResult, artifact_inputs, judge, repair_drafts};
use crate::panel::Panel;
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::{FlowResult, Stop};
use charrette_model::spec::check::{check_level, report};

/// Checks, validates, and repairs once. A repair changes the approved text, so the flow restarts and reopens its gate.
pub(super) async fn validate(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    kind: &'static LevelKind,
) -> FlowResult<()> {
    let stage = phase.stage("4c");
    run_checks(phase, kind).await?;
    phase.agent(panel.call(kind.validator)?.step_id("validator")).await?;
    stage.show_document("Validation", VALIDATION);
    match judge(phase, &kind.drafts).await? {
        ValidationResult::Passed => {
            stage.finish("passed");
            Ok(())
        }
        ValidationResult::Failed => {
            stage.warn("failed; one repair");
            repair_drafts(phase, panel, kind.writer, &kind.drafts, &kind.repaired).await?;
            publish(phase, "spec-files/repair", &kind.repaired, brief, kind).await?;
            Err(Stop::Revise)
        }
    }
}

/// Runs the rule checks and writes their issues, with file and line.
async fn run_checks(phase: &PhaseHandle<'_>, kind: &'static LevelKind) -> FlowResult<()> {
    let delivered = kind.delivered_files();
    let step = Step::new("checks").reads(&artifact_inputs(&delivered.each_ref().map(String::as_str)));
    phase
        .step(step, move |context| async move {
            let [page, manifest] = &delivered;
            let issues = check_level(kind.level, &context.text(page)?, &context.text(manifest)?);
            context.write(CHECKS, report(&issues))
        })
        .await
}
