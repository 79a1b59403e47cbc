//! Inspection of documents and their history: list, show, history, diff.

use super::arguments::DocumentArgs;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_model::checkpoint::{DocumentName, resume_point};
use charrette_model::feature::name::FeaturePath;
use charrette_model::merge_patch;
use charrette_store::history::{self, HistoryEntry};
use charrette_store::{Documents, Lease};
use serde_json::{Value, json};
use std::process::ExitCode;

pub(super) fn list(invocation: &Invocation) -> Result<ExitCode, AppError> {
    let rows = invocation.plumbing_site()?.documents().list()?;
    let documents: Vec<Value> = rows
        .iter()
        .map(|row| {
            let overview = row.overview.as_ref().ok();
            json!({
                "command": row.name.command(),
                "feature": row.name.feature().map(FeaturePath::as_str),
                "path": row.path,
                "updated_at": overview.and_then(|overview| overview.updated_at.as_ref()),
                "completed_at": overview.and_then(|overview| overview.completed_at.as_ref()),
                "problem": row.overview.as_ref().err().map(ToString::to_string),
            })
        })
        .collect();
    output::print_json(&documents)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn show(invocation: &Invocation, args: &DocumentArgs) -> Result<ExitCode, AppError> {
    let (name, documents) = open_documents(invocation, args)?;
    let Some(loaded) = documents.load(&name)? else { return Err(missing_document(&name)) };
    let folder = documents.folder();
    let (entries, _) = history::read(&folder.history(&name)).map_err(AppError::failed)?;
    output::print_json(&json!({
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

pub(super) fn history(invocation: &Invocation, args: &DocumentArgs) -> Result<ExitCode, AppError> {
    let (name, documents) = open_documents(invocation, args)?;
    let entries = read_history(invocation, &documents, &name)?;
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
    output::print_json(&numbered)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn diff(
    invocation: &Invocation,
    args: &DocumentArgs,
    from: i64,
    to: i64,
) -> Result<ExitCode, AppError> {
    let (name, documents) = open_documents(invocation, args)?;
    let entries = read_history(invocation, &documents, &name)?;
    let (from, old) = rebuild_at(&entries, from)?;
    let (to, new) = rebuild_at(&entries, to)?;
    let at = |n: usize| json!({"n": n, "at": entries[n - 1].at, "change": entries[n - 1].change});
    output::print_json(&json!({"from": at(from), "to": at(to), "patch": merge_patch::diff(&old, &new)}))?;
    Ok(ExitCode::SUCCESS)
}

fn open_documents(
    invocation: &Invocation,
    args: &DocumentArgs,
) -> Result<(DocumentName, Documents), AppError> {
    let name = args.name().map_err(AppError::usage)?;
    Ok((name, invocation.plumbing_site()?.documents()))
}

fn missing_document(name: &DocumentName) -> AppError {
    AppError::failed(format!("no document {} found", name.stem()))
        .hint("List documents: charrette checkpoint list")
}

fn read_history(
    invocation: &Invocation,
    documents: &Documents,
    name: &DocumentName,
) -> Result<Vec<HistoryEntry>, AppError> {
    let (entries, unreadable) = history::read(&documents.folder().history(name)).map_err(AppError::failed)?;
    if unreadable > 0 {
        output::note(invocation, &format!("Warning: skipped unreadable lines of the history: {unreadable}"));
    }
    if entries.is_empty() {
        return Err(missing_document(name));
    }
    Ok(entries)
}

/// Rebuilds the document as of a change; negative numbers count from the end.
fn rebuild_at(entries: &[HistoryEntry], number: i64) -> Result<(usize, Value), AppError> {
    let count = i64::try_from(entries.len()).unwrap_or(i64::MAX);
    let n = if number < 0 { count + 1 + number } else { number };
    let n = usize::try_from(n).ok().filter(|n| (1..=entries.len()).contains(n));
    let n = n.ok_or_else(|| {
        AppError::usage(format!("no change {number} in the history, which has changes 1 to {count}"))
    })?;
    let document = history::rebuild(entries, n)
        .ok_or_else(|| AppError::failed(format!("cannot rebuild change {n}: older history was removed")))?;
    Ok((n, document))
}
