//! Dispatches seats to their drafts.

use super::inputs::DraftInputs;
use super::{
    diagram, levels, merge, plan, questions, research, review, revise, sketch, spec, summary, synthesis,
    topic, topic_notes, validate, vote, walk,
};
use charrette_model::spec::resolver::SpecLevel;

/// Errors of a draft.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// A required artifact is missing or empty.
    #[error("{0} is missing")]
    Missing(&'static str),
}

/// Drafts the answer of a seat; none if the embedded agent may not take it.
pub fn draft(seat: &str, inputs: &DraftInputs<'_>) -> Option<Result<String, DraftError>> {
    Some(match seat {
        "researcher-requirements" | "researcher-vision" | "researcher-feature-domain" => {
            Ok(research::requirements(inputs, seat))
        }
        "researcher-dependencies" | "researcher-scope" | "researcher-feature-dependencies" => {
            Ok(research::dependencies(inputs, seat))
        }
        "researcher-rough-specs" => Ok(levels::breakdown(inputs, seat, SpecLevel::Project)),
        "researcher-spec-breakdown" => Ok(levels::breakdown(inputs, seat, SpecLevel::Feature)),
        "project-aggregator" => Ok(levels::aggregate(inputs, SpecLevel::Project)),
        "feature-aggregator" => Ok(levels::aggregate(inputs, SpecLevel::Feature)),
        "project-writer" => levels::write(inputs, SpecLevel::Project),
        "feature-writer" => levels::write(inputs, SpecLevel::Feature),
        "project-validator" => levels::validate(inputs, SpecLevel::Project),
        "feature-validator" => levels::validate(inputs, SpecLevel::Feature),
        "researcher-tasks" => Ok(research::tasks(inputs)),
        "aggregator" => Ok(summary::aggregate(inputs)),
        "clarifier" => Ok(questions::clarify(inputs)),
        "scoper" => Ok(questions::scope()),
        "cursor-arch" => Ok(sketch::architecture(inputs)),
        "cursor-edge" => Ok(sketch::edges(inputs)),
        "codex-innovation" => Ok(sketch::innovation(inputs)),
        "codex-pragmatic" => Ok(sketch::pragmatic(inputs)),
        "cursor-generic" | "codex-generic" => Ok(sketch::generic(inputs)),
        "synthesist" => synthesis::synthesise(inputs),
        // What nobody knows cannot be told from a survey.
        "inquirer" => Ok("NONE\n".to_owned()),
        "planner" => Ok(plan::draft(inputs)),
        "reviewer-arch" => review::review(inputs, review::Lens::Architecture),
        "reviewer-edge" => review::review(inputs, review::Lens::Edges),
        "reviewer-innovation" => review::review(inputs, review::Lens::Innovation),
        "reviewer-pragmatic" => review::review(inputs, review::Lens::Pragmatic),
        "merger" => Ok(merge::merge(inputs)),
        "voter-claude" | "voter-codex" | "voter-cursor" => vote::vote(inputs),
        "reviser" => revise::account_for_findings(inputs),
        "walker-1" => walk::walk(inputs, "1"),
        "walker-2" => walk::walk(inputs, "2"),
        "mender" => revise::account_for_breaks(inputs),
        "discusser" => Ok(questions::discuss(inputs)),
        "finisher" => revise::add_answers(inputs),
        "illustrator" => diagram::draw(inputs),
        "topic-structure" => Ok(topic::structure(inputs)),
        "topic-behaviour" => Ok(topic::behaviour(inputs)),
        "topic-history" => Ok(topic::history(inputs)),
        "topic-synthesist" => topic_notes::notes(inputs),
        "writer" => spec::write(inputs),
        "validator" => validate::validate(inputs),
        _ => return None,
    })
}

/// Text of a required artifact.
pub(super) fn required_artifact<'a>(
    inputs: &DraftInputs<'a>,
    name: &'static str,
) -> Result<&'a str, DraftError> {
    let text = inputs.artifact(name);
    if text.trim().is_empty() { Err(DraftError::Missing(name)) } else { Ok(text) }
}
