//! The flow of a research run: a survey, three researchers side by side, one set of notes with every place verified.

use super::artifacts::{DELIVERED, NOTES};
use super::seats::SEATS;
use crate::agent::AgentCall;
use crate::artifact::{Artifact, Artifacts, Input};
use crate::order::Order;
use crate::panel::{Desk, Outfit, seat_label, step_id, survey};
use crate::ports::Checkout;
use crate::ports::checkout::{Delivery, Refusal};
use crate::run::{PhaseHandle, Run};
use crate::step::{Step, StepError};
use crate::stop::Flow;
use charrette_model::panel::places::PlaceFacts;
use charrette_model::panel::research_notes::{check_places, read_research_notes, strike_places};
use charrette_model::seats::{Group, Seat};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const DISCOVERY: &str = "discovery";
pub(super) const SYNTHESIS: &str = "synthesis";

/// Researches a topic.
pub(super) async fn research(run: &Run<'_>) -> Flow<()> {
    let phase = run.phase(DISCOVERY);
    let stage = phase.stage("1");
    let survey = survey(&phase).await?;
    let desk = desk(run.order(), survey.relevant_files);
    let found = discover(&phase, &desk).await?;
    stage.done(format!("{} researchers answered", found.len()));
    phase.finish(None).await?;
    run.enough_after(DISCOVERY)?;

    let phase = run.phase(SYNTHESIS);
    let stage = phase.stage("2");
    let notes = synthesise(&phase, &desk, &found).await?;
    deliver(&phase, &notes).await?;
    stage.show("Research Notes", notes.name());
    stage.done("research notes saved");
    phase.finish_run(None).await
}

fn desk(order: &Order, relevant_files: Vec<String>) -> Desk {
    Desk::new(Outfit {
        feature: order.feature.clone(),
        // There is no specification, and nobody is told of one.
        spec_path: String::new(),
        date: order.date.clone(),
        summary_words: order.summary_words,
        roles: order.roles.clone(),
        relevant_files,
        seats: super::FLOW.seat_tables(),
    })
}

/// Three looks at the topic, side by side.
async fn discover(phase: &PhaseHandle<'_>, desk: &Desk) -> Flow<Vec<Artifacts>> {
    let researchers: Vec<&'static Seat> =
        SEATS.iter().filter(|seat| seat.group == Some(Group::Researchers)).collect();
    let lanes = researchers.iter().map(|seat| (step_id(seat), seat_label(seat)));
    phase.ongoing("1").lanes("Researchers", lanes);
    let named = researchers.into_iter().map(|seat| (seat.id, seat));
    phase
        .parallel("researchers", named, |seat| async move { phase.agent(desk.assign(seat).call()?).await })
        .await
}

/// One set of notes. A place that is not in the repository goes back once, and is then struck out.
async fn synthesise(phase: &PhaseHandle<'_>, desk: &Desk, found: &[Artifacts]) -> Flow<Artifact> {
    let call = desk.call("topic-synthesist")?.reads(found);
    let notes = phase.agent_file(verified(call, phase.run.ports.checkout.clone())).await?;
    let (step, name) = (Step::new("notes/checked").reads(&notes), notes.name().to_owned());
    let struck: usize = phase
        .step(step, move |context| async move { Ok(context.text(&name)?.matches(STRUCK_MARK).count()) })
        .await?;
    if struck > 0 {
        phase.warn(format!(
            "{struck} places that the notes cited are not in the repository and were struck out"
        ));
    }
    Ok(notes)
}

/// What stands beside a place that was struck out.
const STRUCK_MARK: &str = charrette_model::panel::places::STRUCK;

/// The call, with every place it cites looked up.
fn verified(call: AgentCall, checkout: Arc<dyn Checkout>) -> AgentCall {
    let again = checkout.clone();
    call.also(move |answer| {
        let wrong = check_places(&read_research_notes(answer).0, &Repository(&*checkout));
        if wrong.is_empty() {
            return Ok(());
        }
        let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        Err(format!("places that are not in the repository: {}", wrong.join("; ")))
    })
    .salvage(move |answer| {
        let wrong = check_places(&read_research_notes(answer).0, &Repository(&*again));
        let struck = strike_places(answer, &wrong);
        Ok(vec![(NOTES.to_owned(), format!("{}\n", struck.text.trim_end()))])
    })
}

/// The files of the repository.
struct Repository<'a>(&'a dyn Checkout);

impl PlaceFacts for Repository<'_> {
    fn lines(&self, path: &str) -> Option<usize> {
        self.0.lines(path)
    }
}

/// What was put where, so that it can be replaced and nothing else is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Delivered {
    path: String,
    digest: String,
}

/// Puts the notes where the user wants them. A file that is there and is not ours is never replaced.
async fn deliver(phase: &PhaseHandle<'_>, notes: &Artifact) -> Flow<()> {
    let Some(path) = phase.run.order().text("out").map(str::to_owned) else { return Ok(()) };
    let checkout = phase.run.ports.checkout.clone();
    let step = Step::new("deliver")
        .reads(notes)
        .reads(&Input::given("out", &path))
        .revises([DELIVERED])
        .touches_checkout();
    let name = notes.name().to_owned();
    let said = path.clone();
    phase
        .step::<(), _>(step, move |context| async move {
            let before = context.optional_text(DELIVERED)?;
            let before: Option<Delivered> = before.and_then(|text| serde_json::from_str(&text).ok());
            let replaces = before.filter(|before| before.path == path).map(|before| before.digest);
            let text = context.text(&name)?;
            let digest = charrette_store::workspace::sha256(text.as_bytes());
            let delivery = Delivery { path: path.clone(), text, replaces };
            checkout.deliver(delivery).await.map_err(|refusal| match refusal {
                Refusal::Refused(why) => StepError::Refused(why),
                Refusal::Failed(why) => StepError::Failed(why),
                Refusal::Interrupted => StepError::Interrupted,
            })?;
            let record = serde_json::to_string_pretty(&Delivered { path, digest }).unwrap_or_default();
            context.write(DELIVERED, record + "\n")
        })
        .await?;
    phase.ongoing("2").say(format!("The notes are in {said}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flow_can_move_between_threads() {
        fn is_send(_: &impl Send) {}
        fn check(run: &Run<'_>) {
            is_send(&research(run));
        }
        let _ = check;
    }
}
