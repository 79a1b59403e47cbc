//! The rule about child runs.

use super::bench::{Counter, Echo, RuleContext, ensure, expect_ok};
use super::{RuleResult, RunFixture};
use crate::artifact::Artifact;
use crate::cancel::Cancel;
use crate::child::{ChildRequest, OpenChild};
use crate::event::Broadcast;
use crate::flow::FlowSpec;
use crate::gate::Gate;
use crate::order::RunOrder;
use crate::ports::children::{ChildError, ChildOrder, Children};
use crate::ports::{Asker, BoxFuture};
use crate::run_ports::Ports;
use crate::step::Step;
use crate::stop::Stop;
use charrette_model::checkpoint::Command;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of executions of the step of each child, by run id.
static CHILD_STEPS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

pub(super) fn child_steps() -> std::sync::MutexGuard<'static, BTreeMap<String, usize>> {
    CHILD_STEPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Flow of the child: one step and one gate.
pub(super) static CHILD: FlowSpec = FlowSpec {
    command: Command::Research,
    phases: &["inside"],
    run: |run| {
        Box::pin(async move {
            let phase = run.phase("inside");
            let made = phase
                .make(Artifact::fixed("child.md"), Step::new("work"), |context| async move {
                    *child_steps().entry(context.run()).or_default() += 1;
                    Ok("from the child".to_owned())
                })
                .await?;
            phase.gate(Gate::new("inner", &made).ask("go", "Go on?", "yes")).await?;
            phase.finish_run(None).await
        })
    },
    ..FlowSpec::EMPTY
};

pub(super) async fn child(bench: &RuleContext) -> RuleResult {
    let run = bench.fixture.open_child(Cancel::default(), Broadcast::default()).run_id();
    child_steps().remove(&run);
    let request =
        || ChildRequest { feature: "child".to_owned(), request: "Do it.".to_owned(), flags: Map::new() };
    let outcome = bench.drive().run.phase("one").child("child", &CHILD, request()).await;
    let waits =
        matches!(&outcome, Err(Stop::Waiting(waits)) if waits.iter().any(|wait| wait.gate == "inner"));
    ensure(waits, || format!("a child that waits gave its parent {outcome:?}"))?;
    bench.answer(true, "inner", &json!({"go": "yes"}));
    let done = expect_ok(bench.drive().run.phase("one").child("child", &CHILD, request()).await)?;
    ensure(done.files.contains_key("child.md"), || format!("the files of the child are {:?}", done.files))?;
    let again = expect_ok(bench.drive().run.phase("one").child("child", &CHILD, request()).await)?;
    ensure(again == done, || "a recorded child has another outcome".to_owned())?;
    bench.children_opened.expect_count(2, "a child that waited once")?;
    let executed = child_steps().get(&run).copied().unwrap_or_default();
    ensure(executed == 1, || format!("the child's step was executed {executed} times"))
}

/// Opens the child run of the fixture.
pub(super) struct FixtureChildren {
    pub(super) fixture: Arc<dyn RunFixture>,
    pub(super) asker: Arc<dyn Asker>,
    pub(super) opened: Counter,
}

impl Children for FixtureChildren {
    fn open(&self, _: ChildOrder) -> BoxFuture<'static, Result<OpenChild, ChildError>> {
        self.opened.increment();
        let journal = self.fixture.open_child(Cancel::default(), Broadcast::default());
        let ports = Ports::minimal(Arc::new(Echo), self.asker.clone());
        let order = Arc::new(RunOrder::default());
        let document = "child".to_owned();
        let child = OpenChild { journal, ports, order, parallel: 1, document, guard: Box::new(()) };
        Box::pin(async move { Ok(child) })
    }
}
