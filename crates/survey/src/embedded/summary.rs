//! The aggregator: the research on one page.

use super::citable_facts::{CitableFacts, NO_MODEL, file_citation, join_list, risk_sentence, sanitize};
use super::inputs::DraftInputs;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::words;

/// Six labelled sections, within the word limit.
pub(super) fn aggregate(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    // The longest page that fits: summaries of researchers are cut first.
    let drafts = [160, 80, 40, 0].into_iter().map(|room| page(inputs, &facts, room));
    let fits = |page: &String| words::measure_summary(page, inputs.summary_words).error.is_none();
    drafts.into_iter().find(fits).unwrap_or_else(|| shortest_page(&facts))
}

/// The page in as few words as possible.
fn shortest_page(facts: &CitableFacts<'_>) -> String {
    let place = facts
        .first()
        .map_or("No place was found.".to_owned(), |file| format!("See {}.", file_citation(file)));
    format!(
        "> No model took part.\n\n## Understanding\nSee the request.\n\n## Approach\n{place}\n\n## Assumptions\nNone.\n\n## Trade-offs\nNone.\n\n## Out of scope\nNone.\n\n## Unknowns\nThe behaviour.\n"
    )
}

fn page(inputs: &DraftInputs<'_>, facts: &CitableFacts<'_>, room: usize) -> String {
    let inside: Vec<&str> = facts.sources().iter().take(3).map(|file| file.path.as_str()).collect();
    let places: Vec<String> = facts.sources().iter().take(3).map(|file| file_citation(file)).collect();
    let understanding = format!("The request {}.", sanitize(&facts.request_phrases().asks, 200));
    let approach = if places.is_empty() {
        "No file fits the request, so no direction can be given.".to_owned()
    } else {
        let tests: Vec<&str> = facts.tests().into_iter().take(2).collect();
        let tests = if tests.is_empty() {
            String::new()
        } else {
            format!(" Tests to begin with: {}.", join_list(&tests))
        };
        format!("The words of the request lead to {}.{tests}", join_list(&places))
    };
    let assumptions = match inputs.survey.commands.test.as_deref() {
        Some(run) => format!(
            "- The words of the request mean what the code means by them.\n- \"{}\" is how changes are proven here.",
            sanitize(run, 80)
        ),
        None => "- The words of the request mean what the code means by them.".to_owned(),
    };
    let risks: Vec<String> =
        facts.risks().iter().take(2).map(|risk| format!("- {}.", risk_sentence(risk))).collect();
    let trade_offs = if risks.is_empty() { "None that files show.".to_owned() } else { risks.join("\n") };
    let others = facts.sources().into_iter().map(|file| file.path.as_str());
    let others: Vec<&str> = others.filter(|path| !inside.contains(path)).skip(3).take(3).collect();
    let out_of_scope = if others.is_empty() {
        "Everything the request does not name.".to_owned()
    } else {
        format!(
            "Everything the request does not name; of what the survey found, {} are taken to be outside.",
            join_list(&others)
        )
    };
    let mut unknowns = vec![
        "- What exactly must happen, and at which limits: a person must decide.".to_owned(),
        "- Who uses it and how they notice that it works: a person must decide.".to_owned(),
    ];
    unknowns.extend(facts.unknown_words().map(|note| format!("- {}", sanitize(note, 120))));
    unknowns.extend(researcher_summaries(inputs, room));
    format!(
        "> {NO_MODEL}\n\n## Understanding\n{understanding}\n\n## Approach\n{approach}\n\n## Assumptions\n{assumptions}\n\n## Trade-offs\n{trade_offs}\n\n## Out of scope\n{out_of_scope}\n\n## Unknowns\n{}\n",
        unknowns.join("\n")
    )
}

/// Summaries by researchers with a model, or by a person who edited their files.
fn researcher_summaries(inputs: &DraftInputs<'_>, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if room == 0 {
        return lines;
    }
    for name in ["research-requirements.md", "research-dependencies.md", "research-tasks.md"] {
        let response = response_in_markdown(inputs.artifact(name), inputs.summary_words).response;
        let summary = response.as_ref().and_then(|response| response.get("context_summary")?.as_str());
        let Some(summary) = summary.filter(|summary| !summary.starts_with(NO_MODEL)) else { continue };
        lines.push(format!("- From {name}: {}", sanitize(summary, room * 5)));
    }
    lines
}
