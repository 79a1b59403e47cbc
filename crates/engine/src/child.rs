//! Child runs: another flow driven as one step of this one, with a document and a workspace of its own.
//!
//! The step is recorded with the child's outcome. While the child is not complete, the step is not either: when the parent
//! is resumed it opens the same child again, and the steps it has done, by itself or under its parent, are reused.

use crate::artifact::Input;
use crate::driver::drive;
use crate::flow::FlowSpec;
use crate::order::RunOrder;
use crate::ports::Journal;
use crate::ports::children::{ChildError, ChildOrder};
use crate::run::{PhaseHandle, Run};
use crate::run_ports::Ports;
use crate::step::{Step, StepError, StepOutput};
use crate::stop::{FlowResult, Stop};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An open child run: its journal, its ports, and the lease to hold while it is driven.
pub struct OpenChild {
    pub journal: Arc<dyn Journal>,
    pub ports: Ports,
    pub order: Arc<RunOrder>,
    /// Maximum number of branches at the same time.
    pub parallel: usize,
    /// Name of its document.
    pub document: String,
    /// Lease of the child, held until it has stopped.
    pub guard: Box<dyn Any + Send + Sync>,
}

impl fmt::Debug for OpenChild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenChild").field("document", &self.document).finish_non_exhaustive()
    }
}

/// Outcome of a child run, as recorded with the step of its parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildOutcome {
    /// Run id.
    pub run: String,
    /// Name of its document.
    pub document: String,
    /// Digest of every file in its workspace, by name.
    pub files: std::collections::BTreeMap<String, String>,
}

#[derive(Debug, Clone)]
pub struct ChildRequest {
    pub feature: String,
    /// Request of the user, verbatim.
    pub request: String,
    pub flags: Map<String, Value>,
}

impl PhaseHandle<'_> {
    /// Drives another flow to its end, as one step. If the child waits for a person, so does this run.
    pub async fn child(
        &self,
        id: &str,
        flow: &'static FlowSpec,
        request: ChildRequest,
    ) -> FlowResult<ChildOutcome> {
        let ChildRequest { feature, request, flags } = request;
        let order = ChildOrder { flow, feature, request, flags, step: id.to_owned() };
        let given = (&order.feature, &order.request, &order.flags, order.flow.command.as_str());
        let step = Step::new(id).reads(&Input::given("child", &given)).external_effect();
        let children = self.run.ports.children.clone();
        let recorded = self.once(step, move |_| {
            Box::pin(async move {
                let child = children.open(order).await.map_err(|error| match error {
                    ChildError::Refused(why) => StepError::Refused(why),
                    ChildError::Failed(why) => StepError::Failed(why),
                })?;
                let outcome = drive_child(flow, child).await.map_err(|stop| match stop {
                    Stop::Interrupted => StepError::Interrupted,
                    other => StepError::ChildStopped(other),
                })?;
                let value = serde_json::to_value(outcome).map_err(|error| {
                    StepError::Failed(format!("cannot record the outcome of the child run: {error}"))
                })?;
                Ok(StepOutput { value, ..StepOutput::default() })
            })
        });
        serde_json::from_value(recorded.await?.value).map_err(|error| {
            let phase = &self.name;
            Stop::Failed(format!("step {id} of phase {phase}: unexpected record of a child run: {error}"))
        })
    }
}

async fn drive_child(flow: &'static FlowSpec, child: OpenChild) -> FlowResult<ChildOutcome> {
    let OpenChild { journal, ports, order, parallel, document, guard } = child;
    let run = Run::new(journal.clone(), ports, order, flow.stages).with_parallel(parallel);
    let outcome = drive(flow, &run).await;
    let files = match &outcome {
        Ok(()) => artifact_digests(&*journal).await,
        Err(_) => Ok(std::collections::BTreeMap::new()),
    };
    drop(guard);
    outcome?;
    Ok(ChildOutcome { run: journal.run_id(), document, files: files? })
}

async fn artifact_digests(journal: &dyn Journal) -> FlowResult<std::collections::BTreeMap<String, String>> {
    let store = journal.artifacts();
    let problem =
        |error: std::io::Error| Stop::Failed(format!("cannot read the files of the child run: {error}"));
    let mut files = std::collections::BTreeMap::new();
    for name in store.list().await.map_err(problem)? {
        if let Some(digest) = store.digest(&name).await.map_err(problem)? {
            files.insert(name, digest);
        }
    }
    Ok(files)
}
