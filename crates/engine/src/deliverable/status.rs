//! The status of a specification: the same in all six files, and left out of what a person approves.

use charrette_model::spec::meta::{self, Value};
use charrette_model::spec::outline::{heading, labelled};
use charrette_model::spec::record::{self, APPROVED, DRAFT};
use charrette_model::spec::summary;
use std::fmt::Write as _;

/// Where a specification stands when a design ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nobody approved it yet.
    Draft,
    /// Somebody did.
    Approved,
}

impl Status {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Status::Draft => "Draft",
            Status::Approved => "Approved",
        }
    }

    /// For programs.
    fn token(self) -> &'static str {
        match self {
            Status::Draft => DRAFT,
            Status::Approved => APPROVED,
        }
    }
}

/// The files with another status, changed on `today`. A `spec.json` that cannot be read stays as it is.
pub fn with_status(files: &[(String, String)], status: Status, today: &str) -> Vec<(String, String)> {
    let changed = |name: &str, text: &str| match name {
        "spec.json" => record::with_status(text, status.token(), today).unwrap_or_else(|_| text.to_owned()),
        "meta.yaml" => {
            let text = meta::with(text, "status", Value::Text(status.token()));
            meta::with(&text, "updated", Value::Text(today))
        }
        name if name.ends_with(".md") => {
            summary::with_status(text, status.word()).unwrap_or_else(|| with_line(text, status))
        }
        _ => text.to_owned(),
    };
    files.iter().map(|(name, text)| (name.clone(), changed(name, text))).collect()
}

/// A file that lost its status line, with one below its title.
fn with_line(text: &str, status: Status) -> String {
    let line = format!("> **Status:** {}\n", status.word());
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if heading(first.trim_start_matches('\u{feff}')).is_none() {
        return format!("{line}\n{text}");
    }
    let (title, rest) = text.split_at(first.len());
    format!("{}\n\n{line}\n{}", title.trim_end(), rest.trim_start_matches(['\r', '\n']))
}

/// All files as one text, without status and dates: the same before and after an approval.
pub fn without_status(files: &[(String, String)]) -> String {
    let mut whole = String::new();
    for (name, text) in files {
        // Writing to a string cannot fail.
        let _ = writeln!(whole, "=== {name} ===");
        whole.push_str(&blind(name, text));
    }
    whole
}

/// A file without its status and its dates.
fn blind(name: &str, text: &str) -> String {
    if name == "spec.json"
        && let Ok(mut value) = serde_json::from_str::<serde_json::Value>(text)
        && let Some(members) = value.as_object_mut()
    {
        members.retain(|key, _| !["status", "created", "updated", "linear"].contains(&key.as_str()));
        return format!("{value:#}\n");
    }
    let changes = |line: &str| {
        let inside = if name == "meta.yaml" { Some(line) } else { line.trim_start().strip_prefix('>') };
        let label = inside.and_then(|inside| labelled(inside.trim_start())).map(|(label, _)| label);
        label.is_some_and(|label| ["status", "created", "updated"].contains(&label.as_str()))
    };
    text.split_inclusive('\n').filter(|line| !changes(line)).collect()
}
