//! Stops a run: sends SIGTERM to the process that drives it and waits for its end.

use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::run_lookup::feature_argument;
use crate::site::Site;
use charrette_model::checkpoint::DocumentName;
use charrette_store::{Holder, Lease};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time to wait for a driver to end its agents and release the lease.
pub const STOP_TIMEOUT: Duration = Duration::from_secs(30);
/// Polling interval of the lease.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Outcome of a stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopOutcome {
    /// The driver ended.
    Stopped(Holder),
    /// No process drives the run.
    NotDriven,
}

/// Terminates the driver of a run and waits until it has ended. Finished steps are kept.
pub fn stop(site: &Site, name: &DocumentName, timeout: Duration) -> Result<StopOutcome, AppError> {
    refuse_inside_agent(site, "stop a run")?;
    let path = site.documents().folder().lease(name);
    let Some(holder) = driver(&path)? else { return Ok(StopOutcome::NotDriven) };
    if holder.pid == std::process::id() {
        return Err(AppError::failed("this process drives the run itself"));
    }
    let pid = i32::try_from(holder.pid).ok().and_then(Pid::from_raw);
    let Some(pid) = pid else {
        return Err(AppError::failed(format!("{} does not name the process that holds it", path.display()))
            .hint("Interrupt the run in its own terminal. Check: charrette status"));
    };
    if !has_open(pid, &path) {
        return Err(AppError::new(
            ErrorKind::Refused,
            format!(
                "the run is driven, but not by process {}, which its lease names; no process was ended",
                holder.pid
            ),
        )
        .hint(
            "A worker of the old driver may still hold the lease; it exits shortly. Check: charrette status",
        ));
    }
    kill_process(pid, Signal::TERM).map_err(|error| {
        AppError::failed(format!("cannot send SIGTERM to process {}: {error}", holder.pid))
    })?;
    let deadline = Instant::now() + timeout;
    while driver(&path)?.is_some_and(|now| now.pid == holder.pid) {
        if Instant::now() >= deadline {
            let feature = feature_argument(name);
            return Err(AppError::new(
                ErrorKind::Failed,
                format!("process {} did not end within {} s of SIGTERM", holder.pid, timeout.as_secs()),
            )
            .hint(format!(
                "Finished steps are kept. Check: charrette status; then: charrette resume {feature}"
            )));
        }
        sleep(POLL_INTERVAL);
    }
    Ok(StopOutcome::Stopped(holder))
}

/// True if the process has the lease file open. The pid in a lease may be stale, reused or forged, so it is checked
/// against /proc; where /proc is missing, the lease is trusted.
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
