//! Taking a flow from its start, or its last stop, to its end or the next stop.

use crate::event::EventKind;
use crate::flow::FlowSpec;
use crate::run::Run;
use crate::stop::{Flow, Stop};

/// More revisions than any gate allows: a flow that still wants to go again is broken.
const MOST_TIMES_AGAIN: usize = 20;

/// Drives a flow until it is done or stops. The document says where it stands, whatever happens here.
pub async fn drive(flow: &FlowSpec, run: &Run<'_>) -> Flow<()> {
    let mut outcome = Err(Stop::Again);
    for _ in 0..MOST_TIMES_AGAIN {
        outcome = (flow.run)(run).await;
        if outcome != Err(Stop::Again) {
            break;
        }
    }
    if outcome == Err(Stop::Again) {
        outcome = Err(Stop::Failed("the flow asks for revisions without end".to_owned()));
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
                .tell(EventKind::GateWaiting { gate: wait.gate.clone(), questions: wait.questions.clone() });
        }
    }
    let status = match &outcome {
        Ok(()) | Err(Stop::Enough) => "done",
        Err(Stop::Waiting(_) | Stop::Again) => "waiting",
        Err(Stop::Refused(_)) => "refused",
        Err(Stop::Failed(_)) => "failed",
        Err(Stop::Interrupted) => "interrupted",
    };
    run.journal.tell(EventKind::RunFinished { status: status.to_owned(), files: run.journal.place() });
    outcome
}
