//! Removes the traces of the process from a specification, so that a judge cannot tell who made it: metadata, records of
//! votes, ids of findings, names of agents and seats. Both sides of an arena go through it alike. What the design says
//! stays; a scenario is content, who walked it through is not.
//!
//! [`rules`] holds the patterns of sentences, [`tables`] handles tables, [`vocabulary`] the words that are traces unless
//! the request or the repository is about them. [`find_traces`] is the check afterwards.

mod rules;
mod tables;
mod vocabulary;

pub(super) use vocabulary::{SubjectMatter, is_name};

use charrette_model::markdown::{heading, is_decoration, lines, parse_label};
use charrette_model::spec::sections::Sections;

/// A trace that is still in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trace {
    /// Line number, from 1.
    pub(super) line: usize,
    pub(super) text: String,
}

/// Beginnings of the titles of sections that record the process.
const PROCESS_SECTIONS: &[&str] = &[
    "How they were decided",
    "How it was decided",
    "How this was decided",
    "Record of the panel",
    "Record of votes",
    "Panel record",
    "Record of the process",
    "Process record",
    "Voting",
    "Votes",
    "Vote ",
    "Findings resolved",
    "Accepted findings",
    "Rejected findings",
    "Review findings",
    "Plan review",
    "Breaks resolved",
    "Scoreboard",
    "Reviewers",
];

/// Labels of the metadata at the top of a file.
const METADATA: &[&str] = &["status", "created", "updated", "spec id", "spec", "author", "version", "date"];

/// Removes the traces from a document and normalises its form. `title` replaces the title of the file.
pub(super) fn remove_traces(text: &str, title: &str, subject: &SubjectMatter) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let text = without_process_sections(&text);
    let mut output = Output::default();
    output.push_line(&format!("# {title}"));
    let mut block: Vec<&str> = Vec::new();
    let mut is_top = true;
    for line in lines(&text) {
        let title = heading(line.text).filter(|_| !line.fenced);
        let is_table = !line.fenced && line.text.trim_start().starts_with('|');
        let was_table = block.first().is_some_and(|first| first.trim_start().starts_with('|'));
        let begins = line.fenced || title.is_some() || line.text.trim().is_empty() || is_table != was_table;
        if begins {
            output.push_block(&std::mem::take(&mut block), subject);
        }
        match title {
            Some((1, _)) if is_top => {}
            Some((level, title)) => {
                is_top = is_top && level == 1;
                output.push_heading(level, title, subject);
            }
            None if line.fenced => output.push_code(&rules::clean_code(line.text)),
            None if line.text.trim().is_empty() || is_metadata(line.text, is_top) => {}
            None => block.push(line.text),
        }
    }
    output.push_block(&block, subject);
    output.finish()
}

/// Traces that are left in a text, in code too.
pub(super) fn find_traces(text: &str, subject: &SubjectMatter) -> Vec<Trace> {
    let mut traces = Vec::new();
    let mut is_top = true;
    for line in lines(text) {
        let title = heading(line.text).filter(|_| !line.fenced);
        is_top = is_top && title.is_none_or(|(level, _)| level == 1);
        let mut found = rules::find(line.text, line.fenced, subject);
        if title.is_some_and(|(_, title)| is_process_title(title))
            || (!line.fenced && is_metadata(line.text, is_top))
        {
            found.push(line.text.trim().to_owned());
        }
        traces.extend(found.into_iter().map(|text| Trace { line: line.number, text }));
    }
    traces
}

fn without_process_sections(text: &str) -> String {
    let sections = Sections::parse(text);
    let mut records: Vec<(usize, usize)> = (2..=6)
        .flat_map(|level| sections.at_level(level))
        .filter(|section| is_process_title(section.title))
        .map(|section| (section.start, section.end))
        .collect();
    records.sort_unstable();
    let (mut kept, mut from) = (String::new(), 0);
    for (start, end) in records {
        if start >= from {
            kept.push_str(&text[from..start]);
            from = end;
        }
    }
    kept.push_str(&text[from..]);
    kept
}

fn is_process_title(title: &str) -> bool {
    let plain: String = title.chars().filter(|c| !is_decoration(*c) || *c == ' ').collect();
    let plain =
        plain.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim().to_lowercase();
    PROCESS_SECTIONS.iter().any(|known| {
        let known = known.to_lowercase();
        plain == known.trim()
            || plain.strip_prefix(known.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// True for status, date, id and the like: at the top of a file, or quoted.
fn is_metadata(line: &str, is_top: bool) -> bool {
    let inside = line.trim_start();
    let is_quoted = inside.starts_with('>');
    let inside = inside.trim_start_matches(['>', ' ']);
    let label = parse_label(inside).map(|(label, _)| label);
    (is_top || is_quoted) && label.is_some_and(|label| METADATA.contains(&label.as_str()))
}

/// The cleaned text, with one empty line around headings, blocks and code.
#[derive(Default)]
struct Output {
    text: String,
    in_code: bool,
}

impl Output {
    fn push_line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
        self.in_code = false;
    }

    fn separate(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn push_heading(&mut self, level: usize, title: &str, subject: &SubjectMatter) {
        self.separate();
        self.push_line(&format!("{} {}", "#".repeat(level), rules::clean_title(title, subject)));
        self.separate();
    }

    fn push_code(&mut self, line: &str) {
        if !self.in_code {
            self.separate();
        }
        self.push_line(line);
        self.in_code = true;
    }

    fn push_block(&mut self, block: &[&str], subject: &SubjectMatter) {
        if block.is_empty() {
            return;
        }
        let cleaned = if block[0].trim_start().starts_with('|') {
            tables::clean(block, subject)
        } else {
            clean_items(block, subject)
        };
        if !cleaned.is_empty() {
            // The items of a list follow each other without empty lines, however they were written.
            let continues_list = is_item(&cleaned[0]) && self.ends_in_item();
            if !continues_list {
                self.separate();
            } else if self.text.ends_with("\n\n") {
                self.text.pop();
            }
        }
        for line in cleaned {
            self.push_line(&line);
        }
    }

    fn ends_in_item(&self) -> bool {
        !self.in_code && self.text.trim_end().lines().next_back().is_some_and(is_item)
    }

    fn finish(self) -> String {
        let mut text = self.text.trim_end().to_owned();
        text.push('\n');
        text
    }
}

/// Cleans a paragraph or a list, item by item. Wrapped lines are joined, so that rules see whole sentences.
fn clean_items(block: &[&str], subject: &SubjectMatter) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in block {
        let is_quoted = line.trim_start().starts_with('>');
        match items.last_mut() {
            Some(item) if !is_item(line) && !is_quoted && !ends_hard(item) => {
                item.push(' ');
                item.push_str(line.trim());
            }
            _ => items.push(with_dash(line)),
        }
    }
    let cleaned = items.iter().map(|item| rules::clean_sentences(item, subject));
    cleaned
        .filter(|item| item.trim_matches(['-', '>', ' ', '*', '.', ':']).chars().any(char::is_alphanumeric))
        .collect()
}

/// True if a line ends in a forced line break, or is a label on a line of its own.
fn ends_hard(line: &str) -> bool {
    line.ends_with("  ") || line.ends_with('\\') || line.trim_end().ends_with(":**") || is_labelled(line)
}

/// True for `**Label:** value`, as the lines below a task.
fn is_labelled(line: &str) -> bool {
    let start = line.trim_start();
    start.starts_with("**") && start.contains(":**")
}

fn is_item(line: impl AsRef<str>) -> bool {
    let line = line.as_ref();
    let start = line.trim_start();
    let digits = start.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = digits > 0 && [". ", ") "].iter().any(|mark| start[digits..].starts_with(mark));
    is_numbered
        || is_labelled(line)
        || ["- ", "* ", "+ "].iter().any(|mark| start.starts_with(mark))
        || is_arrow(start)
}

/// True for a line of task dependencies.
fn is_arrow(line: &str) -> bool {
    line.contains(" -> ") && line.split(" -> ").all(|task| !task.trim().contains(' '))
}

/// List items have the same mark on both sides.
fn with_dash(line: &str) -> String {
    let start = line.trim_start();
    let indent = &line[..line.len() - start.len()];
    match start.strip_prefix("* ").or_else(|| start.strip_prefix("+ ")) {
        Some(rest) => format!("{indent}- {}", rest.trim_start()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
