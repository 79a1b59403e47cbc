//! The voter: votes by checking citations and claims. All seats it takes count as one voter.

use super::citable_facts::{NO_MODEL, join_list};
use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use super::synthesis::strip_line;
use charrette_model::markdown::{label, lines, strip_decoration};
use charrette_model::panel::citations;
use charrette_model::panel::ids::{ItemId, ItemKind};
use std::fmt::Write as _;

/// Votes on every item of the ballot.
pub(super) fn vote(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let ballot = required_artifact(inputs, "ballot.txt")?;
    let plan = inputs.artifact("plan-draft.txt");
    let mut text = format!("> {NO_MODEL}\n\n");
    let mut supported: Vec<String> = Vec::new();
    for (id, concern) in ballot_items(ballot) {
        let (vote, reason) = judge_concern(inputs, plan, &concern);
        if vote == "YES" && id.kind == ItemKind::Finding && supported.len() < MAX_RANKED {
            supported.push(id.to_string());
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id}: {vote} — {reason}");
    }
    // The ballot lists the gravest first; the embedded agent has no better order.
    let top = if supported.is_empty() { "none".to_owned() } else { supported.join(", ") };
    let _ = writeln!(text, "TOP: {top}");
    Ok(text)
}

/// Maximum number of ranked items.
const MAX_RANKED: usize = 10;

/// Items of the ballot with their title and concern.
fn ballot_items(ballot: &str) -> Vec<(ItemId, String)> {
    let mut items: Vec<(ItemId, String)> = Vec::new();
    for line in lines(ballot).filter(|line| !line.fenced) {
        let Some(label) = label(&strip_decoration(line.text)) else { continue };
        let id = ItemId::parse(label.name).filter(|id| id.kind != ItemKind::Decision);
        if let Some(id) = id {
            let title = label.value.rsplit_once("] ").map_or("", |(_, title)| title);
            items.push((id, title.to_owned()));
        } else if let Some((_, concern)) = items.last_mut().filter(|_| label.name == "Concern") {
            *concern = format!("{concern}. {}", label.value);
        }
    }
    items
}

/// Vote and reason for a concern.
fn judge_concern(inputs: &DraftInputs<'_>, plan: &str, concern: &str) -> (&'static str, String) {
    let citations = citations::paths(concern);
    // ASCII only, so that offsets are valid in both texts.
    let lower = concern.to_ascii_lowercase();
    if let Some((vote, reason)) = check_omission(plan, &lower, concern, &citations) {
        return (vote, reason);
    }
    if citations.is_empty() {
        return ("EXONERATE", "it names no place, so nothing about it can be checked.".to_owned());
    }
    let gone: Vec<&str> =
        citations.iter().filter(|citation| !citation_exists(inputs, citation)).copied().collect();
    let says_gone = ["does not exist", "do not exist", "no such file", "is missing", "which has"]
        .iter()
        .any(|mark| lower.contains(mark));
    match (gone.as_slice(), says_gone) {
        ([], false) => {
            let words = missing_names(inputs, concern, &citations);
            if words.is_empty() {
                ("YES", format!("{} can be looked up and holds.", join_list(&citations)))
            } else {
                ("NO", format!("{} does not have {}.", join_list(&citations), join_list(&words)))
            }
        }
        ([], true) => ("NO", format!("{} is there.", join_list(&citations))),
        (gone, true) => ("YES", format!("{} is indeed not there.", join_list(gone))),
        (gone, false) => ("NO", format!("{} is not there.", join_list(gone))),
    }
}

/// Checks "the plan does not name x", "is silent about x" and "has no section x" against the plan.
fn check_omission(
    plan: &str,
    lower: &str,
    concern: &str,
    citations: &[&str],
) -> Option<(&'static str, String)> {
    if plan.is_empty() {
        return None;
    }
    if let Some(named) = omitted_name(lower, concern, citations) {
        return Some(if plan.contains(named) {
            ("NO", format!("the plan does speak of {named}."))
        } else {
            ("YES", format!("the plan indeed says nothing about {named}."))
        });
    }
    let section =
        lower.find("no section \"").map(|at| &concern[at + 12..]).and_then(|rest| rest.split('"').next())?;
    let there = super::plan_text::PlanText::read(plan).section(section).is_some();
    Some(if there {
        ("NO", format!("the plan has a section {section}."))
    } else {
        ("YES", format!("the plan has no section {section}."))
    })
}

/// Name the plan is said to omit: the word after the phrase, else the last citation.
fn omitted_name<'a>(lower: &str, concern: &'a str, citations: &[&'a str]) -> Option<&'a str> {
    let marks = ["does not name", "does not mention", "is silent about", "never names"];
    let end = marks.iter().find_map(|mark| lower.find(mark).map(|at| at + mark.len()))?;
    let after = concern.get(end..).unwrap_or_default();
    let edges = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/');
    let word = after.split_whitespace().next().unwrap_or_default().trim_matches(edges);
    let named =
        word.len() > 2 && (word.contains(['-', '_', '/', '.']) || after.trim_start().starts_with('`'));
    if named { Some(strip_line(word)) } else { citations.last().map(|citation| strip_line(citation)) }
}

/// True if a cited file and line exist.
fn citation_exists(inputs: &DraftInputs<'_>, citation: &str) -> bool {
    let path = strip_line(citation);
    let last = citation[path.len()..]
        .trim_start_matches(':')
        .rsplit('-')
        .next()
        .and_then(|line| line.parse::<usize>().ok());
    inputs.files.lines(path).is_some_and(|length| last.is_none_or(|line| line <= length.max(1)))
}

/// Names in backticks that none of the cited files contains.
fn missing_names(inputs: &DraftInputs<'_>, concern: &str, citations: &[&str]) -> Vec<String> {
    let texts: Vec<String> =
        citations.iter().filter_map(|citation| inputs.files.text(strip_line(citation))).collect();
    let is_name = |word: &&str| {
        word.len() > 2
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !word.bytes().all(|b| b.is_ascii_digit())
    };
    let quoted = concern.split('`').skip(1).step_by(2).filter(is_name);
    quoted.filter(|word| !texts.iter().any(|text| text.contains(word))).map(str::to_owned).collect()
}
