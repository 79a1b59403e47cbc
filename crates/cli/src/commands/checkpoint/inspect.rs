//! Looking at documents and at how they came to be: list, show, history, diff.

use super::arguments::Which;
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_model::checkpoint::{DocumentName, resume_point};
use charrette_model::feature::name::FeaturePath;
use charrette_model::merge_patch;
use charrette_store::history::{self, Entry};
use charrette_store::{Documents, Lease};
use serde_json::{Value, json};
use std::process::ExitCode;

pub(super) fn list(here: &Here) -> Result<ExitCode, AppError> {
    let rows = here.site()?.documents().list()?;
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

pub(super) fn show(here: &Here, which: &Which) -> Result<ExitCode, AppError> {
    let (name, documents) = opened(here, which)?;
    let Some(loaded) = documents.load(&name)? else { return Err(missing(&name)) };
    let folder = documents.folder();
    let (entries, _) = history::read(&folder.history(&name)).map_err(AppError::failed)?;
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

pub(super) fn history(here: &Here, which: &Which) -> Result<ExitCode, AppError> {
    let (name, documents) = opened(here, which)?;
    let entries = entries(here, &documents, &name)?;
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

pub(super) fn diff(here: &Here, which: &Which, from: i64, to: i64) -> Result<ExitCode, AppError> {
    let (name, documents) = opened(here, which)?;
    let entries = entries(here, &documents, &name)?;
    let (from, old) = point(&entries, from)?;
    let (to, new) = point(&entries, to)?;
    let at = |n: usize| json!({"n": n, "at": entries[n - 1].at, "change": entries[n - 1].change});
    output::json(&json!({"from": at(from), "to": at(to), "patch": merge_patch::diff(&old, &new)}))?;
    Ok(ExitCode::SUCCESS)
}

fn opened(here: &Here, which: &Which) -> Result<(DocumentName, Documents), AppError> {
    let name = which.name().map_err(AppError::usage)?;
    Ok((name, here.site()?.documents()))
}

fn missing(name: &DocumentName) -> AppError {
    AppError::failed(format!("no document {}", name.stem()))
        .hint("See what there is: charrette checkpoint list")
}

fn entries(here: &Here, documents: &Documents, name: &DocumentName) -> Result<Vec<Entry>, AppError> {
    let (entries, unreadable) = history::read(&documents.folder().history(name)).map_err(AppError::failed)?;
    if unreadable > 0 {
        output::note(
            here,
            &format!("Warning: {unreadable} lines of the history could not be read and are left out"),
        );
    }
    if entries.is_empty() {
        return Err(missing(name));
    }
    Ok(entries)
}

/// The point that was typed, and the document as it was then.
fn point(entries: &[Entry], typed: i64) -> Result<(usize, Value), AppError> {
    let count = i64::try_from(entries.len()).unwrap_or(i64::MAX);
    let n = if typed < 0 { count + 1 + typed } else { typed };
    let n = usize::try_from(n).ok().filter(|n| (1..=entries.len()).contains(n));
    let n = n.ok_or_else(|| {
        AppError::usage(format!("there is no change number {typed}; the history has 1 to {count}"))
    })?;
    let document = history::rebuild(entries, n).ok_or_else(|| {
        AppError::failed(format!("the history does not reach back far enough to rebuild change {n}"))
    })?;
    Ok((n, document))
}
