//! Looking at documents and at how they came to be: list, show, history, diff.

use super::arguments::Which;
use crate::arguments::Global;
use crate::error::CommandError;
use crate::output;
use crate::site::Site;
use charrette_model::checkpoint::{DocumentName, resume_point};
use charrette_model::feature::name::FeaturePath;
use charrette_model::merge_patch;
use charrette_store::history::{self, Entry};
use charrette_store::{Documents, Lease};
use serde_json::{Value, json};
use std::process::ExitCode;

pub(super) fn list(global: &Global) -> Result<ExitCode, CommandError> {
    let rows = Site::open(global)?.documents().list()?;
    let documents: Vec<Value> = rows
        .iter()
        .map(|row| {
            let glance = row.glance.as_ref().ok();
            json!({
                "command": row.name.command(),
                "feature": row.name.feature().map(FeaturePath::as_str),
                "path": row.path,
                "updated_at": glance.and_then(|glance| glance.updated_at.as_ref()),
                "completed_at": glance.and_then(|glance| glance.completed_at.as_ref()),
                "problem": row.glance.as_ref().err().map(ToString::to_string),
            })
        })
        .collect();
    output::json(&documents)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show(global: &Global, which: &Which) -> Result<ExitCode, CommandError> {
    let (name, documents) = opened(global, which)?;
    let Some(loaded) = documents.load(&name)? else { return Err(missing(&name)) };
    let folder = documents.folder();
    let (entries, _) = history::read(&folder.history(&name)).map_err(CommandError::failed)?;
    output::json(&json!({
        "path": folder.document(&name),
        "head": documents.head(),
        "stale": loaded.stale.is_some(),
        "driver": Lease::holder(&folder.lease(&name)).ok().flatten(),
        "changes": entries.len(),
        "resume_point": resume_point(&loaded.document),
        "document": loaded.document,
    }))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn history(global: &Global, which: &Which) -> Result<ExitCode, CommandError> {
    let (name, documents) = opened(global, which)?;
    let entries = entries(global, &documents, &name)?;
    let numbered: Vec<Value> = (1..)
        .zip(&entries)
        .map(|(n, entry): (usize, _)| {
            let mut line = json!({"n": n, "at": entry.at, "actor": entry.actor, "change": entry.change});
            let (member, value) =
                if entry.patch.is_some() { ("patch", &entry.patch) } else { ("whole", &entry.whole) };
            line[member] = json!(value);
            line
        })
        .collect();
    output::json(&numbered)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn diff(global: &Global, which: &Which, from: i64, to: i64) -> Result<ExitCode, CommandError> {
    let (name, documents) = opened(global, which)?;
    let entries = entries(global, &documents, &name)?;
    let (from, old) = point(&entries, from)?;
    let (to, new) = point(&entries, to)?;
    let at = |n: usize| json!({"n": n, "at": entries[n - 1].at, "change": entries[n - 1].change});
    output::json(&json!({"from": at(from), "to": at(to), "patch": merge_patch::diff(&old, &new)}))?;
    Ok(ExitCode::SUCCESS)
}

fn opened(global: &Global, which: &Which) -> Result<(DocumentName, Documents), CommandError> {
    let name = which.name().map_err(CommandError::usage)?;
    Ok((name, Site::open(global)?.documents()))
}

fn missing(name: &DocumentName) -> CommandError {
    CommandError::failed(format!("no document {}", name.stem()))
        .hint("See what there is: charrette checkpoint list")
}

fn entries(global: &Global, documents: &Documents, name: &DocumentName) -> Result<Vec<Entry>, CommandError> {
    let (entries, unreadable) =
        history::read(&documents.folder().history(name)).map_err(CommandError::failed)?;
    if unreadable > 0 {
        output::note(
            global,
            &format!("Warning: {unreadable} lines of the history could not be read and are left out"),
        );
    }
    if entries.is_empty() {
        return Err(missing(name));
    }
    Ok(entries)
}

/// The point that was typed, and the document as it was then.
fn point(entries: &[Entry], typed: i64) -> Result<(usize, Value), CommandError> {
    let count = i64::try_from(entries.len()).unwrap_or(i64::MAX);
    let n = if typed < 0 { count + 1 + typed } else { typed };
    let n = usize::try_from(n).ok().filter(|n| (1..=entries.len()).contains(n));
    let n = n.ok_or_else(|| {
        CommandError::usage(format!("there is no change number {typed}; the history has 1 to {count}"))
    })?;
    let document = history::rebuild(entries, n).ok_or_else(|| {
        CommandError::failed(format!("the history does not reach back far enough to rebuild change {n}"))
    })?;
    Ok((n, document))
}
