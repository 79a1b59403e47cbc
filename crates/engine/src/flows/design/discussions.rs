//! Steps 1c, 1d and 3.5: question rounds with the person; every question has a recommended answer.

use super::artifacts::{CLARIFIED, ROUND_1, ROUND_2};
use super::brief::Brief;
use crate::gate::{Answers, Gate};
use crate::panel::{Panel, question_round};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::panel::discussion::{SettledQuestion, write_discussion};
use charrette_model::panel::questions::{AnswerSource, Question, QuestionRound, read_questions};
use charrette_model::panel::texts;
use serde::{Deserialize, Serialize};

/// Shown when a round is skipped in auto mode.
const SKIPPED_AUTO: &str = "skipped (auto mode)";

/// One round of questions.
struct Discussion {
    stage: &'static str,
    /// Seat that asks.
    seat: &'static str,
    gate: &'static str,
    /// Prefix of the question keys.
    key_prefix: &'static str,
    /// File of the settled questions.
    file: &'static str,
}

/// Step 1c: asks what the request leaves open.
pub(super) async fn clarify(phase: &PhaseHandle<'_>, panel: &Panel, brief: &Brief) -> FlowResult<()> {
    let round =
        Discussion { stage: "1c", seat: "clarifier", gate: "clarify", key_prefix: "q", file: CLARIFIED };
    hold_discussion(phase, panel, brief, round).await
}

/// Step 1d: discusses the scope of the feature.
pub(super) async fn discuss_scope(phase: &PhaseHandle<'_>, panel: &Panel, brief: &Brief) -> FlowResult<()> {
    let round =
        Discussion { stage: "1d", seat: "scoper", gate: "discussion-1", key_prefix: "d", file: ROUND_1 };
    hold_discussion(phase, panel, brief, round).await
}

/// Step 3.5: discusses the decisions that are still contested.
pub(super) async fn discuss_design(phase: &PhaseHandle<'_>, panel: &Panel, brief: &Brief) -> FlowResult<()> {
    let round =
        Discussion { stage: "3.5", seat: "discusser", gate: "discussion-2", key_prefix: "d", file: ROUND_2 };
    hold_discussion(phase, panel, brief, round).await
}

/// Questions of a round, up to its limit. The field names are on record.
#[derive(Debug, Serialize, Deserialize)]
struct RoundQuestions {
    questions: Vec<Question>,
    deferred: usize,
}

async fn hold_discussion(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    round: Discussion,
) -> FlowResult<()> {
    let stage = phase.stage(round.stage);
    if brief.auto {
        stage.skip(SKIPPED_AUTO);
        return Ok(());
    }
    let assignment = panel.seat(round.seat)?;
    let (file, kind) = (assignment.seat().writes[0], question_round(assignment.seat()));
    phase.agent(assignment.call()?).await?;
    let asked = read_round(phase, round.seat, file, kind).await?;
    let user_questions =
        asked.questions.iter().filter(|question| question.source == AnswerSource::User).count();
    if !kind.is_worth_asking(asked.questions.len()) || asked.questions.is_empty() {
        record_answers(phase, &round, Vec::new(), &Answers::default()).await?;
        match kind {
            QuestionRound::Clarify => stage.finish(kind.no_questions_text()),
            _ => stage.skip(kind.no_questions_text()),
        }
        return Ok(());
    }
    let answers = if user_questions == 0 {
        Answers::default()
    } else {
        phase.gate(gate(&round, file, &asked.questions)).await?
    };
    let count = asked.questions.len();
    record_answers(phase, &round, asked.questions, &answers).await?;
    if let Some(line) = kind.deferred_line().filter(|_| asked.deferred > 0) {
        stage.print_line(line);
    }
    match kind {
        QuestionRound::Clarify => stage.finish(format!("{count} answered")),
        _ => stage.finish(texts::decisions_resolved(count)),
    }
    Ok(())
}

async fn read_round(
    phase: &PhaseHandle<'_>,
    seat: &str,
    file: &'static str,
    round: QuestionRound,
) -> FlowResult<RoundQuestions> {
    let step = Step::new(format!("{seat}/questions")).reads(file);
    phase
        .step(step, move |context| async move {
            let read = read_questions(&context.text(file)?, round);
            Ok(RoundQuestions { questions: read.questions, deferred: read.deferred })
        })
        .await
}

/// Gate with the questions that only the person can answer; the others were answered from the code.
fn gate(round: &Discussion, file: &str, questions: &[Question]) -> Gate {
    let prefix = round.key_prefix;
    // Incidental: only the answers of a phase's main gate are recorded with the phase; these have their own file.
    let mut gate = Gate::new(round.gate, file).incidental();
    for (n, question) in (1..).zip(questions) {
        if question.source != AnswerSource::User {
            continue;
        }
        let why = if question.why.is_empty() {
            String::new()
        } else {
            format!("\nWhy this answer: {}", question.why)
        };
        let text = format!("{}\n{}{why}", question.title, question.question);
        gate = gate.ask(&format!("{prefix}{n}"), &text, &question.recommended);
    }
    gate
}

/// Writes the file of settled questions, answered by the person or from the code.
async fn record_answers(
    phase: &PhaseHandle<'_>,
    round: &Discussion,
    questions: Vec<Question>,
    answers: &Answers,
) -> FlowResult<()> {
    let prefix = round.key_prefix;
    let settled: Vec<SettledQuestion> = (1..)
        .zip(&questions)
        .map(|(n, question)| SettledQuestion::from_answer(question, answers.get(&format!("{prefix}{n}"))))
        .collect();
    let text = write_discussion(&settled);
    let name = round.file;
    let step =
        Step::new(format!("{}/settled", round.seat)).reads(&crate::artifact::Input::given("settled", &text));
    phase.step(step, move |context| async move { context.write(name, text) }).await
}
