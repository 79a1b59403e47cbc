//! Investigation: what nobody knows and much depends on is looked up, read or tried before the plan is made.
//!
//! The questions are ranked by what breaks if the answer is not as hoped; the dearest ones get an investigator each.
//! An answer is recorded under its question, so the same question is never paid twice, whatever its rank.

use super::calls::{Panel, investigation_file};
use super::grammar::require_no_problems;
use super::seat_outcome::SeatOutcome;
use crate::artifact::{Artifact, Input};
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::panel::file_names::{QUESTIONS_INVESTIGATE, SOURCES};
use charrette_model::panel::inquiries::{Inquiry, MAX_INVESTIGATED, read_inquiries, write_inquiry};
use charrette_model::panel::investigation::{AnswerKind, Investigation, read_investigation, sources_file};
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};

/// Has the dearest open questions investigated in parallel.
pub async fn investigate(phase: &PhaseHandle<'_>, panel: &Panel, quick: bool) -> FlowResult<()> {
    let stage = phase.stage("2a.6");
    if quick {
        stage.skip("skipped (quick mode)");
        return Ok(());
    }
    if phase.run.order.is_past("inquirer", "planner") {
        stage.skip("not part of the version that began this run");
        return Ok(());
    }
    phase.agent(panel.call("inquirer")?).await?;
    let inquiries = ranked_inquiries(phase).await?;
    if inquiries.is_empty() {
        // Answers of an earlier pass must not outlive their questions.
        collect(phase, &[], &[]).await?;
        stage.skip("nothing to investigate");
        return Ok(());
    }
    let lanes: Vec<InquiryLane> =
        (1..).zip(inquiries).map(|(rank, inquiry)| InquiryLane::new(rank, inquiry)).collect();
    stage.show_lanes("Investigators", lanes.iter().map(|lane| (lane.step(), lane.label())));
    let named = lanes.iter().map(|lane| (lane.key.clone(), lane));
    let outcomes =
        phase.parallel("investigators", named, |lane| ask_investigator(phase, panel, lane)).await?;
    let summary = collect(phase, &lanes, &outcomes).await?;
    stage.finish(summary);
    Ok(())
}

/// A question with its rank and the key that its answer is recorded under.
struct InquiryLane {
    rank: usize,
    key: String,
    inquiry: Inquiry,
}

impl InquiryLane {
    fn new(rank: usize, inquiry: Inquiry) -> InquiryLane {
        let key = sha256(inquiry.digest_text().as_bytes())[..12].to_owned();
        InquiryLane { rank, key, inquiry }
    }

    fn seat(&self) -> String {
        format!("investigator-{}", self.rank)
    }

    fn step(&self) -> String {
        format!("investigate/{}", self.key)
    }

    /// File of the answer, named after the question.
    fn file(&self) -> String {
        format!("investigations/{}.md", self.key)
    }

    fn label(&self) -> String {
        format!("Question {}", self.rank)
    }
}

/// The questions that are investigated, the dearest first.
async fn ranked_inquiries(phase: &PhaseHandle<'_>) -> FlowResult<Vec<Inquiry>> {
    let step = Step::new("investigation/questions").reads(QUESTIONS_INVESTIGATE);
    phase
        .step(step, |context| async move {
            let mut inquiries = read_inquiries(&context.text(QUESTIONS_INVESTIGATE)?).inquiries;
            inquiries.truncate(MAX_INVESTIGATED);
            Ok(inquiries)
        })
        .await
}

/// Asks one investigator. It works in a copy of HEAD, where it may try things.
async fn ask_investigator(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    lane: &InquiryLane,
) -> FlowResult<SeatOutcome> {
    let question = write_inquiry(&lane.inquiry);
    let assignment = panel.seat(&lane.seat())?.inquiry(&question);
    let (seat, file) = (assignment.seat(), lane.file());
    let call = assignment
        .call()?
        .step_id(lane.step())
        .reads(&Input::given("question", &lane.inquiry.digest_text()))
        .writes_only(&[&file])
        .grammar_with(move |answer, _| {
            require_no_problems(&read_investigation(answer).1)?;
            Ok(vec![(file.clone(), format!("{}\n", answer.trim_end()))])
        })
        .may_fail();
    Ok(SeatOutcome { seat, outcome: phase.agent_outcome(call).await? })
}

/// Writes the answers by rank, empty files for the ranks without a question, and the addresses that were read. Returns a
/// summary for the display.
async fn collect(
    phase: &PhaseHandle<'_>,
    lanes: &[InquiryLane],
    outcomes: &[SeatOutcome],
) -> FlowResult<String> {
    let answers: Vec<RankedAnswer> = lanes
        .iter()
        .zip(outcomes)
        .map(|(lane, outcome)| RankedAnswer {
            rank: lane.rank,
            question: write_inquiry(&lane.inquiry),
            file: outcome.file_name(),
            problem: outcome.outcome.problem.clone(),
        })
        .collect();
    let mut step = Step::new("investigation/collected").reads(&Input::given("answers", &answers));
    for answer in answers.iter().filter_map(|answer| answer.file.clone()) {
        step = step.reads(&Artifact::named(answer));
    }
    phase.step(step, move |context| async move { write_answers(&context, &answers) }).await
}

/// An answer and its place in the ranking. Recorded: field names are a stored format.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RankedAnswer {
    rank: usize,
    question: String,
    file: Option<String>,
    problem: Option<String>,
}

fn write_answers(context: &StepContext, answers: &[RankedAnswer]) -> Result<String, StepError> {
    let mut found: Vec<(u32, Investigation)> = Vec::new();
    for (rank, answer) in (1..).zip(answers) {
        let text = match &answer.file {
            Some(file) => context.text(file)?,
            None => format!(
                "## Answer\nUNKNOWN: no investigator answered ({}).\n\n## Evidence\nNone.\n\n## Consequence for the plan\nWhat the question takes for granted is not known to be true.\n",
                answer.problem.as_deref().unwrap_or("no agent was available")
            ),
        };
        found.extend(read_investigation(&text).0.map(|investigation| (rank, investigation)));
        context.write(&investigation_file(answer.rank), format!("{}\n{text}", answer.question))?;
    }
    for rank in answers.len() + 1..=MAX_INVESTIGATED {
        context.write(&investigation_file(rank), "")?;
    }
    let all: Vec<(u32, &Investigation)> = found.iter().map(|(rank, one)| (*rank, one)).collect();
    context.write(SOURCES, sources_file(&all))?;
    let count = |kind: AnswerKind| found.iter().filter(|(_, one)| one.kind == kind).count();
    let questions =
        if answers.len() == 1 { "1 question".to_owned() } else { format!("{} questions", answers.len()) };
    let (facts, measurements) = (count(AnswerKind::Fact), count(AnswerKind::MeasureFirst));
    let unknown = answers.len() - facts - measurements;
    Ok(format!("{questions}: {facts} answered, {measurements} to measure first, {unknown} unknown"))
}
