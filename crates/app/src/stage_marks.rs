//! The ledgers of a run's stages: a mark where each of them really begins.
//!
//! Ledgers are for people. One that cannot be written must not stop a run.

use charrette_engine::ports::Clock;
use charrette_engine::{EventKind, Watcher};
use charrette_model::ledger::timing::{self, mark_row};
use charrette_model::ledger::tokens::Row;
use charrette_model::stamp::Now;
use charrette_store::ledger::append;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The stages that a caller counts tokens for.
const COUNTED: [&str; 3] = ["3", "3.5", "3b"];

/// Where stages are marked.
#[derive(Debug)]
pub(crate) struct StageLedgers {
    command: String,
    times: Vec<PathBuf>,
    tokens: Option<PathBuf>,
}

/// A stage that began and has not been marked.
struct Begun {
    number: String,
    name: String,
    ledger: String,
}

impl StageLedgers {
    /// The ledger of times of a workspace, for runs of that command.
    pub(crate) fn of(command: &str, workspace: &Path) -> StageLedgers {
        let times = vec![workspace.join(timing::FILE)];
        StageLedgers { command: command.to_owned(), times, tokens: None }
    }

    /// A caller's as well.
    pub(crate) fn and(mut self, times: Option<PathBuf>, tokens: Option<PathBuf>) -> StageLedgers {
        self.times.extend(times);
        self.tokens = tokens;
        self
    }

    fn mark(&self, stage: &Begun, now: Now) {
        let row = mark_row(now.at().as_second(), &self.command, &stage.ledger);
        for ledger in &self.times {
            let _ = append(ledger, &row, None);
        }
        if let Some(tokens) = self.tokens.as_ref().filter(|_| COUNTED.contains(&stage.number.as_str())) {
            let step = format!("Step 1 — {} Step {} {}", self.command, stage.number, stage.name);
            let _ = append(tokens, &Row::Mark { step }.text(now.at()), None);
        }
    }

    /// Marks stages as they begin. A stage of which everything is reused leaves no mark.
    pub(crate) fn watcher(self, clock: Arc<dyn Clock>) -> Watcher {
        let begun: Mutex<Option<Begun>> = Mutex::default();
        Arc::new(move |event| {
            let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
            match &event.kind {
                EventKind::StageBegan { number, name, ledger, .. } if !ledger.is_empty() => {
                    let (number, name, ledger) = (number.clone(), name.clone(), ledger.clone());
                    *begun = Some(Begun { number, name, ledger });
                }
                EventKind::StepStarted { .. } => {
                    if let Some(stage) = begun.take() {
                        self.mark(&stage, clock.now());
                    }
                }
                _ => {}
            }
        })
    }
}
