//! Event log of a run: appended while it is driven, read by any process.

use crate::error::AppError;
use crate::read;
use crate::site::Site;
use charrette_engine::{Event, Watcher};
use charrette_model::checkpoint::DocumentName;
use charrette_store::events::{self, EventFollower, EventLog};
use std::path::Path;
use std::sync::Arc;

/// Event log of the run that is being driven; none if it could not be opened.
#[derive(Debug)]
pub(crate) struct EventFile(Option<EventLog>);

impl EventFile {
    pub(crate) fn open(folder: &Path) -> EventFile {
        EventFile(EventLog::open(folder).ok())
    }

    /// Watcher that appends every event. Failures are ignored: no decision depends on the log.
    pub(crate) fn watcher(self) -> Watcher {
        Arc::new(move |event| {
            if let (Some(log), Ok(line)) = (&self.0, serde_json::to_string(event)) {
                let _ = log.append(&line);
            }
        })
    }
}

/// Events of a run, oldest first, and the number of unreadable lines.
pub fn events(site: &Site, name: &DocumentName) -> Result<(Vec<Event>, usize), AppError> {
    let folder = read::workspace(site, name)?.folder().to_owned();
    let (lines, torn) = events::read(&folder);
    let count = lines.len();
    let read: Vec<Event> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let unreadable = torn + count - read.len();
    Ok((read, unreadable))
}

/// Stream of a run's events: those logged so far, then new ones.
#[derive(Debug)]
pub struct EventStream(EventFollower);

impl EventStream {
    pub fn open(site: &Site, name: &DocumentName) -> Result<EventStream, AppError> {
        Ok(EventStream(EventFollower::new(read::workspace(site, name)?.folder())))
    }

    /// Events since the last call. Unreadable lines are skipped.
    pub fn next_events(&mut self) -> Result<Vec<Event>, AppError> {
        let lines = self.0.next_lines().map_err(AppError::failed)?;
        Ok(lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}
