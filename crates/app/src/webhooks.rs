//! Webhook delivery of this site: finished phases and runs are sent to the configured URL, at least once.
//!
//! Messages are derived from the state documents, so a kill at any moment loses none: each message is queued in its
//! run's workspace before it is sent, keeps its id, and is retried by the next start until it was delivered. A failed
//! delivery never stops a run.

use crate::site::Site;
use crate::workspaces::run_workspace;
use charrette_engine::{EventKind, Watcher};
use charrette_integrations::stable_id;
use charrette_integrations::webhook::{Webhook, WebhookMessage};
use charrette_model::checkpoint::{Checkpoint, DocumentName, PhaseStatus};
use charrette_store::Documents;
use charrette_store::atomic::replace_private;
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
/// Folder of the queued and delivered messages, in the workspace.
const FOLDER: &str = "webhooks";
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

/// Queue of webhook messages, kept as files in the workspaces.
struct DeliveryQueue {
    hook: Webhook,
    events: Vec<String>,
    documents: Documents,
    workspaces: PathBuf,
    folders: Vec<(DocumentName, PathBuf)>,
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
        let workspaces = site.root.join(site.settings.workspace_folder());
        let (signals, received) = unbounded_channel();
        let queue = DeliveryQueue { hook, events, documents, workspaces, folders };
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

/// Message folders: of this run, and of all other runs that have one.
fn folders(site: &Site, documents: &Documents, name: &DocumentName) -> Vec<(DocumentName, PathBuf)> {
    let names = documents.list().unwrap_or_default().into_iter().map(|row| row.name);
    let of_run = |other: DocumentName| {
        let document = documents.load(&other).ok()??.document;
        let folder = run_workspace(site, &document).ok()?.folder().join(FOLDER);
        (other == *name || folder.is_dir()).then_some((other, folder))
    };
    names.filter_map(of_run).collect()
}

/// Queues and delivers messages on every signal until shutdown. Returns the last problem, if any.
async fn run_deliveries(
    queue: DeliveryQueue,
    mut signals: UnboundedReceiver<DeliverySignal>,
) -> Option<String> {
    let mut problem = None;
    while let Some(mut signal) = signals.recv().await {
        // Signals that are waiting already are merged into one.
        while let Ok(next) = signals.try_recv() {
            signal = next;
        }
        problem = match queue.enqueue_finished() {
            Ok(()) => queue.deliver().await,
            Err(error) => Some(format!("cannot queue messages: {error}")),
        };
        if signal == DeliverySignal::Shutdown {
            break;
        }
    }
    problem
}

impl DeliveryQueue {
    /// Queues a message for every finished phase and run that has none yet.
    fn enqueue_finished(&self) -> std::io::Result<()> {
        for (name, folder) in &self.folders {
            let Ok(Some(loaded)) = self.documents.load(name) else { continue };
            for message in messages(&loaded.document) {
                if self.events.contains(&message.event) {
                    enqueue(folder, &message)?;
                }
            }
        }
        Ok(())
    }

    /// Delivers pending messages, oldest first, and stops at the first failure. Returns its reason.
    async fn deliver(&self) -> Option<String> {
        for (path, message) in pending(&self.workspaces) {
            if let Err(error) = self.hook.deliver(&message).await {
                return Some(error.to_string());
            }
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let delivered = path.with_file_name(name.replace(PENDING, DELIVERED));
            if let Err(error) = fs_err::rename(&path, delivered) {
                return Some(error.to_string());
            }
        }
        None
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

/// Queues a message, unless it is pending or delivered already.
fn enqueue(folder: &Path, message: &WebhookMessage) -> std::io::Result<()> {
    let file = |end: &str| folder.join(format!("{}{end}", message.id));
    if file(PENDING).exists() || file(DELIVERED).exists() {
        return Ok(());
    }
    fs_err::create_dir_all(folder)?;
    let text = serde_json::to_string_pretty(message)? + "\n";
    replace_private(&file(PENDING), text.as_bytes()).map_err(std::io::Error::other)
}

/// Pending messages of all workspaces, oldest first. Unreadable files are left alone.
fn pending(workspaces: &Path) -> Vec<(PathBuf, WebhookMessage)> {
    let entries = |folder: &Path| fs_err::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(PathBuf, WebhookMessage)> = entries(workspaces)
        .flat_map(|workspace| entries(&workspace.path().join(FOLDER)).collect::<Vec<_>>())
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(PENDING))
        .filter_map(|path| {
            let message = serde_json::from_slice(&fs_err::read(&path).ok()?).ok()?;
            Some((path, message))
        })
        .collect();
    // A run finishes in the same moment as its last phase; its message comes second.
    let order = |message: &WebhookMessage| (message.at.clone(), message.event.clone(), message.phase.clone());
    found.sort_by_cached_key(|(_, message)| order(message));
    found
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
