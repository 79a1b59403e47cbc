//! The questioners: clarifier, scoper and discusser.

use super::citable_facts::{CitableFacts, NO_MODEL};
use super::inputs::DraftInputs;
use super::verbs::has_verb;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::questions::{AnswerSource, NONE, Question, QuestionRound, write_questions};
use charrette_model::panel::resolutions::{DecisionResolution, Disposition, read_resolutions};

/// Asks only if the request names no action, or nothing the repository contains.
pub(super) fn clarify(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let mut questions = Vec::new();
    if !has_verb(inputs.request) {
        questions.push(Question {
            title: "What should happen".to_owned(),
            question: format!("The request says \"{}\" and names no action. What should the software do that it does not do now?", facts.request()),
            recommended: "Add it as new behaviour and change nothing else.".to_owned(),
            why: "Without an action, files cannot say what changes.".to_owned(),
            source: AnswerSource::User,
        });
    }
    if inputs.survey.files.is_empty()
        || inputs.survey.notes.iter().any(|note| note.contains("stands anywhere"))
    {
        questions.push(Question {
            title: "Where it belongs".to_owned(),
            question: "No word of the request stands in the repository. Which existing part is it about?"
                .to_owned(),
            recommended: "It is something new and stands beside what is there.".to_owned(),
            why: "A survey finds places by the words the code itself uses.".to_owned(),
            source: AnswerSource::User,
        });
    }
    render_questions(questions, QuestionRound::Clarify)
}

/// Never asks about scope: that cannot be known from files.
pub(super) fn scope() -> String {
    format!("{NONE}\n")
}

/// One question for each decision that is still contested and was not settled in the first round.
pub(super) fn discuss(inputs: &DraftInputs<'_>) -> String {
    let contested = read_decisions(inputs.artifact("contested-decisions.md")).contested;
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    let (settled, _) = read_discussion(inputs.artifact("discussion-round1.md"));
    let mut questions = Vec::new();
    for decision in &contested {
        let resolution = resolutions.iter().find(|resolution| resolution.n == decision.n);
        let open = resolution.is_none_or(DecisionResolution::is_still_contested);
        if !open || settled.iter().any(|settled| settled.title == decision.title) {
            continue;
        }
        let stands = resolution.map_or(decision.chosen.as_str(), |resolution| resolution.resolution.as_str());
        let how = match resolution.map(|resolution| resolution.outcome.disposition()) {
            Some(Disposition::Voted) => "the vote was close",
            Some(Disposition::FallbackToSynthesis) => "the debate settled nothing",
            Some(Disposition::BucketSkipped) => "no agent could debate it",
            Some(Disposition::OverCap) => "it ranked too low to be debated",
            None => "it was not debated",
        };
        questions.push(Question {
            title: decision.title.clone(),
            question: format!(
                "DECISION_{}: {} Or: {} Which is it?",
                decision.n,
                with_full_stop(&decision.chosen),
                with_full_stop(&decision.alternative)
            ),
            recommended: stands.to_owned(),
            why: format!("{how}; the tension is: {}", decision.tension),
            source: AnswerSource::User,
        });
    }
    render_questions(questions, QuestionRound::Design)
}

fn render_questions(mut questions: Vec<Question>, round: QuestionRound) -> String {
    if questions.is_empty() {
        return format!("{NONE}\n");
    }
    questions.truncate(round.limit());
    format!("> {NO_MODEL}\n\n{}", write_questions(&questions))
}

fn with_full_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
