//! Step 2b, the draft of the plan, and the end of step 3.5, the final plan.

use super::artifacts::{PLAN, ROUND_2};
use crate::artifact::{Artifact, Input};
use crate::panel::{Chief, Panel, feedback_inputs};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;

/// Has the chief designer draft the plan.
pub(super) async fn draft_plan(phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<(Chief, Artifact)> {
    let stage = phase.stage("2b");
    let (chief, plan) = Chief::draft(phase, panel).await?;
    stage.show_document("Implementation Plan", plan.name());
    stage.finish("saved");
    Ok((chief, plan))
}

/// Makes the final plan: the one after the walk-through, changed by the second discussion and the feedback if there is
/// any.
pub(super) async fn finish_plan(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    chief: &Chief,
    walked: &Artifact,
) -> FlowResult<Artifact> {
    if has_change_requests(phase).await? {
        return chief.finish(phase, panel).await;
    }
    let (step, name) = (Step::new("plan/as-walked").reads(walked), walked.name().to_owned());
    phase.make(Artifact::fixed(PLAN), step, |context| async move { context.text(&name) }).await
}

async fn has_change_requests(phase: &PhaseHandle<'_>) -> FlowResult<bool> {
    let [first, second, third] = feedback_inputs();
    let requests = [Input::optional(ROUND_2), first, second, third];
    let names: Vec<String> = requests.iter().map(Input::label).collect();
    let step = Step::new("plan/wishes").reads(&requests);
    phase
        .step(step, move |context| async move {
            for name in names {
                if context.optional_text(&name)?.is_some_and(|text| !text.trim().is_empty()) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
        .await
}
