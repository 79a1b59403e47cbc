//! Edits of TOML text by the places of its sections. Every byte outside the edited section stays as it is.

use crate::edit::EditProblem;
use serde_json::{Map, Value};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key and its value, written as TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    pub value: String,
    /// Remark behind it, on a line that is new.
    pub comment: Option<String>,
}

impl Member {
    fn line(&self, end: &str) -> String {
        let comment = self.comment.as_ref().map(|comment| format!("  # {comment}")).unwrap_or_default();
        format!("{} = {}{comment}{end}", self.name, self.value)
    }
}

/// A text as plain values; dates as text.
pub fn read(text: &str) -> Result<Value, EditProblem> {
    let table: toml::Table = toml::from_str(text).map_err(|error| syntax(&error))?;
    Ok(Value::Object(table.into_iter().map(|(name, value)| (name, plain(value))).collect()))
}

/// Appends a section at the end, separated by an empty line.
pub fn add_section(text: &str, path: &[&str], members: &[Member]) -> Result<String, EditProblem> {
    parse(text)?;
    let end = line_end(text);
    let mut added = text.to_owned();
    if !text.is_empty() {
        if !text.ends_with('\n') {
            added.push_str(end);
        }
        added.push_str(end);
    }
    added.extend(["[", &path.join("."), "]", end]);
    for member in members {
        added.push_str(&member.line(end));
    }
    // A parent that is written as a value cannot be extended.
    parse(&added).map_err(|_| EditProblem::Closed { place: path[..path.len() - 1].join(".") })?;
    Ok(added)
}

/// Removes a section with everything below it; none if there is none, or if it is not written as a section.
pub fn remove_section(text: &str, path: &[&str]) -> Result<Option<String>, EditProblem> {
    let file = parse(text)?;
    let Some(value) = value_at(file.get_ref(), path).filter(|value| is_section(text, value)) else {
        return Ok(None);
    };
    let mut ranges = Vec::new();
    collect_sections(text, value, &mut ranges);
    ranges.sort_by_key(|range| range.start);
    let mut rest = text.to_owned();
    for range in ranges.into_iter().rev() {
        rest.replace_range(with_empty_line(text, range), "");
    }
    Ok(Some(rest))
}

/// Sets members of a section that exists: values are replaced where they stand, new ones follow the last of the section.
///
/// None if there is no such section, or if a member has the form of a section of its own.
pub fn set_members(text: &str, path: &[&str], members: &[Member]) -> Result<Option<String>, EditProblem> {
    let file = parse(text)?;
    let Some(section) = value_at(file.get_ref(), path).filter(|value| is_section(text, value)) else {
        return Ok(None);
    };
    let DeValue::Table(table) = section.get_ref() else { return Ok(None) };
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let end = line_end(text);
    let mut added = String::new();
    for member in members {
        match table.iter().find(|(name, _)| name.get_ref() == member.name.as_str()) {
            Some((_, value)) if is_section(text, value) => return Ok(None),
            Some((_, value)) => edits.push((value.span(), member.value.clone())),
            None => added.push_str(&member.line(end)),
        }
    }
    if !added.is_empty() {
        let mut body = section.span().end;
        own_end(text, section, &mut body);
        let at = next_line(text, body);
        if !text[..at].ends_with('\n') {
            added.insert_str(0, end);
        }
        edits.push((at..at, added));
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut changed = text.to_owned();
    for (range, value) in edits.into_iter().rev() {
        changed.replace_range(range, &value);
    }
    parse(&changed)?;
    Ok(Some(changed))
}

fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, EditProblem> {
    DeTable::parse(text).map_err(|error| syntax(&error))
}

fn syntax(error: &toml::de::Error) -> EditProblem {
    EditProblem::Toml(error.message().to_owned())
}

fn value_at<'t, 'i>(table: &'t DeTable<'i>, path: &[&str]) -> Option<&'t Spanned<DeValue<'i>>> {
    let (first, rest) = path.split_first()?;
    let (_, value) = table.iter().find(|(name, _)| name.get_ref() == *first)?;
    if rest.is_empty() {
        return Some(value);
    }
    match value.get_ref() {
        DeValue::Table(table) => value_at(table, rest),
        _ => None,
    }
}

/// True for a table with a header of its own: nothing but blanks before its bracket on that line.
fn is_section(text: &str, value: &Spanned<DeValue<'_>>) -> bool {
    let start = value.span().start;
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    text[start..].starts_with('[') && text[line..start].trim().is_empty()
}

/// Lines of a section and of all sections below it.
fn collect_sections(text: &str, value: &Spanned<DeValue<'_>>, ranges: &mut Vec<Range<usize>>) {
    match value.get_ref() {
        DeValue::Table(table) => {
            if is_section(text, value) {
                let start = text[..value.span().start].rfind('\n').map_or(0, |at| at + 1);
                let mut end = value.span().end;
                own_end(text, value, &mut end);
                ranges.push(start..next_line(text, end));
            }
            table.iter().for_each(|(_, value)| collect_sections(text, value, ranges));
        }
        // The tables of a list have headers too; other lists have none.
        DeValue::Array(items) => items.iter().for_each(|value| collect_sections(text, value, ranges)),
        _ => {}
    }
}

/// Extends an end over everything that stands in the section itself.
fn own_end(text: &str, value: &Spanned<DeValue<'_>>, end: &mut usize) {
    let DeValue::Table(table) = value.get_ref() else { return };
    for (_, value) in table.iter().filter(|(_, value)| !is_section(text, value)) {
        // A table that only a longer key mentions, dotted or of a header below, has no place of its own.
        let is_mentioned = value.get_ref().is_table() && !text[value.span().start..].starts_with('{');
        if !is_mentioned {
            *end = (*end).max(value.span().end);
        }
        own_end(text, value, end);
    }
}

/// Start of the line after a place.
fn next_line(text: &str, place: usize) -> usize {
    text[place..].find('\n').map_or(text.len(), |at| place + at + 1)
}

/// A range of lines together with one empty line before it.
fn with_empty_line(text: &str, range: Range<usize>) -> Range<usize> {
    let before = &text[..range.start];
    let length = ["\r\n", "\n"]
        .into_iter()
        .find(|end| before.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('\n')));
    range.start - length.map_or(0, str::len)..range.end
}

fn line_end(text: &str) -> &'static str {
    if text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r')) { "\r\n" } else { "\n" }
}

fn plain(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(value) => value.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(plain).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(name, value)| (name, plain(value))).collect::<Map<_, _>>())
        }
    }
}
