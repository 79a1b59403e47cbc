//! Stopping a run that a process drives: it is asked to end, and waited for.

use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use crate::which::shown_feature;
use charrette_model::checkpoint::DocumentName;
use charrette_store::{Holder, Lease};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a driver may take to end its agents and let go.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How often we look whether it has.
const LOOK: Duration = Duration::from_millis(50);

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopOutcome {
    /// It ended; this process had been driving it.
    Stopped(Holder),
    /// No process drives it.
    NotDriven,
}

/// Asks the driver of a run to end, and waits until it has. What it has done is kept.
pub fn stop(site: &Site, name: &DocumentName, patience: Duration) -> Result<StopOutcome, AppError> {
    let path = site.documents().folder().lease(name);
    let Some(holder) = driver(&path)? else { return Ok(StopOutcome::NotDriven) };
    if holder.pid == std::process::id() {
        return Err(AppError::failed("this process drives the run itself"));
    }
    let pid = i32::try_from(holder.pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else {
        return Err(AppError::failed("the lease does not say which process holds it"));
    };
    if !has_open(pid, &path) {
        return Err(AppError::new(
            ErrorKind::Refused,
            format!(
                "the run is driven, but not by process {} that its lease names; no process was ended",
                holder.pid
            ),
        )
        .hint("What a driver left behind ends by itself; look again: charrette status"));
    }
    kill_process(pid, Signal::TERM).map_err(|error| {
        AppError::failed(format!("process {} cannot be asked to end: {error}", holder.pid))
    })?;
    let deadline = Instant::now() + patience;
    while driver(&path)?.is_some_and(|now| now.pid == holder.pid) {
        if Instant::now() >= deadline {
            let feature = shown_feature(name);
            return Err(AppError::new(
                ErrorKind::Failed,
                format!("process {} was asked to end and has not after {} s", holder.pid, patience.as_secs()),
            )
            .hint(format!(
                "What was done is kept. Look at it: charrette status; then: charrette resume {feature}"
            )));
        }
        sleep(LOOK);
    }
    Ok(StopOutcome::Stopped(holder))
}

/// Whether the process has that file open. A lease is written by whoever took it, and may be left by one whose number
/// belongs to somebody else by now, or be written by anybody who can write there. Where the system does not say, what is
/// written is believed.
fn has_open(pid: Pid, lease: &Path) -> bool {
    let processes = Path::new("/proc");
    let Ok(lease) = lease.metadata() else { return false };
    if !processes.join("self/fd").is_dir() {
        return true;
    }
    let files = fs_err::read_dir(processes.join(pid.as_raw_nonzero().to_string()).join("fd"));
    let is_lease = |file: Metadata| file.dev() == lease.dev() && file.ino() == lease.ino();
    files.into_iter().flatten().flatten().any(|entry| fs_err::metadata(entry.path()).is_ok_and(is_lease))
}

fn driver(lease: &Path) -> Result<Option<Holder>, AppError> {
    Lease::holder(lease).map_err(AppError::failed)
}
