//! `requirements.md`: what the specification demands, one requirement at a time.
//!
//! A requirement is any heading, list item, table row or paragraph that begins with an id: `- **REQ-1.1:** WHEN …`,
//! `### R1: Title` with an `**EARS:**` line below, `| NFR-1 | … |`. Stories are read the same way.

use super::Problem;
use super::ears::{Ears, NotEars, classify};
use super::ids::{Id, IdKind};
use super::outline::{boxed, heading, is_decoration, item, labelled, outline};
use std::collections::BTreeSet;

/// A `requirements.md`, as far as it was understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirements {
    /// The user stories.
    pub stories: Vec<Story>,
    /// The requirements, functional or not, in order.
    pub requirements: Vec<Requirement>,
    /// What does not fit.
    pub problems: Vec<Problem>,
}

/// Somebody's wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// Its id.
    pub id: Id,
    /// Its title.
    pub title: String,
    /// Its 1-based line.
    pub line: usize,
}

/// One demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Its id.
    pub id: Id,
    /// Its 1-based line.
    pub line: usize,
    /// What it demands, or its title if the demand was not found.
    pub text: String,
    /// The shape of the demand.
    pub ears: Result<Ears, NotEars>,
    /// How many acceptance criteria stand below it.
    pub criteria: usize,
}

impl Requirements {
    /// Reads a file.
    pub fn parse(text: &str) -> Requirements {
        let outline = outline(text);
        let mut reader = Reader::default();
        for line in outline.lines.iter().filter(|line| !line.code) {
            reader.read(line.number, line.text);
        }
        reader.close();
        let mut read = reader.read;
        if let Some(line) = outline.unclosed_fence {
            read.problems.push(Problem::new(line, "this fence is never closed"));
        }
        read.problems.sort();
        read
    }

    /// Every id that is defined here.
    pub fn ids(&self) -> impl Iterator<Item = &Id> {
        let stories = self.stories.iter().map(|story| &story.id);
        stories.chain(self.requirements.iter().map(|requirement| &requirement.id))
    }
}

#[derive(Default)]
struct Reader {
    read: Requirements,
    seen: BTreeSet<Id>,
    open: Option<Open>,
}

/// A requirement whose lines are being read.
struct Open {
    id: Id,
    line: usize,
    title: String,
    demand: String,
    /// A demand on a line of its own, which wins over the title.
    has_ears_line: bool,
    /// Whether the next line still belongs to the demand.
    continues: bool,
    in_criteria: bool,
    criteria: usize,
    /// The level of its heading, if it has one.
    level: Option<usize>,
}

impl Reader {
    fn read(&mut self, number: usize, line: &str) {
        let heading = heading(line);
        let text = heading.map_or_else(|| body_of(line), |(_, title)| title);
        if let Some((id, rest)) = defined(text, line) {
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

    fn define(&mut self, id: Id, rest: &str, line: usize, level: Option<usize>) {
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
        self.open = Some(Open {
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
        let Open { id, line, title, demand, criteria, .. } = open;
        let text = if demand.is_empty() { title } else { demand };
        let ears = classify(&text);
        if let Err(error) = &ears {
            self.read.problems.push(Problem::new(line, format!("{id} is not in EARS form: {error}")));
        }
        self.read.requirements.push(Requirement { id, line, text, ears, criteria });
    }
}

impl Open {
    fn read(&mut self, line: &str) {
        if line.trim().is_empty() {
            self.continues = false;
            return;
        }
        if let Some((label, value)) = labelled(line) {
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
            // Items below an item explain it.
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

/// A line without list marker, box and table bar.
fn body_of(line: &str) -> &str {
    let text = item(line).unwrap_or(line).trim();
    let text = boxed(text).map_or(text, |(_, rest)| rest);
    text.strip_prefix('|').unwrap_or(text).trim()
}

/// The id a line defines, and what follows it. `C1`, `D1` and tasks are not defined here.
fn defined<'a>(text: &'a str, line: &str) -> Option<(Id, &'a str)> {
    let bare = text.trim_start_matches(is_decoration);
    if !bare.starts_with(['U', 'R', 'N']) {
        return None;
    }
    let (id, rest) = Id::at_start(bare)?;
    let is_demand = matches!(id.kind, IdKind::Story | IdKind::Requirement | IdKind::NonFunctional);
    // "REQ-1.1 and REQ-1.2 are tested" mentions ids at the start of a sentence and defines none.
    let rest_after = rest.trim_start_matches(['*', '_', '`']);
    let is_marked = rest_after.is_empty()
        || rest_after.starts_with([':', '|', '.', ')'])
        || rest_after.trim_start().starts_with([':', '|', '-', '–', '—'])
        || bare.len() != text.len()
        || (item(line).is_some() && classify(rest_after).is_ok());
    (is_demand && is_marked).then_some((id, rest_after))
}
