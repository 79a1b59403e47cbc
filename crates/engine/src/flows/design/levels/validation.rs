//! Step 4c: rules, then the validator, and one repair.

use super::files::publish;
use super::kind::Kind;
use crate::flows::design::artifacts::{CHECKS, VALIDATION};
use crate::flows::design::brief::Brief;
use crate::flows::design::validate::{Verdict, artifacts, rewrite, verdict};
use crate::panel::Desk;
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::{Flow, Stop};
use charrette_model::spec::check::{check_level, report};

/// Checks, validates, and repairs once. A repair changes what was approved, so the run goes through its gate again.
pub(super) async fn validate(
    phase: &PhaseHandle<'_>,
    desk: &Desk,
    brief: &Brief,
    kind: &'static Kind,
) -> Flow<()> {
    let stage = phase.stage("4c");
    checks(phase, kind).await?;
    phase.agent(desk.call(kind.validator)?.step_id("validator")).await?;
    stage.show("Validation", VALIDATION);
    match verdict(phase, &kind.drafts).await? {
        Verdict::Passed => {
            stage.done("passed");
            Ok(())
        }
        Verdict::Failed => {
            stage.warn("failed; one repair");
            rewrite(phase, desk, kind.writer, (&kind.drafts, &kind.repaired)).await?;
            publish(phase, "spec-files/repair", &kind.repaired, brief, kind).await?;
            Err(Stop::Again)
        }
    }
}

/// What rules can say, with file and line.
async fn checks(phase: &PhaseHandle<'_>, kind: &'static Kind) -> Flow<()> {
    let delivered = kind.delivered();
    let step = Step::new("checks").reads(&artifacts(&delivered.each_ref().map(String::as_str)));
    phase
        .step(step, move |context| async move {
            let [page, manifest] = &delivered;
            let issues = check_level(kind.level, &context.text(page)?, &context.text(manifest)?);
            context.write(CHECKS, report(&issues))
        })
        .await
}
