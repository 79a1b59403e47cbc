//! `meta.yaml`: a few flat facts about a specification.
//!
//! The file is flat, so it is read and changed line by line: lines nobody here knows, comments and nested
//! values stay exactly as they are.

use super::Problem;
use crate::shown::shown;
use std::fmt::Write;

/// The facts, as far as they were understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meta {
    /// The specification's id. Older files call it `spec_id`.
    pub id: Option<String>,
    /// The project it belongs to.
    pub parent_project: Option<String>,
    /// The feature it belongs to.
    pub parent_feature: Option<String>,
    /// Where it stands.
    pub status: Option<String>,
    /// The day it was made.
    pub created: Option<String>,
    /// The day it last changed.
    pub updated: Option<String>,
    /// How many tasks it has.
    pub tasks_total: Option<usize>,
    /// How many of them are finished.
    pub tasks_complete: Option<usize>,
    /// What could not be understood.
    pub problems: Vec<Problem>,
}

impl Meta {
    /// Reads a file.
    pub fn parse(text: &str) -> Meta {
        let mut meta = Meta::default();
        let mut seen: Vec<&str> = Vec::new();
        for (index, line) in without_bom(text).lines().enumerate() {
            let Some((key, value)) = pair(line) else { continue };
            let known = KEYS.iter().find(|known| **known == key);
            let Some(key) = known else { continue };
            if seen.contains(key) {
                meta.problems.push(Problem::new(index + 1, format!("{key} is there twice")));
                continue;
            }
            seen.push(key);
            meta.take(key, value, index + 1);
        }
        meta
    }

    fn take(&mut self, key: &str, value: &str, line: usize) {
        let Some(value) = scalar(value) else {
            self.problems.push(Problem::new(line, format!("the value of {key} is not a plain value")));
            return;
        };
        let text = match key {
            "id" => &mut self.id,
            "spec_id" => {
                self.id.get_or_insert(value);
                return;
            }
            "parent_project" => &mut self.parent_project,
            "parent_feature" => &mut self.parent_feature,
            "status" => &mut self.status,
            "created" => &mut self.created,
            "updated" => &mut self.updated,
            count => {
                let Ok(number) = value.parse() else {
                    let message = format!("the value of {count} is not a number: {}", shown(&value));
                    self.problems.push(Problem::new(line, message));
                    return;
                };
                let count =
                    if count == "tasks_total" { &mut self.tasks_total } else { &mut self.tasks_complete };
                *count = Some(number);
                return;
            }
        };
        *text = Some(value);
    }

    /// A file with these facts.
    pub fn text(&self) -> String {
        let texts = [
            ("id", &self.id),
            ("parent_project", &self.parent_project),
            ("parent_feature", &self.parent_feature),
            ("status", &self.status),
            ("created", &self.created),
            ("updated", &self.updated),
        ];
        let counts = [("tasks_total", self.tasks_total), ("tasks_complete", self.tasks_complete)];
        let mut text = String::new();
        for (key, value) in texts.iter().filter_map(|(key, value)| Some((key, value.as_ref()?))) {
            text.push_str(&entry(key, Value::Text(value)));
        }
        for (key, count) in counts.iter().filter_map(|(key, count)| Some((key, (*count)?))) {
            text.push_str(&entry(key, Value::Count(count)));
        }
        text
    }
}

const KEYS: [&str; 9] = [
    "id",
    "spec_id",
    "parent_project",
    "parent_feature",
    "status",
    "created",
    "updated",
    "tasks_total",
    "tasks_complete",
];

/// A value to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number.
    Count(usize),
    /// Anything else.
    Text(&'a str),
}

/// A file with one value changed, or added at its end. Every other line stays as it is.
pub fn with(text: &str, key: &str, value: Value<'_>) -> String {
    let (bom, lines) = text.split_at(text.len() - without_bom(text).len());
    let mut new = bom.to_owned();
    let mut found = false;
    let mut line_end = "\n";
    for line in lines.split_inclusive('\n') {
        let body = line.strip_suffix('\n').map_or(line, |body| body.strip_suffix('\r').unwrap_or(body));
        let end = &line[body.len()..];
        if !end.is_empty() {
            line_end = end;
        }
        match pair(body).filter(|(name, _)| *name == key) {
            None => new.push_str(body),
            Some((_, old)) => {
                found = true;
                new.push_str(entry(key, value).trim_end());
                new.push_str(comment(old));
            }
        }
        new.push_str(end);
    }
    if !found {
        if !lines.is_empty() && !lines.ends_with('\n') {
            new.push_str(line_end);
        }
        new.push_str(entry(key, value).trim_end());
        new.push_str(line_end);
    }
    new
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Key and value of a line that is neither indented nor a comment.
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// What a plain or quoted value says; `None` for lists, maps and anything else.
fn scalar(value: &str) -> Option<String> {
    let value = value[..value.len() - comment(value).len()].trim();
    if let Some(quoted) = value.strip_prefix('"') {
        return unescaped(quoted.strip_suffix('"')?);
    }
    if let Some(quoted) = value.strip_prefix('\'') {
        return Some(quoted.strip_suffix('\'')?.replace("''", "'"));
    }
    (!value.starts_with(['[', '{', '|', '>', '&', '*', '!', '%', '@', '`', '"'])).then(|| value.to_owned())
}

/// The comment behind a value, with the space before it.
fn comment(value: &str) -> &str {
    let from = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => match closing(value, quote) {
            Some(end) => end,
            None => return "",
        },
        _ => 0,
    };
    let rest = &value[from..];
    match rest.match_indices('#').find(|(at, _)| rest[..*at].ends_with([' ', '\t'])) {
        Some((at, _)) => &rest[rest[..at].trim_end().len()..],
        None => "",
    }
}

/// The byte behind the quote that closes a value.
fn closing(value: &str, quote: char) -> Option<usize> {
    let mut chars = value.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == '"' => {
                chars.next();
            }
            c if c == quote => {
                if quote == '\'' && chars.next_if(|(_, next)| *next == '\'').is_some() {
                    continue;
                }
                return Some(at + 1);
            }
            _ => {}
        }
    }
    None
}

fn unescaped(quoted: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        if c == '"' {
            return None;
        }
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            'x' => text.push(code_point(&mut chars, 2)?),
            'u' => text.push(code_point(&mut chars, 4)?),
            'U' => text.push(code_point(&mut chars, 8)?),
            c @ ('"' | '\\' | '/' | ' ') => text.push(c),
            _ => return None,
        }
    }
    Some(text)
}

fn code_point(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let mut code = 0_u32;
    for _ in 0..digits {
        code = code.checked_mul(16)? + chars.next()?.to_digit(16)?;
    }
    char::from_u32(code)
}

/// `key: value` and a line end.
fn entry(key: &str, value: Value<'_>) -> String {
    match value {
        Value::Count(count) => format!("{key}: {count}\n"),
        Value::Text(text) if is_plain(text) => format!("{key}: {text}\n"),
        Value::Text(text) => format!("{key}: {}\n", quoted(text)),
    }
}

/// Whether a text means itself without quotes, to this reader and to a real YAML reader.
fn is_plain(text: &str) -> bool {
    let first_is_fine = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let rest_is_fine = text.bytes().all(|b| b.is_ascii_alphanumeric() || b" ._/-".contains(&b));
    let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let is_word = words.iter().any(|word| word.eq_ignore_ascii_case(text));
    first_is_fine
        && rest_is_fine
        && !text.ends_with(' ')
        && !is_word
        && text.parse::<f64>().is_err()
        && !text.starts_with("0x")
        && !text.starts_with("0o")
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Line ends and marks to a YAML reader, and whatever a terminal would act on.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                // Writing to a String cannot fail.
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str = "# about\nid: add-login\nstatus: \"draft\" # for now\ncreated: 2026-01-31\nupdated: '2026-02-01'\nowner:\n  name: Ada\n  status: nested\ntags: [a, b]\ntasks_total: 12\ntasks_complete: 3\n";

    #[test]
    fn flat_values_are_read_and_the_rest_is_passed_over() {
        let meta = Meta::parse(FILE);
        assert_eq!(
            meta,
            Meta {
                id: Some("add-login".to_owned()),
                status: Some("draft".to_owned()),
                created: Some("2026-01-31".to_owned()),
                updated: Some("2026-02-01".to_owned()),
                tasks_total: Some(12),
                tasks_complete: Some(3),
                ..Meta::default()
            }
        );
        assert_eq!(Meta::parse(&format!("\u{feff}{}", FILE.replace('\n', "\r\n"))), meta);
        assert_eq!(Meta::parse("spec_id: x").id.as_deref(), Some("x"));
        assert_eq!(Meta::parse("spec_id: x\nid: y").id.as_deref(), Some("y"));
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        let meta = Meta::parse(
            "id: a\nid: b\ntasks_total: { { tasks_total } }\ntasks_complete: many\nstatus: [x]\n",
        );
        let problems: Vec<_> = meta.problems.iter().map(|p| (p.line, p.message.as_str())).collect();
        assert_eq!(
            problems,
            [
                (2, "id is there twice"),
                (3, "the value of tasks_total is not a plain value"),
                (4, "the value of tasks_complete is not a number: many"),
                (5, "the value of status is not a plain value"),
            ]
        );
        assert_eq!(meta.id.as_deref(), Some("a"));
    }

    #[test]
    fn one_value_changes_and_every_other_line_stays() {
        let changed = with(FILE, "status", Value::Text("approved"));
        assert_eq!(changed, FILE.replacen("\"draft\"", "approved", 1));
        assert_eq!(with(FILE, "tasks_complete", Value::Count(4)), FILE.replacen(": 3", ": 4", 1));
        assert_eq!(with("a: 1", "b", Value::Text("x: y")), "a: 1\nb: \"x: y\"\n");
        assert_eq!(with("", "b", Value::Count(1)), "b: 1\n");
        assert_eq!(with("\u{feff}id: x\r\n", "id", Value::Text("z")), "\u{feff}id: z\r\n");
        assert_eq!(with("\u{feff}id: x\r\n", "n", Value::Count(2)), "\u{feff}id: x\r\nn: 2\r\n");
        assert_eq!(with("n: 1\nn: 2\n", "n", Value::Count(3)), "n: 3\nn: 3\n");
    }

    #[test]
    fn texts_that_mean_something_else_are_quoted() {
        for (text, written) in [
            ("add-login", "add-login"),
            ("2026-01-31", "2026-01-31"),
            ("1.0.0", "1.0.0"),
            ("1.0", "\"1.0\""),
            ("true", "\"true\""),
            ("No", "\"No\""),
            ("", "\"\""),
            ("a # b", "\"a # b\""),
            ("a\nb: c", "\"a\\nb: c\""),
            ("- a", "\"- a\""),
            ("nan", "\"nan\""),
        ] {
            assert_eq!(entry("k", Value::Text(text)), format!("k: {written}\n"));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(id in prop::option::of(any::<String>()), status in prop::option::of("[ -~]{0,12}"), updated in prop::option::of("\\PC{0,12}"), total in prop::option::of(any::<usize>())) {
            let meta = Meta { id, status, updated, tasks_total: total, ..Meta::default() };
            prop_assert_eq!(Meta::parse(&meta.text()), meta);
        }

        #[test]
        fn a_changed_value_is_read_back_from_any_text(text in "([a-z_]{1,6}|: |:|#|\"|'|\\\\|\n|\r\n| |updated: x\n){0,20}", value in any::<String>()) {
            let changed = with(&text, "updated", Value::Text(&value));
            let meta = Meta::parse(&changed);
            prop_assert_eq!(meta.updated.as_deref(), Some(value.as_str()), "{:?}", changed);
        }
    }
}
