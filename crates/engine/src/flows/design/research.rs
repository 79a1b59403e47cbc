//! Step 1a: three researchers in parallel, and one summary of their findings.
//!
//! A researcher may stop the run or ask a question first. The answer becomes an input of its step, so that only this
//! researcher runs again.

use super::artifacts::RESEARCH_ANSWERS;
use super::brief::Brief;
use super::given_answers::{GivenAnswer, write_answers};
use crate::artifact::{Artifact, Input};
use crate::gate::Gate;
use crate::panel::{Panel, seat_label, step_id};
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::seats::{Seat, SeatGroup};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum number of question rounds of a researcher.
const MAX_QUESTION_ROUNDS: usize = 2;

/// Recorded decision of a researcher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ResearchDecision {
    Proceed,
    /// Questions that must be answered first.
    Clarify(Vec<String>),
    /// Reasons not to design the feature.
    Stop(Vec<String>),
}

/// Researches and summarises, with the seats of a specification.
pub(super) async fn research(phase: &PhaseHandle<'_>, panel: &Panel, brief: &Brief) -> FlowResult<Artifact> {
    research_with(phase, panel, brief, panel.group(SeatGroup::Researchers), "aggregator").await
}

/// Researches and summarises, with these researchers and this aggregator.
pub(super) async fn research_with(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    researchers: Vec<&'static Seat>,
    aggregator: &str,
) -> FlowResult<Artifact> {
    let stage = phase.stage("1a");
    stage.show_lanes("Researchers", researchers.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let mut answered = Vec::new();
    for round in 1..=MAX_QUESTION_ROUNDS + 1 {
        let named = researchers.iter().map(|seat| (area(seat), *seat));
        phase.parallel("researchers", named, |seat| ask_researcher(phase, panel, seat)).await?;
        // Sequentially, so that the decisions are recorded in the same order every time.
        let mut gates = Vec::new();
        for seat in &researchers {
            gates.extend(next_gate(phase, brief, seat, round).await?);
        }
        if gates.is_empty() {
            break;
        }
        answered.extend(gates.iter().map(|(area, _)| answer_file(area, round)));
        let named = gates.into_iter().map(|(area, gate)| (area, (area, gate)));
        phase
            .parallel("researchers' questions", named, |(area, gate)| ask_person(phase, area, round, gate))
            .await?;
    }
    if !answered.is_empty() {
        collect_answers(phase, answered).await?;
    }
    let summary = phase.agent_file(panel.call(aggregator)?.step_id("aggregator")).await?;
    stage.finish("context summary saved");
    Ok(summary)
}

/// Asks a researcher, with the answers to its earlier questions.
async fn ask_researcher(phase: &PhaseHandle<'_>, panel: &Panel, seat: &'static Seat) -> FlowResult<()> {
    let call = panel.assign(seat).call()?;
    phase.agent(call.reads(&earlier_answers(area(seat)))).await?;
    Ok(())
}

/// Area of a researcher, such as `requirements`.
fn area(seat: &'static Seat) -> &'static str {
    seat.variant.unwrap_or(seat.id)
}

/// Gate that the decision of a researcher requires, if any.
async fn next_gate(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    seat: &'static Seat,
    round: usize,
) -> FlowResult<Option<(&'static str, Gate)>> {
    let area = area(seat);
    let file = seat.writes.first().copied().unwrap_or_default();
    let gate = match read_decision(phase, file, area).await? {
        ResearchDecision::Stop(reasons) => stop_gate(area, file, &reasons),
        ResearchDecision::Clarify(questions) if !brief.auto && round <= MAX_QUESTION_ROUNDS => {
            clarify_gate(area, file, round, &questions)
        }
        ResearchDecision::Clarify(questions) => {
            let questions = questions.join("; ");
            phase.warn(format!("unanswered questions of the {area} researcher: {questions}"));
            return Ok(None);
        }
        ResearchDecision::Proceed => return Ok(None),
    };
    Ok(Some((area, gate)))
}

/// Opens a gate and records the answers for the researcher.
async fn ask_person(phase: &PhaseHandle<'_>, area: &str, round: usize, gate: Gate) -> FlowResult<()> {
    let questions: Vec<(String, String)> =
        gate.questions.iter().map(|question| (question.key.clone(), question.text.clone())).collect();
    let answers = phase.gate(gate).await?;
    record_answers(phase, area, round, &questions, &answers).await
}

/// Collects the answers to all researchers for the seats after them.
async fn collect_answers(phase: &PhaseHandle<'_>, files: Vec<String>) -> FlowResult<()> {
    let inputs: Vec<Artifact> = files.iter().map(Artifact::named).collect();
    let step = Step::new("research/answers").reads(&inputs);
    phase
        .step(step, move |context| async move {
            let texts = files.iter().map(|file| context.text(file)).collect::<Result<Vec<_>, _>>()?;
            context.write(RESEARCH_ANSWERS, texts.concat())
        })
        .await
}

/// Answers of the person to this researcher, for each round.
fn earlier_answers(area: &str) -> Vec<Input> {
    (1..=MAX_QUESTION_ROUNDS + 1).map(|round| Input::optional(answer_file(area, round))).collect()
}

fn answer_file(area: &str, round: usize) -> String {
    format!("answers/{area}-{round}")
}

async fn read_decision(
    phase: &PhaseHandle<'_>,
    file: &'static str,
    area: &str,
) -> FlowResult<ResearchDecision> {
    let step = Step::new(format!("decided/{area}")).reads(file);
    phase
        .step(step, move |context| async move {
            let text = context.text(file)?;
            let response = response_in_markdown(&text, usize::MAX).response.unwrap_or_default();
            let issues = response["issues"].as_array().into_iter().flatten();
            let issues: Vec<String> = issues.filter_map(|issue| issue.as_str().map(str::to_owned)).collect();
            Ok::<ResearchDecision, StepError>(match response["decision"].as_str() {
                Some("STOP") => ResearchDecision::Stop(or_summary(issues, &response)),
                Some("CLARIFY") => ResearchDecision::Clarify(or_summary(issues, &response)),
                _ => ResearchDecision::Proceed,
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

fn stop_gate(area: &str, file: &str, reasons: &[String]) -> Gate {
    let reason = reasons.join("; ");
    let question = format!(
        "The researcher of {area} says that this should not be designed: {reason}\nAnswer what to do about it, and it looks again; or abandon the run."
    );
    Gate::new(&format!("stopped/{area}"), file)
        .incidental()
        .ask_freely("answer", &question)
        .refuse_unattended(&format!("stopped by the researcher of {area}: {reason}"))
}

fn clarify_gate(area: &str, file: &str, round: usize, questions: &[String]) -> Gate {
    let mut gate = Gate::new(&format!("clarify/{area}-{round}"), file).incidental();
    for (n, question) in (1..).zip(questions) {
        gate = gate.ask_freely(&format!("{area}-{n}"), question);
    }
    gate
}

/// Writes the answers to the file that the researcher reads.
async fn record_answers(
    phase: &PhaseHandle<'_>,
    area: &str,
    round: usize,
    questions: &[(String, String)],
    answers: &crate::gate::Answers,
) -> FlowResult<()> {
    let name = answer_file(area, round);
    let question = |key: &str| questions.iter().find(|(known, _)| known == key).map_or("", |(_, text)| text);
    let given = answers.all().map(|(key, answer)| GivenAnswer { key, question: question(key), answer });
    let text = write_answers(given);
    let step = Step::new(format!("told/{area}-{round}")).reads(answers);
    phase.step(step, move |context| async move { context.write(&name, text) }).await
}
