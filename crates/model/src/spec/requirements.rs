//! Parser of `requirements.md`.
//!
//! A requirement is any heading, list item, table row or paragraph that begins with an id: `- **REQ-1.1:** WHEN
//! …`, `### R1: Title` with an `**EARS:**` line below, `| NFR-1 | … |`. Stories are parsed the same way.

use super::Problem;
use super::ears::{Ears, NotEars, classify};
use super::ids::{IdKind, SpecId};
use crate::markdown::{heading, is_decoration, item, outline, parse_checkbox, parse_label};
use std::collections::BTreeSet;

/// Parsed `requirements.md`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    pub stories: Vec<Story>,
    /// Functional and non-functional, in order.
    pub requirements: Vec<Requirement>,
    pub problems: Vec<Problem>,
}

/// User story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    pub id: SpecId,
    pub title: String,
    /// From 1.
    pub line: usize,
}

/// Functional or non-functional requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub id: SpecId,
    /// From 1.
    pub line: usize,
    /// The EARS sentence, or the title if there is none.
    pub text: String,
    pub ears: Result<Ears, NotEars>,
    /// Number of acceptance criteria.
    pub criteria: usize,
}

impl Requirements {
    /// Parses the file.
    pub fn parse(text: &str) -> Requirements {
        let outline = outline(text);
        let mut parser = Parser::default();
        for line in outline.lines.iter().filter(|line| !line.fenced) {
            parser.read(line.number, line.text);
        }
        parser.close();
        let mut read = parser.read;
        if let Some(fence) = outline.unclosed_fence {
            read.problems.push(Problem::new(fence.line, "this fence is never closed"));
        }
        read.problems.sort();
        read
    }

    /// All ids defined in the file.
    pub fn ids(&self) -> impl Iterator<Item = &SpecId> {
        let stories = self.stories.iter().map(|story| &story.id);
        stories.chain(self.requirements.iter().map(|requirement| &requirement.id))
    }
}

#[derive(Default)]
struct Parser {
    read: Requirements,
    seen: BTreeSet<SpecId>,
    open: Option<OpenRequirement>,
}

/// Requirement whose lines are still being read.
struct OpenRequirement {
    id: SpecId,
    line: usize,
    title: String,
    demand: String,
    /// The sentence stands on an `**EARS:**` line, which wins over the title.
    has_ears_line: bool,
    /// True if the next line still belongs to the sentence.
    continues: bool,
    in_criteria: bool,
    criteria: usize,
    /// Level of its heading, if it is one.
    level: Option<usize>,
}

impl Parser {
    fn read(&mut self, number: usize, line: &str) {
        let heading = heading(line);
        let text = heading.map_or_else(|| body_of(line), |(_, title)| title);
        if let Some((id, rest)) = parse_definition(text, line) {
            self.define(id, rest, number, heading.map(|(level, _)| level));
        } else if let Some((level, title)) = heading {
            match &mut self.open {
                Some(open) if open.level.is_some_and(|own| level > own) => {
                    open.in_criteria = title.to_lowercase().starts_with("acceptance");
                    open.continues = false;
                }
                _ => self.close(),
            }
        } else if let Some(open) = &mut self.open {
            open.read(line);
        }
    }

    fn define(&mut self, id: SpecId, rest: &str, line: usize, level: Option<usize>) {
        self.close();
        let title = rest.trim_matches(|c: char| is_decoration(c) || matches!(c, ':' | '|' | '-' | '–' | '—'));
        if !self.seen.insert(id.clone()) {
            self.read.problems.push(Problem::new(line, format!("{id} is there twice")));
        }
        if id.kind == IdKind::Story {
            self.read.stories.push(Story { id, title: title.to_owned(), line });
            return;
        }
        let continues = level.is_none();
        let demand = if continues { title.to_owned() } else { String::new() };
        let title = title.to_owned();
        self.open = Some(OpenRequirement {
            id,
            line,
            title,
            demand,
            has_ears_line: false,
            continues,
            in_criteria: false,
            criteria: 0,
            level,
        });
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let OpenRequirement { id, line, title, demand, criteria, .. } = open;
        let text = if demand.is_empty() { title } else { demand };
        let ears = classify(&text);
        if let Err(error) = &ears {
            self.read.problems.push(Problem::new(line, format!("{id} is not in EARS form: {error}")));
        }
        self.read.requirements.push(Requirement { id, line, text, ears, criteria });
    }
}

impl OpenRequirement {
    fn read(&mut self, line: &str) {
        if line.trim().is_empty() {
            self.continues = false;
            return;
        }
        if let Some((label, value)) = parse_label(line) {
            if label == "ears" {
                (self.demand, self.has_ears_line, self.continues) = (value.trim().to_owned(), true, true);
                return;
            }
            if label.starts_with("acceptance") {
                (self.in_criteria, self.continues) = (true, false);
                return;
            }
        }
        let is_item = item(line).is_some();
        if self.in_criteria {
            // Nested items explain their parent and do not count.
            self.criteria += usize::from(is_item && !line.starts_with([' ', '\t']));
            return;
        }
        let starts_demand = self.demand.is_empty() && !is_item && classify(line).is_ok();
        if starts_demand || (self.continues && !is_item) {
            if !self.demand.is_empty() {
                self.demand.push(' ');
            }
            self.demand.push_str(line.trim());
            self.continues = true;
        } else if is_item && !self.has_ears_line && self.demand.is_empty() && classify(body_of(line)).is_ok()
        {
            self.demand.push_str(body_of(line));
        }
    }
}

/// Strips list marker, checkbox and table bar.
fn body_of(line: &str) -> &str {
    let text = item(line).unwrap_or(line).trim();
    let text = parse_checkbox(text).map_or(text, |(_, rest)| rest);
    text.strip_prefix('|').unwrap_or(text).trim()
}

/// Parses the id a line defines; returns it with the rest. `C1`, `D1` and tasks are not defined here.
fn parse_definition<'a>(text: &'a str, line: &str) -> Option<(SpecId, &'a str)> {
    let bare = text.trim_start_matches(is_decoration);
    if !bare.starts_with(['U', 'R', 'N']) {
        return None;
    }
    let (id, rest) = SpecId::parse_prefix(bare)?;
    let is_requirement = matches!(id.kind, IdKind::Story | IdKind::Requirement | IdKind::NonFunctional);
    // "REQ-1.1 and REQ-1.2 are tested" mentions ids and defines none.
    let rest_after = rest.trim_start_matches(['*', '_', '`']);
    let is_marked = rest_after.is_empty()
        || rest_after.starts_with([':', '|', '.', ')'])
        || rest_after.trim_start().starts_with([':', '|', '-', '–', '—'])
        || bare.len() != text.len()
        || (item(line).is_some() && classify(rest_after).is_ok());
    (is_requirement && is_marked).then_some((id, rest_after))
}
