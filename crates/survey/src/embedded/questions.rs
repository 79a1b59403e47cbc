//! The questioners: mostly there is nothing to ask that files could raise.

use super::ground::{Ground, NO_MODEL};
use super::inputs::Inputs;
use super::verbs::has_verb;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::questions::{NONE, Question, Round, Source, write_questions};
use charrette_model::panel::resolutions::{Disposition, Resolution, read_resolutions};

/// Asks only if the request names no action, or nothing the repository knows.
pub(super) fn clarify(inputs: &Inputs<'_>) -> String {
    let ground = Ground::new(inputs);
    let mut questions = Vec::new();
    if !has_verb(inputs.request) {
        questions.push(Question {
            title: "What should happen".to_owned(),
            question: format!("The request says \"{}\" and names no action. What should the software do that it does not do now?", ground.request()),
            recommended: "Add it as new behaviour and change nothing else.".to_owned(),
            why: "Without an action, files cannot say what changes.".to_owned(),
            source: Source::User,
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
            source: Source::User,
        });
    }
    written(questions, Round::Clarify)
}

/// Scope is a matter of wishes, and files have none.
pub(super) fn scope() -> String {
    format!("{NONE}\n")
}

/// One question for each decision that is still contested and was not settled in the first round.
pub(super) fn discuss(inputs: &Inputs<'_>) -> String {
    let contested = read_decisions(inputs.artifact("contested-decisions.md")).contested;
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    let (settled, _) = read_discussion(inputs.artifact("discussion-round1.md"));
    let mut questions = Vec::new();
    for decision in &contested {
        let resolution = resolutions.iter().find(|resolution| resolution.n == decision.n);
        let open = resolution.is_none_or(Resolution::is_still_contested);
        if !open || settled.iter().any(|settled| settled.title == decision.title) {
            continue;
        }
        let stands = resolution.map_or(decision.chosen.as_str(), |resolution| resolution.resolution.as_str());
        let how = match resolution.map(|resolution| resolution.outcome.disposition()) {
            Some(Disposition::Voted) => "the vote was close",
            Some(Disposition::FallbackToSynthesis) => "the debate settled nothing",
            Some(Disposition::BucketSkipped) => "nobody could debate it",
            Some(Disposition::OverCap) => "it ranked too low to be debated",
            None => "it was not debated",
        };
        questions.push(Question {
            title: decision.title.clone(),
            question: format!(
                "DECISION_{}: {} Or: {} Which is it?",
                decision.n,
                ended(&decision.chosen),
                ended(&decision.alternative)
            ),
            recommended: stands.to_owned(),
            why: format!("{how}; the tension is: {}", decision.tension),
            source: Source::User,
        });
    }
    written(questions, Round::Design)
}

fn written(mut questions: Vec<Question>, round: Round) -> String {
    if questions.is_empty() {
        return format!("{NONE}\n");
    }
    questions.truncate(round.limit());
    format!("> {NO_MODEL}\n\n{}", write_questions(&questions))
}

fn ended(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
