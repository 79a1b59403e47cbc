//! Webhook delivery of this site: finished phases and runs are sent to the configured URL, at least once.
//!
//! Messages are derived from the state documents, so a kill at any moment loses none, and nothing else is sent: the files in a
//! run's workspace only say which of them are pending and which were delivered. A message keeps its id, and is retried by the
//! next start until it was delivered. A failed delivery never stops a run.

use crate::site::Site;
use crate::workspaces::run_workspace;
use charrette_engine::{EventKind, Watcher};
use charrette_integrations::stable_id;
use charrette_integrations::webhook::{Webhook, WebhookMessage};
use charrette_model::checkpoint::{Checkpoint, DocumentName, PhaseStatus};
use charrette_store::Documents;
use charrette_store::atomic::replace_private;
use charrette_store::layout::check_folder;
use charrette_store::plain_file::{self, Links};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// Supported values of `webhooks.events`.
const EVENTS: [&str; 2] = ["phase.finished", "run.finished"];
/// Timeout of one delivery.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(5);
/// Time a finished run waits for its last deliveries.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);
/// Folder of the marks of pending and delivered messages, in the workspace.
const FOLDER: &str = "webhooks";
/// Size that a mark never reaches, in bytes.
const MAX_MARK_BYTES: u64 = 64 << 10;
const PENDING: &str = ".pending.json";
const DELIVERED: &str = ".delivered.json";

/// Background task that delivers webhooks while a run is driven.
pub(crate) struct WebhookDelivery {
    signals: UnboundedSender<DeliverySignal>,
    task: JoinHandle<Option<String>>,
}

/// Signal to the delivery task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliverySignal {
    /// Deliver what is pending.
    Deliver,
    /// Deliver what is pending, then stop.
    Shutdown,
}

/// Messages of the runs of this site that are to be delivered.
struct DeliveryQueue {
    hook: Webhook,
    events: Vec<String>,
    documents: Documents,
    root: PathBuf,
    /// This run.
    name: DocumentName,
    /// Folders of marks: of this run and, in the first delivery, of all others.
    folders: Vec<(DocumentName, PathBuf)>,
    /// Ids of the messages that were marked as delivered at the start, or delivered since. Marks that come later are not ours.
    delivered: HashSet<String>,
}

impl WebhookDelivery {
    /// Starts the task if a webhook is configured, beginning with messages left from before. An error names the
    /// problem in the configuration.
    pub(crate) fn start(site: &Site, name: &DocumentName) -> Result<Option<WebhookDelivery>, String> {
        let Some(url) = site.settings.webhook_url() else { return Ok(None) };
        let events = site.settings.webhook_events();
        if let Some(unknown) = events.iter().find(|event| !EVENTS.contains(&event.as_str())) {
            return Err(format!(
                "unknown event \"{unknown}\" in webhooks.events; supported: {}",
                EVENTS.join(", ")
            ));
        }
        let variable = site.settings.webhook_secret_variable();
        let secret = variable.and_then(|variable| site.environment.secret(variable));
        if let (Some(variable), None) = (variable, &secret) {
            return Err(format!("webhooks.secret_env names {variable}, which is not set"));
        }
        let hook = Webhook::new(url, secret, DELIVERY_TIMEOUT).map_err(|error| error.to_string())?;
        let documents = site.documents();
        let folders = folders(site, &documents, name);
        let (signals, received) = unbounded_channel();
        let (root, name, delivered) = (site.root.clone(), name.clone(), HashSet::new());
        let mut queue = DeliveryQueue { hook, events, documents, root, name, folders, delivered };
        queue.delivered = queue.marked_messages();
        let task = tokio::spawn(run_deliveries(queue, received));
        // A task that has ended has nothing to deliver.
        let _ = signals.send(DeliverySignal::Deliver);
        Ok(Some(WebhookDelivery { signals, task }))
    }

    /// Event watcher that triggers a delivery when a phase or the run finishes.
    pub(crate) fn watcher(&self) -> Watcher {
        let signals = self.signals.clone();
        Arc::new(move |event| {
            if matches!(event.kind, EventKind::PhaseFinished { .. } | EventKind::RunFinished { .. }) {
                let _ = signals.send(DeliverySignal::Deliver);
            }
        })
    }

    /// Waits for the last deliveries, at most [`SHUTDOWN_TIMEOUT`]. Returns the last problem, if any.
    pub(crate) async fn finish(self) -> Option<String> {
        let _ = self.signals.send(DeliverySignal::Shutdown);
        match tokio::time::timeout(SHUTDOWN_TIMEOUT, self.task).await {
            Ok(done) => done.unwrap_or_default(),
            Err(_) => Some(format!("no answer within {} s", SHUTDOWN_TIMEOUT.as_secs())),
        }
    }
}

/// Delivers messages left from before, without driving a run. What fails is left for the next start.
pub async fn deliver_pending(site: &Site, name: &DocumentName) {
    if let Ok(Some(delivery)) = WebhookDelivery::start(site, name) {
        delivery.finish().await;
    }
}

/// Folders of marks: of this run, and of all other runs that have one and no driver, which would deliver its messages itself.
fn folders(site: &Site, documents: &Documents, name: &DocumentName) -> Vec<(DocumentName, PathBuf)> {
    let names = documents.list().unwrap_or_default().into_iter().map(|row| row.name);
    let of_run = |other: DocumentName| {
        let document = documents.load(&other).ok()??.document;
        let folder = run_workspace(site, &document).ok()?.folder().join(FOLDER);
        let is_left = || folder.is_dir() && documents.refuse_driven(&other).is_ok();
        (other == *name || is_left()).then_some((other, folder))
    };
    names.filter_map(of_run).collect()
}

/// Delivers messages on every signal until shutdown. Returns the last problem, if any.
async fn run_deliveries(
    mut queue: DeliveryQueue,
    mut signals: UnboundedReceiver<DeliverySignal>,
) -> Option<String> {
    let mut problem = None;
    while let Some(mut signal) = signals.recv().await {
        // Signals that are waiting already are merged into one.
        while let Ok(next) = signals.try_recv() {
            signal = next;
        }
        problem = queue.deliver().await;
        queue.folders.retain(|(name, _)| *name == queue.name);
        if signal == DeliverySignal::Shutdown {
            break;
        }
    }
    problem
}

impl DeliveryQueue {
    /// Delivers what has not arrived, oldest first, and stops at the first failure. Returns the last problem.
    async fn deliver(&mut self) -> Option<String> {
        let mut waiting = self.messages();
        waiting.retain(|(_, message)| !self.delivered.contains(&message.id));
        // A run finishes in the same moment as its last phase; its message comes second.
        waiting.sort_by_cached_key(|(_, message)| {
            (message.at.clone(), message.event.clone(), message.phase.clone())
        });
        let mut problem = None;
        for (folder, message) in &waiting {
            if let Err(error) = mark_pending(&self.root, folder, message) {
                problem = Some(format!("cannot queue messages: {error}"));
            }
        }
        for (folder, message) in waiting {
            if let Err(error) = self.hook.deliver(&message).await {
                return Some(error.to_string());
            }
            if let Err(error) = mark_delivered(&self.root, &folder, &message) {
                problem = Some(format!("cannot note that a message was delivered: {error}"));
            }
            self.delivered.insert(message.id);
        }
        problem
    }

    /// Messages for every finished phase and run, with the folder of their marks. Of a run that this process drives only what
    /// its driver recorded counts.
    fn messages(&self) -> Vec<(PathBuf, WebhookMessage)> {
        let of_run = |(name, folder): &(DocumentName, PathBuf)| {
            let loaded = || Some(self.documents.load(name).ok()??.document);
            let document = self.documents.driven_document(name).or_else(loaded)?;
            let wanted =
                messages(&document).into_iter().filter(|message| self.events.contains(&message.event));
            Some(wanted.map(|message| (folder.clone(), message)).collect::<Vec<_>>())
        };
        self.folders.iter().filter_map(of_run).flatten().collect()
    }

    /// Ids of the messages that are marked as delivered.
    fn marked_messages(&self) -> HashSet<String> {
        let marked = self.messages().into_iter().filter(|(folder, message)| is_delivered(folder, message));
        marked.map(|(_, message)| message.id).collect()
    }
}

/// Messages for the finished phases and the finished run of a document.
fn messages(document: &Checkpoint) -> Vec<WebhookMessage> {
    let Some(run) = &document.run else { return Vec::new() };
    let message = |event: &str, phase: Option<&str>, at: String| WebhookMessage {
        id: stable_id(&[&run.id, event, phase.unwrap_or_default(), &at]),
        event: event.to_owned(),
        run: run.id.clone(),
        feature: document.feature.clone(),
        phase: phase.map(str::to_owned),
        at,
    };
    let complete = document.phases.iter().filter(|(_, phase)| phase.status == PhaseStatus::Complete);
    let phases = complete.filter_map(|(name, phase)| {
        Some(message(EVENTS[0], Some(name), phase.updated_at.as_ref()?.to_string()))
    });
    let run = document.completed_at.as_ref().map(|at| message(EVENTS[1], None, at.to_string()));
    phases.chain(run).collect()
}

/// Path of a mark of a message.
fn mark(folder: &Path, message: &WebhookMessage, end: &str) -> PathBuf {
    folder.join(format!("{}{end}", message.id))
}

/// True if a message is marked as delivered.
fn is_delivered(folder: &Path, message: &WebhookMessage) -> bool {
    let found = plain_file::read(&mark(folder, message, DELIVERED), Links::Refused, MAX_MARK_BYTES);
    let found = found.ok().flatten().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    found.is_some_and(|found: WebhookMessage| found == *message)
}

/// Marks a message as pending, so that the next start delivers it if this one cannot.
fn mark_pending(root: &Path, folder: &Path, message: &WebhookMessage) -> io::Result<()> {
    write_mark(root, folder, message, PENDING)?;
    remove_mark(folder, message, DELIVERED)
}

fn mark_delivered(root: &Path, folder: &Path, message: &WebhookMessage) -> io::Result<()> {
    write_mark(root, folder, message, DELIVERED)?;
    remove_mark(folder, message, PENDING)
}

/// Writes a mark; not through a link that leads out of the repository.
fn write_mark(root: &Path, folder: &Path, message: &WebhookMessage, end: &str) -> io::Result<()> {
    check_folder(root, folder).map_err(io::Error::other)?;
    fs_err::create_dir_all(folder)?;
    let text = serde_json::to_string_pretty(message)? + "\n";
    replace_private(&mark(folder, message, end), text.as_bytes()).map_err(io::Error::other)
}

fn remove_mark(folder: &Path, message: &WebhookMessage, end: &str) -> io::Result<()> {
    match fs_err::remove_file(mark(folder, message, end)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Warns of a problem in the configuration: nothing is queued and nothing is sent.
pub(crate) fn warn_off(site: &Site, problem: &str) {
    site.notices.note(format!("Warning: webhooks are off for this run: {problem}"));
}

/// Warns that a delivery failed; the next start retries it.
pub(crate) fn warn_failed(site: &Site, problem: &str) {
    site.notices.note(format!("Warning: webhook delivery failed: {problem}. The next start retries it."));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn message_ids_are_stable() {
        let document: Checkpoint = serde_json::from_value(json!({
            "version": 1, "command": "design", "feature": "add-login",
            "started_at": "2026-01-31T00:00:00.000Z", "completed_at": "2026-01-31T02:00:00.000Z",
            "run": {"id": "r"},
            "phases": {
                "research": {"status": "complete", "updated_at": "2026-01-31T01:00:00.000Z"},
                "write": {"status": "in_progress", "updated_at": "2026-01-31T01:30:00.000Z"},
            },
        }))
        .unwrap();
        let queued = messages(&document);
        let shape: Vec<_> = queued
            .iter()
            .map(|queued| (queued.event.as_str(), queued.phase.as_deref(), queued.at.as_str()))
            .collect();
        assert_eq!(
            shape,
            [
                ("phase.finished", Some("research"), "2026-01-31T01:00:00.000Z"),
                ("run.finished", None, "2026-01-31T02:00:00.000Z")
            ]
        );
        assert_eq!(queued, messages(&document));
        assert_ne!(queued[0].id, queued[1].id);
    }
}
