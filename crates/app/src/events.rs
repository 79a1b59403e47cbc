//! Event log of a run: appended while it is driven, read by any process.

use crate::error::AppError;
use crate::read;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use charrette_engine::{Event, EventKind, Watcher};
use charrette_model::checkpoint::DocumentName;
use charrette_store::LogFolder;
use charrette_store::events::{self, EventFollower, EventLog};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of lines that wait.
const MAX_WAITING: usize = 1000;

/// Event log of the run that is being driven.
#[derive(Debug)]
pub(crate) struct EventFile {
    /// None if it could not be opened.
    log: Option<EventLog>,
    /// Lines of a run that is being replayed. A resumed run has hundreds at once, and nobody waits for them.
    waiting: Mutex<Vec<String>>,
    /// True until a step is executed.
    is_replayed: AtomicBool,
}

impl EventFile {
    pub(crate) fn open(folder: &LogFolder) -> EventFile {
        let log = EventLog::open(folder).ok();
        EventFile { log, waiting: Mutex::default(), is_replayed: AtomicBool::new(true) }
    }

    /// Watcher that appends every event. Failures are ignored: no decision depends on the log.
    pub(crate) fn watcher(self) -> Watcher {
        Arc::new(move |event| self.append(event))
    }

    fn append(&self, event: &Event) {
        let Ok(line) = serde_json::to_string(event) else { return };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(line);
        if matches!(event.kind, EventKind::StepStarted { .. }) {
            self.is_replayed.store(false, Ordering::Relaxed);
        }
        let may_wait = self.is_replayed.load(Ordering::Relaxed) && may_be_replayed(&event.kind);
        if !may_wait || waiting.len() == MAX_WAITING {
            self.write(&mut waiting);
        }
    }

    fn write(&self, waiting: &mut Vec<String>) {
        if let Some(log) = &self.log {
            let _ = log.append_all(waiting);
        }
        waiting.clear();
    }
}

impl Drop for EventFile {
    fn drop(&mut self) {
        let mut waiting = std::mem::take(self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner));
        if !waiting.is_empty() {
            self.write(&mut waiting);
        }
    }
}

/// True for events that a resumed run sends without doing anything.
fn may_be_replayed(kind: &EventKind) -> bool {
    kind.is_display_only() || matches!(kind, EventKind::StepReused { .. } | EventKind::VoteTallied { .. })
}

/// Events of a run, oldest first, and the number of unreadable lines.
pub fn events(site: &Site, name: &DocumentName) -> Result<(Vec<Event>, usize), AppError> {
    let folder = read::workspace(site, name)?.folder().to_owned();
    if !folder.is_dir() {
        return Err(AppError::failed(format!(
            "the workspace of this run is gone, and its events with it: {}",
            site.relative(&folder).display()
        ))
        .hint(format!("Discard the run: charrette abandon {}", feature_argument(name))));
    }
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
