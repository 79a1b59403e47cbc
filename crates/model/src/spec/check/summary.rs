//! Checks `summary.md`: its length, its key decisions and its links.

use super::issue::{IssueCode, SpecIssue};
use super::spec_files::{ParsedSpec, is_missing};
use super::targets::{Target, targets};
use crate::markdown::{item, outline};
use crate::spec::sections::Sections;
use crate::spec::sentences::sentences;
use crate::spec::summary::summary;
use std::collections::BTreeSet;

const FILE: &str = "summary.md";

/// Files a summary must link to.
pub const LINKED: [&str; 5] = ["requirements.md", "design.md", "tasks.md", "spec.json", "meta.yaml"];

pub(super) fn issues(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let text = spec.files.summary;
    if is_missing(text) {
        return Vec::new();
    }
    let sections = Sections::parse(text);
    let mut issues = Vec::new();
    let mut issue = |line, code, message: String| issues.push(SpecIssue::new(FILE, line, code, message));
    let line_of = |title: &str| sections.find(&[title]).map_or(1, |section| section.line);
    match summary(text) {
        None => {
            issue(
                line_of("Summary"),
                IssueCode::Section,
                "the section \"Summary\" is missing or empty".to_owned(),
            );
        }
        Some(body) => {
            let count = sentences(&body).len();
            if !(2..=4).contains(&count) {
                let message = format!("the summary has {count} sentences; 2 to 4 are wanted");
                issue(line_of("Summary"), IssueCode::SummaryLength, message);
            }
        }
    }
    match sections.find(&["Key Decisions"]) {
        None => issue(1, IssueCode::Section, "the section \"Key Decisions\" is missing".to_owned()),
        Some(section) => {
            // Nested items explain their parent and do not count.
            let is_item = |line: &str| item(line).is_some() && !line.starts_with([' ', '\t']);
            let count =
                outline(section.body).lines.iter().filter(|line| !line.fenced && is_item(line.text)).count();
            if !(3..=5).contains(&count) {
                let message = format!("{count} key decisions are listed; 3 to 5 are wanted");
                issue(section.line, IssueCode::KeyDecisions, message);
            }
        }
    }
    let linked: BTreeSet<&str> = targets(text).into_iter().map(Target::file).collect();
    for file in LINKED.iter().filter(|file| !linked.contains(**file)) {
        issue(1, IssueCode::SummaryLinks, format!("no link leads to {file}"));
    }
    issues
}
