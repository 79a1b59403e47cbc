//! The synthesist of a topic: merges the three reports into one document, without a judgement of its own.
//!
//! Reports may come from agents, from the embedded researchers, or from a person who edited them. Every citation is
//! checked: wrong ones are struck out and counted.

use super::citable_facts::{NO_MODEL, is_citable, sanitize};
use super::draft::DraftError;
use super::inputs::DraftInputs;
use super::topic::quote;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::markdown::{lines, strip_decoration};
use charrette_model::panel::places::{CodePlace, cited_places, strike_wrong_places, wrong_places};
use charrette_model::panel::research_notes::SECTIONS;
use serde_json::Value;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Report files and their subjects.
const REPORTS: [(&str, &str); 3] = [
    ("research-structure.md", "Structure"),
    ("research-behaviour.md", "Behaviour"),
    ("research-history.md", "History"),
];

/// Maximum number of statements per report.
const MAX_STATEMENTS: usize = 20;
/// Maximum number of code references.
const MAX_REFERENCES: usize = 25;
/// Maximum number of recommendations and questions.
const MAX_ITEMS: usize = 9;

/// Writes the four sections of research notes.
pub(super) fn notes(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let reports: Vec<Report<'_>> =
        REPORTS.into_iter().filter_map(|(name, about)| Report::read(inputs, name, about)).collect();
    if reports.is_empty() {
        return Err(DraftError::Missing(REPORTS[0].0));
    }
    let builder = NotesBuilder { inputs, struck: Cell::new(0) };
    let notice = if reports.iter().all(|report| report.embedded) {
        format!(
            "{NO_MODEL} It looked for the words of the topic and read neither code nor commits as a whole."
        )
    } else {
        "No model took part in putting these notes together: charrette's embedded agent took them from the reports, and looked up the places.".to_owned()
    };
    let findings = builder.findings(&reports);
    let references = builder.references(&reports);
    let recommendations =
        builder.items(reports.iter().flat_map(|report| report.texts("/findings/recommendations")));
    let questions = builder.questions(&reports);
    let bodies = [findings, references, recommendations, questions];
    let mut text = format!("> {notice}\n");
    for (name, body) in SECTIONS.iter().zip(bodies) {
        let body = if body.is_empty() { "None" } else { body.trim_end() };
        let _ = write!(text, "\n## {name}\n\n{body}\n");
    }
    Ok(text)
}

/// Parsed report of one researcher.
struct Report<'a> {
    about: &'static str,
    text: &'a str,
    response: Value,
    prose: &'a str,
    /// True if it was drafted without a model.
    embedded: bool,
}

impl<'a> Report<'a> {
    fn read(inputs: &DraftInputs<'a>, name: &str, about: &'static str) -> Option<Report<'a>> {
        let text = inputs.artifact(name);
        if text.trim().is_empty() {
            return None;
        }
        let found = response_in_markdown(text, inputs.summary_words);
        let response = found.response.unwrap_or_default();
        let embedded =
            response["context_summary"].as_str().is_some_and(|summary| summary.starts_with(NO_MODEL));
        Some(Report { about, text, response, prose: found.prose, embedded })
    }

    /// Statements of the report: an agent's summary, or else its prose.
    fn statements(&self) -> Vec<String> {
        let summary = self.response["context_summary"].as_str().filter(|_| !self.embedded);
        let mut statements = vec![String::new()];
        for line in lines(summary.unwrap_or(self.prose)).filter(|line| !line.fenced) {
            let text = strip_decoration(line.text).content;
            match statements.last_mut() {
                Some(open) if !text.is_empty() && !text.starts_with('>') => {
                    open.push(' ');
                    open.push_str(text);
                }
                _ => statements.push(String::new()),
            }
        }
        statements.retain(|statement| !statement.is_empty());
        statements.truncate(MAX_STATEMENTS);
        statements
    }

    /// List of texts in its response.
    fn texts(&self, pointer: &str) -> impl Iterator<Item = &str> {
        self.response
            .pointer(pointer)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// Places listed in its response, with descriptions.
    fn listed_citations(&self) -> impl Iterator<Item = (&str, &str)> {
        let list = |pointer| self.response.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        let existing = list("/findings/existing_implementations").map(|found| (found, "description"));
        let patterns = list("/findings/patterns_found").map(|found| (found, "pattern"));
        existing
            .chain(patterns)
            .filter_map(|(found, about)| Some((found["file"].as_str()?, found[about].as_str()?)))
    }
}

/// Builds the notes and counts the citations struck out.
struct NotesBuilder<'a> {
    inputs: &'a DraftInputs<'a>,
    struck: Cell<usize>,
}

impl NotesBuilder<'_> {
    fn findings(&self, reports: &[Report<'_>]) -> String {
        let mut text = String::new();
        for report in reports {
            let _ = write!(text, "### {}\n\n", report.about);
            let statements = report.statements();
            let statements = statements.iter().map(|statement| self.sanitize_checked(statement, 3000));
            let said = markdown_list(statements.filter(|statement| !statement.is_empty()));
            text.push_str(if said.is_empty() { "- The report says nothing.\n" } else { &said });
            text.push('\n');
        }
        text
    }

    /// One line for each existing place: those the reports list, or else those they cite.
    fn references(&self, reports: &[Report<'_>]) -> String {
        let mut places: Vec<(String, String)> = Vec::new();
        for (file, about) in reports.iter().flat_map(Report::listed_citations) {
            let Some(place) = self.existing_citations(file).into_iter().next() else { continue };
            add_reference(&mut places, place, quote(about, 160));
        }
        if places.is_empty() {
            // A place that an embedded report cites without listing it is not about the topic.
            for report in reports.iter().filter(|report| !report.embedded) {
                let about = format!("cited by the report on {}", report.about.to_lowercase());
                for place in self.existing_citations(report.text) {
                    add_reference(&mut places, place, about.clone());
                }
            }
        }
        if places.is_empty() {
            return "None: no place in the repository was found for this topic.".to_owned();
        }
        markdown_list(places.iter().map(|(place, about)| format!("{place}: {about}")))
    }

    /// Existing places a text cites, as cited.
    fn existing_citations(&self, text: &str) -> Vec<String> {
        let cited = cited_places(text);
        let wrong = wrong_places(&cited, &|path: &str| self.inputs.files.lines(path));
        let wrong: HashSet<(usize, &CodePlace)> =
            wrong.iter().map(|wrong| (wrong.line, &wrong.place)).collect();
        let right = cited.iter().filter(|cited| !wrong.contains(&(cited.line, &cited.place)));
        right
            .map(|cited| &cited.place)
            .filter(|place| is_citable(&place.path))
            .map(CodePlace::to_string)
            .collect()
    }

    fn questions(&self, reports: &[Report<'_>]) -> String {
        let missing = REPORTS.iter().filter(|(_, about)| reports.iter().all(|report| report.about != *about));
        let missing: Vec<String> = missing
            .map(|(name, about)| format!("{about}: there was no {name}, so nothing is said about it."))
            .collect();
        let asked = reports.iter().flat_map(|report| report.texts("/issues"));
        let mut text = self.items(missing.iter().map(String::as_str).chain(asked));
        if self.struck.get() > 0 {
            let _ = writeln!(
                text,
                "- What was meant by {} cited places that do not exist and were struck out?",
                self.struck.get()
            );
        }
        text.push_str("- Whether this is all there is to the topic: a person who knows the code must say.\n");
        text
    }

    /// Texts as a list, each once.
    fn items<'b>(&self, texts: impl Iterator<Item = &'b str>) -> String {
        let mut items: Vec<String> = Vec::new();
        for text in texts {
            let item = self.sanitize_checked(text, 600);
            if !item.is_empty() && !items.contains(&item) && items.len() < MAX_ITEMS {
                items.push(item);
            }
        }
        markdown_list(items)
    }

    /// Sanitizes foreign text and strikes out wrong citations.
    fn sanitize_checked(&self, text: &str, most: usize) -> String {
        // Before and after sanitizing: removing Markdown may create or break a citation.
        self.strike_wrong_citations(&sanitize(&self.strike_wrong_citations(text), most))
    }

    fn strike_wrong_citations(&self, text: &str) -> String {
        let cited = cited_places(text);
        let wrong = wrong_places(&cited, &|path: &str| self.inputs.files.lines(path));
        let struck = strike_wrong_places(text, &cited, &wrong);
        self.struck.set(self.struck.get() + struck.count);
        struck.text
    }
}

fn add_reference(places: &mut Vec<(String, String)>, place: String, about: String) {
    let is_new = places.len() < MAX_REFERENCES && places.iter().all(|(known, _)| *known != place);
    if is_new && about.contains(char::is_alphabetic) {
        places.push((place, about));
    }
}

/// A list in Markdown.
fn markdown_list(items: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for item in items {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {item}");
    }
    text
}
