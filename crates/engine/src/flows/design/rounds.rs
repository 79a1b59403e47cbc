//! Steps 1c, 1d and 3.5: questions to the person, each with the answer a careful colleague would give.

use super::artifacts::{CLARIFIED, ROUND_1, ROUND_2};
use super::brief::Brief;
use crate::gate::{Answers, Gate};
use crate::panel::{Desk, round};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::Flow;
use charrette_model::panel::discussion::{SettledQuestion, write_discussion};
use charrette_model::panel::questions::{Question, Round, Source, read_questions};
use charrette_model::panel::texts;
use serde::{Deserialize, Serialize};

/// Said when a round is not held because nobody is to be asked.
const AUTO: &str = "skipped (auto mode)";

/// One round of questions.
struct Discussion {
    /// Its stage.
    number: &'static str,
    /// Who asks.
    seat: &'static str,
    /// The gate, and what its keys begin with.
    gate: (&'static str, &'static str),
    /// Where what was settled is written down.
    settled: &'static str,
}

/// Step 1c: what the request leaves truly open.
pub(super) async fn clarify(research: &PhaseHandle<'_>, desk: &Desk, brief: &Brief) -> Flow<()> {
    let held = Discussion { number: "1c", seat: "clarifier", gate: ("clarify", "q"), settled: CLARIFIED };
    hold(research, desk, brief, held).await
}

/// Step 1d: what belongs to the feature and what does not.
pub(super) async fn discuss_scope(research: &PhaseHandle<'_>, desk: &Desk, brief: &Brief) -> Flow<()> {
    let held = Discussion { number: "1d", seat: "scoper", gate: ("discussion-1", "d"), settled: ROUND_1 };
    hold(research, desk, brief, held).await
}

/// Step 3.5: what is still contested.
pub(super) async fn discuss_design(write: &PhaseHandle<'_>, desk: &Desk, brief: &Brief) -> Flow<()> {
    let held = Discussion { number: "3.5", seat: "discusser", gate: ("discussion-2", "d"), settled: ROUND_2 };
    hold(write, desk, brief, held).await
}

/// What a questioner wants to know, as far as it may be asked.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    questions: Vec<Question>,
    deferred: usize,
}

async fn hold(phase: &PhaseHandle<'_>, desk: &Desk, brief: &Brief, held: Discussion) -> Flow<()> {
    let stage = phase.stage(held.number);
    if brief.auto {
        stage.skipped(AUTO);
        return Ok(());
    }
    let assignment = desk.seat(held.seat)?;
    let (file, which) = (assignment.seat().writes[0], round(assignment.seat()));
    phase.agent(assignment.call()?).await?;
    let asked = read(phase, held.seat, file, which).await?;
    let for_the_person = asked.questions.iter().filter(|question| question.source == Source::User).count();
    if !which.is_worth(asked.questions.len()) || asked.questions.is_empty() {
        settle(phase, &held, Vec::new(), &Answers::default()).await?;
        match which {
            Round::Clarify => stage.done(which.nothing_to_ask()),
            _ => stage.skipped(which.nothing_to_ask()),
        }
        return Ok(());
    }
    let answers = if for_the_person == 0 {
        Answers::default()
    } else {
        phase.gate(gate(&held, file, &asked.questions)).await?
    };
    let count = asked.questions.len();
    settle(phase, &held, asked.questions, &answers).await?;
    if let Some(line) = which.deferred_line().filter(|_| asked.deferred > 0) {
        stage.say(line);
    }
    match which {
        Round::Clarify => stage.done(format!("{count} answered")),
        _ => stage.done(texts::decisions_resolved(count)),
    }
    Ok(())
}

async fn read(phase: &PhaseHandle<'_>, seat: &str, file: &'static str, round: Round) -> Flow<Asked> {
    let step = Step::new(format!("{seat}/questions")).reads(file);
    phase
        .step(step, move |context| async move {
            let read = read_questions(&context.text(file)?, round);
            Ok(Asked { questions: read.questions, deferred: read.deferred })
        })
        .await
}

/// What only the person can answer; the code has answered the rest.
fn gate(held: &Discussion, file: &str, questions: &[Question]) -> Gate {
    let (name, prefix) = held.gate;
    // The answers of a phase are those of its gate; what is asked in between has a file of its own.
    let mut gate = Gate::new(name, file).incidental();
    for (n, question) in (1..).zip(questions) {
        if question.source != Source::User {
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

/// Writes down what was settled, by the person or by the code.
async fn settle(
    phase: &PhaseHandle<'_>,
    held: &Discussion,
    questions: Vec<Question>,
    answers: &Answers,
) -> Flow<()> {
    let prefix = held.gate.1;
    let settled: Vec<SettledQuestion> = (1..)
        .zip(&questions)
        .map(|(n, question)| SettledQuestion::from_answer(question, answers.get(&format!("{prefix}{n}"))))
        .collect();
    let text = write_discussion(&settled);
    let name = held.settled;
    let step =
        Step::new(format!("{}/settled", held.seat)).reads(&crate::artifact::Input::given("settled", &text));
    phase.step(step, move |context| async move { context.write(name, text) }).await
}
