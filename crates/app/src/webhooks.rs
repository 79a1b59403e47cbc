//! Webhooks of this site: what is finished is told to the address the user configured, at least once.
//!
//! What there is to tell follows from the state documents, so a kill at any moment loses nothing: each message is
//! noted in its run's workspace before it is sent, keeps its id, and is sent again by the next start until it
//! arrived. Nothing here ever stops a run.

use crate::site::Site;
use crate::workspaces::workspace_of;
use charrette_engine::{EventKind, Watcher};
use charrette_integrations::stable_id;
use charrette_integrations::webhook::{Message, Webhook};
use charrette_model::checkpoint::{Checkpoint, DocumentName, PhaseStatus};
use charrette_store::Documents;
use charrette_store::atomic::replace_private;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

/// What can be told.
const EVENTS: [&str; 2] = ["phase.finished", "run.finished"];
/// How long one message may take.
const EACH: Duration = Duration::from_secs(5);
/// How long a run that has ended waits for its last messages.
const LAST: Duration = Duration::from_secs(10);
/// Where a workspace keeps its messages.
const FOLDER: &str = "webhooks";
const PENDING: &str = ".pending.json";
const DELIVERED: &str = ".delivered.json";

/// Somebody who carries messages while a run is driven.
pub(crate) struct Messenger {
    bell: UnboundedSender<Ring>,
    at_work: JoinHandle<Option<String>>,
}

/// Why the bell rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ring {
    /// There may be something to tell.
    Now,
    /// The same, for the last time.
    Last,
}

/// What is needed to find messages and to send them.
struct Bag {
    hook: Webhook,
    events: Vec<String>,
    documents: Documents,
    workspaces: PathBuf,
    folders: Vec<(DocumentName, PathBuf)>,
}

impl Messenger {
    /// Begins to carry messages, if anybody wants them: those that are left from before, first of all. What is
    /// wrong with the configuration is said in one line.
    pub(crate) fn begin(site: &Site, name: &DocumentName) -> Result<Option<Messenger>, String> {
        let Some(url) = site.settings.webhook_url() else { return Ok(None) };
        let events = site.settings.webhook_events();
        if let Some(stranger) = events.iter().find(|event| !EVENTS.contains(&event.as_str())) {
            return Err(format!("webhooks.events knows {} only, not \"{stranger}\"", EVENTS.join(" and ")));
        }
        let variable = site.settings.webhook_secret_variable();
        let secret = variable.and_then(|variable| site.environment.secret(variable));
        if let (Some(variable), None) = (variable, &secret) {
            return Err(format!("webhooks.secret_env names {variable}, which is not set"));
        }
        let hook = Webhook::new(url, secret, EACH).map_err(|error| error.to_string())?;
        let documents = site.documents();
        let folders = folders(site, &documents, name);
        let workspaces = site.root.join(site.settings.workspace_folder());
        let (bell, rung) = unbounded_channel();
        let bag = Bag { hook, events, documents, workspaces, folders };
        let at_work = tokio::spawn(carry(bag, rung));
        // A messenger who is gone has nothing to do.
        let _ = bell.send(Ring::Now);
        Ok(Some(Messenger { bell, at_work }))
    }

    /// Watches for what is worth telling.
    pub(crate) fn watcher(&self) -> Watcher {
        let bell = self.bell.clone();
        Arc::new(move |event| {
            if matches!(event.kind, EventKind::PhaseFinished { .. } | EventKind::RunFinished { .. }) {
                let _ = bell.send(Ring::Now);
            }
        })
    }

    /// Waits a little for what is still to be delivered. Says what went wrong last, if anything did.
    pub(crate) async fn end(self) -> Option<String> {
        let _ = self.bell.send(Ring::Last);
        match tokio::time::timeout(LAST, self.at_work).await {
            Ok(done) => done.unwrap_or_default(),
            Err(_) => Some("it takes too long".to_owned()),
        }
    }
}

/// Tells what is left from before, without a run that is driven. What does not arrive is left for the next start.
pub async fn catch_up(site: &Site, name: &DocumentName) {
    if let Ok(Some(messenger)) = Messenger::begin(site, name) {
        messenger.end().await;
    }
}

/// Where the messages of runs are kept: of this one, and of all that have some.
fn folders(site: &Site, documents: &Documents, name: &DocumentName) -> Vec<(DocumentName, PathBuf)> {
    let names = documents.list().unwrap_or_default().into_iter().map(|row| row.name);
    let of_run = |other: DocumentName| {
        let document = documents.load(&other).ok()??.document;
        let folder = workspace_of(site, &document).ok()?.folder().join(FOLDER);
        (other == *name || folder.is_dir()).then_some((other, folder))
    };
    names.filter_map(of_run).collect()
}

/// Carries messages whenever the bell rings, until it has rung for the last time. Says what went wrong last.
async fn carry(bag: Bag, mut rung: UnboundedReceiver<Ring>) -> Option<String> {
    let mut problem = None;
    while let Some(mut ring) = rung.recv().await {
        // Several rings at once are one.
        while let Ok(next) = rung.try_recv() {
            ring = next;
        }
        problem = match bag.note() {
            Ok(()) => bag.deliver().await,
            Err(error) => Some(format!("messages cannot be noted: {error}")),
        };
        if ring == Ring::Last {
            break;
        }
    }
    problem
}

impl Bag {
    /// Notes everything that is finished and was not noted before.
    fn note(&self) -> std::io::Result<()> {
        for (name, folder) in &self.folders {
            let Ok(Some(loaded)) = self.documents.load(name) else { continue };
            for message in messages(&loaded.document) {
                if self.events.contains(&message.event) {
                    note(folder, &message)?;
                }
            }
        }
        Ok(())
    }

    /// Delivers what waits, the oldest first, until one does not arrive. Says why, if so.
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

/// What a document says is finished.
fn messages(document: &Checkpoint) -> Vec<Message> {
    let Some(run) = &document.run else { return Vec::new() };
    let message = |event: &str, phase: Option<&str>, at: String| Message {
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

/// Notes a message, unless that was done before.
fn note(folder: &Path, message: &Message) -> std::io::Result<()> {
    let file = |end: &str| folder.join(format!("{}{end}", message.id));
    if file(PENDING).exists() || file(DELIVERED).exists() {
        return Ok(());
    }
    fs_err::create_dir_all(folder)?;
    let text = serde_json::to_string_pretty(message)? + "\n";
    replace_private(&file(PENDING), text.as_bytes()).map_err(std::io::Error::other)
}

/// Everything that waits in any workspace, the oldest first. What cannot be read is left alone.
fn pending(workspaces: &Path) -> Vec<(PathBuf, Message)> {
    let entries = |folder: &Path| fs_err::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(PathBuf, Message)> = entries(workspaces)
        .flat_map(|workspace| entries(&workspace.path().join(FOLDER)).collect::<Vec<_>>())
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(PENDING))
        .filter_map(|path| {
            let message = serde_json::from_slice(&fs_err::read(&path).ok()?).ok()?;
            Some((path, message))
        })
        .collect();
    // A run ends with its last phase, in the same moment, but is told of afterwards.
    let order = |message: &Message| (message.at.clone(), message.event.clone(), message.phase.clone());
    found.sort_by_cached_key(|(_, message)| order(message));
    found
}

/// Says that a webhook does not work. Whatever it is, it will be tried again.
pub(crate) fn say(site: &Site, problem: &str) {
    site.notices.note(format!(
        "Warning: the webhook was not told everything: {problem}. The next start tells it again."
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_finished_is_told_with_an_id_that_stays() {
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
        let told = messages(&document);
        let shape: Vec<_> =
            told.iter().map(|told| (told.event.as_str(), told.phase.as_deref(), told.at.as_str())).collect();
        assert_eq!(
            shape,
            [
                ("phase.finished", Some("research"), "2026-01-31T01:00:00.000Z"),
                ("run.finished", None, "2026-01-31T02:00:00.000Z")
            ]
        );
        assert_eq!(told, messages(&document));
        assert_ne!(told[0].id, told[1].id);
    }
}
