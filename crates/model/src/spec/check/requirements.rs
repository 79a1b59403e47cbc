//! `requirements.md`: its sections, and whether each demand is one that can be tested.

use super::all::{Read, is_missing};
use super::issue::{Code, Issue};
use crate::spec::Problem;
use crate::spec::ids::{Id, IdKind};
use crate::spec::requirements::Requirement;
use crate::spec::sections::Sections;
use std::collections::BTreeSet;

const FILE: &str = "requirements.md";

/// The sections, each by the titles it may have.
const SECTIONS: [&[&str]; 5] = [
    &["Overview", "Introduction", "Goal"],
    &["User Stor", "Functional Requirements", "Requirements", "Stories"],
    &["Non Functional", "Nonfunctional"],
    &["Out of Scope"],
    &["Dependencies"],
];

pub(super) fn issues(read: &Read<'_>) -> Vec<Issue> {
    if is_missing(read.files.requirements) {
        return Vec::new();
    }
    let mut issues = missing_sections(FILE, read.files.requirements, &SECTIONS);
    let demands = &read.requirements.requirements;
    if demands.is_empty() {
        issues.push(Issue::new(FILE, 1, Code::NoRequirement, "nothing is demanded: no REQ-n.m or NFR-n"));
    }
    let mut not_ears = BTreeSet::new();
    for demand in demands {
        if let Err(why) = &demand.ears {
            let message = format!("{} is not in EARS form: {why}", demand.id);
            not_ears.insert(Problem::new(demand.line, message.clone()));
            issues.push(Issue::new(FILE, demand.line, Code::Ears, message));
        }
    }
    let others = read.requirements.problems.iter().filter(|problem| !not_ears.contains(problem));
    issues.extend(others.map(|problem| Issue::new(FILE, problem.line, Code::Malformed, &problem.message)));
    issues.extend(untestable(read));
    issues
}

/// Sections that are not there or say nothing.
pub(super) fn missing_sections(file: &'static str, text: &str, wanted: &[&[&str]]) -> Vec<Issue> {
    let sections = Sections::of(text);
    let missing = |titles: &&[&str]| {
        let title = full_title(titles[0]);
        match sections.named(titles) {
            None => {
                Some(Issue::new(file, 1, Code::Section, format_args!("the section \"{title}\" is missing")))
            }
            Some(section) if section.body.trim().is_empty() => Some(Issue::new(
                file,
                section.line,
                Code::Section,
                format_args!("the section \"{title}\" is empty"),
            )),
            Some(_) => None,
        }
    };
    wanted.iter().filter_map(missing).collect()
}

/// Titles are looked for by how they begin; people are told the whole of them.
fn full_title(start: &str) -> &str {
    match start {
        "User Stor" => "User Stories",
        "Non Functional" => "Non-Functional Requirements",
        "Data Model" => "Data Models",
        "Component" => "Component Design",
        "Risk" => "Risks",
        other => other,
    }
}

/// Demands that cannot be tested as they stand, or of which nobody says how.
fn untestable(read: &Read<'_>) -> Vec<Issue> {
    let proven: BTreeSet<&Id> = {
        let says_how = |prompt: &crate::spec::tasks::Prompt| !prompt.success.trim().is_empty();
        let tasks = read.tasks.tasks.iter().filter(|task| task.prompt.as_ref().is_some_and(says_how));
        tasks.flat_map(|task| &task.refs).collect()
    };
    let issue = |demand: &Requirement| {
        let id = &demand.id;
        let message = match fault(&demand.text) {
            Some(fault) => format!("{id} cannot be tested: {fault}"),
            None if is_criterion(id)
                || demand.criteria > 0
                || says_how(&demand.text)
                || proven.contains(id) =>
            {
                return None;
            }
            None => format!(
                "{id} does not say how it is tested: no acceptance criteria, no measure, and no task that names it has a Success"
            ),
        };
        Some(Issue::new(FILE, demand.line, Code::Untestable, message))
    };
    // What is no EARS sentence is to be written again anyway.
    read.requirements.requirements.iter().filter(|demand| demand.ears.is_ok()).filter_map(issue).collect()
}

/// `REQ-1.2` is the second acceptance criterion of the first story.
fn is_criterion(id: &Id) -> bool {
    id.kind == IdKind::Requirement && id.number.contains('.')
}

/// What makes a demand impossible to test, whatever else is said about it.
fn fault(text: &str) -> Option<String> {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '?').to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    if let Some(open) = words.iter().find(|word| ["tbd", "todo", "fixme", "???"].contains(&word.as_str())) {
        return Some(format!("\"{}\" is still open", open.to_uppercase()));
    }
    let shall = words.iter().position(|word| word == "shall")?;
    let mut demanded = words[shall + 1..].iter().map(String::as_str).peekable();
    while demanded
        .next_if(|word| {
            ["not", "always", "be", "feel", "stay", "remain", "work", "perform", "very", "as"].contains(word)
        })
        .is_some()
    {}
    let vague = demanded.next().filter(|word| VAGUE.contains(word))?;
    (!says_how(text)).then(|| format!("\"{vague}\" has no measure"))
}

const VAGUE: [&str; 18] = [
    "fast",
    "quick",
    "quickly",
    "easy",
    "easily",
    "simple",
    "intuitive",
    "user-friendly",
    "friendly",
    "robust",
    "seamless",
    "seamlessly",
    "efficient",
    "efficiently",
    "good",
    "nice",
    "well",
    "performant",
];

/// Whether a demand carries a measure or names its proof.
fn says_how(text: &str) -> bool {
    let proof = ["accepted when", "verified", "tested", "measured", "proven", "test ", "tests "];
    let lower = text.to_lowercase();
    text.contains(|c: char| c.is_ascii_digit()) || proof.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_demands_are_told_from_measured_ones() {
        for (text, vague) in [
            ("THE SYSTEM SHALL be fast.", true),
            ("THE SYSTEM SHALL be very easy to use", true),
            ("THE SYSTEM SHALL perform well under load", true),
            ("THE SYSTEM SHALL be fast: 95% of answers within 20 ms", false),
            ("THE SYSTEM SHALL be fast; it is accepted when the benchmark passes", false),
            ("THE SYSTEM SHALL answer with status TBD", true),
            ("THE SYSTEM SHALL show a simple page", false),
            ("WHEN asked, THE SYSTEM SHALL not be quick", true),
            ("THE SYSTEM SHALL", false),
        ] {
            assert_eq!(fault(text).is_some(), vague, "{text}");
        }
    }
}
