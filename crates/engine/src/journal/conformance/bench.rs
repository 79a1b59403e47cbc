//! What the rules are tried with: a driver that can be killed, steps that are counted, agents that echo.

use super::child::SubjectChildren;
use super::{Seen, Subject};
use crate::cancel::Cancel;
use crate::event::{Broadcast, EventKind, Watcher};
use crate::gate::{GateView, Reply};
use crate::order::Order;
use crate::ports::launcher::{AgentAnswer, LaunchError, LaunchOrder, Launcher};
use crate::ports::{Asker, BoxFuture};
use crate::room::Ports;
use crate::run::{PhaseHandle, Run};
use crate::step::Step;
use crate::stop::{Flow, Stop};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The run a rule is tried on.
pub struct Bench {
    pub(super) subject: Arc<dyn Subject>,
    pub(super) children_opened: Count,
}

/// Somebody who drives the run, with everything they hear.
pub(super) struct Driver {
    pub(super) run: Run<'static>,
    pub(super) cancel: Cancel,
    pub(super) heard: Arc<Mutex<Vec<EventKind>>>,
}

impl Driver {
    /// Ends in order: what it did is on record. A driver that is dropped was killed.
    pub(super) async fn leave(self) {
        self.run.journal().stop_run(&Stop::Enough).await;
    }
}

impl Bench {
    pub(super) fn drive(&self) -> Driver {
        self.drive_with(Arc::new(Nobody))
    }

    pub(super) fn drive_with(&self, asker: Arc<dyn Asker>) -> Driver {
        let (cancel, broadcast, heard) =
            (Cancel::default(), Broadcast::default(), Arc::new(Mutex::default()));
        broadcast.subscribe(listening(&heard));
        let journal = self.subject.open(cancel.clone(), broadcast);
        let children = Arc::new(SubjectChildren {
            subject: self.subject.clone(),
            asker: asker.clone(),
            opened: self.children_opened.clone(),
        });
        let ports = Ports { children, ..Ports::bare(Arc::new(Echo), asker) };
        Driver { run: Run::new(journal, ports, Arc::new(Order::default()), &[]), cancel, heard }
    }

    pub(super) fn answer(&self, of_child: bool, gate: &str, answers: &Value) {
        self.subject.answer(of_child, gate, answers.as_object().cloned().unwrap_or_default());
    }
}

pub(super) fn listening(heard: &Arc<Mutex<Vec<EventKind>>>) -> Watcher {
    let heard: Arc<Mutex<Vec<EventKind>>> = heard.clone();
    Arc::new(move |event| heard.lock().unwrap_or_else(PoisonError::into_inner).push(event.kind.clone()))
}

/// Counts how often something was executed.
#[derive(Debug, Clone, Default)]
pub(super) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(super) fn up(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn is(&self, expected: usize, what: &str) -> Seen {
        let found = self.0.load(Ordering::SeqCst);
        ensure(found == expected, || format!("{what} was executed {found} times instead of {expected}"))
    }
}

pub(super) fn ensure(is_so: bool, otherwise: impl FnOnce() -> String) -> Seen {
    if is_so { Ok(()) } else { Err(otherwise()) }
}

pub(super) fn went<T>(outcome: Flow<T>) -> Result<T, String> {
    outcome.map_err(|stop| format!("it stopped: {stop}"))
}

/// A step that writes `text` to `name`, counted.
pub(super) async fn write(
    phase: &PhaseHandle<'_>,
    step: Step,
    name: &'static str,
    text: &str,
    count: &Count,
) -> Flow<usize> {
    let (text, count) = (text.to_owned(), count.clone());
    phase
        .step(step, move |context| async move {
            count.up();
            context.write(name, &text)?;
            Ok(text.len())
        })
        .await
}

pub(super) async fn text(driver: &Driver, name: &str) -> Result<Option<String>, String> {
    let bytes = driver.run.journal().artifacts().get(name).await.map_err(|error| error.to_string())?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// There is nobody to ask.
#[derive(Debug)]
pub(super) struct Nobody;

impl Asker for Nobody {
    fn ask<'a>(&'a self, _: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(async { Reply::Nobody })
    }
}

/// An agent that repeats what it is asked.
#[derive(Debug)]
pub(super) struct Echo;

impl Launcher for Echo {
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        Box::pin(async move { Ok(AgentAnswer { text: order.prompt, ..AgentAnswer::default() }) })
    }
}
