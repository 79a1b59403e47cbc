//! The ledgers of a run's stages: a mark where each of them really begins.
//!
//! Ledgers are for people. One that cannot be written must not stop a run.

use charrette_engine::Event;
use charrette_engine::EventKind;
use charrette_engine::ports::Clock;
use charrette_model::ledger::timing::{self, mark_row};
use charrette_model::ledger::tokens::Row;
use charrette_model::progress::steps::Step;
use charrette_model::stamp::Now;
use charrette_store::ledger::append;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

type Watcher = Arc<dyn Fn(&Event) + Send + Sync>;

/// The stages that a caller counts tokens for.
const COUNTED: [&str; 3] = ["3", "3.5", "3b"];

/// Where stages are marked.
#[derive(Debug)]
pub(crate) struct StageLedgers {
    times: Vec<PathBuf>,
    tokens: Option<PathBuf>,
}

impl StageLedgers {
    /// The ledger of times of a workspace.
    pub(crate) fn of(workspace: &Path) -> StageLedgers {
        StageLedgers { times: vec![workspace.join(timing::FILE)], tokens: None }
    }

    /// A caller's as well.
    pub(crate) fn and(mut self, times: Option<PathBuf>, tokens: Option<PathBuf>) -> StageLedgers {
        self.times.extend(times);
        self.tokens = tokens;
        self
    }

    fn mark(&self, stage: Step, now: Now) {
        let row = mark_row(now.at().as_second(), "design", stage.ledger);
        for ledger in &self.times {
            let _ = append(ledger, &row, None);
        }
        if let Some(tokens) = self.tokens.as_ref().filter(|_| COUNTED.contains(&stage.number)) {
            let step = format!("Step 1 — design Step {} {}", stage.number, stage.name);
            let _ = append(tokens, &Row::Mark { step }.text(now.at()), None);
        }
    }
}

/// Marks stages in these ledgers, and hands every event on. A stage of which everything is reused leaves no mark.
pub(crate) fn marking(ledgers: StageLedgers, clock: Arc<dyn Clock>, watcher: Watcher) -> Watcher {
    let begun: Mutex<Option<&'static str>> = Mutex::default();
    Arc::new(move |event| {
        let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.kind {
            EventKind::StageBegan { number, .. } => *begun = Some(number),
            EventKind::StepStarted { .. } => {
                if let Some(stage) = begun.take().and_then(Step::design) {
                    ledgers.mark(stage, clock.now());
                }
            }
            _ => {}
        }
        drop(begun);
        watcher(event);
    })
}
