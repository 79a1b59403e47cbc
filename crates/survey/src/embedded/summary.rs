//! The aggregator: the research on one page.

use super::ground::{Ground, NO_MODEL, listed, place, risk_sentence, said};
use super::inputs::Inputs;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::words;

/// Six labelled parts, within the limit of words.
pub(super) fn aggregate(inputs: &Inputs<'_>) -> String {
    let ground = Ground::new(inputs);
    // The longest draft that fits: what the researchers said is cut first.
    let drafts = [160, 80, 40, 0].into_iter().map(|room| page(inputs, &ground, room));
    let fits = |page: &String| words::measure_summary(page, inputs.summary_words).error.is_none();
    drafts.into_iter().find(fits).unwrap_or_else(|| shortest(&ground))
}

/// What is left to say in hardly any words.
fn shortest(ground: &Ground<'_>) -> String {
    let place =
        ground.first().map_or("No place was found.".to_owned(), |file| format!("See {}.", place(file)));
    format!(
        "> No model took part.\n\n## Understanding\nSee the request.\n\n## Approach\n{place}\n\n## Assumptions\nNone.\n\n## Trade-offs\nNone.\n\n## Out of scope\nNone.\n\n## Unknowns\nThe behaviour.\n"
    )
}

fn page(inputs: &Inputs<'_>, ground: &Ground<'_>, room: usize) -> String {
    let inside: Vec<&str> = ground.sources().iter().take(3).map(|file| file.path.as_str()).collect();
    let places: Vec<String> = ground.sources().iter().take(3).map(|file| place(file)).collect();
    let understanding = format!("The request {}.", said(&ground.wish().asks, 200));
    let approach = if places.is_empty() {
        "No file fits the request, so no direction can be given.".to_owned()
    } else {
        let tests: Vec<&str> = ground.tests().into_iter().take(2).collect();
        let tests = if tests.is_empty() {
            String::new()
        } else {
            format!(" Tests to begin with: {}.", listed(&tests))
        };
        format!("The words of the request lead to {}.{tests}", listed(&places))
    };
    let assumptions = match inputs.survey.commands.test.as_deref() {
        Some(run) => format!(
            "- The words of the request mean what the code means by them.\n- \"{}\" is how changes are proven here.",
            said(run, 80)
        ),
        None => "- The words of the request mean what the code means by them.".to_owned(),
    };
    let risks: Vec<String> =
        ground.risks().iter().take(2).map(|risk| format!("- {}.", risk_sentence(risk))).collect();
    let trade_offs = if risks.is_empty() { "None that files show.".to_owned() } else { risks.join("\n") };
    let others = ground.sources().into_iter().map(|file| file.path.as_str());
    let others: Vec<&str> = others.filter(|path| !inside.contains(path)).skip(3).take(3).collect();
    let out_of_scope = if others.is_empty() {
        "Whatever the request does not name.".to_owned()
    } else {
        format!(
            "Whatever the request does not name; of what the survey found, {} are taken to be outside.",
            listed(&others)
        )
    };
    let mut unknowns = vec![
        "- What exactly must happen, and at which limits: a person must decide.".to_owned(),
        "- Who uses it and how they notice that it works: a person must decide.".to_owned(),
    ];
    unknowns.extend(ground.unknown_words().map(|note| format!("- {}", said(note, 120))));
    unknowns.extend(said_by_others(inputs, room));
    format!(
        "> {NO_MODEL}\n\n## Understanding\n{understanding}\n\n## Approach\n{approach}\n\n## Assumptions\n{assumptions}\n\n## Trade-offs\n{trade_offs}\n\n## Out of scope\n{out_of_scope}\n\n## Unknowns\n{}\n",
        unknowns.join("\n")
    )
}

/// What researchers with a model, or a person who edited their files, said beyond the survey.
fn said_by_others(inputs: &Inputs<'_>, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if room == 0 {
        return lines;
    }
    for name in ["research-requirements.md", "research-dependencies.md", "research-tasks.md"] {
        let response = response_in_markdown(inputs.artifact(name), inputs.summary_words).response;
        let summary = response.as_ref().and_then(|response| response.get("context_summary")?.as_str());
        let Some(summary) = summary.filter(|summary| !summary.starts_with(NO_MODEL)) else { continue };
        lines.push(format!("- From {name}: {}", said(summary, room * 5)));
    }
    lines
}
