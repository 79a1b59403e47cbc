//! The timing ledger of a run: a mark where each of its stages really begins.
//!
//! Ledgers are for people. One that cannot be written must not stop a run.

use charrette_engine::Event;
use charrette_engine::EventKind;
use charrette_engine::ports::Clock;
use charrette_model::ledger::timing::{self, mark_row};
use charrette_model::progress::steps::Step;
use charrette_store::ledger::append;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

type Watcher = Arc<dyn Fn(&Event) + Send + Sync>;

/// Marks stages in the workspace's ledger, and hands every event on. A stage of which everything is reused leaves
/// no mark.
pub(crate) fn marking(workspace: &Path, clock: Arc<dyn Clock>, watcher: Watcher) -> Watcher {
    let ledger = workspace.join(timing::FILE);
    let begun: Mutex<Option<&'static str>> = Mutex::default();
    Arc::new(move |event| {
        let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.kind {
            EventKind::StageBegan { number, .. } => *begun = Some(number),
            EventKind::StepStarted { .. } => {
                if let Some(stage) = begun.take().and_then(Step::design) {
                    let row = mark_row(clock.now().at().as_second(), "design", stage.ledger);
                    let _ = append(&ledger, &row, None);
                }
            }
            _ => {}
        }
        drop(begun);
        watcher(event);
    })
}
