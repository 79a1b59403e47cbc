//! All questions, in one place.

use super::issue::{Code, Issue, in_order};
use super::paths::{FileFacts, KnownFiles};
use super::{design, names, numbers, plan, requirements, summary, targets, tasks};
use crate::spec::ids::Id;
use crate::spec::links::{Texts, links};
use crate::spec::meta::Meta;
use crate::spec::record::SpecRecord;
use crate::spec::requirements::Requirements;
use crate::spec::tasks::TaskList;
use std::collections::BTreeMap;

/// The texts of the six files; one that is not there is empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpecFiles<'a> {
    /// `requirements.md`.
    pub requirements: &'a str,
    /// `design.md`.
    pub design: &'a str,
    /// `tasks.md`.
    pub tasks: &'a str,
    /// `summary.md`.
    pub summary: &'a str,
    /// `spec.json`.
    pub spec_json: &'a str,
    /// `meta.yaml`.
    pub meta: &'a str,
}

impl<'a> SpecFiles<'a> {
    /// The files with their names, in the order they are reported.
    pub fn named(&self) -> [(&'static str, &'a str); 6] {
        [
            ("requirements.md", self.requirements),
            ("design.md", self.design),
            ("tasks.md", self.tasks),
            ("summary.md", self.summary),
            ("spec.json", self.spec_json),
            ("meta.yaml", self.meta),
        ]
    }
}

/// What is wrong with a specification, by file and line. With `plan`, the plan it was written from is looked at too.
pub fn check(files: &SpecFiles<'_>, plan: Option<&str>, facts: &dyn FileFacts) -> Vec<Issue> {
    let mut issues: Vec<Issue> =
        files.named().iter().filter(|(_, text)| is_missing(text)).map(absent).collect();
    let read = Read::of(files, plan, facts);
    issues.extend(requirements::issues(&read));
    issues.extend(design::issues(&read));
    issues.extend(tasks::issues(&read));
    issues.extend(summary::issues(&read));
    issues.extend(numbers::issues(&read));
    issues.extend(names::issues(&read));
    issues.extend(references(&read));
    issues.extend(targets::issues(&read));
    issues.extend(plan.map(|plan| plan::issues(plan, &read.files_known)).unwrap_or_default());
    in_order(issues)
}

/// The files, understood as far as possible.
pub(super) struct Read<'a> {
    pub(super) files: &'a SpecFiles<'a>,
    pub(super) requirements: Requirements,
    pub(super) tasks: TaskList,
    /// Nothing if `spec.json` cannot be read.
    pub(super) record: Option<SpecRecord>,
    pub(super) record_error: Option<String>,
    pub(super) meta: Meta,
    pub(super) files_known: KnownFiles<'a>,
}

impl<'a> Read<'a> {
    fn of(files: &'a SpecFiles<'a>, plan: Option<&str>, facts: &'a dyn FileFacts) -> Read<'a> {
        let tasks = TaskList::parse(files.tasks);
        let mut new = tasks::declared_new(&tasks);
        new.extend(plan.map(plan::declared_new).unwrap_or_default());
        let (record, record_error) = match SpecRecord::parse(files.spec_json) {
            Ok(record) => (Some(record), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Read {
            files,
            requirements: Requirements::parse(files.requirements),
            tasks,
            record,
            record_error,
            meta: Meta::parse(files.meta),
            files_known: KnownFiles { facts, new },
        }
    }
}

pub(super) fn is_missing(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

fn absent((file, _): &(&'static str, &str)) -> Issue {
    Issue::new(file, 1, Code::MissingFile, format_args!("{file} is not there, or empty"))
}

/// Ids that lead nowhere, and requirements nothing leads to.
fn references(read: &Read<'_>) -> Vec<Issue> {
    let design = Some(read.files.design).filter(|text| !is_missing(text));
    let texts = Texts { requirements: read.files.requirements, design, tasks: read.files.tasks };
    let found = links(texts);
    let dangling = found.dangling.iter().map(|dangling| {
        Issue::new(
            dangling.file,
            dangling.line,
            Code::DanglingId,
            format_args!("{} is defined nowhere", dangling.id),
        )
    });
    let lines: BTreeMap<String, usize> = {
        let named = |(id, line): (&Id, usize)| (id.to_string(), line);
        read.requirements.requirements.iter().rev().map(|r| named((&r.id, r.line))).collect()
    };
    let uncovered = found.uncovered.iter().map(|id| {
        let line = lines.get(id).copied().unwrap_or(1);
        Issue::new("requirements.md", line, Code::Uncovered, format_args!("no task covers {id}"))
    });
    // Without tasks, one issue says it all.
    let has_tasks = !read.tasks.tasks.is_empty();
    dangling
        .filter(|issue| has_tasks || issue.file != "tasks.md")
        .chain(uncovered.filter(|_| has_tasks))
        .collect()
}
