//! Outlines line by line, for languages without a grammar here: a word that announces a name, and the name.

use super::Defined;
use crate::tree::kind::language;

/// The outline of a text. Nothing for what is no known language.
pub(super) fn outline(path: &str, text: &str) -> Vec<Defined> {
    let Some(language) = language(path) else { return Vec::new() };
    let find: fn(&str) -> Option<(&'static str, &str)> = match language.name {
        "Markdown" => return headings(text),
        "Shell" => shell,
        _ if language.is_code() => announced,
        _ => return Vec::new(),
    };
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(n, line)| find(line).map(|(kind, name)| defined(kind, name, n + 1)));
    found.collect()
}

fn defined(kind: &'static str, name: &str, line: usize) -> Defined {
    Defined { name: name.to_owned(), kind, line, last: line }
}

fn headings(text: &str) -> Vec<Defined> {
    let mut fenced = false;
    let mut all = Vec::new();
    for (n, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let level = line.bytes().take_while(|b| *b == b'#').count();
        if !fenced && (1..=3).contains(&level) && line[level..].starts_with(' ') {
            all.push(defined("heading", line[level..].trim().trim_end_matches('#').trim_end(), n + 1));
        }
    }
    all
}

/// `name() {` or `function name`
fn shell(line: &str) -> Option<(&'static str, &str)> {
    if let Some(rest) = line.trim_start().strip_prefix("function ") {
        return identifier(rest).map(|name| ("function", name));
    }
    let name = identifier(line)?;
    line[name.len()..].trim_start().starts_with("()").then_some(("function", name))
}

/// A line that begins with a word for what it defines, after any modifiers.
fn announced(line: &str) -> Option<(&'static str, &str)> {
    let mut rest = line.trim_start();
    for _ in 0..MOST_MODIFIERS {
        let (word, after) = rest.split_once(' ')?;
        if let Some((_, kind)) = ANNOUNCING.iter().find(|(announcing, _)| *announcing == word) {
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

const MOST_MODIFIERS: usize = 6;

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

const ANNOUNCING: [(&str, &str); 20] = [
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
