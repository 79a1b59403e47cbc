//! Drives a flow from its start, or its last stop, to its end or the next stop.

use crate::event::EventKind;
use crate::flow::FlowSpec;
use crate::run::Run;
use crate::stop::{FlowResult, Stop};

/// More revisions than any gate allows: a flow that asks for more is broken.
const MAX_REVISIONS: usize = 20;

/// Drives a flow until it is done or stops. The document records the progress of every step.
pub async fn drive(flow: &FlowSpec, run: &Run<'_>) -> FlowResult<()> {
    let mut outcome = Err(Stop::Revise);
    for _ in 0..MAX_REVISIONS {
        run.participation.clear();
        outcome = (flow.run)(run).await;
        if outcome != Err(Stop::Revise) {
            break;
        }
    }
    if outcome == Err(Stop::Revise) {
        outcome = Err(Stop::Failed(format!("stopped after {MAX_REVISIONS} revisions of one run (limit)")));
    }
    if outcome.is_ok() {
        outcome = run.journal.finish_run().await;
    }
    if let Err(stop) = &outcome {
        run.journal.stop_run(stop).await;
    }
    if let Err(Stop::Waiting(waits)) = &outcome {
        for wait in waits {
            run.journal
                .emit(EventKind::GateWaiting { gate: wait.gate.clone(), questions: wait.questions.clone() });
        }
    }
    let status = match &outcome {
        Ok(()) | Err(Stop::RequestedPhasesDone) => "done",
        Err(Stop::Waiting(_) | Stop::Revise) => "waiting",
        Err(Stop::Refused(_)) => "refused",
        Err(Stop::Failed(_)) => "failed",
        Err(Stop::Interrupted) => "interrupted",
    };
    run.journal.emit(EventKind::RunFinished { status: status.to_owned(), files: run.journal.location() });
    outcome
}
