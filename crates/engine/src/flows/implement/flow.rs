//! The flow of an implementation: the specification, the baseline, waves of tasks; then the whole is verified, reviewed,
//! repaired, reported and landed.

use super::artifacts::{IMPLEMENTATION_SUMMARY, VALIDATION_SUMMARY};
use super::beginning::{begin, take_baseline};
use super::delivery::{Delivery, clean_up};
use super::flags::ImplementFlags;
use super::follow_ups::FollowUps;
use super::reading::read_specification;
use super::state::RunState;
use super::validation::{ask_about_red_whole, validate};
use super::waves::implement_tasks;
use super::work::Work;
use crate::artifact::{Artifact, Input};
use crate::run::{PhaseHandle, Run};
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::words;
use std::fmt::Write as _;

pub(super) const IMPLEMENTATION: &str = "implementation";
pub(super) const VALIDATION: &str = "validation";

/// Implements a specification.
pub(super) async fn implement(run: &Run<'_>) -> FlowResult<()> {
    let flags = ImplementFlags::from_map(&run.order().flags);
    let phase = run.phase(IMPLEMENTATION);
    let stage = phase.stage("0");
    let specification = read_specification(&phase, &flags).await?;
    let work = begin(run, &phase, flags, specification).await?;
    stage.finish(format!("{} tasks selected", work.specification.selection.open.len()));
    let work = take_baseline(&phase, &work).await?;
    let stage = phase.stage("2");
    let state = implement_tasks(&phase, &work).await?;
    stage.finish(format!("{} tasks integrated, {} left out", state.count, state.skipped.len()));
    let summary = summarise(run, &phase, &work, &state).await?;
    phase.finish(Some(&summary)).await?;
    run.stop_if_last_requested(IMPLEMENTATION)?;

    let phase = run.phase(VALIDATION);
    let outcome = validate(&phase, &work, &state).await?;
    ask_about_red_whole(&phase, &work, &outcome).await?;
    let follow_ups = FollowUps::collect(&phase, &work, &state, &outcome);
    Delivery { phase: &phase, work: &work, state: &state, outcome: &outcome }.deliver().await?;
    follow_ups.write_drafts().await?;
    clean_up(&phase, &work).await?;
    follow_ups.create_asked_issues().await?;
    phase.finish_run(Some(&Artifact::fixed(VALIDATION_SUMMARY))).await
}

/// Writes the summary of the implementation phase: what was integrated, and what was left out.
async fn summarise(
    run: &Run<'_>,
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
) -> FlowResult<Artifact> {
    let mut text = format!("Implemented {} of {} tasks.\n", state.count, work.plan().tasks.len());
    for task in state.integrated.values() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {}: {}", task.id, task.title);
    }
    for (id, why) in &state.skipped {
        let _ = writeln!(text, "- {id}: left out: {why}");
    }
    let text = words::cut_at_sentence(&text, run.order().summary_words).to_owned();
    let step = Step::new("summary").reads(&Input::given("summary", &text));
    phase.make(Artifact::fixed(IMPLEMENTATION_SUMMARY), step, |_| async move { Ok(text) }).await
}
