//! Steps 0 and 1: how the repository was found, and the branch the design is made on.

use super::artifacts::REQUEST;
use crate::artifact::Input;
use crate::gate::Gate;
use crate::ports::{BranchOrder, Branched, Entrance, Refusal};
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::Flow;

/// Step 0: the branch, the entry gate, main clean and up to date where that is asked for.
pub(super) async fn enter(research: &PhaseHandle<'_>) -> Flow<Entrance> {
    let _stage = research.stage("0");
    let checkout = research.run.ports.checkout.clone();
    let step = Step::new("setup").reads(REQUEST).touches_checkout();
    let entrance: Entrance =
        research.step(step, move |_| async move { checkout.enter().await.map_err(refused) }).await?;
    for warning in &entrance.warnings {
        research.warn(warning);
    }
    Ok(entrance)
}

/// Step 1: the branch.
pub(super) async fn branch(research: &PhaseHandle<'_>, entrance: &Entrance) -> Flow<()> {
    let stays = |entrance: &Entrance| format!("using existing: {}", entrance.current);
    let reused = (entrance.decision == "reuse").then(|| stays(entrance));
    let stage = research.stage_with("1", reused);
    let create = match entrance.decision.as_str() {
        "create" => true,
        "ask" => asked(research, entrance).await?,
        _ => false,
    };
    let order = BranchOrder { create, from: entrance.current.clone() };
    let checkout = research.run.ports.checkout.clone();
    let step = Step::new("branch").reads(&Input::given("create", &create)).touches_checkout();
    let branched: Branched =
        research.step(step, move |_| async move { checkout.branch(order).await.map_err(refused) }).await?;
    for warning in &branched.warnings {
        research.warn(warning);
    }
    if branched.created {
        stage.done(format!("created {}", branched.name));
    }
    Ok(())
}

/// Whether a branch that may belong to something else is left. Changes are never carried along unasked.
async fn asked(research: &PhaseHandle<'_>, entrance: &Entrance) -> Flow<bool> {
    let choices = if entrance.is_dirty { ["stay", "create"] } else { ["create", "stay"] };
    let about = Input::given("branch", &entrance.current);
    let question = format!(
        "You are on '{}', which may belong to something else{}. create makes a branch for this feature from main, stay works here.",
        entrance.current,
        if entrance.is_dirty { ", and there are changes that are not committed" } else { "" }
    );
    let gate = Gate::new("branch", &about)
        .incidental()
        .ask_choice("branch", &question, &choices)
        .or_as_recommended();
    Ok(research.gate(gate).await?.get("branch").trim().eq_ignore_ascii_case("create"))
}

fn refused(refusal: Refusal) -> StepError {
    match refusal {
        Refusal::Refused(reason) => StepError::Refused(reason),
        Refusal::Failed(reason) => StepError::Failed(reason),
        Refusal::Interrupted => StepError::Interrupted,
    }
}
