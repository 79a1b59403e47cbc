//! Stage ledgers of a run: a mark at the first executed step of each stage.
//!
//! Ledgers are for people. A failed write never stops a run.

use charrette_engine::ports::Clock;
use charrette_engine::{EventKind, Watcher};
use charrette_model::ledger::timing::{self, mark_row};
use charrette_model::ledger::tokens::TokenRow;
use charrette_model::stamp::Now;
use charrette_store::LogFolder;
use charrette_store::ledger::{append, append_in};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Stages that are marked in a caller's token ledger.
const TOKEN_STAGES: [&str; 3] = ["3", "3.5", "3b"];

/// Timing and token ledgers that stages are marked in.
#[derive(Debug)]
pub(crate) struct StageLedgers {
    command: String,
    workspace: LogFolder,
    /// Timing ledger of a caller.
    times: Option<PathBuf>,
    tokens: Option<PathBuf>,
}

/// Stage that has begun and is not marked yet.
struct UnmarkedStage {
    number: String,
    name: String,
    ledger: String,
}

impl StageLedgers {
    /// Timing ledger of a workspace.
    pub(crate) fn new(command: &str, workspace: LogFolder) -> StageLedgers {
        StageLedgers { command: command.to_owned(), workspace, times: None, tokens: None }
    }

    /// Adds the ledgers of a caller.
    pub(crate) fn with_caller(mut self, times: Option<PathBuf>, tokens: Option<PathBuf>) -> StageLedgers {
        self.times = times;
        self.tokens = tokens;
        self
    }

    fn mark(&self, stage: &UnmarkedStage, now: Now) {
        let row = mark_row(now.at().as_second(), &self.command, &stage.ledger);
        let _ = append_in(&self.workspace, timing::FILE, &row);
        if let Some(ledger) = &self.times {
            let _ = append(ledger, &row, None);
        }
        if let Some(tokens) = self.tokens.as_ref().filter(|_| TOKEN_STAGES.contains(&stage.number.as_str())) {
            let step = format!("Step 1 — {} Step {} {}", self.command, stage.number, stage.name);
            let _ = append(tokens, &TokenRow::Mark { step }.text(now.at()), None);
        }
    }

    /// Watcher that marks stages as they begin. A stage whose steps are all reused gets no mark.
    pub(crate) fn watcher(self, clock: Arc<dyn Clock>) -> Watcher {
        let unmarked: Mutex<Option<UnmarkedStage>> = Mutex::default();
        Arc::new(move |event| {
            let mut unmarked = unmarked.lock().unwrap_or_else(PoisonError::into_inner);
            match &event.kind {
                EventKind::StageBegan { number, name, ledger, .. } if !ledger.is_empty() => {
                    let (number, name, ledger) = (number.clone(), name.clone(), ledger.clone());
                    *unmarked = Some(UnmarkedStage { number, name, ledger });
                }
                EventKind::StepStarted { .. } => {
                    if let Some(stage) = unmarked.take() {
                        self.mark(&stage, clock.now());
                    }
                }
                _ => {}
            }
        })
    }
}
