//! Steps 0 and 1: the entry checks of the repository, and the branch of the design.

use super::artifacts::REQUEST;
use crate::artifact::Input;
use crate::flow::FlowSpec;
use crate::gate::Gate;
use crate::ports::{BranchOrder, BranchReport, EntryReport, PortError};
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::FlowResult;

/// Step 0: checks the branch against the entry gate, and that main is clean and up to date where required.
pub(super) async fn enter(phase: &PhaseHandle<'_>) -> FlowResult<EntryReport> {
    let _stage = phase.stage("0");
    let checkout = phase.run.ports.checkout.clone();
    let step = Step::new("setup").reads(REQUEST).touches_checkout();
    let entry: EntryReport =
        phase.step(step, move |_| async move { checkout.enter().await.map_err(step_error) }).await?;
    for warning in &entry.warnings {
        phase.warn(warning);
    }
    Ok(entry)
}

/// Step 1: switches to the branch of the design.
pub(super) async fn switch_branch(phase: &PhaseHandle<'_>, entry: &EntryReport) -> FlowResult<()> {
    let existing = |entry: &EntryReport| format!("using existing: {}", entry.current);
    let reused = (entry.decision == "reuse").then(|| existing(entry));
    let stage = phase.stage_with("1", reused);
    let create = match entry.decision.as_str() {
        "create" => true,
        "ask" => ask_branch(phase, entry).await?,
        _ => false,
    };
    let order = BranchOrder { create, from: entry.current.clone() };
    let checkout = phase.run.ports.checkout.clone();
    let step = Step::new(FlowSpec::BRANCH_STEP).reads(&Input::given("create", &create)).touches_checkout();
    let branch: BranchReport = phase
        .step(step, move |_| async move { checkout.switch_branch(order).await.map_err(step_error) })
        .await?;
    for warning in &branch.warnings {
        phase.warn(warning);
    }
    if branch.created {
        stage.finish(format!("created {}", branch.name));
    }
    Ok(())
}

/// Asks whether to leave a branch of other work; true if so. With uncommitted changes the default is to stay.
async fn ask_branch(phase: &PhaseHandle<'_>, entry: &EntryReport) -> FlowResult<bool> {
    let choices = if entry.is_dirty { ["stay", "create"] } else { ["create", "stay"] };
    let subject = Input::given("branch", &entry.current);
    let question = format!(
        "You are on '{}', which may belong to something else{}. create makes a branch for this feature from main, stay works here.",
        entry.current,
        if entry.is_dirty { ", and there are changes that are not committed" } else { "" }
    );
    let gate = Gate::new("branch", &subject)
        .incidental()
        .ask_choice("branch", &question, &choices)
        .accept_recommended();
    Ok(phase.gate(gate).await?.get("branch").trim().eq_ignore_ascii_case("create"))
}

fn step_error(error: PortError) -> StepError {
    match error {
        PortError::Refused(reason) => StepError::Refused(reason),
        PortError::Failed(reason) => StepError::Failed(reason),
        PortError::Interrupted => StepError::Interrupted,
    }
}
