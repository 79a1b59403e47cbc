//! Checks `requirements.md`: its sections, EARS form and testability.

use super::issue::{IssueCode, SpecIssue};
use super::spec_files::{ParsedSpec, is_missing};
use crate::spec::Problem;
use crate::spec::ids::{IdKind, SpecId};
use crate::spec::requirements::Requirement;
use crate::spec::sections::Sections;
use std::collections::BTreeSet;

const FILE: &str = "requirements.md";

/// Required sections, each by alternative starts of its title.
const SECTIONS: [&[&str]; 5] = [
    &["Overview", "Introduction", "Goal"],
    &["User Stor", "Functional Requirements", "Requirements", "Stories"],
    &["Non Functional", "Nonfunctional"],
    &["Out of Scope"],
    &["Dependencies"],
];

pub(super) fn issues(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    if is_missing(spec.files.requirements) {
        return Vec::new();
    }
    let mut issues = missing_sections(FILE, spec.files.requirements, &SECTIONS);
    let requirements = &spec.requirements.requirements;
    if requirements.is_empty() {
        issues.push(SpecIssue::new(
            FILE,
            1,
            IssueCode::NoRequirement,
            "nothing is demanded: no REQ-n.m or NFR-n",
        ));
    }
    let mut not_ears = BTreeSet::new();
    for requirement in requirements {
        if let Err(why) = &requirement.ears {
            let message = format!("{} is not in EARS form: {why}", requirement.id);
            not_ears.insert(Problem::new(requirement.line, message.clone()));
            issues.push(SpecIssue::new(FILE, requirement.line, IssueCode::Ears, message));
        }
    }
    let notes = requirements.iter().filter(|requirement| is_code_note(&requirement.text));
    issues.extend(notes.map(|requirement| {
        let message = format!("{} is a note about the code: say what the system shall do", requirement.id);
        SpecIssue::new(FILE, requirement.line, IssueCode::NotARequirement, message)
    }));
    let others = spec.requirements.problems.iter().filter(|problem| !not_ears.contains(problem));
    issues.extend(
        others.map(|problem| SpecIssue::new(FILE, problem.line, IssueCode::Malformed, &problem.message)),
    );
    issues.extend(check_testable(spec));
    issues
}

/// True for a finding of a linter or a survey that is worded as a requirement.
fn is_code_note(text: &str) -> bool {
    let is_mark = |word: &str| {
        ["TODO", "FIXME", "XXX", "HACK"].contains(&word.trim_matches([':', '(', ')', ',', '.', '"', '`']))
    };
    let lower = text.to_lowercase();
    text.split_whitespace().any(is_mark)
        || [
            "an error is dropped",
            "no test was found",
            "is easy to get wrong and hard to review",
            "an open note",
        ]
        .iter()
        .any(|phrase| lower.contains(phrase))
}

/// Reports missing and empty sections.
pub(super) fn missing_sections(file: &'static str, text: &str, wanted: &[&[&str]]) -> Vec<SpecIssue> {
    let sections = Sections::parse(text);
    let missing = |titles: &&[&str]| {
        let title = full_title(titles[0]);
        match sections.find(titles) {
            None => Some(SpecIssue::new(
                file,
                1,
                IssueCode::Section,
                format_args!("the section \"{title}\" is missing"),
            )),
            Some(section) if section.body.trim().is_empty() => Some(SpecIssue::new(
                file,
                section.line,
                IssueCode::Section,
                format_args!("the section \"{title}\" is empty"),
            )),
            Some(_) => None,
        }
    };
    wanted.iter().filter_map(missing).collect()
}

/// The full title for a message; sections are found by the start of their title.
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

/// Reports requirements that cannot be tested, or whose test is not stated.
fn check_testable(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let proven: BTreeSet<&SpecId> = {
        let has_success = |prompt: &crate::spec::tasks::TaskPrompt| !prompt.success.trim().is_empty();
        let tasks = spec.tasks.tasks.iter().filter(|task| task.prompt.as_ref().is_some_and(has_success));
        tasks.flat_map(|task| &task.refs).collect()
    };
    let issue = |requirement: &Requirement| {
        let id = &requirement.id;
        let message = match testability_error(&requirement.text) {
            Some(fault) => format!("{id} cannot be tested: {fault}"),
            None if is_criterion(id)
                || requirement.criteria > 0
                || has_measure(&requirement.text)
                || proven.contains(id) =>
            {
                return None;
            }
            None => format!(
                "{id} does not say how it is tested: no acceptance criteria, no measure, and no task that names it has a Success"
            ),
        };
        Some(SpecIssue::new(FILE, requirement.line, IssueCode::Untestable, message))
    };
    // A requirement that is not in EARS form is reported as such already.
    spec.requirements
        .requirements
        .iter()
        .filter(|requirement| requirement.ears.is_ok())
        .filter_map(issue)
        .collect()
}

/// True for an acceptance criterion: `REQ-1.2` is the second one of the first story.
fn is_criterion(id: &SpecId) -> bool {
    id.kind == IdKind::Requirement && id.number.contains('.')
}

/// The reason why a requirement cannot be tested as it is written.
fn testability_error(text: &str) -> Option<String> {
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
    (!has_measure(text)).then(|| format!("\"{vague}\" has no measure"))
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

/// True if a requirement states a measure or names its proof.
fn has_measure(text: &str) -> bool {
    let proof = ["accepted when", "verified", "tested", "measured", "proven", "test ", "tests "];
    let lower = text.to_lowercase();
    text.contains(|c: char| c.is_ascii_digit()) || proof.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_requirements_need_a_measure() {
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
            assert_eq!(testability_error(text).is_some(), vague, "{text}");
        }
    }
}
