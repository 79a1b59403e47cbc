//! The events of a run: kept while it is driven, read back by anybody.

use crate::error::AppError;
use crate::read;
use crate::site::Site;
use charrette_engine::{Event, Watcher};
use charrette_model::checkpoint::DocumentName;
use charrette_store::events::{self, EventLog, Follow};
use std::path::Path;
use std::sync::Arc;

/// Where the events of a run that is driven are kept.
#[derive(Debug)]
pub(crate) struct EventFile(Option<EventLog>);

impl EventFile {
    pub(crate) fn open(folder: &Path) -> EventFile {
        EventFile(EventLog::open(folder).ok())
    }

    /// Keeps every event. One that cannot be kept stops nothing.
    pub(crate) fn watcher(self) -> Watcher {
        Arc::new(move |event| {
            if let (Some(log), Ok(line)) = (&self.0, serde_json::to_string(event)) {
                let _ = log.append(&line);
            }
        })
    }
}

/// The events of a run that can be read, oldest first, and how many lines could not.
pub fn events(site: &Site, name: &DocumentName) -> Result<(Vec<Event>, usize), AppError> {
    let folder = read::workspace(site, name)?.folder().to_owned();
    let (lines, torn) = events::read(&folder);
    let count = lines.len();
    let read: Vec<Event> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let unreadable = torn + count - read.len();
    Ok((read, unreadable))
}

/// The events of a run from its beginning, and then those that come.
#[derive(Debug)]
pub struct EventStream(Follow);

impl EventStream {
    /// Those of that run.
    pub fn open(site: &Site, name: &DocumentName) -> Result<EventStream, AppError> {
        Ok(EventStream(Follow::new(read::workspace(site, name)?.folder())))
    }

    /// What has come since it was last asked. What cannot be read is left out.
    pub fn next_events(&mut self) -> Result<Vec<Event>, AppError> {
        let lines = self.0.next_lines().map_err(AppError::failed)?;
        Ok(lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}
