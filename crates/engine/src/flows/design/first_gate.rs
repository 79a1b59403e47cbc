//! Step 1e: the person looks at what the research came to, before anybody designs.
//!
//! A plain yes changes nothing. Any other answer is written down for those who design; a "no" to the
//! understanding sends the research back, with what was said.

use super::answer_lines::answer_lines;
use super::artifacts::{CORRECTION, PRE_DESIGN};
use super::brief::Brief;
use crate::artifact::{Artifact, Input};
use crate::gate::{Answers, Gate};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::{Flow, Stop};
use charrette_model::panel::context_summary::{ContextSummary, read_context_summary};

/// A question: key, what comes before the part, what is asked, and the plain answer.
pub(super) type Asked = (&'static str, &'static str, &'static str, &'static str);

/// The questions about a specification.
const QUESTIONS: [Asked; 6] = [
    (
        "understanding",
        "Based on the research, here is what the feature needs to do:",
        "Is this correct? [yes / correct with changes / no]",
        "yes",
    ),
    (
        "approach",
        "I plan to approach the design as follows:",
        "Does this align with your expectations? [yes / suggest alternative]",
        "yes",
    ),
    (
        "assumptions",
        "I am making these assumptions:",
        "Are any of these incorrect? [all correct / corrections: ...]",
        "all correct",
    ),
    (
        "trade_offs",
        "Key trade-offs identified:",
        "Are you comfortable with these? [yes / concerns: ...]",
        "yes",
    ),
    (
        "scope",
        "The following is explicitly out of scope:",
        "Is anything missing or incorrectly excluded? [scope is right / adjustments: ...]",
        "scope is right",
    ),
    (
        "unknowns",
        "Open questions that may need resolution:",
        "Should we resolve any before proceeding? [proceed / resolve: ...]",
        "proceed",
    ),
];

/// Other ways to say a plain yes.
const PLAIN: [&str; 8] = ["yes", "y", "ok", "correct", "proceed", "fine", "looks good", "agreed"];

/// Asks, unless the gate is to be passed without asking.
pub(super) async fn pre_design(research: &PhaseHandle<'_>, brief: &Brief, file: &Artifact) -> Flow<()> {
    if brief.no_checkpoint {
        return Ok(());
    }
    let stage = research.stage("1e");
    let summary = parts_of(research, file).await?;
    let parts = [
        summary.understanding,
        summary.approach,
        summary.assumptions,
        summary.trade_offs,
        summary.out_of_scope,
        summary.unknowns,
    ];
    agree(research, brief, &QUESTIONS, &parts, file).await?;
    stage.done("answered");
    Ok(())
}

async fn parts_of(research: &PhaseHandle<'_>, summary: &Artifact) -> Flow<ContextSummary> {
    let (step, name) = (Step::new("pre-design/page").reads(summary), summary.name().to_owned());
    research
        .step(step, |context| async move { Ok(read_context_summary(&context.text(&name)?, usize::MAX).0) })
        .await
}

/// Asks about the parts of the summary. The research is done again if it had misunderstood.
pub(super) async fn agree(
    research: &PhaseHandle<'_>,
    brief: &Brief,
    questions: &'static [Asked; 6],
    parts: &[String; 6],
    summary: &Artifact,
) -> Flow<()> {
    let answers = research.gate(gate(brief, questions, parts, summary)).await?;
    if taken(research, questions, &answers).await? { Err(Stop::Again) } else { Ok(()) }
}

fn gate(brief: &Brief, questions: &[Asked; 6], parts: &[String; 6], summary: &Artifact) -> Gate {
    let page = format!(
        "Pre-Design Checkpoint\n=====================\n\nI have completed research for \"{}\". Before writing the {}, I would like\nto verify my understanding with you.",
        brief.feature,
        brief.level.as_str()
    );
    // A correction opens the gate again, even if the research then says the same.
    let mut gate =
        Gate::new("pre-design", &[Input::Artifact(summary.name().to_owned()), Input::optional(CORRECTION)])
            .page(page);
    for ((key, before, question, plain), part) in questions.iter().zip(parts) {
        gate = gate.ask(key, &format!("{before}\n\n{part}\n\n{question}"), plain);
    }
    gate
}

/// Writes down what was not a plain yes. True if the research must be done again: somebody said no to the first
/// question.
async fn taken(research: &PhaseHandle<'_>, questions: &'static [Asked; 6], answers: &Answers) -> Flow<bool> {
    let said: Vec<(String, String)> = questions
        .iter()
        .map(|(key, .., plain)| (*key, answers.get(key).trim(), *plain))
        .filter(|(_, answer, plain)| !is_plain(plain, answer))
        .map(|(key, answer, _)| (key.to_owned(), answer.to_owned()))
        .collect();
    let [(first, ..), ..] = questions;
    let misunderstood = said.iter().any(|(key, answer)| key == first && says_no(answer));
    let step = Step::new("pre-design/answers").reads(answers).revises([CORRECTION]);
    research
        .step(step, move |context| async move {
            let lines = answer_lines(said.iter().map(|(key, answer)| (key.as_str(), answer.as_str())));
            if misunderstood {
                let before = context.optional_text(CORRECTION)?.unwrap_or_default();
                context.write(CORRECTION, format!("{before}{lines}"))?;
            }
            let text = if lines.is_empty() { "Nothing to add.\n".to_owned() } else { lines };
            context.write(PRE_DESIGN, text)?;
            Ok(misunderstood)
        })
        .await
}

fn is_plain(recommended: &str, answer: &str) -> bool {
    let answer = answer.trim_end_matches(['.', '!']).to_lowercase();
    answer == recommended || PLAIN.contains(&answer.as_str())
}

/// "no", or "no: …"; "nothing" is another word.
fn says_no(answer: &str) -> bool {
    answer.split(|c: char| !c.is_alphanumeric()).next().is_some_and(|word| word.eq_ignore_ascii_case("no"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_yes_is_told_from_anything_that_says_more() {
        for (key, answer, plain) in [
            ("understanding", "yes", true),
            ("understanding", "Yes.", true),
            ("understanding", "no", false),
            ("assumptions", "all correct", true),
            ("assumptions", "corrections: not per user", false),
            ("scope", "scope is right", true),
            ("scope", "Add error handling to scope.", false),
            ("unknowns", "proceed", true),
        ] {
            let (.., recommended) = QUESTIONS.iter().find(|(known, ..)| *known == key).unwrap();
            assert_eq!(is_plain(recommended, answer), plain, "{answer}");
        }
        for (answer, no) in [("no", true), ("No: it is per user", true), ("nothing", false), ("yes", false)] {
            assert_eq!(says_no(answer), no, "{answer}");
        }
    }
}
