//! Numbered stages of a flow: display events only, no step depends on them.

use crate::event::{EventKind, StageOutcome};
use crate::ports::Journal;
use charrette_model::progress::StageSpec;
use std::collections::BTreeMap;

/// Handle to a numbered stage of a flow.
pub struct StageHandle<'r> {
    journal: &'r dyn Journal,
    number: String,
    name: String,
    ledger: String,
    is_last: bool,
}

impl<'r> StageHandle<'r> {
    /// Finds the stage in the flow's table; an unknown one is named by its number.
    pub(crate) fn new(journal: &'r dyn Journal, number: &str, stages: &[StageSpec]) -> StageHandle<'r> {
        let known = stages.iter().find(|stage| stage.number == number);
        let is_last = stages.last().is_some_and(|last| last.number == number);
        let name = known.map_or(number, |stage| stage.name).to_owned();
        let ledger = known.map_or("", |stage| stage.ledger).to_owned();
        StageHandle { journal, number: number.to_owned(), name, ledger, is_last }
    }

    pub(crate) fn begin(&self, payload: Option<String>) {
        let (number, name, ledger) = (self.number.clone(), self.name.clone(), self.ledger.clone());
        self.journal.emit(EventKind::StageBegan { number, name, ledger, payload });
    }

    /// Reports that a worker process runs this stage and those after it.
    pub(crate) fn hand_over(&self) {
        let (number, name) = (self.number.clone(), self.name.clone());
        self.journal.emit(EventKind::StageHandedOver { number, name });
    }

    /// Ends the stage as done.
    pub fn finish(&self, payload: impl Into<String>) {
        self.end(if self.is_last { StageOutcome::Last } else { StageOutcome::Done }, payload.into());
    }

    /// Ends the stage as skipped.
    pub fn skip(&self, payload: impl Into<String>) {
        self.end(StageOutcome::Skipped, payload.into());
    }

    /// Ends the stage with a warning; warnings are repeated on the closing page.
    pub fn warn(&self, payload: impl Into<String>) {
        self.end(StageOutcome::Warning, payload.into());
    }

    /// Announces the parallel lanes of this stage: step id and display name of each.
    pub fn show_lanes(&self, title: &str, lanes: impl IntoIterator<Item = (String, String)>) {
        self.journal.emit(EventKind::Lanes { title: title.to_owned(), lanes: lanes.into_iter().collect() });
    }

    /// Shows an artifact under a heading.
    pub fn show_document(&self, heading: &str, artifact: &str) {
        let (heading, name) = (heading.to_owned(), artifact.to_owned());
        self.journal.emit(EventKind::Document { heading, name });
    }

    /// Prints a line as it is.
    pub fn print_line(&self, text: impl Into<String>) {
        self.journal.emit(EventKind::Line { text: text.into() });
    }

    /// Reports the tally of a vote.
    pub fn report_votes(&self, about: &str, outcomes: BTreeMap<String, usize>) {
        self.journal.emit(EventKind::VoteTallied { about: about.to_owned(), outcomes });
    }

    fn end(&self, ending: StageOutcome, payload: String) {
        let (number, name) = (self.number.clone(), self.name.clone());
        self.journal.emit(EventKind::StageEnded { number, name, ending, payload });
    }
}

impl std::fmt::Debug for StageHandle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("StageHandle").field(&self.number).finish()
    }
}
