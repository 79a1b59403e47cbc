//! Outlines line by line, for languages without a grammar here: a keyword followed by a name.

use super::Definition;
use crate::tree::kind::language;
use charrette_model::markdown::{heading, lines};

/// Outline of a text; empty for unknown languages.
pub(super) fn outline(path: &str, text: &str) -> Vec<Definition> {
    let Some(language) = language(path) else { return Vec::new() };
    let find: fn(&str) -> Option<(&'static str, &str)> = match language.name {
        "Markdown" => return headings(text),
        "Shell" => shell_function,
        _ if language.is_code() => keyword_definition,
        _ => return Vec::new(),
    };
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(n, line)| find(line).map(|(kind, name)| definition(kind, name, n + 1)));
    found.collect()
}

fn definition(kind: &'static str, name: &str, line: usize) -> Definition {
    Definition { name: name.to_owned(), kind, owner: None, line, last: line }
}

fn headings(text: &str) -> Vec<Definition> {
    lines(text)
        .filter(|line| !line.fenced && line.text.starts_with('#'))
        .filter_map(|line| heading(line.text).map(|(level, title)| (level, title, line.number)))
        .filter(|(level, ..)| *level <= 3)
        .map(|(_, title, number)| definition("heading", title, number))
        .collect()
}

/// Matches `name() {` or `function name`.
fn shell_function(line: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = line.trim_start().strip_prefix("function ") {
        return identifier(rest).map(|name| ("function", name));
    }
    let name = identifier(line)?;
    line[name.len()..].trim_start().starts_with("()").then_some(("function", name))
}

/// Matches a line with a definition keyword, after any modifiers.
fn keyword_definition(line: &str) -> Option<(&'static str, &str)> {
    let mut rest = line.trim_start();
    for _ in 0..MAX_MODIFIERS {
        let (word, after) = rest.split_once(' ')?;
        if let Some((_, kind)) = KEYWORDS.iter().find(|(keyword, _)| *keyword == word) {
            return identifier(after.trim_start()).map(|name| (*kind, name));
        }
        if !MODIFIERS.contains(&word) {
            return None;
        }
        rest = after.trim_start();
    }
    None
}

fn identifier(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let name = &text[..end];
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
}

const MAX_MODIFIERS: usize = 6;

const MODIFIERS: [&str; 24] = [
    "abstract",
    "async",
    "companion",
    "data",
    "export",
    "extern",
    "final",
    "inline",
    "internal",
    "local",
    "open",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "sealed",
    "static",
    "suspend",
    "typedef",
    "unsafe",
    "virtual",
    "case",
];

const KEYWORDS: [(&str, &str); 20] = [
    ("class", "class"),
    ("def", "function"),
    ("defmodule", "module"),
    ("defp", "function"),
    ("enum", "enum"),
    ("fn", "function"),
    ("fun", "function"),
    ("func", "function"),
    ("function", "function"),
    ("interface", "interface"),
    ("module", "module"),
    ("namespace", "module"),
    ("object", "class"),
    ("protocol", "interface"),
    ("record", "class"),
    ("struct", "struct"),
    ("sub", "function"),
    ("trait", "trait"),
    ("type", "type"),
    ("union", "struct"),
];
