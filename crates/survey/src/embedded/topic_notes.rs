//! The synthesist of a topic: the three reports in one document, without a judgement of its own.
//!
//! Reports may come from agents, from the embedded researchers, or from a person who edited them. Whatever they cite is
//! looked up: what exists is kept, what does not is struck out and counted.

use super::draft::DraftError;
use super::ground::{NO_MODEL, is_citable, said};
use super::inputs::Inputs;
use super::topic::quoted;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::lines::{bare, lines};
use charrette_model::panel::places::{Place, cited_places, strike, wrong_places};
use charrette_model::panel::research_notes::SECTIONS;
use serde_json::Value;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Write as _;

/// The reports, and what each is about.
const REPORTS: [(&str, &str); 3] = [
    ("research-structure.md", "Structure"),
    ("research-behaviour.md", "Behaviour"),
    ("research-history.md", "History"),
];

/// So many statements of one report are kept.
const STATEMENTS: usize = 20;
/// So many code references are listed.
const REFERENCES: usize = 25;
/// So many recommendations and questions are listed.
const ITEMS: usize = 9;

/// The four sections of research notes.
pub(super) fn notes(inputs: &Inputs<'_>) -> Result<String, DraftError> {
    let reports: Vec<Report<'_>> =
        REPORTS.into_iter().filter_map(|report| Report::read(inputs, report)).collect();
    if reports.is_empty() {
        return Err(DraftError::Missing(REPORTS[0].0));
    }
    let merge = Merge { inputs, struck: Cell::new(0) };
    let notice = if reports.iter().all(|report| report.embedded) {
        format!(
            "{NO_MODEL} It looked for the words of the topic and read neither code nor commits as a whole."
        )
    } else {
        "No model took part in putting these notes together: charrette's embedded agent took them from the reports, and looked up the places.".to_owned()
    };
    let findings = merge.findings(&reports);
    let references = merge.references(&reports);
    let recommendations =
        merge.items(reports.iter().flat_map(|report| report.texts("/findings/recommendations")));
    let questions = merge.questions(&reports);
    let bodies = [findings, references, recommendations, questions];
    let mut text = format!("> {notice}\n");
    for (name, body) in SECTIONS.iter().zip(bodies) {
        let body = if body.is_empty() { "None" } else { body.trim_end() };
        let _ = write!(text, "\n## {name}\n\n{body}\n");
    }
    Ok(text)
}

/// What one researcher wrote.
struct Report<'a> {
    about: &'static str,
    text: &'a str,
    response: Value,
    prose: &'a str,
    /// Whether it was made without a model.
    embedded: bool,
}

impl<'a> Report<'a> {
    fn read(inputs: &Inputs<'a>, (name, about): (&'static str, &'static str)) -> Option<Report<'a>> {
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

    /// What it says, one statement each: an agent's summary, or else its prose.
    fn statements(&self) -> Vec<String> {
        let summary = self.response["context_summary"].as_str().filter(|_| !self.embedded);
        let mut statements = vec![String::new()];
        for line in lines(summary.unwrap_or(self.prose)).filter(|line| !line.fenced) {
            let text = bare(line.text).content;
            match statements.last_mut() {
                Some(open) if !text.is_empty() && !text.starts_with('>') => {
                    open.push(' ');
                    open.push_str(text);
                }
                _ => statements.push(String::new()),
            }
        }
        statements.retain(|statement| !statement.is_empty());
        statements.truncate(STATEMENTS);
        statements
    }

    /// A list of texts in its response.
    fn texts(&self, pointer: &str) -> impl Iterator<Item = &str> {
        self.response
            .pointer(pointer)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// The places it lists, each with what is there.
    fn listed(&self) -> impl Iterator<Item = (&str, &str)> {
        let list = |pointer| self.response.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        let existing = list("/findings/existing_implementations").map(|found| (found, "description"));
        let patterns = list("/findings/patterns_found").map(|found| (found, "pattern"));
        existing
            .chain(patterns)
            .filter_map(|(found, about)| Some((found["file"].as_str()?, found[about].as_str()?)))
    }
}

/// One merge, with the wrong places it has met.
struct Merge<'a> {
    inputs: &'a Inputs<'a>,
    struck: Cell<usize>,
}

impl Merge<'_> {
    fn findings(&self, reports: &[Report<'_>]) -> String {
        let mut text = String::new();
        for report in reports {
            let _ = write!(text, "### {}\n\n", report.about);
            let statements = report.statements();
            let statements = statements.iter().map(|statement| self.checked(statement, 3000));
            let said = list(statements.filter(|statement| !statement.is_empty()));
            text.push_str(if said.is_empty() { "- The report says nothing.\n" } else { &said });
            text.push('\n');
        }
        text
    }

    /// One line for each place that exists: those the reports list, or else those they cite.
    fn references(&self, reports: &[Report<'_>]) -> String {
        let mut places: Vec<(String, String)> = Vec::new();
        for (file, about) in reports.iter().flat_map(Report::listed) {
            let Some(place) = self.existing(file).into_iter().next() else { continue };
            add(&mut places, place, quoted(about, 160));
        }
        if places.is_empty() {
            // What an embedded report cites without listing it is not about the topic.
            for report in reports.iter().filter(|report| !report.embedded) {
                let about = format!("cited by the report on {}", report.about.to_lowercase());
                for place in self.existing(report.text) {
                    add(&mut places, place, about.clone());
                }
            }
        }
        if places.is_empty() {
            return "None: no place in the repository was found for this topic.".to_owned();
        }
        list(places.iter().map(|(place, about)| format!("{place}: {about}")))
    }

    /// The places a text cites that exist, as they are cited.
    fn existing(&self, text: &str) -> Vec<String> {
        let cited = cited_places(text);
        let wrong = wrong_places(&cited, &|path: &str| self.inputs.files.lines(path));
        let wrong: HashSet<(usize, &Place)> = wrong.iter().map(|wrong| (wrong.line, &wrong.place)).collect();
        let right = cited.iter().filter(|cited| !wrong.contains(&(cited.line, &cited.place)));
        right
            .map(|cited| &cited.place)
            .filter(|place| is_citable(&place.path))
            .map(Place::to_string)
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
            let item = self.checked(text, 600);
            if !item.is_empty() && !items.contains(&item) && items.len() < ITEMS {
                items.push(item);
            }
        }
        list(items)
    }

    /// Somebody's words on one line, with places that exist.
    fn checked(&self, text: &str, most: usize) -> String {
        // What decoration keeps apart may be a place without it, and the other way round.
        self.without_wrong(&said(&self.without_wrong(text), most))
    }

    fn without_wrong(&self, text: &str) -> String {
        let cited = cited_places(text);
        let wrong = wrong_places(&cited, &|path: &str| self.inputs.files.lines(path));
        let struck = strike(text, &cited, &wrong);
        self.struck.set(self.struck.get() + struck.count);
        struck.text
    }
}

fn add(places: &mut Vec<(String, String)>, place: String, about: String) {
    let is_new = places.len() < REFERENCES && places.iter().all(|(known, _)| *known != place);
    if is_new && about.contains(char::is_alphabetic) {
        places.push((place, about));
    }
}

/// A list in Markdown.
fn list(items: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for item in items {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {item}");
    }
    text
}
