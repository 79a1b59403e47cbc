//! Steps 2b and the end of 3.5: the plan that is reviewed, and the plan that is final.

use super::artifacts::{PLAN, ROUND_2};
use crate::artifact::{Artifact, Input};
use crate::panel::{Desk, feedback};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::Flow;

/// Drafts the plan.
pub(super) async fn draft(write: &PhaseHandle<'_>, desk: &Desk) -> Flow<Artifact> {
    let stage = write.stage("2b");
    let plan = write.agent_file(desk.call("planner")?).await?;
    stage.show("Implementation Plan", plan.name());
    stage.done("saved");
    Ok(plan)
}

/// The final plan: what the second discussion and revisions made of the reviewed one, or that one as it is.
pub(super) async fn finish(write: &PhaseHandle<'_>, desk: &Desk, reviewed: &Artifact) -> Flow<Artifact> {
    if anything_to_change(write).await? {
        return write.agent_file(desk.call("finisher")?).await;
    }
    let (step, name) = (Step::new("plan/as-reviewed").reads(reviewed), reviewed.name().to_owned());
    write.make(Artifact::fixed(PLAN), step, |context| async move { context.text(&name) }).await
}

async fn anything_to_change(write: &PhaseHandle<'_>) -> Flow<bool> {
    let [first, second, third] = feedback();
    let wishes = [Input::optional(ROUND_2), first, second, third];
    let names: Vec<String> = wishes.iter().map(Input::label).collect();
    let step = Step::new("plan/wishes").reads(&wishes);
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
