//! Status of a specification: the same in all six files, and no part of the approved text.

use charrette_model::markdown::{heading, parse_label};
use charrette_model::spec::approval::{Approval, approved_text_with_record};
use charrette_model::spec::meta::{self, MetaValue};
use charrette_model::spec::record::{self, APPROVED, DRAFT};
use charrette_model::spec::summary;
use charrette_store::workspace::sha256;
use std::fmt::Write as _;

/// Status of a specification at the end of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecStatus {
    Draft,
    Approved,
}

impl SpecStatus {
    /// Word in the Markdown files.
    pub fn word(self) -> &'static str {
        match self {
            SpecStatus::Draft => "Draft",
            SpecStatus::Approved => "Approved",
        }
    }

    /// Token in `spec.json` and `meta.yaml`.
    fn token(self) -> &'static str {
        match self {
            SpecStatus::Draft => DRAFT,
            SpecStatus::Approved => APPROVED,
        }
    }
}

/// Sets the status in all files, with `today` as the date of the change. An invalid `spec.json` is left unchanged.
pub fn with_status(files: &[(String, String)], status: SpecStatus, today: &str) -> Vec<(String, String)> {
    let update = |name: &str, text: &str| match name {
        "spec.json" => record::with_status(text, status.token(), today).unwrap_or_else(|_| text.to_owned()),
        "meta.yaml" => {
            let text = meta::with_value(text, "status", MetaValue::Text(status.token()));
            meta::with_value(&text, "updated", MetaValue::Text(today))
        }
        name if name.ends_with(".md") => {
            summary::with_status(text, status.word()).unwrap_or_else(|| insert_status_line(text, status))
        }
        _ => text.to_owned(),
    };
    files.iter().map(|(name, text)| (name.clone(), update(name, text))).collect()
}

/// Records in `spec.json` who approved the files and when, or removes that record.
pub fn with_approval_record(
    files: &[(String, String)],
    respondent: Option<(&str, &str)>,
) -> Vec<(String, String)> {
    let text =
        |wanted: &str| files.iter().find(|(name, _)| name == wanted).map_or("", |(_, text)| text.as_str());
    let approval = respondent.map(|(by, at)| {
        let [requirements, design, tasks, record] =
            ["requirements.md", "design.md", "tasks.md", "spec.json"].map(text);
        let approved = approved_text_with_record(requirements, design, tasks, record);
        Approval { digest: sha256(approved.as_bytes()), by: by.to_owned(), at: at.to_owned() }
    });
    let update = |name: &str, text: &str| match name {
        "spec.json" => {
            record::with_approved_text(text, approval.as_ref()).unwrap_or_else(|_| text.to_owned())
        }
        _ => text.to_owned(),
    };
    files.iter().map(|(name, text)| (name.clone(), update(name, text))).collect()
}

/// Inserts a status line below the title of a file that lost it.
fn insert_status_line(text: &str, status: SpecStatus) -> String {
    let line = format!("> **Status:** {}\n", status.word());
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    if heading(first.trim_start_matches('\u{feff}')).is_none() {
        return format!("{line}\n{text}");
    }
    let (title, rest) = text.split_at(first.len());
    format!("{}\n\n{line}\n{}", title.trim_end(), rest.trim_start_matches(['\r', '\n']))
}

/// All files as one text without status and dates, so that an approval does not change it.
pub fn without_status(files: &[(String, String)]) -> String {
    let mut whole = String::new();
    for (name, text) in files {
        // Writing to a string cannot fail.
        let _ = writeln!(whole, "=== {name} ===");
        whole.push_str(&strip_status(name, text));
    }
    whole
}

/// Removes status and dates from a file.
fn strip_status(name: &str, text: &str) -> String {
    if name == "spec.json"
        && let Ok(mut value) = serde_json::from_str::<serde_json::Value>(text)
        && let Some(members) = value.as_object_mut()
    {
        members
            .retain(|key, _| !["status", "created", "updated", "linear", "approved"].contains(&key.as_str()));
        return format!("{value:#}\n");
    }
    let is_status_line = |line: &str| {
        let inside = if name == "meta.yaml" { Some(line) } else { line.trim_start().strip_prefix('>') };
        let label = inside.and_then(|inside| parse_label(inside.trim_start())).map(|(label, _)| label);
        label.is_some_and(|label| ["status", "created", "updated"].contains(&label.as_str()))
    };
    text.split_inclusive('\n').filter(|line| !is_status_line(line)).collect()
}
