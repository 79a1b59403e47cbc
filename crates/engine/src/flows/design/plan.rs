//! Steps 2b and the end of 3.5: the plan that is reviewed, and the plan that is final.

use crate::artifact::Input;
use crate::panel::{Desk, feedback};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::Flow;

const REVIEWED: &str = "plan-reviewed.txt";
const ROUND_2: &str = "discussion-round2.md";
const PLAN: &str = "plan.txt";

/// Drafts the plan.
pub(super) async fn draft(write: &PhaseHandle<'_>, desk: &Desk) -> Flow<()> {
    let stage = write.stage("2b");
    write.agent(desk.call("planner")?).await?;
    stage.show("Implementation Plan", "plan-draft.txt");
    stage.done("saved");
    Ok(())
}

/// The final plan: what the second discussion and revisions made of the reviewed one, or that one as it is.
pub(super) async fn finish(write: &PhaseHandle<'_>, desk: &Desk) -> Flow<()> {
    if anything_to_change(write).await? {
        write.agent(desk.call("finisher")?).await?;
        return Ok(());
    }
    let step = Step::new("plan/as-reviewed").reads(REVIEWED);
    write.step(step, |context| async move { context.write(PLAN, context.text(REVIEWED)?) }).await
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
