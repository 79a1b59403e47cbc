//! How the files of a specification refer to each other, and where a reference leads nowhere.

use super::ids::{Id, IdKind, list, mentioned};
use super::outline::{heading, is_decoration, outline};
use super::requirements::Requirements;
use super::tasks::TaskList;
use serde::Serialize;
use std::collections::BTreeSet;

/// The texts that refer to each other. `design.md` may be missing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts<'a> {
    /// `requirements.md`.
    pub requirements: &'a str,
    /// `design.md`.
    pub design: Option<&'a str>,
    /// `tasks.md`.
    pub tasks: &'a str,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Links {
    /// References to nothing, by file and line.
    pub dangling: Vec<Dangling>,
    /// Requirements no task refers to, not even through their story, in order of definition.
    pub uncovered: Vec<String>,
}

/// A reference to nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Dangling {
    /// The file.
    pub file: &'static str,
    /// Its 1-based line.
    pub line: usize,
    /// What it refers to, in its usual spelling.
    pub id: String,
}

/// Follows every reference.
pub fn links(texts: Texts<'_>) -> Links {
    let requirements = Requirements::parse(texts.requirements);
    let tasks = TaskList::parse(texts.tasks);
    let mut known = Known { ids: requirements.ids().cloned().collect(), design: texts.design.is_some() };
    known.ids.extend(tasks.tasks.iter().map(|task| task.id.clone()));
    known.ids.extend(texts.design.into_iter().flat_map(components));

    let files = [
        ("requirements.md", Some(texts.requirements)),
        ("design.md", texts.design),
        ("tasks.md", Some(texts.tasks)),
    ];
    let mut dangling: Vec<Dangling> = Vec::new();
    for (file, text) in files.into_iter().filter_map(|(file, text)| Some((file, text?))) {
        dangling.extend(references(text).filter(|(_, id)| !known.has(id)).map(|(line, id)| Dangling {
            file,
            line,
            id: id.to_string(),
        }));
    }
    dangling.dedup();
    Links { dangling, uncovered: uncovered(&requirements, texts.tasks) }
}

struct Known {
    ids: BTreeSet<Id>,
    /// Without a design, nothing can be said about its components and decisions.
    design: bool,
}

impl Known {
    fn has(&self, id: &Id) -> bool {
        let of_the_design = matches!(id.kind, IdKind::Component | IdKind::Decision);
        self.ids.contains(id) || (of_the_design && !self.design)
    }
}

/// The ids a text mentions, with their lines: in prose, and in brackets such as `[C1, US2]`.
fn references(text: &str) -> impl Iterator<Item = (usize, Id)> {
    let lines = outline(text).lines.into_iter().filter(|line| !line.code);
    lines.flat_map(|line| {
        let in_brackets = line.text.split('[').skip(1).filter_map(|rest| list(rest.split_once(']')?.0));
        let mut ids: Vec<Id> = mentioned(line.text).map(|(_, id)| id).chain(in_brackets.flatten()).collect();
        ids.sort();
        ids.dedup();
        ids.into_iter().map(move |id| (line.number, id))
    })
}

/// The components and decisions a design defines: headings and bold openings that begin with their id.
fn components(design: &str) -> Vec<Id> {
    let lines = outline(design).lines.into_iter().filter(|line| !line.code);
    let defined = lines.filter_map(|line| {
        let text = match heading(line.text) {
            Some((_, title)) => title,
            None => super::outline::item(line.text).unwrap_or(line.text).trim().strip_prefix("**")?,
        };
        let text = text.trim_start_matches(is_decoration);
        let text =
            ["Component ", "Decision "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
        Id::at_start(text).map(|(id, _)| id)
    });
    defined.filter(|id| matches!(id.kind, IdKind::Component | IdKind::Decision)).collect()
}

/// Requirements that neither a task nor a story some task names covers.
fn uncovered(requirements: &Requirements, tasks: &str) -> Vec<String> {
    let named: BTreeSet<Id> = references(tasks).map(|(_, id)| id).collect();
    let by_story = |id: &Id| {
        let story = id.number.split('.').next().unwrap_or_default();
        id.number.contains('.') && named.contains(&Id { kind: IdKind::Story, number: story.to_owned() })
    };
    let open = requirements.requirements.iter().filter(|r| !named.contains(&r.id) && !by_story(&r.id));
    open.map(|requirement| requirement.id.to_string()).collect()
}
