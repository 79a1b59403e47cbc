//! Ledgers of agent calls: per run in its workspace, and per day for the user.

use super::append::{LedgerError, append, append_in};
use crate::listing::entries;
use crate::log_folder::LogFolder;
use crate::plain_file::{self, Links};
use charrette_model::ledger::call::read_calls;
use charrette_model::ledger::timing;
use charrette_model::ledger::{CallRecord, CitationRecord};
use jiff::civil::Date;
use std::io;
use std::path::{Path, PathBuf};

/// File name in a workspace.
const FILE: &str = "tokens.jsonl";

/// Size that a ledger never reaches, in bytes: a row has a few hundred.
const MAX_BYTES: u64 = 64 << 20;

/// Records a call in the workspace of its run: usage and duration.
pub fn append_call(workspace: &LogFolder, call: &CallRecord) -> Result<(), LedgerError> {
    let tokens = append_in(workspace, FILE, &call.json_row());
    let times = append_in(workspace, timing::FILE, &call.timing_row());
    tokens.and(times)
}

/// Records the citations of an answer in the workspace of its run.
pub fn append_citations(workspace: &LogFolder, record: &CitationRecord) -> Result<(), LedgerError> {
    append_in(workspace, FILE, &record.json_row())
}

/// The recorded calls of a workspace, in order; empty if there are none.
pub fn calls(workspace: &Path) -> io::Result<Vec<CallRecord>> {
    read(&workspace.join(FILE))
}

/// Records a call for the user, in a folder with one file per day. The day is in the user's time zone.
pub fn append_day(folder: &Path, day: Date, call: &CallRecord) -> Result<(), LedgerError> {
    crate::layout::create_folder(folder)?;
    append(&day_path(folder, day), &call.json_row(), None)
}

/// The recorded calls of a day, of all runs of the user.
pub fn calls_of_day(folder: &Path, day: Date) -> io::Result<Vec<CallRecord>> {
    read(&day_path(folder, day))
}

/// Workspaces with recorded calls, by name, and those calls.
pub fn runs(workspaces: &Path) -> io::Result<Vec<(String, Vec<CallRecord>)>> {
    let mut runs = Vec::new();
    let mut names = entries(workspaces.to_owned())?;
    names.sort_unstable();
    for name in names {
        let calls = calls(&workspaces.join(&name))?;
        if !calls.is_empty() {
            runs.push((name, calls));
        }
    }
    Ok(runs)
}

fn day_path(folder: &Path, day: Date) -> PathBuf {
    folder.join(format!("calls-{day}.jsonl"))
}

fn read(path: &Path) -> io::Result<Vec<CallRecord>> {
    match plain_file::read(path, Links::Refused, MAX_BYTES).map_err(io::Error::from) {
        Ok(text) => Ok(read_calls(&text.unwrap_or_default()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
