//! `meta.yaml`: flat metadata of a specification.
//!
//! The file is flat, so it is parsed and changed line by line: unknown keys, comments and nested values stay
//! exactly as they are.

use super::Problem;
use crate::escape::printable;
use std::fmt::Write;

/// Parsed metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpecMeta {
    /// Id of the specification; `spec_id` in older files.
    pub id: Option<String>,
    pub parent_project: Option<String>,
    pub parent_feature: Option<String>,
    pub status: Option<String>,
    /// Date of creation.
    pub created: Option<String>,
    /// Date of the last change.
    pub updated: Option<String>,
    pub tasks_total: Option<usize>,
    pub tasks_complete: Option<usize>,
    pub problems: Vec<Problem>,
}

impl SpecMeta {
    /// Parses the file.
    pub fn parse(text: &str) -> SpecMeta {
        let mut meta = SpecMeta::default();
        let mut seen: Vec<&str> = Vec::new();
        for (index, line) in without_bom(text).lines().enumerate() {
            let Some((key, value)) = split_pair(line) else { continue };
            let known = KEYS.iter().find(|known| **known == key);
            let Some(key) = known else { continue };
            if seen.contains(key) {
                meta.problems.push(Problem::new(index + 1, format!("{key} is there twice")));
                continue;
            }
            seen.push(key);
            meta.set(key, value, index + 1);
        }
        meta
    }

    fn set(&mut self, key: &str, value: &str, line: usize) {
        let Some(value) = parse_scalar(value) else {
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
                    let message = format!("the value of {count} is not a number: {}", printable(&value));
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

    /// The text of a new file.
    pub fn to_text(&self) -> String {
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
            text.push_str(&format_entry(key, MetaValue::Text(value)));
        }
        for (key, count) in counts.iter().filter_map(|(key, count)| Some((key, (*count)?))) {
            text.push_str(&format_entry(key, MetaValue::Count(count)));
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

/// Value to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetaValue<'a> {
    Count(usize),
    Text(&'a str),
}

/// Changes one value, or adds it at the end. Every other line stays as it is.
pub fn with_value(text: &str, key: &str, value: MetaValue<'_>) -> String {
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
        match split_pair(body).filter(|(name, _)| *name == key) {
            None => new.push_str(body),
            Some((_, old)) => {
                found = true;
                new.push_str(format_entry(key, value).trim_end());
                new.push_str(comment(old));
            }
        }
        new.push_str(end);
    }
    if !found {
        if !lines.is_empty() && !lines.ends_with('\n') {
            new.push_str(line_end);
        }
        new.push_str(format_entry(key, value).trim_end());
        new.push_str(line_end);
    }
    new
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Splits a line that is neither indented nor a comment.
fn split_pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then(|| (key, value.trim()))
}

/// The content of a plain or quoted scalar; none for lists, maps and anything else.
fn parse_scalar(value: &str) -> Option<String> {
    let value = value[..value.len() - comment(value).len()].trim();
    if let Some(quoted) = value.strip_prefix('"') {
        return unescape(quoted.strip_suffix('"')?);
    }
    if let Some(quoted) = value.strip_prefix('\'') {
        return Some(quoted.strip_suffix('\'')?.replace("''", "'"));
    }
    (!value.starts_with(['[', '{', '|', '>', '&', '*', '!', '%', '@', '`', '"'])).then(|| value.to_owned())
}

/// The comment after a value, with the space before it.
fn comment(value: &str) -> &str {
    let from = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => match closing_quote(value, quote) {
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

/// Byte offset after the closing quote of a value.
fn closing_quote(value: &str, quote: char) -> Option<usize> {
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

fn unescape(quoted: &str) -> Option<String> {
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

/// Formats `key: value` with a line end.
fn format_entry(key: &str, value: MetaValue<'_>) -> String {
    match value {
        MetaValue::Count(count) => format!("{key}: {count}\n"),
        MetaValue::Text(text) if is_plain(text) => format!("{key}: {text}\n"),
        MetaValue::Text(text) => format!("{key}: {}\n", quote(text)),
    }
}

/// True if a text needs no quotes, for this parser and for a YAML parser.
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

fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Line breaks and marks for a YAML parser, and control characters for a terminal.
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
    fn flat_values_are_parsed_and_the_rest_is_skipped() {
        let meta = SpecMeta::parse(FILE);
        assert_eq!(
            meta,
            SpecMeta {
                id: Some("add-login".to_owned()),
                status: Some("draft".to_owned()),
                created: Some("2026-01-31".to_owned()),
                updated: Some("2026-02-01".to_owned()),
                tasks_total: Some(12),
                tasks_complete: Some(3),
                ..SpecMeta::default()
            }
        );
        assert_eq!(SpecMeta::parse(&format!("\u{feff}{}", FILE.replace('\n', "\r\n"))), meta);
        assert_eq!(SpecMeta::parse("spec_id: x").id.as_deref(), Some("x"));
        assert_eq!(SpecMeta::parse("spec_id: x\nid: y").id.as_deref(), Some("y"));
    }

    #[test]
    fn problems_name_the_line() {
        let meta = SpecMeta::parse(
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
        let changed = with_value(FILE, "status", MetaValue::Text("approved"));
        assert_eq!(changed, FILE.replacen("\"draft\"", "approved", 1));
        assert_eq!(with_value(FILE, "tasks_complete", MetaValue::Count(4)), FILE.replacen(": 3", ": 4", 1));
        assert_eq!(with_value("a: 1", "b", MetaValue::Text("x: y")), "a: 1\nb: \"x: y\"\n");
        assert_eq!(with_value("", "b", MetaValue::Count(1)), "b: 1\n");
        assert_eq!(with_value("\u{feff}id: x\r\n", "id", MetaValue::Text("z")), "\u{feff}id: z\r\n");
        assert_eq!(with_value("\u{feff}id: x\r\n", "n", MetaValue::Count(2)), "\u{feff}id: x\r\nn: 2\r\n");
        assert_eq!(with_value("n: 1\nn: 2\n", "n", MetaValue::Count(3)), "n: 3\nn: 3\n");
    }

    #[test]
    fn ambiguous_texts_are_quoted() {
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
            assert_eq!(format_entry("k", MetaValue::Text(text)), format!("k: {written}\n"));
        }
    }

    proptest! {
        #[test]
        fn written_files_parse_again(id in prop::option::of(any::<String>()), status in prop::option::of("[ -~]{0,12}"), updated in prop::option::of("\\PC{0,12}"), total in prop::option::of(any::<usize>())) {
            let meta = SpecMeta { id, status, updated, tasks_total: total, ..SpecMeta::default() };
            prop_assert_eq!(SpecMeta::parse(&meta.to_text()), meta);
        }

        #[test]
        fn a_changed_value_is_read_back_from_any_text(text in "([a-z_]{1,6}|: |:|#|\"|'|\\\\|\n|\r\n| |updated: x\n){0,20}", value in any::<String>()) {
            let changed = with_value(&text, "updated", MetaValue::Text(&value));
            let meta = SpecMeta::parse(&changed);
            prop_assert_eq!(meta.updated.as_deref(), Some(value.as_str()), "{:?}", changed);
        }
    }
}
