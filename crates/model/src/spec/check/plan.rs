//! Checks `plan.txt`: its sections and the files it names.

use super::issue::{IssueCode, SpecIssue};
use super::paths::{FileRef, KnownFiles};
use crate::escape::printable;
use crate::markdown::{heading, item, outline};
use crate::panel::plan::{FAILURE_MODES, SECTIONS};
use crate::spec::sections::{Section, Sections};
use std::collections::BTreeSet;

const FILE: &str = "plan.txt";

pub(super) fn issues(plan: &str, files: &KnownFiles<'_>) -> Vec<SpecIssue> {
    if super::spec_files::is_missing(plan) {
        return vec![SpecIssue::new(FILE, 1, IssueCode::MissingFile, "plan.txt is empty")];
    }
    let sections = Sections::parse(plan);
    let named = named_files(plan);
    let mut issues = Vec::new();
    for (index, title) in SECTIONS.iter().enumerate() {
        let section = sections.find(&[title]);
        let is_optional = index == FAILURE_MODES && named.iter().all(|(_, file)| is_document(&file.path));
        match section {
            None if is_optional => {}
            None => issues.push(SpecIssue::new(
                FILE,
                1,
                IssueCode::PlanSection,
                format_args!("the section \"{title}\" is missing"),
            )),
            Some(section) if section.body.trim().is_empty() => {
                issues.push(SpecIssue::new(
                    FILE,
                    section.line,
                    IssueCode::PlanSection,
                    format_args!("the section \"{title}\" is empty"),
                ));
            }
            Some(_) => {}
        }
    }
    for (line, file) in named.iter().filter(|(_, file)| !file.is_new && !files.has(&file.path)) {
        let message =
            format!("the plan names {}, which does not exist and is not marked (new)", printable(&file.path));
        issues.push(SpecIssue::new(FILE, *line, IssueCode::PlanFile, message));
    }
    issues
}

/// The files a plan declares new.
pub(super) fn declared_new(plan: &str) -> BTreeSet<String> {
    named_files(plan).into_iter().filter(|(_, file)| file.is_new).map(|(_, file)| file.path).collect()
}

/// The files of the first section: one per list item or table row. Items below a heading or label that says
/// "new" or "create" are new.
fn named_files(plan: &str) -> Vec<(usize, FileRef)> {
    let Some(section) = Sections::parse(plan).find(&SECTIONS[..1]) else { return Vec::new() };
    let mut found = Vec::new();
    let mut below_new = false;
    for line in outline(section.body).lines.iter().filter(|line| !line.fenced) {
        let text = line.text.trim();
        let entry = item(text).or_else(|| text.strip_prefix('|'));
        let Some(entry) = entry.map(str::trim) else {
            if !text.is_empty() {
                below_new = introduces_new(text);
            }
            continue;
        };
        if let Some(mut file) = FileRef::parse(entry).filter(FileRef::is_path) {
            file.is_new |= below_new;
            found.push((section_line(&section, line.number), file));
        }
    }
    found
}

fn section_line(section: &Section<'_>, number: usize) -> usize {
    section.line + number
}

/// True for a heading or a short label of new files: `### New files`, `**Create:**`.
fn introduces_new(text: &str) -> bool {
    let title = heading(text).map_or(text, |(_, title)| title);
    let is_label = heading(text).is_some() || title.ends_with([':', '*']);
    let mut words = title.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).take(4);
    is_label
        && words
            .any(|word| ["new", "create", "created", "add"].iter().any(|new| new.eq_ignore_ascii_case(word)))
}

fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_ascii_uppercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    path.starts_with("docs/")
        || ["md", "mdx", "rst", "adoc", "txt"].iter().any(|known| known.eq_ignore_ascii_case(extension))
        || ["README", "CHANGELOG", "LICENSE", "NOTICE", "AUTHORS", "CONTRIBUTING"].contains(&stem.as_str())
}
