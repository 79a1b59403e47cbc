//! `charrette collect`: waits for agent calls, and says what became of each.

use crate::commands::raw::RawArgs;
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_app::disk::open_regular;
use charrette_model::collect::command::{answer, health};
use charrette_model::collect::{Record, Request, Seen, Status};
use charrette_model::session::{DISCARD, Health};
use charrette_model::shown::one_line;
use charrette_model::sidecar::{Sidecar, read_done};
use charrette_store::atomic;
use charrette_store::documents::MAX_DOCUMENT_BYTES;
use clap::Args;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often is looked whether a call has ended.
const LOOK: Duration = Duration::from_millis(200);

/// More of a file that has one line in it is not read.
const SMALL: u64 = 64 << 10;

/// Wait for agent calls, and print what became of each
///
/// A call has ended when there is a file OUTPUT.done with its exit code. Then six lines are printed for each output,
/// in the order they were given, with a blank line between two: `REVIEWER_FILE`, `TOOL`, `STATUS` (`OK`, `TIMED_OUT`,
/// `FAILED`, `EMPTY_OUTPUT`, `SENTINEL_TIMEOUT`, `NOT_SUBSTANTIVE`), `EXIT_CODE`, `HEALTHY`, `FAILURE_REASON`. With
/// --write-health, tools that failed are noted there for the rest of the session; `/dev/null` notes nothing. With
/// --substantive-validation an answer needs 200 words and a file, a code block or a URL in it; with
/// --validation-mode as well, 30 words or just `NO_ISSUES_FOUND` will do. Nothing is ever launched. Exit 0, or 1 if
/// something was typed wrongly.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "charrette collect --timeout SECONDS [--write-health FILE]\n         [--substantive-validation [--validation-mode]] OUTPUT…"
)]
pub(crate) struct CollectArgs {
    #[command(flatten)]
    typed: RawArgs,
}

pub(crate) fn collect(here: &Here, args: &CollectArgs) -> Result<ExitCode, AppError> {
    let request = match Request::read(&args.typed.words()) {
        Ok(request) => request,
        Err(refusal) => return output::answer(&refusal),
    };
    let sentinels = wait(here, &request);
    let records: Vec<Record> =
        request.files.iter().zip(sentinels).map(|(file, done)| record(file, done, &request)).collect();
    if let Some(path) = request.health.as_deref().filter(|path| *path != DISCARD)
        && let Err(error) = note_health(Path::new(path), health(&records))
    {
        output::note(here, &format!("Warning: the health file was not written: {error}"));
    }
    output::answer(&answer(&records))
}

/// What stands in the sentinel of each output; none where there is none when time is up.
fn wait(here: &Here, request: &Request) -> Vec<Option<Vec<u8>>> {
    let deadline = Instant::now().checked_add(Duration::from_secs(request.timeout));
    let mut calls = vec![Awaited::No; request.files.len()];
    loop {
        for (n, (file, call)) in request.files.iter().zip(&mut calls).enumerate() {
            if matches!(call, Awaited::Done(_)) {
                continue;
            }
            *call = match (small(&Sidecar::Done.of(file)), &*call) {
                (None, _) => Awaited::No,
                (Some(done), Awaited::No) if done.is_empty() => Awaited::Begun,
                (Some(done), _) => {
                    let code = read_done(&done).code;
                    output::note(here, &format!("DONE {} {}: exit={code}", n + 1, name(file)));
                    Awaited::Done(done)
                }
            };
        }
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over || calls.iter().all(|call| matches!(call, Awaited::Done(_))) {
            break;
        }
        sleep(LOOK);
    }
    let found = calls.into_iter().zip(&request.files).enumerate().map(|(n, (call, file))| match call {
        Awaited::Done(done) => Some(done),
        Awaited::Begun => Some(Vec::new()),
        Awaited::No => {
            output::note(here, &format!("TIMEOUT {} {}", n + 1, name(file)));
            None
        }
    });
    found.collect()
}

/// How far a call is, as far as its sentinel tells.
#[derive(Clone)]
enum Awaited {
    /// There is none.
    No,
    /// It is there, but nothing is in it: somebody may just be writing it.
    Begun,
    /// This stands in it.
    Done(Vec<u8>),
}

fn name(file: &str) -> String {
    one_line(file.rsplit('/').next().unwrap_or(file))
}

fn record(file: &str, done: Option<Vec<u8>>, request: &Request) -> Record {
    let text =
        |sidecar: Sidecar| small(&sidecar.of(file)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let bytes = open_regular(Path::new(file)).and_then(|opened| Ok(opened.metadata()?.len())).ok();
    let seen = Seen { done, bytes, meta: text(Sidecar::Meta), diag: text(Sidecar::Diag) };
    let record = Record::of(file, &seen);
    match request.validation {
        Some(validation) if record.status == Status::Ok => {
            let answer = bounded(file, MAX_DOCUMENT_BYTES);
            let answer = answer.as_deref().map(String::from_utf8_lossy);
            record.judged(answer.as_deref(), validation)
        }
        _ => record,
    }
}

fn small(path: &str) -> Option<Vec<u8>> {
    bounded(path, SMALL)
}

/// What a file begins with; none if there is none. Links and pipes are no files here.
fn bounded(path: &str, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(Path::new(path)).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Notes the health of tools. Who failed before stays failed.
fn note_health(path: &Path, learned: Health) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    // Two collections at the same time must not forget what the other learned.
    let folder = fs_err::File::open(path.parent().unwrap_or(Path::new("/")))?;
    folder.file().lock()?;
    let known = match open_regular(&path) {
        Ok(file) => {
            let mut text = String::new();
            file.take(SMALL).read_to_string(&mut text)?;
            Health::parse(&text)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Health::default(),
        Err(error) => return Err(error),
    };
    let text = known.and(learned).text();
    atomic::replace(&path, &path.with_added_extension("tmp"), text.as_bytes()).map_err(io::Error::other)
}
