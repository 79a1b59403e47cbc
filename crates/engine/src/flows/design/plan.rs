//! Step 2b, the draft of the plan, and the end of step 3.5, the final plan.

use super::artifacts::{PLAN, ROUND_2};
use crate::artifact::{Artifact, Input};
use crate::panel::{Panel, feedback_inputs};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::Flow;

/// Has the planner draft the plan.
pub(super) async fn draft_plan(write: &PhaseHandle<'_>, panel: &Panel) -> Flow<Artifact> {
    let stage = write.stage("2b");
    let plan = write.agent_file(panel.call("planner")?).await?;
    stage.show_document("Implementation Plan", plan.name());
    stage.finish("saved");
    Ok(plan)
}

/// Makes the final plan: the reviewed one, changed by the second discussion and the feedback if there is any.
pub(super) async fn finish_plan(
    write: &PhaseHandle<'_>,
    panel: &Panel,
    reviewed: &Artifact,
) -> Flow<Artifact> {
    if has_change_requests(write).await? {
        return write.agent_file(panel.call("finisher")?).await;
    }
    let (step, name) = (Step::new("plan/as-reviewed").reads(reviewed), reviewed.name().to_owned());
    write.make(Artifact::fixed(PLAN), step, |context| async move { context.text(&name) }).await
}

async fn has_change_requests(write: &PhaseHandle<'_>) -> Flow<bool> {
    let [first, second, third] = feedback_inputs();
    let requests = [Input::optional(ROUND_2), first, second, third];
    let names: Vec<String> = requests.iter().map(Input::label).collect();
    let step = Step::new("plan/wishes").reads(&requests);
    write
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
