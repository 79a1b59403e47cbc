//! The voter: facts that can be checked are checked. All seats it fills are one voter together.

use super::draft::{DraftError, needed};
use super::ground::{NO_MODEL, listed};
use super::inputs::Inputs;
use super::synthesis::without_line;
use charrette_model::panel::cited;
use charrette_model::panel::ids::{ItemId, ItemKind};
use charrette_model::panel::lines::{bare, label, lines};
use std::fmt::Write as _;

/// Votes on everything on the ballot.
pub(super) fn vote(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let ballot = needed(inputs, "ballot.txt")?;
    let plan = inputs.artifact("plan-draft.txt");
    let mut text = format!("> {NO_MODEL}\n\n");
    for line in lines(ballot).filter(|line| !line.fenced) {
        let Some(label) = label(&bare(line.text)) else { continue };
        let Some(id) = ItemId::parse(label.name).filter(|id| id.kind != ItemKind::Decision) else { continue };
        let concern = label.value.split("Suggested revision:").next().unwrap_or_default();
        let (vote, reason) = judged(inputs, plan, concern);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{id}: {vote} — {reason}");
    }
    Ok(text)
}

/// What the facts of a concern come to.
fn judged(inputs: &Inputs<'_>, plan: &str, concern: &str) -> (&'static str, String) {
    let citations = cited::paths(concern);
    // Letters outside ASCII keep their place, so what is found in one can be cut out of the other.
    let lower = concern.to_ascii_lowercase();
    if let Some((vote, reason)) = silence(plan, &lower, concern, &citations) {
        return (vote, reason);
    }
    if citations.is_empty() {
        return ("EXONERATE", "it names no place, so nothing about it can be checked.".to_owned());
    }
    let gone: Vec<&str> = citations.iter().filter(|citation| !exists(inputs, citation)).copied().collect();
    let says_gone = ["does not exist", "do not exist", "no such file", "is missing", "which has"]
        .iter()
        .any(|mark| lower.contains(mark));
    match (gone.as_slice(), says_gone) {
        ([], false) => {
            let words = unfound(inputs, concern, &citations);
            if words.is_empty() {
                ("YES", format!("{} can be looked up and holds.", listed(&citations)))
            } else {
                ("NO", format!("{} does not have {}.", listed(&citations), listed(&words)))
            }
        }
        ([], true) => ("NO", format!("{} is there.", listed(&citations))),
        (gone, true) => ("YES", format!("{} is indeed not there.", listed(gone))),
        (gone, false) => ("NO", format!("{} is not there.", listed(gone))),
    }
}

/// "The plan does not name x", "is silent about x", "has no section x": held against the plan.
fn silence(plan: &str, lower: &str, concern: &str, citations: &[&str]) -> Option<(&'static str, String)> {
    if plan.is_empty() {
        return None;
    }
    if let Some(named) = unmentioned(lower, concern, citations) {
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

/// What the plan is said to be silent about: what follows the words that say so, else the last place that is cited.
fn unmentioned<'a>(lower: &str, concern: &'a str, citations: &[&'a str]) -> Option<&'a str> {
    let marks = ["does not name", "does not mention", "is silent about", "never names"];
    let end = marks.iter().find_map(|mark| lower.find(mark).map(|at| at + mark.len()))?;
    let after = concern.get(end..).unwrap_or_default();
    let edges = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/');
    let word = after.split_whitespace().next().unwrap_or_default().trim_matches(edges);
    let named =
        word.len() > 2 && (word.contains(['-', '_', '/', '.']) || after.trim_start().starts_with('`'));
    if named { Some(without_line(word)) } else { citations.last().map(|citation| without_line(citation)) }
}

/// Whether a citation leads somewhere.
fn exists(inputs: &Inputs<'_>, citation: &str) -> bool {
    let path = without_line(citation);
    let last = citation[path.len()..]
        .trim_start_matches(':')
        .rsplit('-')
        .next()
        .and_then(|line| line.parse::<usize>().ok());
    inputs.files.lines(path).is_some_and(|length| last.is_none_or(|line| line <= length.max(1)))
}

/// Names in backticks that none of the cited files has.
fn unfound(inputs: &Inputs<'_>, concern: &str, citations: &[&str]) -> Vec<String> {
    let texts: Vec<String> =
        citations.iter().filter_map(|citation| inputs.files.text(without_line(citation))).collect();
    let is_name = |word: &&str| {
        word.len() > 2
            && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !word.bytes().all(|b| b.is_ascii_digit())
    };
    let quoted = concern.split('`').skip(1).step_by(2).filter(is_name);
    quoted.filter(|word| !texts.iter().any(|text| text.contains(word))).map(str::to_owned).collect()
}
