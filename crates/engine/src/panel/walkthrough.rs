//! Walk-through: two seats trace concrete scenarios through the reviewed plan, step by step.
//!
//! Walkers work in a copy of HEAD: running the code of a plan shows most of what breaks. A scenario that breaks goes to the chief designer once; then another walker traces it again. What still breaks is
//! left to the person.

use super::calls::{Panel, step_id};
use super::chief::Chief;
use super::labels::seat_label;
use super::seat_outcome::SeatOutcome;
use crate::artifact::{Artifact, Input};
use crate::run::PhaseHandle;
use crate::stage::StageHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::panel::file_names::{
    BROKEN_SCENARIOS, PLAN_REVIEWED, PLAN_WALKED, SCENARIOS, UNMENDED, WALK_RECORD,
};
use charrette_model::panel::plan::{Scenario, read_scenarios};
use charrette_model::panel::walkthrough::{
    WalkedScenario, assign_scenarios, name_apart, read_walkthrough, summarise_walks, write_breaks,
    write_record, write_scenarios,
};
use charrette_model::seats::{Seat, SeatGroup};
use serde::{Deserialize, Serialize};

/// Has the scenarios of the plan walked through, and the plan mended where they break.
pub async fn walk_through(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    chief: &Chief,
    reviewed: &Artifact,
) -> FlowResult<Artifact> {
    let stage = phase.stage("3.2");
    if phase.run.order.is_past("walk-through/scenarios", "illustrator") {
        stage.skip("not part of the version that began this run");
        return keep_plan(phase, reviewed).await;
    }
    let assigned = deal_scenarios(phase, reviewed).await?;
    if assigned.iter().all(Vec::is_empty) {
        stage.skip("the plan has no scenarios");
        return keep_plan(phase, reviewed).await;
    }
    let walkers = ask_walkers(phase, &stage, panel).await?;
    let first = judge_walk(phase, "walk-through/outcome", &walkers, BROKEN_SCENARIOS).await?;
    let (plan, last, again) = if first.broken.is_empty() {
        (keep_plan(phase, reviewed).await?, None, Vec::new())
    } else {
        stage.show_document("Scenarios That Break", BROKEN_SCENARIOS);
        let plan = chief.mend(phase, panel).await?;
        let again = walk_again(phase, &stage, panel, &walkers, &first).await?;
        let last = judge_second_walk(phase, &again, &first).await?;
        (plan, Some(last), again)
    };
    let summary = record_walk(phase, &walkers, &again, last.as_ref()).await?;
    stage.show_document("Walk-through", WALK_RECORD);
    stage.finish(summary);
    Ok(plan)
}

/// Scenarios of a walker's file: `scenarios-1.md`.
fn scenario_file(walker: &str) -> String {
    SCENARIOS.replace('*', walker)
}

/// Splits the scenarios of the plan between the two walkers.
async fn deal_scenarios(phase: &PhaseHandle<'_>, reviewed: &Artifact) -> FlowResult<[Vec<Scenario>; 2]> {
    let step = Step::new("walk-through/scenarios").reads(reviewed);
    let name = reviewed.name().to_owned();
    phase
        .step(step, move |context| async move {
            let assigned = assign_scenarios(&read_scenarios(&context.text(&name)?));
            for (walker, scenarios) in ["1", "2"].into_iter().zip(&assigned) {
                context.write(&scenario_file(walker), write_scenarios(scenarios))?;
            }
            Ok(assigned)
        })
        .await
}

async fn ask_walkers(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    panel: &Panel,
) -> FlowResult<Vec<SeatOutcome>> {
    let walkers = panel.group(SeatGroup::Walkers);
    stage.show_lanes("Walkers", walkers.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = walkers.into_iter().map(|seat| (seat.id, seat));
    phase
        .parallel("walkers", named, |seat| async move {
            let file = scenario_file(seat.variant.unwrap_or_default());
            ask_walker(phase, panel, seat, &step_id(seat), &[&file, PLAN_REVIEWED]).await
        })
        .await
}

/// Asks one walker for the scenarios of the first of its files. A walker may fail: its scenarios then have no outcome.
async fn ask_walker(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    seat: &'static Seat,
    step: &str,
    files: &[&str],
) -> FlowResult<SeatOutcome> {
    let scenarios = files.first().copied().unwrap_or_default().to_owned();
    let walked = format!("{}.md", step.replace("walk/walker", "walkthrough"));
    let call = panel
        .assign(seat)
        .call()?
        .step_id(step)
        .without(PLAN_REVIEWED)
        .reads(&files.iter().map(|file| Input::Artifact((*file).to_owned())).collect::<Vec<_>>())
        .writes_only(&[&walked])
        .grammar_with(move |answer, inputs| {
            let assigned = read_scenarios(inputs.text(&scenarios).unwrap_or_default());
            let ids: Vec<&str> = assigned.iter().map(|scenario| scenario.id.as_str()).collect();
            super::grammar::require_no_problems(&read_walkthrough(answer, &ids).1)?;
            Ok(vec![(walked.clone(), format!("{}\n", answer.trim_end()))])
        })
        .may_fail();
    Ok(SeatOutcome { seat, outcome: phase.agent_outcome(call).await? })
}

/// Outcome of a round of walks. Recorded: field names are a stored format.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct WalkRound {
    walked: usize,
    /// Broken scenarios, with the seat that walked them.
    broken: Vec<(String, WalkedScenario)>,
}

/// Reads the walks of a round and writes the scenarios that break.
async fn judge_walk(
    phase: &PhaseHandle<'_>,
    id: &str,
    walkers: &[SeatOutcome],
    broken_file: &'static str,
) -> FlowResult<WalkRound> {
    let mut step = Step::new(id);
    for walker in walkers {
        step = step.reads(&walker.inputs());
    }
    let files = walk_files(walkers);
    phase
        .step(step, move |context| async move {
            let mut round = WalkRound::default();
            for (seat, walked) in read_walks(&context, &files)? {
                round.walked += walked.len();
                let broken = walked.into_iter().filter(|scenario| scenario.outcome.is_break());
                round.broken.extend(broken.map(|scenario| (seat.clone(), scenario)));
            }
            if !round.broken.is_empty() {
                let broken: Vec<&WalkedScenario> =
                    round.broken.iter().map(|(_, scenario)| scenario).collect();
                context.write(broken_file, write_breaks(&broken))?;
            }
            Ok(round)
        })
        .await
}

/// Reads the second walk: the scenarios that still break. One that was not walked again counts as broken: it is
/// not known to hold.
async fn judge_second_walk(
    phase: &PhaseHandle<'_>,
    again: &[SeatOutcome],
    first: &WalkRound,
) -> FlowResult<WalkRound> {
    let mut step = Step::new("walk-through/second").reads(&Input::given("broken", &first.broken));
    for walker in again {
        step = step.reads(&walker.inputs());
    }
    let (files, before) = (walk_files(again), first.broken.clone());
    phase
        .step(step, move |context| async move {
            let walked: Vec<(String, WalkedScenario)> = read_walks(&context, &files)?
                .into_iter()
                .flat_map(|(seat, walked)| walked.into_iter().map(move |one| (seat.clone(), one)))
                .collect();
            let is_walked = |id: &str| walked.iter().any(|(_, scenario)| scenario.id == id);
            let unwalked = before.into_iter().filter(|(_, scenario)| !is_walked(&scenario.id));
            let mut broken: Vec<(String, WalkedScenario)> = unwalked.collect();
            broken.extend(walked.iter().filter(|(_, scenario)| scenario.outcome.is_break()).cloned());
            Ok(WalkRound { walked: walked.len(), broken })
        })
        .await
}

/// Has the broken scenarios traced through the mended plan, by the walker that broke fewer of them.
async fn walk_again(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    panel: &Panel,
    walkers: &[SeatOutcome],
    first: &WalkRound,
) -> FlowResult<Vec<SeatOutcome>> {
    let scenarios: Vec<Scenario> = first
        .broken
        .iter()
        .map(|(_, scenario)| Scenario { id: scenario.id.clone(), text: scenario.title.clone() })
        .collect();
    let file = scenario_file("again");
    let step = Step::new("walk-through/again").reads(&Input::given("broken", &scenarios));
    let name = file.clone();
    phase
        .step::<(), _>(step, move |context| async move { context.write(&name, write_scenarios(&scenarios)) })
        .await?;
    let broke = |seat: &Seat| first.broken.iter().filter(|(walker, _)| walker == seat.id).count();
    let Some(walker) = walkers.iter().map(|walker| walker.seat).min_by_key(|seat| broke(seat)) else {
        return Ok(Vec::new());
    };
    let step = "walk/walker-again";
    stage.show_lanes("Walkers, again", [(step.to_owned(), seat_label(walker))]);
    Ok(vec![ask_walker(phase, panel, walker, step, &[&file, BROKEN_SCENARIOS, PLAN_WALKED]).await?])
}

/// Writes the record of all scenarios with their outcome. Returns a summary for the display.
async fn record_walk(
    phase: &PhaseHandle<'_>,
    walkers: &[SeatOutcome],
    again: &[SeatOutcome],
    last: Option<&WalkRound>,
) -> FlowResult<String> {
    let mut step = Step::new("walk-through/record");
    for walker in walkers.iter().chain(again) {
        step = step.reads(&walker.inputs());
    }
    let (files, files_again) = (walk_files(walkers), walk_files(again));
    let unmended: Vec<WalkedScenario> =
        last.iter().flat_map(|last| last.broken.iter().map(|(_, scenario)| scenario.clone())).collect();
    step = step.reads(&Input::given("unmended", &unmended));
    let still_broken = unmended.len();
    phase
        .step(step, move |context| async move {
            let all = |files: &WalkFiles| -> Result<Vec<WalkedScenario>, StepError> {
                Ok(read_walks(&context, files)?.into_iter().flat_map(|(_, walked)| walked).collect())
            };
            let (walked, walked_again) = (all(&files)?, all(&files_again)?);
            context.write(WALK_RECORD, write_record(&walked, &walked_again))?;
            // Always written: what an earlier pass could not mend must not outlive its plan.
            let unmended: Vec<&WalkedScenario> = unmended.iter().collect();
            let text = if unmended.is_empty() { String::new() } else { write_breaks(&unmended) };
            context.write(UNMENDED, text)?;
            Ok(summarise_walks(&walked, &walked_again, still_broken))
        })
        .await
}

/// Seats with the files of their walks.
type WalkFiles = Vec<(String, Option<String>)>;

fn walk_files(walkers: &[SeatOutcome]) -> WalkFiles {
    walkers.iter().map(|walker| (walker.seat.id.to_owned(), walker.file_name())).collect()
}

fn read_walks(
    context: &StepContext,
    files: &WalkFiles,
) -> Result<Vec<(String, Vec<WalkedScenario>)>, StepError> {
    let (mut seats, mut walks) = (Vec::new(), Vec::new());
    for (seat, file) in files {
        if let Some(file) = file {
            seats.push(seat.clone());
            walks.push(read_walkthrough(&context.text(file)?, &[]).0);
        }
    }
    name_apart(&mut walks);
    Ok(seats.into_iter().zip(walks).collect())
}

/// The reviewed plan, if no scenario changes it.
async fn keep_plan(phase: &PhaseHandle<'_>, reviewed: &Artifact) -> FlowResult<Artifact> {
    let (step, name) = (Step::new("plan/unbroken").reads(reviewed), reviewed.name().to_owned());
    phase.make(Artifact::fixed(PLAN_WALKED), step, |context| async move { context.text(&name) }).await
}
