//! Test bench of the rules: a driver that can be killed, counted steps, agents that echo their prompt.

use super::child::FixtureChildren;
use super::{RuleResult, RunFixture};
use crate::cancel::Cancel;
use crate::event::{Broadcast, EventKind, Watcher};
use crate::gate::{GateView, Reply};
use crate::order::RunOrder;
use crate::ports::launcher::{AgentAnswer, LaunchError, LaunchOrder, Launcher};
use crate::ports::{Asker, BoxFuture};
use crate::run::{PhaseHandle, Run};
use crate::run_ports::Ports;
use crate::step::Step;
use crate::stop::{FlowResult, Stop};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The run of a rule.
pub struct RuleContext {
    pub(super) fixture: Arc<dyn RunFixture>,
    pub(super) children_opened: Counter,
}

/// A driver of the run, with the events it emitted.
pub(super) struct Driver {
    pub(super) run: Run<'static>,
    pub(super) cancel: Cancel,
    pub(super) events: Arc<Mutex<Vec<EventKind>>>,
}

impl Driver {
    /// Stops in order: its steps are on record. Dropping a driver instead kills it.
    pub(super) async fn stop(self) {
        self.run.journal().stop_run(&Stop::RequestedPhasesDone).await;
    }
}

impl RuleContext {
    pub(super) fn drive(&self) -> Driver {
        self.drive_with(Arc::new(UnattendedAsker))
    }

    pub(super) fn drive_with(&self, asker: Arc<dyn Asker>) -> Driver {
        let (cancel, broadcast, events) =
            (Cancel::default(), Broadcast::default(), Arc::new(Mutex::default()));
        broadcast.subscribe(event_recorder(&events));
        let journal = self.fixture.open(cancel.clone(), broadcast);
        let children = Arc::new(FixtureChildren {
            fixture: self.fixture.clone(),
            asker: asker.clone(),
            opened: self.children_opened.clone(),
        });
        let ports = Ports { children, ..Ports::minimal(Arc::new(Echo), asker) };
        Driver { run: Run::new(journal, ports, Arc::new(RunOrder::default()), &[]), cancel, events }
    }

    pub(super) fn answer(&self, of_child: bool, gate: &str, answers: &Value) {
        self.fixture.answer(of_child, gate, answers.as_object().cloned().unwrap_or_default());
    }
}

pub(super) fn event_recorder(events: &Arc<Mutex<Vec<EventKind>>>) -> Watcher {
    let events: Arc<Mutex<Vec<EventKind>>> = events.clone();
    Arc::new(move |event| events.lock().unwrap_or_else(PoisonError::into_inner).push(event.kind.clone()))
}

/// Counter of executions.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter(Arc<AtomicUsize>);

impl Counter {
    pub(super) fn increment(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn expect_count(&self, expected: usize, what: &str) -> RuleResult {
        let count = self.0.load(Ordering::SeqCst);
        ensure(count == expected, || format!("{what} was executed {count} times instead of {expected}"))
    }
}

pub(super) fn ensure(condition: bool, details: impl FnOnce() -> String) -> RuleResult {
    if condition { Ok(()) } else { Err(details()) }
}

pub(super) fn expect_ok<T>(outcome: FlowResult<T>) -> Result<T, String> {
    outcome.map_err(|stop| format!("the flow stopped: {stop}"))
}

/// Runs a counted step that writes `text` to `name`.
pub(super) async fn write(
    phase: &PhaseHandle<'_>,
    step: Step,
    name: &'static str,
    text: &str,
    count: &Counter,
) -> FlowResult<usize> {
    let (text, count) = (text.to_owned(), count.clone());
    phase
        .step(step, move |context| async move {
            count.increment();
            context.write(name, &text)?;
            Ok(text.len())
        })
        .await
}

pub(super) async fn text(driver: &Driver, name: &str) -> Result<Option<String>, String> {
    let bytes = driver.run.journal().artifacts().get(name).await.map_err(|error| error.to_string())?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Asker of an unattended run.
#[derive(Debug)]
pub(super) struct UnattendedAsker;

impl Asker for UnattendedAsker {
    fn ask<'a>(&'a self, _: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(async { Reply::Unattended })
    }
}

/// Launcher of agents that repeat their prompt.
#[derive(Debug)]
pub(super) struct Echo;

impl Launcher for Echo {
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        Box::pin(async move { Ok(AgentAnswer { text: order.prompt, ..AgentAnswer::default() }) })
    }
}
