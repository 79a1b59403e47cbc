//! References between the files of a specification: dangling ids and uncovered requirements.

use super::ids::{IdKind, SpecId, mentions, parse_id_list};
use super::requirements::Requirements;
use super::tasks::TaskList;
use crate::markdown::{heading, is_decoration, outline};
use serde::Serialize;
use std::collections::BTreeSet;

/// Input of [`check_links`]. `design.md` may be missing.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinkTexts<'a> {
    pub requirements: &'a str,
    pub design: Option<&'a str>,
    pub tasks: &'a str,
}

/// Result of [`check_links`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LinkReport {
    /// References to undefined ids, by file and line.
    pub dangling: Vec<DanglingReference>,
    /// Requirements that no task refers to, not even through their story, in order of definition.
    pub uncovered: Vec<String>,
}

/// Reference to an undefined id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DanglingReference {
    pub file: &'static str,
    /// From 1.
    pub line: usize,
    /// Normalised id.
    pub id: String,
}

/// Checks every reference.
pub fn check_links(texts: LinkTexts<'_>) -> LinkReport {
    let requirements = Requirements::parse(texts.requirements);
    let tasks = TaskList::parse(texts.tasks);
    let mut known = KnownIds { ids: requirements.ids().cloned().collect(), design: texts.design.is_some() };
    known.ids.extend(tasks.tasks.iter().map(|task| task.id.clone()));
    known.ids.extend(texts.design.into_iter().flat_map(components));

    let files = [
        ("requirements.md", Some(texts.requirements)),
        ("design.md", texts.design),
        ("tasks.md", Some(texts.tasks)),
    ];
    let mut dangling: Vec<DanglingReference> = Vec::new();
    for (file, text) in files.into_iter().filter_map(|(file, text)| Some((file, text?))) {
        dangling.extend(
            references(text).filter(|(_, id)| !known.has(id)).map(|(line, id)| DanglingReference {
                file,
                line,
                id: id.to_string(),
            }),
        );
    }
    dangling.dedup();
    LinkReport { dangling, uncovered: uncovered_requirements(&requirements, texts.tasks) }
}

struct KnownIds {
    ids: BTreeSet<SpecId>,
    /// Without a design, ids of components and decisions cannot be checked.
    design: bool,
}

impl KnownIds {
    fn has(&self, id: &SpecId) -> bool {
        let of_the_design = matches!(id.kind, IdKind::Component | IdKind::Decision);
        self.ids.contains(id) || (of_the_design && !self.design)
    }
}

/// The ids in a text with their line numbers: in prose, and in brackets such as `[C1, US2]`.
fn references(text: &str) -> impl Iterator<Item = (usize, SpecId)> {
    let lines = outline(text).lines.into_iter().filter(|line| !line.fenced);
    lines.flat_map(|line| {
        let in_brackets =
            line.text.split('[').skip(1).filter_map(|rest| parse_id_list(rest.split_once(']')?.0));
        let mut ids: Vec<SpecId> =
            mentions(line.text).map(|(_, id)| id).chain(in_brackets.flatten()).collect();
        ids.sort();
        ids.dedup();
        ids.into_iter().map(move |id| (line.number, id))
    })
}

/// The components and decisions a design defines: headings and bold openings that begin with their id.
fn components(design: &str) -> Vec<SpecId> {
    let lines = outline(design).lines.into_iter().filter(|line| !line.fenced);
    let defined = lines.filter_map(|line| {
        let text = match heading(line.text) {
            Some((_, title)) => title,
            None => crate::markdown::item(line.text).unwrap_or(line.text).trim().strip_prefix("**")?,
        };
        let text = text.trim_start_matches(is_decoration);
        let text =
            ["Component ", "Decision "].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
        SpecId::parse_prefix(text).map(|(id, _)| id)
    });
    defined.filter(|id| matches!(id.kind, IdKind::Component | IdKind::Decision)).collect()
}

/// Requirements without a task, neither for them nor for their story.
fn uncovered_requirements(requirements: &Requirements, tasks: &str) -> Vec<String> {
    let named: BTreeSet<SpecId> = references(tasks).map(|(_, id)| id).collect();
    let by_story = |id: &SpecId| {
        let story = id.number.split('.').next().unwrap_or_default();
        id.number.contains('.') && named.contains(&SpecId { kind: IdKind::Story, number: story.to_owned() })
    };
    let open = requirements.requirements.iter().filter(|r| !named.contains(&r.id) && !by_story(&r.id));
    open.map(|requirement| requirement.id.to_string()).collect()
}
