//! Stopping a run that a process drives: it is asked to end, and waited for.

use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use crate::which::shown_feature;
use charrette_model::checkpoint::DocumentName;
use charrette_store::{Holder, Lease};
use rustix::process::{Pid, Signal, kill_process};
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
    // The kernel's lock is held right now, and whoever holds it wrote its own id there.
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

fn driver(lease: &Path) -> Result<Option<Holder>, AppError> {
    Lease::holder(lease).map_err(AppError::failed)
}
