//! Inputs of a seat as its prompt shows them: layer of trust, title, by path or quoted, and condensed for the reader.
//!
//! The table of artifacts says who reads what and how far it is to be trusted; this module applies it to one prompt.

use crate::artifact::{ArtifactSpec, names_seat};
use crate::ports::{InputLayer, PromptInput, Quotation};
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::citations::cited_files;
use charrette_model::panel::cite::declared_new;
use charrette_model::panel::context_summary::{PARTS, read_parts};
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::file_names::{SUMMARY, SURVEY};
use charrette_model::panel::questions::AnswerSource;
use charrette_model::seats::{Seat, SeatGroup};
use charrette_model::words;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Number of files that a seat is told to begin with.
const MAX_FIRST_FILES: usize = 8;

/// Sets layer, title and form of quotation of every input, and condenses it for its reader.
pub(super) fn prepare(seat: &Seat, artifacts: &[ArtifactSpec], inputs: &mut [PromptInput]) {
    for input in inputs {
        let exact = artifacts.iter().find(|artifact| artifact.name == input.name);
        let row = exact.or_else(|| artifacts.iter().find(|artifact| artifact.matches(&input.name)));
        if let Some(artifact) = row {
            input.layer = artifact.layer;
            input.quotation = match artifact {
                artifact if names_seat(artifact.by_path, seat.id) => Quotation::ByPath,
                artifact if artifact.whole => Quotation::Whole,
                _ => Quotation::Condensable,
            };
            if artifact.layer == InputLayer::Person {
                input.title = Some(sentence_case(artifact.about));
            }
        }
        condense_for(seat, input);
    }
}

/// Takes the summary of the research out of the inputs, for the handoff request. A text beyond the limit is cut at the
/// end of a sentence; the second value says so.
pub(super) fn take_summary(inputs: &mut Vec<PromptInput>, limit: usize) -> (Option<String>, Option<String>) {
    let Some(at) = inputs.iter().position(|input| input.name == SUMMARY) else { return (None, None) };
    let summary = inputs.remove(at).text.trim().to_owned();
    let count = words::count(&summary);
    if count <= limit {
        return (Some(summary).filter(|summary| !summary.is_empty()), None);
    }
    let note =
        format!("{SUMMARY} has {count} words; the prompt has the first {limit} (limits.summary_words)");
    (Some(words::cut_at_sentence(&summary, limit).to_owned()), Some(note))
}

/// Files that the inputs cite most, the best first. Researchers begin with the files of the survey instead.
pub(super) fn first_files(seat: &Seat, surveyed: &[String], inputs: &[PromptInput]) -> Vec<String> {
    if seat.group == Some(SeatGroup::Researchers) {
        return surveyed.to_vec();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for input in inputs.iter().filter(|input| input.layer == InputLayer::Colleagues && input.name != SURVEY) {
        let new = declared_new(&input.text);
        for path in cited_files(&input.text).filter(|path| !new.contains(*path)) {
            *counts.entry(path).or_default() += 1;
        }
    }
    let mut cited: Vec<(&str, usize)> = counts.into_iter().filter(|(path, _)| path.contains('/')).collect();
    cited.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), *path));
    if cited.is_empty() {
        return surveyed.to_vec();
    }
    cited.into_iter().take(MAX_FIRST_FILES).map(|(path, _)| path.to_owned()).collect()
}

/// Decisions of the person, one line each, as constraints of the handoff request.
pub(super) fn constraints(inputs: &[PromptInput]) -> Vec<String> {
    let of_person = inputs.iter().filter(|input| input.layer == InputLayer::Person);
    let settled = of_person.flat_map(|input| read_discussion(&input.text).0);
    settled
        .filter(|settled| settled.source == AnswerSource::User)
        .map(|settled| format!("{}: {}", settled.title, settled.resolution))
        .collect()
}

/// Shortens an input to what its reader needs.
fn condense_for(seat: &Seat, input: &mut PromptInput) {
    let is_research = input.name.starts_with("research-");
    match (seat.id, seat.group) {
        // They ask the person, so they need what the researchers could not find out.
        ("clarifier" | "scoper", _) if is_research => {
            input.text = open_issues(&input.text);
            input.title = Some(format!("Open issues of {}", input.name));
        }
        // A sketch must not follow the first idea.
        (_, Some(SeatGroup::Sketches)) if input.name == SUMMARY => input.text = without_approach(&input.text),
        // Its issues name lines.
        ("validator" | "project-validator" | "feature-validator", _) if input.name.starts_with("specs/") => {
            input.text = with_line_numbers(&input.text);
        }
        _ => {}
    }
}

fn open_issues(report: &str) -> String {
    let response = response_in_markdown(report, usize::MAX).response.unwrap_or_default();
    let issues = response["issues"].as_array().into_iter().flatten().filter_map(|issue| issue.as_str());
    let lines = issues.fold(String::new(), |mut text, issue| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {issue}");
        text
    });
    if lines.is_empty() { "None.\n".to_owned() } else { lines }
}

fn without_approach(summary: &str) -> String {
    let (parts, problems) = read_parts(summary, &PARTS, usize::MAX);
    if !problems.is_empty() {
        return summary.to_owned();
    }
    let kept = PARTS.iter().zip(&parts).filter(|(label, _)| **label != "Approach");
    kept.fold(String::new(), |mut text, (label, part)| {
        let _ = write!(text, "## {label}\n\n{}\n\n", part.trim());
        text
    })
}

fn with_line_numbers(text: &str) -> String {
    (1..).zip(text.lines()).fold(String::new(), |mut numbered, (number, line)| {
        let _ = writeln!(numbered, "{number:4} {line}");
        numbered
    })
}

fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::design::artifacts::{ARTIFACTS, PLAN_DRAFT, RESEARCH_TASKS, ROUND_1};
    use crate::flows::seats;

    fn seat(id: &str) -> &'static Seat {
        seats().seat(id).unwrap()
    }

    fn input(name: &str, text: &str) -> PromptInput {
        PromptInput {
            name: name.to_owned(),
            title: None,
            layer: InputLayer::default(),
            quotation: Quotation::default(),
            text: text.to_owned(),
            location: Some(format!("/w/{name}")),
        }
    }

    #[test]
    fn the_table_gives_layer_title_and_form() {
        let mut inputs = [input("request.md", "Add."), input(RESEARCH_TASKS, "x"), input(PLAN_DRAFT, "y")];
        prepare(seat("planner"), ARTIFACTS, &mut inputs);
        assert_eq!(inputs[0].layer, InputLayer::Person);
        assert_eq!(inputs[0].title.as_deref(), Some("The request, word for word"));
        assert_eq!([inputs[1].quotation, inputs[2].quotation], [Quotation::ByPath, Quotation::Whole]);
        assert_eq!(inputs[2].layer, InputLayer::Colleagues);
    }

    #[test]
    fn readers_get_what_they_need() {
        let summary = "## Understanding\nu\n## Approach\nqueue\n## Assumptions\na\n## Trade-offs\nt\n## Out of scope\no\n## Unknowns\nk\n";
        let mut inputs = [input(SUMMARY, summary)];
        prepare(seat("cursor-arch"), ARTIFACTS, &mut inputs);
        assert!(!inputs[0].text.contains("queue") && inputs[0].text.contains("## Unknowns\n\nk"));
        let report = "```json\n{\"decision\": \"PROCEED\", \"issues\": [\"who pays?\"]}\n```\nLong prose.\n";
        let mut inputs = [input(RESEARCH_TASKS, report)];
        prepare(seat("scoper"), ARTIFACTS, &mut inputs);
        assert_eq!(inputs[0].text, "- who pays?\n");
        let mut inputs = [input("specs/design.md", "# A\nb\n")];
        prepare(seat("validator"), ARTIFACTS, &mut inputs);
        assert_eq!(inputs[0].text, "   1 # A\n   2 b\n");
    }

    #[test]
    fn the_summary_moves_into_the_request() {
        let mut inputs = vec![input("request.md", "x"), input(SUMMARY, "One. Two three. Four five six.\n")];
        let (summary, note) = take_summary(&mut inputs, 4);
        assert_eq!(summary.as_deref(), Some("One. Two three."));
        assert!(note.unwrap().contains("6 words"));
        assert_eq!(inputs.len(), 1);
        assert_eq!(take_summary(&mut inputs, 4), (None, None));
    }

    #[test]
    fn later_seats_begin_with_what_their_inputs_cite() {
        let surveyed = ["a/survey.rs".to_owned()];
        let plan = [input(PLAN_DRAFT, "See src/b.rs:2, src/b.rs:9 and src/c.rs:1. Not README.md.")];
        assert_eq!(first_files(seat("reviewer-arch"), &surveyed, &plan), ["src/b.rs", "src/c.rs"]);
        assert_eq!(first_files(seat("researcher-tasks"), &surveyed, &plan), surveyed);
        assert_eq!(first_files(seat("reviewer-arch"), &surveyed, &[]), surveyed);
    }

    #[test]
    fn decisions_of_the_person_are_constraints_and_answers_of_the_code_are_not() {
        let text = "### Decision 1: Guests\n**Question**: May guests pay?\n**Resolution**: Never.\n**Source**: user\n\n\
                    ### Decision 2: Store\n**Question**: Where?\n**Resolution**: In a.rs.\n**Source**: codebase (a.rs:1)\n";
        let mut inputs = [input(ROUND_1, text)];
        prepare(seat("planner"), ARTIFACTS, &mut inputs);
        assert_eq!(constraints(&inputs), ["Guests: Never."]);
    }
}
