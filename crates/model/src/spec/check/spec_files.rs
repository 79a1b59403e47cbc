//! Runs all checks of a specification.

use super::issue::{IssueCode, SpecIssue, sort_issues};
use super::paths::{FileFacts, KnownFiles};
use super::{counts, design, identity, places, plan, requirements, summary, targets, tasks};
use crate::spec::ids::SpecId;
use crate::spec::links::{LinkTexts, check_links};
use crate::spec::meta::SpecMeta;
use crate::spec::open_points;
use crate::spec::record::SpecRecord;
use crate::spec::requirements::Requirements;
use crate::spec::tasks::TaskList;
use std::collections::BTreeMap;

/// Texts of the six files; empty if absent.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpecFiles<'a> {
    pub requirements: &'a str,
    pub design: &'a str,
    pub tasks: &'a str,
    pub summary: &'a str,
    pub spec_json: &'a str,
    pub meta: &'a str,
}

impl<'a> SpecFiles<'a> {
    /// Names and texts of the files, in report order.
    pub fn entries(&self) -> [(&'static str, &'a str); 6] {
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

/// Checks a specification; reports by file and line. With `plan`, also checks the plan it was written from.
pub fn check(files: &SpecFiles<'_>, plan: Option<&str>, facts: &dyn FileFacts) -> Vec<SpecIssue> {
    let mut issues: Vec<SpecIssue> = files
        .entries()
        .iter()
        .filter(|(_, text)| is_missing(text))
        .map(|(file, _)| missing_file(file))
        .collect();
    let spec = ParsedSpec::parse(files, plan, facts);
    issues.extend(open_points(files));
    issues.extend(requirements::issues(&spec));
    issues.extend(design::issues(&spec));
    issues.extend(tasks::issues(&spec));
    issues.extend(summary::issues(&spec));
    issues.extend(counts::issues(&spec));
    issues.extend(identity::issues(&spec));
    issues.extend(check_references(&spec));
    issues.extend(targets::issues(&spec));
    issues.extend(facts.sources().map(|sources| places::issues(&spec, &*sources)).unwrap_or_default());
    issues.extend(plan.map(|plan| plan::issues(plan, &spec.files_known)).unwrap_or_default());
    sort_issues(issues)
}

/// Points that only a person can fill in. A person may approve a specification that has some.
fn open_points(files: &SpecFiles<'_>) -> Vec<SpecIssue> {
    let of_file = |(file, text): (&'static str, &str)| {
        let points = open_points::open_points(text).into_iter();
        points
            .map(move |point| SpecIssue::new(file, point.line, IssueCode::OpenPoint, point.text))
            .collect::<Vec<_>>()
    };
    files.entries().into_iter().filter(|(file, _)| file.ends_with(".md")).flat_map(of_file).collect()
}

/// The files, parsed as far as possible.
pub(super) struct ParsedSpec<'a> {
    pub(super) files: &'a SpecFiles<'a>,
    pub(super) requirements: Requirements,
    pub(super) tasks: TaskList,
    /// None if `spec.json` cannot be parsed.
    pub(super) record: Option<SpecRecord>,
    pub(super) record_error: Option<String>,
    pub(super) meta: SpecMeta,
    pub(super) files_known: KnownFiles<'a>,
}

impl<'a> ParsedSpec<'a> {
    fn parse(files: &'a SpecFiles<'a>, plan: Option<&str>, facts: &'a dyn FileFacts) -> ParsedSpec<'a> {
        let tasks = TaskList::parse(files.tasks);
        let mut new = tasks::declared_new(&tasks);
        new.extend(plan.map(plan::declared_new).unwrap_or_default());
        let (record, record_error) = match SpecRecord::parse(files.spec_json) {
            Ok(record) => (Some(record), None),
            Err(error) => (None, Some(error.to_string())),
        };
        ParsedSpec {
            files,
            requirements: Requirements::parse(files.requirements),
            tasks,
            record,
            record_error,
            meta: SpecMeta::parse(files.meta),
            files_known: KnownFiles { facts, new },
        }
    }
}

pub(super) fn is_missing(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

fn missing_file(file: &'static str) -> SpecIssue {
    SpecIssue::new(file, 1, IssueCode::MissingFile, format_args!("{file} is not there, or empty"))
}

/// Reports dangling ids and uncovered requirements.
fn check_references(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let design = Some(spec.files.design).filter(|text| !is_missing(text));
    let texts = LinkTexts { requirements: spec.files.requirements, design, tasks: spec.files.tasks };
    let found = check_links(texts);
    let dangling = found.dangling.iter().map(|dangling| {
        SpecIssue::new(
            dangling.file,
            dangling.line,
            IssueCode::DanglingId,
            format_args!("{} is defined nowhere", dangling.id),
        )
    });
    let lines: BTreeMap<String, usize> = {
        let named = |(id, line): (&SpecId, usize)| (id.to_string(), line);
        spec.requirements.requirements.iter().rev().map(|r| named((&r.id, r.line))).collect()
    };
    let uncovered = found.uncovered.iter().map(|id| {
        let line = lines.get(id).copied().unwrap_or(1);
        SpecIssue::new("requirements.md", line, IssueCode::Uncovered, format_args!("no task covers {id}"))
    });
    // Without tasks, the issue for the missing tasks is enough.
    let has_tasks = !spec.tasks.tasks.is_empty();
    dangling
        .filter(|issue| has_tasks || issue.file != "tasks.md")
        .chain(uncovered.filter(|_| has_tasks))
        .collect()
}
