//! The rule about children: a child is a run of its own, driven inside a step.

use super::bench::{Bench, Count, Echo, ensure, went};
use super::{Seen, Subject};
use crate::artifact::Artifact;
use crate::cancel::Cancel;
use crate::child::{ChildRequest, ChildRun};
use crate::event::Broadcast;
use crate::flow::FlowSpec;
use crate::gate::Gate;
use crate::order::Order;
use crate::ports::children::{ChildError, ChildOrder, Children};
use crate::ports::{Asker, BoxFuture};
use crate::room::Ports;
use crate::step::Step;
use crate::stop::Stop;
use charrette_model::checkpoint::Command;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
/// How often the own step of each child was executed, by run.
static CHILD_STEPS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

pub(super) fn child_steps() -> std::sync::MutexGuard<'static, BTreeMap<String, usize>> {
    CHILD_STEPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A child with one step and one question.
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
    ..FlowSpec::PLAIN
};

pub(super) async fn child(bench: &Bench) -> Seen {
    let run = bench.subject.open_child(Cancel::default(), Broadcast::default()).run_id();
    child_steps().remove(&run);
    let request =
        || ChildRequest { feature: "child".to_owned(), request: "Do it.".to_owned(), flags: Map::new() };
    let outcome = bench.drive().run.phase("one").child("child", &CHILD, request()).await;
    let waits =
        matches!(&outcome, Err(Stop::Waiting(waits)) if waits.iter().any(|wait| wait.gate == "inner"));
    ensure(waits, || format!("a child that waits gave its parent {outcome:?}"))?;
    bench.answer(true, "inner", &json!({"go": "yes"}));
    let done = went(bench.drive().run.phase("one").child("child", &CHILD, request()).await)?;
    ensure(done.files.contains_key("child.md"), || format!("what the child left is {:?}", done.files))?;
    let again = went(bench.drive().run.phase("one").child("child", &CHILD, request()).await)?;
    ensure(again == done, || "a recorded child has another outcome".to_owned())?;
    bench.children_opened.is(2, "a child that waited once")?;
    let executed = child_steps().get(&run).copied().unwrap_or_default();
    ensure(executed == 1, || format!("the child's step was executed {executed} times"))
}

/// Opens the child of the subject.
pub(super) struct SubjectChildren {
    pub(super) subject: Arc<dyn Subject>,
    pub(super) asker: Arc<dyn Asker>,
    pub(super) opened: Count,
}

impl Children for SubjectChildren {
    fn open(&self, _: ChildOrder) -> BoxFuture<'static, Result<ChildRun, ChildError>> {
        self.opened.up();
        let journal = self.subject.open_child(Cancel::default(), Broadcast::default());
        let ports = Ports::bare(Arc::new(Echo), self.asker.clone());
        let order = Arc::new(Order::default());
        let document = "child".to_owned();
        let child = ChildRun { journal, ports, order, parallel: 1, document, guard: Box::new(()) };
        Box::pin(async move { Ok(child) })
    }
}
