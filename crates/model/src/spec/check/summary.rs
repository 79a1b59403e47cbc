//! `summary.md`: short enough to be read, with what was decided and where to go on.

use super::all::{Read, is_missing};
use super::issue::{Code, Issue};
use super::targets::{Target, targets};
use crate::spec::outline::{item, outline};
use crate::spec::sections::Sections;
use crate::spec::sentences::sentences;
use crate::spec::summary::summary;
use std::collections::BTreeSet;

const FILE: &str = "summary.md";

/// The files a summary leads to.
pub const LINKED: [&str; 5] = ["requirements.md", "design.md", "tasks.md", "spec.json", "meta.yaml"];

pub(super) fn issues(read: &Read<'_>) -> Vec<Issue> {
    let text = read.files.summary;
    if is_missing(text) {
        return Vec::new();
    }
    let sections = Sections::of(text);
    let mut issues = Vec::new();
    let mut issue = |line, code, message: String| issues.push(Issue::new(FILE, line, code, message));
    let line_of = |title: &str| sections.named(&[title]).map_or(1, |section| section.line);
    match summary(text) {
        None => {
            issue(
                line_of("Summary"),
                Code::Section,
                "the section \"Summary\" is missing or empty".to_owned(),
            );
        }
        Some(said) => {
            let count = sentences(&said).len();
            if !(2..=4).contains(&count) {
                let message = format!("the summary has {count} sentences; 2 to 4 are wanted");
                issue(line_of("Summary"), Code::SummaryLength, message);
            }
        }
    }
    match sections.named(&["Key Decisions"]) {
        None => issue(1, Code::Section, "the section \"Key Decisions\" is missing".to_owned()),
        Some(section) => {
            // Items below an item explain it.
            let is_item = |line: &str| item(line).is_some() && !line.starts_with([' ', '\t']);
            let count =
                outline(section.body).lines.iter().filter(|line| !line.code && is_item(line.text)).count();
            if !(3..=5).contains(&count) {
                let message = format!("{count} key decisions are listed; 3 to 5 are wanted");
                issue(section.line, Code::KeyDecisions, message);
            }
        }
    }
    let linked: BTreeSet<&str> = targets(text).into_iter().map(Target::file).collect();
    for file in LINKED.iter().filter(|file| !linked.contains(**file)) {
        issue(1, Code::SummaryLinks, format!("no link leads to {file}"));
    }
    issues
}
