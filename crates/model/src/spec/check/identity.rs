//! Checks the name, status and dates of a specification: the same in every file that states them.

use super::counts::line_of;
use super::issue::{IssueCode, SpecIssue};
use super::spec_files::{ParsedSpec, SpecFiles, is_missing};
use crate::escape::printable;
use crate::markdown::{outline, parse_label};
use crate::spec::meta::SpecMeta;
use crate::spec::record::SpecRecord;

pub(super) fn issues(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let mut issues = check_readable(spec);
    issues.extend(check_statuses(spec));
    issues.extend(check_ids(spec));
    issues.extend(check_dates(spec));
    issues.extend(check_file_names(spec));
    issues
}

/// Checks that the name in `spec.json` matches the folder.
pub fn check_name(feature: &str, files: &SpecFiles<'_>) -> Vec<SpecIssue> {
    let name = SpecRecord::parse(files.spec_json).map(|record| record.name).unwrap_or_default();
    let last = feature.rsplit(['/', '.']).next().unwrap_or(feature);
    if name.is_empty() || name == feature || name == last || name == feature.replace('/', ".") {
        return Vec::new();
    }
    let line = line_of(files.spec_json, "\"name\"");
    let message =
        format!("the name is '{}', the folder is called '{}'", printable(&name), printable(feature));
    vec![SpecIssue::new("spec.json", line, IssueCode::Name, message)]
}

fn check_readable(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let mut issues = Vec::new();
    if let Some(error) = spec.record_error.as_ref().filter(|_| !is_missing(spec.files.spec_json)) {
        issues.push(SpecIssue::new("spec.json", json_error_line(error), IssueCode::Unreadable, error));
    }
    issues.extend(
        spec.meta.problems.iter().map(|problem| {
            SpecIssue::new("meta.yaml", problem.line, IssueCode::Unreadable, &problem.message)
        }),
    );
    issues
}

/// The line number in a JSON error.
fn json_error_line(error: &str) -> usize {
    let number = error.rsplit_once(" line ").map_or("", |(_, rest)| rest);
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    number[..digits].parse().unwrap_or(1)
}

/// Value stated in a file; none if it is missing.
struct StatedValue<'a> {
    file: &'static str,
    line: usize,
    value: Option<&'a str>,
}

/// The value of a quoted line `> **Label:** value`.
fn quoted_value<'a>(file: &'static str, text: &'a str, label: &str) -> StatedValue<'a> {
    let lines = outline(text).lines;
    let found = lines.iter().filter(|line| !line.fenced).find_map(|line| {
        let (name, value) = parse_label(line.text.trim_start().strip_prefix('>')?.trim_start())?;
        (name == label).then(|| (line.number, value.trim()))
    });
    StatedValue { file, line: found.map_or(1, |(line, _)| line), value: found.map(|(_, value)| value) }
}

fn json_value<'a>(
    spec: &'a ParsedSpec<'_>,
    key: &str,
    value: impl Fn(&'a SpecRecord) -> &'a str,
) -> StatedValue<'a> {
    let line = line_of(spec.files.spec_json, &format!("\"{key}\""));
    StatedValue {
        file: "spec.json",
        line,
        value: spec.record.as_ref().map(value).filter(|value| !value.is_empty()),
    }
}

fn meta_value<'a>(
    spec: &'a ParsedSpec<'_>,
    key: &str,
    value: impl Fn(&'a SpecMeta) -> Option<&'a String>,
) -> StatedValue<'a> {
    let line = line_of(spec.files.meta, &format!("{key}:"));
    StatedValue { file: "meta.yaml", line, value: value(&spec.meta).map(String::as_str) }
}

fn is_readable(spec: &ParsedSpec<'_>, stated: &StatedValue<'_>) -> bool {
    let text = spec.files.entries().into_iter().find(|(file, _)| *file == stated.file).map(|(_, text)| text);
    let readable = stated.file != "spec.json" || spec.record.is_some();
    readable && text.is_some_and(|text| !is_missing(text))
}

fn check_statuses(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let files = spec.files;
    let mut values = vec![
        json_value(spec, "status", |record| &record.status),
        meta_value(spec, "status", |meta| meta.status.as_ref()),
        quoted_value("requirements.md", files.requirements, "status"),
        quoted_value("summary.md", files.summary, "status"),
    ];
    // The status is optional in these two.
    let optional =
        [quoted_value("design.md", files.design, "status"), quoted_value("tasks.md", files.tasks, "status")];
    values.extend(optional.into_iter().filter(|stated| stated.value.is_some()));
    values.retain(|stated| is_readable(spec, stated));
    let mut issues = Vec::new();
    let mut stages: Vec<(&StatedValue<'_>, &str, Stage)> = Vec::new();
    for stated in &values {
        let message = match stated.value.map(|value| (value, parse_stage(value))) {
            Some((value, Some(stage))) => {
                stages.push((stated, value, stage));
                continue;
            }
            Some((value, None)) => {
                format!("'{}' is none of Draft, Approved, In Progress and Complete", printable(value))
            }
            None => "there is no status".to_owned(),
        };
        issues.push(SpecIssue::new(stated.file, stated.line, IssueCode::Status, message));
    }
    // The status of the majority is taken as correct.
    let approved = stages.iter().filter(|(_, _, stage)| *stage == Stage::Approved).count();
    let right = if 2 * approved > stages.len() { Stage::Approved } else { Stage::Draft };
    let Some((reference, expected, _)) = stages.iter().find(|(_, _, stage)| *stage == right) else {
        return issues;
    };
    for (stated, value, _) in stages.iter().filter(|(_, _, stage)| *stage != right) {
        let message = format!(
            "the status is '{}', in {} it is '{}'",
            printable(value),
            reference.file,
            printable(expected)
        );
        issues.push(SpecIssue::new(stated.file, stated.line, IssueCode::Status, message));
    }
    issues
}

/// Approval stage of a status. `spec.json` has only these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Draft,
    Approved,
}

fn parse_stage(status: &str) -> Option<Stage> {
    let plain: String = status.chars().filter(char::is_ascii_alphabetic).collect();
    match plain.to_lowercase().as_str() {
        "draft" => Some(Stage::Draft),
        "approved" | "inprogress" | "complete" | "completed" => Some(Stage::Approved),
        _ => None,
    }
}

fn check_ids(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let values = [
        json_value(spec, "name", |record| &record.name),
        meta_value(spec, "id", |meta| meta.id.as_ref()),
        quoted_value("requirements.md", spec.files.requirements, "spec id"),
    ];
    check_same_value(spec, &values, IssueCode::Name, "name", true)
}

fn check_dates(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let created = [
        json_value(spec, "created", |record| &record.created),
        meta_value(spec, "created", |meta| meta.created.as_ref()),
        quoted_value("requirements.md", spec.files.requirements, "created"),
    ];
    let updated = [
        json_value(spec, "updated", |record| &record.updated),
        meta_value(spec, "updated", |meta| meta.updated.as_ref()),
    ];
    let mut issues = check_same_value(spec, &created, IssueCode::Date, "date of creation", false);
    issues.extend(check_same_value(spec, &updated, IssueCode::Date, "date of the last change", false));
    for stated in created.iter().chain(&updated) {
        if let Some(value) = stated.value.filter(|value| is_readable(spec, stated) && !is_date(value)) {
            let message = format!("'{}' is no date YYYY-MM-DD", printable(value));
            issues.push(SpecIssue::new(stated.file, stated.line, IssueCode::Date, message));
        }
    }
    issues
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

/// Checks that all files state the same value; with `needed`, every file must state it.
fn check_same_value(
    spec: &ParsedSpec<'_>,
    values: &[StatedValue<'_>],
    code: IssueCode,
    what: &str,
    needed: bool,
) -> Vec<SpecIssue> {
    let mut issues = Vec::new();
    let mut first: Option<&StatedValue<'_>> = None;
    for stated in values.iter().filter(|stated| is_readable(spec, stated)) {
        match (stated.value, first) {
            // Quoted lines are optional; `spec.json` and `meta.yaml` must state the value.
            (None, _) if needed || !stated.file.ends_with(".md") => {
                issues.push(SpecIssue::new(
                    stated.file,
                    stated.line,
                    code,
                    format_args!("there is no {what}"),
                ));
            }
            (Some(_), None) => first = Some(stated),
            (Some(value), Some(reference)) if reference.value != Some(value.trim_matches('`')) => {
                let other = reference.value.unwrap_or_default();
                let message = format!(
                    "the {what} is '{}', in {} it is '{}'",
                    printable(value),
                    reference.file,
                    printable(other)
                );
                issues.push(SpecIssue::new(stated.file, stated.line, code, message));
            }
            _ => {}
        }
    }
    issues
}

/// Checks the file names in `spec.json`.
fn check_file_names(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let Some(record) = &spec.record else { return Vec::new() };
    let known = spec.files.entries();
    let unknown = record.files.values().filter(|file| !known.iter().any(|(name, _)| name == file));
    let line = line_of(spec.files.spec_json, "\"files\"");
    unknown
        .map(|file| {
            SpecIssue::new(
                "spec.json",
                line,
                IssueCode::DanglingLink,
                format_args!("'{}' is no file of a specification", printable(file)),
            )
        })
        .collect()
}
