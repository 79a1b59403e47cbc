//! `charrette watch`: one line for each thing that a person should know about the runs here.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::run_watch::{RunNews, RunWatch};
use charrette_app::{AppError, Site};
use clap::Args;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

/// Interval between two looks at the folder of state documents.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Number of intervals after which the runs are looked at even if no document has changed: a driver may be gone.
const IDLE_INTERVALS: u32 = 10;

/// Print a line when a gate opens or a run ends
///
/// Watches all runs of this repository until it is interrupted, and changes nothing. One line for each thing that a person
/// should know: a gate waits, a run is complete, was rejected, or has stopped. What is so already when it starts is shown
/// first, unless `--lines` is given.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Print only what is new, without the list of runs
    #[arg(long)]
    lines: bool,
}

pub(crate) fn watch(invocation: &Invocation, args: &WatchArgs) -> Result<ExitCode, AppError> {
    let site = invocation.silent_site()?;
    let mut watch = RunWatch::start(&site)?;
    if !args.lines && !invocation.json {
        output::print_line(&super::status::status_page(&site)?)?;
    }
    let (mut seen, mut idle) = (state_of(&site), 0);
    loop {
        std::thread::sleep(POLL_INTERVAL);
        let now = state_of(&site);
        idle += 1;
        if now == seen && idle < IDLE_INTERVALS {
            continue;
        }
        (seen, idle) = (now, 0);
        for news in watch.news(&site)? {
            if !print(invocation, &news)? {
                // Nobody reads any more.
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
}

/// Time of the last change in the folder of state documents: they are replaced, never written in place.
fn state_of(site: &Site) -> Option<SystemTime> {
    site.documents().folder().path().metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Prints a line. False if the reader is gone.
fn print(invocation: &Invocation, news: &RunNews) -> Result<bool, AppError> {
    if invocation.json {
        return output::print_to_reader(&serde_json::to_string(news).map_err(AppError::failed)?);
    }
    output::print_to_reader(&news.text)
}
