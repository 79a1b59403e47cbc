//! Step 1e: the pre-design gate. The person confirms the summary of the research before the design starts.
//!
//! A confirmation changes nothing. Any other answer is recorded for the agents of the design; a "no" to the first
//! question repeats the research, with the correction as an input.

use super::artifacts::{CORRECTION, PRE_DESIGN};
use super::brief::Brief;
use super::given_answers::{GivenAnswer, write_answers};
use crate::artifact::{Artifact, Input};
use crate::gate::{Answers, Gate};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::{FlowResult, Stop};
use charrette_model::panel::context_summary::{ContextSummary, read_context_summary};

/// A question of the gate about one part of the summary.
pub(super) struct SummaryQuestion {
    pub(super) key: &'static str,
    /// Text above the part.
    pub(super) intro: &'static str,
    pub(super) question: &'static str,
    /// Recommended answer, which changes nothing.
    pub(super) confirmation: &'static str,
}

/// Questions about a specification.
const QUESTIONS: [SummaryQuestion; 6] = [
    SummaryQuestion {
        key: "understanding",
        intro: "Based on the research, here is what the feature needs to do:",
        question: "Is this correct? [yes / correct with changes / no]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "approach",
        intro: "I plan to approach the design as follows:",
        question: "Does this align with your expectations? [yes / suggest alternative]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "assumptions",
        intro: "I am making these assumptions:",
        question: "Are any of these incorrect? [all correct / corrections: ...]",
        confirmation: "all correct",
    },
    SummaryQuestion {
        key: "trade_offs",
        intro: "Key trade-offs identified:",
        question: "Are you comfortable with these? [yes / concerns: ...]",
        confirmation: "yes",
    },
    SummaryQuestion {
        key: "scope",
        intro: "The following is explicitly out of scope:",
        question: "Is anything missing or incorrectly excluded? [scope is right / adjustments: ...]",
        confirmation: "scope is right",
    },
    SummaryQuestion {
        key: "unknowns",
        intro: "Open questions that may need resolution:",
        question: "Should we resolve any before proceeding? [proceed / resolve: ...]",
        confirmation: "proceed",
    },
];

/// Recorded if the person confirmed every part of the summary.
const CONFIRMED: &str = "The person confirmed the summary of the research in every part.\n";

/// Answers that count as a confirmation of any question.
const CONFIRMATIONS: [&str; 8] = ["yes", "y", "ok", "correct", "proceed", "fine", "looks good", "agreed"];

/// Opens the gate, unless `--no-checkpoint` is set.
pub(super) async fn ask_pre_design(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    file: &Artifact,
) -> FlowResult<()> {
    if brief.no_checkpoint {
        return Ok(());
    }
    let stage = phase.stage("1e");
    let summary = parse_summary(phase, file).await?;
    let parts = [
        summary.understanding,
        summary.approach,
        summary.assumptions,
        summary.trade_offs,
        summary.out_of_scope,
        summary.unknowns,
    ];
    confirm_summary(phase, brief, &QUESTIONS, &parts, file).await?;
    stage.finish("answered");
    Ok(())
}

async fn parse_summary(phase: &PhaseHandle<'_>, summary: &Artifact) -> FlowResult<ContextSummary> {
    let (step, name) = (Step::new("pre-design/page").reads(summary), summary.name().to_owned());
    phase
        .step(step, |context| async move { Ok(read_context_summary(&context.text(&name)?, usize::MAX).0) })
        .await
}

/// Asks about the parts of the summary. Restarts the flow if the research must be repeated.
pub(super) async fn confirm_summary(
    phase: &PhaseHandle<'_>,
    brief: &Brief,
    questions: &'static [SummaryQuestion; 6],
    parts: &[String; 6],
    summary: &Artifact,
) -> FlowResult<()> {
    let answers = phase.gate(gate(brief, questions, parts, summary)).await?;
    if record_answers(phase, questions, parts, &answers).await? { Err(Stop::Revise) } else { Ok(()) }
}

fn gate(brief: &Brief, questions: &[SummaryQuestion; 6], parts: &[String; 6], summary: &Artifact) -> Gate {
    let page = format!(
        "Pre-Design Checkpoint\n=====================\n\nI have completed research for \"{}\". Before writing the {}, I would like\nto verify my understanding with you.",
        brief.feature,
        brief.level.as_str()
    );
    // A correction reopens the gate, even if the repeated research comes to the same summary.
    let mut gate =
        Gate::new("pre-design", &[Input::Artifact(summary.name().to_owned()), Input::optional(CORRECTION)])
            .page(page);
    for (asked, part) in questions.iter().zip(parts) {
        let SummaryQuestion { key, intro, question, confirmation } = asked;
        gate = gate.ask(key, &format!("{intro}\n\n{part}\n\n{question}"), confirmation);
    }
    gate
}

/// Records the answers that are no confirmation. True if the first one is "no": the research must be repeated.
async fn record_answers(
    phase: &PhaseHandle<'_>,
    questions: &'static [SummaryQuestion; 6],
    parts: &[String; 6],
    answers: &Answers,
) -> FlowResult<bool> {
    let asked = questions.iter().zip(parts);
    let remarks: Vec<(&'static str, String, String)> = asked
        .map(|(asked, part)| (asked, part, answers.get(asked.key).trim()))
        .filter(|(asked, _, answer)| !is_confirmation(asked.confirmation, answer))
        .map(|(asked, part, answer)| {
            let SummaryQuestion { key, intro, question, .. } = asked;
            (*key, format!("{intro} {part} {question}"), answer.to_owned())
        })
        .collect();
    let [first, ..] = questions;
    let is_misunderstood = remarks.iter().any(|(key, _, answer)| *key == first.key && is_no(answer));
    let step = Step::new("pre-design/answers").reads(answers).revises([CORRECTION]);
    phase
        .step(step, move |context| async move {
            let lines = write_answers(remarks.iter().map(|(key, question, answer)| GivenAnswer {
                key,
                question,
                answer,
            }));
            if is_misunderstood {
                let before = context.optional_text(CORRECTION)?.unwrap_or_default();
                context.write(CORRECTION, format!("{before}{lines}"))?;
            }
            let text = if lines.is_empty() { CONFIRMED.to_owned() } else { lines };
            context.write(PRE_DESIGN, text)?;
            Ok(is_misunderstood)
        })
        .await
}

pub(super) fn is_confirmation(recommended: &str, answer: &str) -> bool {
    let answer = answer.trim_end_matches(['.', '!']).to_lowercase();
    answer == recommended || CONFIRMATIONS.contains(&answer.as_str())
}

/// True for "no" and "no: …", but not for "nothing".
fn is_no(answer: &str) -> bool {
    answer.split(|c: char| !c.is_alphanumeric()).next().is_some_and(|word| word.eq_ignore_ascii_case("no"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirmations_are_distinguished_from_remarks() {
        for (key, answer, confirms) in [
            ("understanding", "yes", true),
            ("understanding", "Yes.", true),
            ("understanding", "no", false),
            ("assumptions", "all correct", true),
            ("assumptions", "corrections: not per user", false),
            ("scope", "scope is right", true),
            ("scope", "Add error handling to scope.", false),
            ("unknowns", "proceed", true),
        ] {
            let asked = QUESTIONS.iter().find(|asked| asked.key == key).unwrap();
            assert_eq!(is_confirmation(asked.confirmation, answer), confirms, "{answer}");
        }
        for (answer, no) in [("no", true), ("No: it is per user", true), ("nothing", false), ("yes", false)] {
            assert_eq!(is_no(answer), no, "{answer}");
        }
    }
}
