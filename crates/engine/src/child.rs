//! A run inside a run: another flow driven as one step of this one, with a document and a workspace of its own.
//!
//! The step is on record with the child's outcome. While the child is not through, the step is not either: when the parent
//! is resumed it opens the same child again, and whatever that has done, by itself or under its parent, is reused.

use crate::artifact::Input;
use crate::driver::drive;
use crate::flow::FlowSpec;
use crate::order::Order;
use crate::ports::Journal;
use crate::ports::children::{ChildError, ChildOrder};
use crate::room::Ports;
use crate::run::{PhaseHandle, Run};
use crate::step::{Step, StepDone, StepError};
use crate::stop::{Flow, Stop};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A child that is open: its memory, what it may use, and what must be held while it is driven.
pub struct ChildRun {
    /// Its memory.
    pub journal: Arc<dyn Journal>,
    /// What the outside world provides to it.
    pub ports: Ports,
    /// What it was asked for.
    pub order: Arc<Order>,
    /// How many branches may work at the same time.
    pub parallel: usize,
    /// Which document it is.
    pub document: String,
    /// Held until the child has stopped: its lease.
    pub guard: Box<dyn Any + Send + Sync>,
}

impl fmt::Debug for ChildRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildRun").field("document", &self.document).finish_non_exhaustive()
    }
}

/// What came of a child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildOutcome {
    /// The id of its run.
    pub run: String,
    /// Which document it is.
    pub document: String,
    /// The digest of everything it left in its workspace, by name.
    pub files: std::collections::BTreeMap<String, String>,
}

/// A child to be driven.
#[derive(Debug, Clone)]
pub struct ChildRequest {
    /// The feature it works on.
    pub feature: String,
    /// What is asked for, word for word.
    pub request: String,
    /// The flags it goes by.
    pub flags: Map<String, Value>,
}

impl PhaseHandle<'_> {
    /// Drives another flow to its end, as one step. Where the child waits for a person, so does this run.
    pub async fn child(
        &self,
        id: &str,
        flow: &'static FlowSpec,
        request: ChildRequest,
    ) -> Flow<ChildOutcome> {
        let ChildRequest { feature, request, flags } = request;
        let order = ChildOrder { flow, feature, request, flags, step: id.to_owned() };
        let given = (&order.feature, &order.request, &order.flags, order.flow.command.as_str());
        let step = Step::new(id).reads(&Input::given("child", &given)).reaches_out();
        let children = self.run.ports.children.clone();
        let recorded = self.once(step, move |_| {
            Box::pin(async move {
                let child = children.open(order).await.map_err(|error| match error {
                    ChildError::Refused(why) => StepError::Refused(why),
                    ChildError::Failed(why) => StepError::Failed(why),
                })?;
                let outcome = driven(flow, child).await.map_err(|stop| match stop {
                    Stop::Interrupted => StepError::Interrupted,
                    other => StepError::Stopped(other),
                })?;
                let value = serde_json::to_value(outcome)
                    .map_err(|error| StepError::Failed(format!("the outcome cannot be recorded: {error}")))?;
                Ok(StepDone { value, ..StepDone::default() })
            })
        });
        serde_json::from_value(recorded.await?.value)
            .map_err(|error| Stop::Failed(format!("the record of a child has another shape: {error}")))
    }
}

async fn driven(flow: &'static FlowSpec, child: ChildRun) -> Flow<ChildOutcome> {
    let ChildRun { journal, ports, order, parallel, document, guard } = child;
    let run = Run::new(journal.clone(), ports, order, flow.stages).with_parallel(parallel);
    let outcome = drive(flow, &run).await;
    let files = match &outcome {
        Ok(()) => digests(&*journal).await,
        Err(_) => Ok(std::collections::BTreeMap::new()),
    };
    drop(guard);
    outcome?;
    Ok(ChildOutcome { run: journal.run_id(), document, files: files? })
}

async fn digests(journal: &dyn Journal) -> Flow<std::collections::BTreeMap<String, String>> {
    let store = journal.artifacts();
    let problem =
        |error: std::io::Error| Stop::Failed(format!("what the child left cannot be read: {error}"));
    let mut files = std::collections::BTreeMap::new();
    for name in store.list().await.map_err(problem)? {
        if let Some(digest) = store.digest(&name).await.map_err(problem)? {
            files.insert(name, digest);
        }
    }
    Ok(files)
}
