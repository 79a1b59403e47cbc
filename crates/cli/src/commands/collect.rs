//! `charrette collect`: waits for agent calls and prints a status record for each.

use crate::commands::raw::RawArgs;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::disk::open_regular;
use charrette_model::collect::command::{answer, health};
use charrette_model::collect::{CallSidecars, CallStatus, CollectRecord, CollectRequest};
use charrette_model::escape::one_line;
use charrette_model::session::{DISCARD, Health};
use charrette_model::sidecar::{Sidecar, parse_done};
use charrette_store::atomic;
use charrette_store::documents::MAX_DOCUMENT_BYTES;
use clap::Args;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Polling interval for sentinel files.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum number of bytes read from a sidecar file.
const MAX_SIDECAR_BYTES: u64 = 64 << 10;

/// Wait for agent calls, and print a status record for each
///
/// A call has ended when its sentinel file OUTPUT.done exists. Prints a record of six lines for each output, in the
/// order given, separated by blank lines: `REVIEWER_FILE`, `TOOL`, `STATUS` (`OK`, `TIMED_OUT`,
/// `FAILED`, `EMPTY_OUTPUT`, `SENTINEL_TIMEOUT`, `NOT_SUBSTANTIVE`), `EXIT_CODE`, `HEALTHY`, `FAILURE_REASON`. With
/// --write-health, tools that failed are recorded in FILE as unhealthy; `/dev/null` records nothing. With
/// --substantive-validation, an answer needs at least 200 words and a file name, a code block or a URL; with
/// --validation-mode as well, 30 words, or only `NO_ISSUES_FOUND`. Starts no process. Exit 0, or 1 on a usage error.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "charrette collect --timeout SECONDS [--write-health FILE]\n         [--substantive-validation [--validation-mode]] OUTPUT…"
)]
pub(crate) struct CollectArgs {
    #[command(flatten)]
    raw: RawArgs,
}

pub(crate) fn collect(invocation: &Invocation, args: &CollectArgs) -> Result<ExitCode, AppError> {
    let request = match CollectRequest::parse(&args.raw.words()) {
        Ok(request) => request,
        Err(refusal) => return output::print_answer(&refusal),
    };
    let sentinels = wait_for_sentinels(invocation, &request);
    let records: Vec<CollectRecord> =
        request.files.iter().zip(sentinels).map(|(file, done)| build_record(file, done, &request)).collect();
    if let Some(path) = request.health.as_deref().filter(|path| *path != DISCARD)
        && let Err(error) = update_health_file(Path::new(path), health(&records))
    {
        output::note(invocation, &format!("Warning: cannot write the health file: {error}"));
    }
    output::print_answer(&answer(&records))
}

/// Waits until all sentinels are written or the timeout expires; returns their contents, none for a missing one.
fn wait_for_sentinels(invocation: &Invocation, request: &CollectRequest) -> Vec<Option<Vec<u8>>> {
    let deadline = Instant::now().checked_add(Duration::from_secs(request.timeout));
    let mut calls = vec![Sentinel::Missing; request.files.len()];
    loop {
        for (n, (file, call)) in request.files.iter().zip(&mut calls).enumerate() {
            if matches!(call, Sentinel::Written(_)) {
                continue;
            }
            *call = match (read_sidecar(&Sidecar::Done.path(file)), &*call) {
                (None, _) => Sentinel::Missing,
                (Some(done), Sentinel::Missing) if done.is_empty() => Sentinel::Empty,
                (Some(done), _) => {
                    let code = parse_done(&done).code;
                    output::note(invocation, &format!("DONE {} {}: exit={code}", n + 1, file_name(file)));
                    Sentinel::Written(done)
                }
            };
        }
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over || calls.iter().all(|call| matches!(call, Sentinel::Written(_))) {
            break;
        }
        sleep(POLL_INTERVAL);
    }
    let contents = calls.into_iter().zip(&request.files).enumerate().map(|(n, (call, file))| match call {
        Sentinel::Written(done) => Some(done),
        Sentinel::Empty => Some(Vec::new()),
        Sentinel::Missing => {
            output::note(invocation, &format!("TIMEOUT {} {}", n + 1, file_name(file)));
            None
        }
    });
    contents.collect()
}

/// State of the sentinel file of a call.
#[derive(Clone)]
enum Sentinel {
    Missing,
    /// Exists without content: it may be in the middle of a write.
    Empty,
    Written(Vec<u8>),
}

fn file_name(file: &str) -> String {
    one_line(file.rsplit('/').next().unwrap_or(file))
}

fn build_record(file: &str, done: Option<Vec<u8>>, request: &CollectRequest) -> CollectRecord {
    let text = |sidecar: Sidecar| {
        read_sidecar(&sidecar.path(file)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let bytes = open_regular(Path::new(file)).and_then(|opened| Ok(opened.metadata()?.len())).ok();
    let seen = CallSidecars { done, bytes, meta: text(Sidecar::Meta), diag: text(Sidecar::Diag) };
    let record = CollectRecord::new(file, &seen);
    match request.validation {
        Some(validation) if record.status == CallStatus::Ok => {
            let answer = read_bounded(file, MAX_DOCUMENT_BYTES);
            let answer = answer.as_deref().map(String::from_utf8_lossy);
            record.validated(answer.as_deref(), validation)
        }
        _ => record,
    }
}

fn read_sidecar(path: &str) -> Option<Vec<u8>> {
    read_bounded(path, MAX_SIDECAR_BYTES)
}

/// Reads at most `limit` bytes of a regular file; none for missing files, symlinks and pipes.
fn read_bounded(path: &str, limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(Path::new(path)).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Merges the health of tools into the health file. Unhealthy tools stay unhealthy.
fn update_health_file(path: &Path, new: Health) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    // Locked, so that concurrent collections do not lose each other's updates.
    let folder = fs_err::File::open(path.parent().unwrap_or(Path::new("/")))?;
    folder.file().lock()?;
    let known = match open_regular(&path) {
        Ok(file) => {
            let mut text = String::new();
            file.take(MAX_SIDECAR_BYTES).read_to_string(&mut text)?;
            Health::parse(&text)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Health::default(),
        Err(error) => return Err(error),
    };
    let text = known.merge(new).text();
    atomic::replace(&path, &path.with_added_extension("tmp"), text.as_bytes()).map_err(io::Error::other)
}
