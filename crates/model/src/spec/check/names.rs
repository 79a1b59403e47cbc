//! What every file says about the specification itself: its name, its status, its dates.

use super::all::{Read, SpecFiles, is_missing};
use super::issue::{Code, Issue};
use super::numbers::line_of;
use crate::shown::shown;
use crate::spec::meta::Meta;
use crate::spec::outline::{labelled, outline};
use crate::spec::record::SpecRecord;

pub(super) fn issues(read: &Read<'_>) -> Vec<Issue> {
    let mut issues = unreadable(read);
    issues.extend(statuses(read));
    issues.extend(ids(read));
    issues.extend(dates(read));
    issues.extend(named_files(read));
    issues
}

/// Whether a specification carries the name it is known by.
pub fn check_name(feature: &str, files: &SpecFiles<'_>) -> Vec<Issue> {
    let said = SpecRecord::parse(files.spec_json).map(|record| record.name).unwrap_or_default();
    let last = feature.rsplit(['/', '.']).next().unwrap_or(feature);
    if said.is_empty() || said == feature || said == last || said == feature.replace('/', ".") {
        return Vec::new();
    }
    let line = line_of(files.spec_json, "\"name\"");
    let message = format!("the name is '{}', the folder is called '{}'", shown(&said), shown(feature));
    vec![Issue::new("spec.json", line, Code::Name, message)]
}

fn unreadable(read: &Read<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    if let Some(error) = read.record_error.as_ref().filter(|_| !is_missing(read.files.spec_json)) {
        issues.push(Issue::new("spec.json", line_in(error), Code::Unreadable, error));
    }
    issues.extend(
        read.meta
            .problems
            .iter()
            .map(|problem| Issue::new("meta.yaml", problem.line, Code::Unreadable, &problem.message)),
    );
    issues
}

/// The line a JSON error speaks of.
fn line_in(error: &str) -> usize {
    let number = error.rsplit_once(" line ").map_or("", |(_, rest)| rest);
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    number[..digits].parse().unwrap_or(1)
}

/// A value somewhere: file, line, what it says; nothing if it is missing.
struct Said<'a> {
    file: &'static str,
    line: usize,
    value: Option<&'a str>,
}

/// A quoted line `> **Label:** value` near the top of a file.
fn quoted<'a>(file: &'static str, text: &'a str, label: &str) -> Said<'a> {
    let lines = outline(text).lines;
    let found = lines.iter().filter(|line| !line.code).find_map(|line| {
        let (name, value) = labelled(line.text.trim_start().strip_prefix('>')?.trim_start())?;
        (name == label).then(|| (line.number, value.trim()))
    });
    Said { file, line: found.map_or(1, |(line, _)| line), value: found.map(|(_, value)| value) }
}

fn in_json<'a>(read: &'a Read<'_>, key: &str, value: impl Fn(&'a SpecRecord) -> &'a str) -> Said<'a> {
    let line = line_of(read.files.spec_json, &format!("\"{key}\""));
    Said { file: "spec.json", line, value: read.record.as_ref().map(value).filter(|value| !value.is_empty()) }
}

fn in_meta<'a>(read: &'a Read<'_>, key: &str, value: impl Fn(&'a Meta) -> Option<&'a String>) -> Said<'a> {
    let line = line_of(read.files.meta, &format!("{key}:"));
    Said { file: "meta.yaml", line, value: value(&read.meta).map(String::as_str) }
}

fn is_there(read: &Read<'_>, said: &Said<'_>) -> bool {
    let text = read.files.named().into_iter().find(|(file, _)| *file == said.file).map(|(_, text)| text);
    let readable = said.file != "spec.json" || read.record.is_some();
    readable && text.is_some_and(|text| !is_missing(text))
}

fn statuses(read: &Read<'_>) -> Vec<Issue> {
    let files = read.files;
    let mut said = vec![
        in_json(read, "status", |record| &record.status),
        in_meta(read, "status", |meta| meta.status.as_ref()),
        quoted("requirements.md", files.requirements, "status"),
        quoted("summary.md", files.summary, "status"),
    ];
    // These two may say it; if they do, it must be right.
    let may = [quoted("design.md", files.design, "status"), quoted("tasks.md", files.tasks, "status")];
    said.extend(may.into_iter().filter(|said| said.value.is_some()));
    said.retain(|said| is_there(read, said));
    let mut issues = Vec::new();
    let mut stages: Vec<(&Said<'_>, &str, Stage)> = Vec::new();
    for here in &said {
        let message = match here.value.map(|value| (value, stage(value))) {
            Some((value, Some(stage))) => {
                stages.push((here, value, stage));
                continue;
            }
            Some((value, None)) => {
                format!("'{}' is none of Draft, Approved, In Progress and Complete", shown(value))
            }
            None => "there is no status".to_owned(),
        };
        issues.push(Issue::new(here.file, here.line, Code::Status, message));
    }
    // What most files say is taken for right.
    let approved = stages.iter().filter(|(_, _, stage)| *stage == Stage::Approved).count();
    let right = if 2 * approved > stages.len() { Stage::Approved } else { Stage::Draft };
    let Some((there, elsewhere, _)) = stages.iter().find(|(_, _, stage)| *stage == right) else {
        return issues;
    };
    for (here, value, _) in stages.iter().filter(|(_, _, stage)| *stage != right) {
        let message =
            format!("the status is '{}', in {} it is '{}'", shown(value), there.file, shown(elsewhere));
        issues.push(Issue::new(here.file, here.line, Code::Status, message));
    }
    issues
}

/// What a status means for the work: `spec.json` knows only these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Draft,
    Approved,
}

fn stage(status: &str) -> Option<Stage> {
    let plain: String = status.chars().filter(char::is_ascii_alphabetic).collect();
    match plain.to_lowercase().as_str() {
        "draft" => Some(Stage::Draft),
        "approved" | "inprogress" | "complete" | "completed" => Some(Stage::Approved),
        _ => None,
    }
}

fn ids(read: &Read<'_>) -> Vec<Issue> {
    let said = [
        in_json(read, "name", |record| &record.name),
        in_meta(read, "id", |meta| meta.id.as_ref()),
        quoted("requirements.md", read.files.requirements, "spec id"),
    ];
    same(read, &said, Code::Name, "name", true)
}

fn dates(read: &Read<'_>) -> Vec<Issue> {
    let created = [
        in_json(read, "created", |record| &record.created),
        in_meta(read, "created", |meta| meta.created.as_ref()),
        quoted("requirements.md", read.files.requirements, "created"),
    ];
    let updated = [
        in_json(read, "updated", |record| &record.updated),
        in_meta(read, "updated", |meta| meta.updated.as_ref()),
    ];
    let mut issues = same(read, &created, Code::Date, "date of creation", false);
    issues.extend(same(read, &updated, Code::Date, "date of the last change", false));
    for said in created.iter().chain(&updated) {
        if let Some(value) = said.value.filter(|value| is_there(read, said) && !is_date(value)) {
            let message = format!("'{}' is no date YYYY-MM-DD", shown(value));
            issues.push(Issue::new(said.file, said.line, Code::Date, message));
        }
    }
    issues
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// The same value wherever it is said; with `needed`, it must be said everywhere.
fn same(read: &Read<'_>, said: &[Said<'_>], code: Code, what: &str, needed: bool) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut first: Option<&Said<'_>> = None;
    for here in said.iter().filter(|said| is_there(read, said)) {
        match (here.value, first) {
            // Quoted lines are for people; machines must know.
            (None, _) if needed || !here.file.ends_with(".md") => {
                issues.push(Issue::new(here.file, here.line, code, format_args!("there is no {what}")));
            }
            (Some(_), None) => first = Some(here),
            (Some(value), Some(there)) if there.value != Some(value.trim_matches('`')) => {
                let other = there.value.unwrap_or_default();
                let message =
                    format!("the {what} is '{}', in {} it is '{}'", shown(value), there.file, shown(other));
                issues.push(Issue::new(here.file, here.line, code, message));
            }
            _ => {}
        }
    }
    issues
}

/// The files `spec.json` names.
fn named_files(read: &Read<'_>) -> Vec<Issue> {
    let Some(record) = &read.record else { return Vec::new() };
    let known = read.files.named();
    let strange = record.files.values().filter(|file| !known.iter().any(|(name, _)| name == file));
    let line = line_of(read.files.spec_json, "\"files\"");
    strange
        .map(|file| {
            Issue::new(
                "spec.json",
                line,
                Code::DanglingLink,
                format_args!("'{}' is no file of a specification", shown(file)),
            )
        })
        .collect()
}
