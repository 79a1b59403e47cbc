//! Step 1a: three researchers side by side, and one summary of what they found.
//!
//! A researcher may stop the run, or ask something first. Its answer is then an input of the same step, so it is
//! asked again, with the answer, and nobody else is.

use super::answer_lines::answer_lines;
use super::artifacts::CORRECTION;
use super::brief::Brief;
use crate::artifact::{Artifact, Input};
use crate::gate::Gate;
use crate::panel::{Desk, seat_label, step_id};
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::Flow;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::seats::{Group, Seat};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How often a researcher may ask something.
const QUESTIONS: usize = 2;

/// What a researcher decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Decided {
    /// Go on.
    Proceed,
    /// Somebody must answer this first.
    Clarify(Vec<String>),
    /// The feature should not be designed.
    Stop(Vec<String>),
}

/// Researches, and sums up.
pub(super) async fn research(research: &PhaseHandle<'_>, desk: &Desk, brief: &Brief) -> Flow<Artifact> {
    research_by(research, desk, brief, (desk.group(Group::Researchers), "aggregator")).await
}

/// The same with other researchers, and somebody else who sums up.
pub(super) async fn research_by(
    research: &PhaseHandle<'_>,
    desk: &Desk,
    brief: &Brief,
    (researchers, aggregator): (Vec<&'static Seat>, &str),
) -> Flow<Artifact> {
    let stage = research.stage("1a");
    stage.lanes("Researchers", researchers.iter().map(|seat| (step_id(seat), seat_label(seat))));
    for round in 1..=QUESTIONS + 1 {
        let named = researchers.iter().map(|seat| (side(seat), *seat));
        research.parallel("researchers", named, |seat| researcher(research, desk, seat)).await?;
        // One after the other, so that they are on record in the same order every time.
        let mut gates = Vec::new();
        for seat in &researchers {
            gates.extend(gate(research, brief, seat, round).await?);
        }
        if gates.is_empty() {
            break;
        }
        let named = gates.into_iter().map(|(side, gate)| (side, (side, gate)));
        research
            .parallel("researchers' questions", named, |(side, gate)| answered(research, side, round, gate))
            .await?;
    }
    let summary = research.agent_file(desk.call(aggregator)?.step_id("aggregator")).await?;
    stage.done("context summary saved");
    Ok(summary)
}

/// One researcher, with what it was told before.
async fn researcher(research: &PhaseHandle<'_>, desk: &Desk, seat: &'static Seat) -> Flow<()> {
    let call = desk.assign(seat).call()?;
    research.agent(call.reads(&said_before(side(seat))).reads(&Input::optional(CORRECTION))).await?;
    Ok(())
}

fn side(seat: &'static Seat) -> &'static str {
    seat.variant.unwrap_or(seat.id)
}

/// What a researcher needs answered before it can go on.
async fn gate(
    research: &PhaseHandle<'_>,
    brief: &Brief,
    seat: &'static Seat,
    round: usize,
) -> Flow<Option<(&'static str, Gate)>> {
    let side = side(seat);
    let file = seat.writes.first().copied().unwrap_or_default();
    let gate = match decided(research, file, side).await? {
        Decided::Stop(reasons) => stop(side, file, &reasons),
        Decided::Clarify(questions) if !brief.auto && round <= QUESTIONS => {
            clarify(side, file, round, &questions)
        }
        Decided::Clarify(questions) => {
            let unknown = questions.join("; ");
            research
                .warn(format!("The researcher of {side} wanted to know, and nobody was asked: {unknown}"));
            return Ok(None);
        }
        Decided::Proceed => return Ok(None),
    };
    Ok(Some((side, gate)))
}

/// Asks, and puts the answer where the researcher reads it.
async fn answered(research: &PhaseHandle<'_>, side: &str, round: usize, gate: Gate) -> Flow<()> {
    let answers = research.gate(gate).await?;
    write_answers(research, side, round, &answers).await
}

/// What a person told this researcher, in each round.
fn said_before(side: &str) -> Vec<Input> {
    (1..=QUESTIONS + 1).map(|round| Input::optional(answer_file(side, round))).collect()
}

fn answer_file(side: &str, round: usize) -> String {
    format!("answers/{side}-{round}")
}

async fn decided(research: &PhaseHandle<'_>, file: &'static str, side: &str) -> Flow<Decided> {
    let step = Step::new(format!("decided/{side}")).reads(file);
    research
        .step(step, move |context| async move {
            let text = context.text(file)?;
            let response = response_in_markdown(&text, usize::MAX).response.unwrap_or_default();
            let issues = response["issues"].as_array().into_iter().flatten();
            let issues: Vec<String> = issues.filter_map(|issue| issue.as_str().map(str::to_owned)).collect();
            Ok::<Decided, StepError>(match response["decision"].as_str() {
                Some("STOP") => Decided::Stop(or_summary(issues, &response)),
                Some("CLARIFY") => Decided::Clarify(or_summary(issues, &response)),
                _ => Decided::Proceed,
            })
        })
        .await
}

fn or_summary(issues: Vec<String>, response: &Value) -> Vec<String> {
    if !issues.is_empty() {
        return issues;
    }
    vec![response["context_summary"].as_str().unwrap_or("no reason was given").to_owned()]
}

fn stop(side: &str, file: &str, reasons: &[String]) -> Gate {
    let reason = reasons.join("; ");
    let question = format!(
        "The researcher of {side} says that this should not be designed: {reason}\nAnswer what to do about it, and it looks again; or abandon the run."
    );
    Gate::new(&format!("stopped/{side}"), file)
        .incidental()
        .ask_freely("answer", &question)
        .refusing(&format!("stopped by the researcher of {side}: {reason}"))
}

fn clarify(side: &str, file: &str, round: usize, questions: &[String]) -> Gate {
    let mut gate = Gate::new(&format!("clarify/{side}-{round}"), file).incidental();
    for (n, question) in (1..).zip(questions) {
        gate = gate.ask_freely(&format!("{side}-{n}"), question);
    }
    gate
}

/// Puts what was answered where the researcher reads it.
async fn write_answers(
    research: &PhaseHandle<'_>,
    side: &str,
    round: usize,
    answers: &crate::gate::Answers,
) -> Flow<()> {
    let name = answer_file(side, round);
    let text = answer_lines(answers.all());
    let step = Step::new(format!("told/{side}-{round}")).reads(answers);
    research.step(step, move |context| async move { context.write(&name, text) }).await
}
