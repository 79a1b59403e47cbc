//! A numbered stage of a flow. Nothing depends on it: it says how to show what happens.

use crate::event::{Ending, EventKind};
use crate::ports::Journal;
use charrette_model::progress::Stage as StageSpec;
use std::collections::BTreeMap;

/// A numbered stage of a flow.
pub struct Stage<'r> {
    journal: &'r dyn Journal,
    number: String,
    name: String,
    ledger: String,
    is_last: bool,
}

impl<'r> Stage<'r> {
    /// The stage of that number; one that the flow's table does not have is called by its number.
    pub(crate) fn new(journal: &'r dyn Journal, number: &str, stages: &[StageSpec]) -> Stage<'r> {
        let known = stages.iter().find(|stage| stage.number == number);
        let is_last = stages.last().is_some_and(|last| last.number == number);
        let name = known.map_or(number, |stage| stage.name).to_owned();
        let ledger = known.map_or("", |stage| stage.ledger).to_owned();
        Stage { journal, number: number.to_owned(), name, ledger, is_last }
    }

    pub(crate) fn begin(&self, payload: Option<String>) {
        let (number, name, ledger) = (self.number.clone(), self.name.clone(), self.ledger.clone());
        self.journal.tell(EventKind::StageBegan { number, name, ledger, payload });
    }

    /// It is worked on by another process from here on.
    pub(crate) fn hand_over(&self) {
        let (number, name) = (self.number.clone(), self.name.clone());
        self.journal.tell(EventKind::HandedOver { number, name });
    }

    /// It is done, and this came of it.
    pub fn done(&self, payload: impl Into<String>) {
        self.end(if self.is_last { Ending::Last } else { Ending::Done }, payload.into());
    }

    /// There was nothing to do.
    pub fn skipped(&self, payload: impl Into<String>) {
        self.end(Ending::Skipped, payload.into());
    }

    /// Something about it needs attention; it is repeated at the end.
    pub fn warn(&self, payload: impl Into<String>) {
        self.end(Ending::Warning, payload.into());
    }

    /// Who works beside each other here: steps, and what people call them.
    pub fn lanes(&self, title: &str, lanes: impl IntoIterator<Item = (String, String)>) {
        self.journal.tell(EventKind::Lanes { title: title.to_owned(), lanes: lanes.into_iter().collect() });
    }

    /// A file that is worth reading now.
    pub fn show(&self, heading: &str, artifact: &str) {
        let (heading, name) = (heading.to_owned(), artifact.to_owned());
        self.journal.tell(EventKind::Document { heading, name });
    }

    /// A line worth reading, exactly as it is.
    pub fn say(&self, text: impl Into<String>) {
        self.journal.tell(EventKind::Line { text: text.into() });
    }

    /// Votes were counted.
    pub fn tallied(&self, about: &str, outcomes: BTreeMap<String, usize>) {
        self.journal.tell(EventKind::VoteTallied { about: about.to_owned(), outcomes });
    }

    fn end(&self, ending: Ending, payload: String) {
        let (number, name) = (self.number.clone(), self.name.clone());
        self.journal.tell(EventKind::StageEnded { number, name, ending, payload });
    }
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stage").field(&self.number).finish()
    }
}
