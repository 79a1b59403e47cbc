//! What every reader of a vendor's events collects besides the answer, held within bounds.

use super::clean;
use super::event::Object;
use crate::outcome::{Failure, FailureKind, Outcome};
use charrette_model::checkpoint::Usage;

/// How many notes, and how many refusals, one call may leave.
const MOST_ENTRIES: usize = 64;

/// How long an id may be.
const MOST_ID: usize = 128;

/// What was seen so far.
#[derive(Debug)]
pub(crate) struct Record {
    /// How many bytes of text may be held.
    most: usize,
    /// The model that works.
    pub(crate) model: Option<String>,
    session: Option<String>,
    denied: Vec<(Option<String>, String)>,
    notes: Vec<String>,
    unreadable: usize,
    sample: String,
    flooded: bool,
}

impl Record {
    pub(crate) fn new(most: usize) -> Record {
        Record {
            most,
            model: None,
            session: None,
            denied: Vec::new(),
            notes: Vec::new(),
            unreadable: 0,
            sample: String::new(),
            flooded: false,
        }
    }

    /// The event on a line, if it is one. What is none is counted.
    pub(crate) fn event<'l>(&mut self, line: &'l str) -> Option<Object<'l>> {
        let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if line.is_empty() {
            return None;
        }
        let event = Object::parse(line);
        if event.is_none() {
            if self.unreadable == 0 {
                self.sample = clean::one_line(clean::start(line, 80));
            }
            self.unreadable += 1;
        }
        event
    }

    /// Something a person should know.
    pub(crate) fn note(&mut self, note: &str) {
        let note = clean::one_line(note);
        if self.notes.len() < MOST_ENTRIES && !note.is_empty() && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Something the agent tried and was refused. The same attempt may be reported twice, under one id.
    pub(crate) fn deny(&mut self, id: Option<String>, what: &str) {
        let known = id.is_some() && self.denied.iter().any(|(known, _)| *known == id);
        let fits = id.as_ref().is_none_or(|id| id.len() <= MOST_ID);
        if !known && fits && self.denied.len() < MOST_ENTRIES {
            self.denied.push((id, clean::one_line(what)));
        }
    }

    /// The vendor's id of the session. It will be an argument of a later call, so it must look like an id.
    pub(crate) fn session(&mut self, id: Option<String>) {
        let is_id = |id: &String| {
            (1..=MOST_ID).contains(&id.len())
                && !id.starts_with('-')
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        };
        if let Some(id) = id.filter(is_id) {
            self.session = Some(id);
        }
    }

    /// Sets the model, if one is named. Vendors put names that are no models in angle brackets.
    pub(crate) fn model(&mut self, name: Option<String>) {
        let name = name.filter(|name| !name.starts_with('<') && !name.trim().is_empty());
        if let Some(name) = name {
            self.model = Some(clean::one_line(&name));
        }
    }

    /// Holds `more` in addition to `held`, unless that is more than anybody will read.
    pub(crate) fn append(&mut self, held: &mut String, more: &str) {
        if held.len().saturating_add(more.len()) > self.most {
            self.flooded = true;
        } else {
            held.push_str(more);
        }
    }

    pub(crate) fn is_flooded(&self) -> bool {
        self.flooded
    }

    /// What the call came to, all in all.
    pub(crate) fn outcome(
        mut self,
        answer: Result<String, Failure>,
        usage: Option<Usage>,
        session_total: Option<Usage>,
    ) -> Outcome {
        match (self.unreadable, std::mem::take(&mut self.sample)) {
            (0, _) => {}
            (1, sample) => self.note(&format!("one line of its output could not be read: {sample}")),
            (lines, sample) => {
                self.note(&format!("{lines} lines of its output could not be read, the first: {sample}"));
            }
        }
        let answer = match answer {
            _ if self.flooded => Err(failure(
                FailureKind::Flood,
                &format!("printed more than the {} bytes that are read", self.most),
            )),
            Ok(text) => match clean::text(&text) {
                text if text.trim().is_empty() => Err(failure(FailureKind::NoAnswer, "its answer is empty")),
                text => Ok(text),
            },
            Err(failure) => Err(failure),
        };
        Outcome {
            answer,
            usage,
            session_total,
            model: self.model,
            session: self.session,
            denied: self.denied.into_iter().map(|(_, what)| what).collect(),
            notes: self.notes,
        }
    }
}

/// A failure whose message is one line, whatever it is made of.
pub(crate) fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure { kind, message: clean::one_line(message) }
}

/// The failure, if it is one that no retry of the client should hide.
pub(crate) fn worth_telling(failure: Option<&Failure>) -> Option<FailureKind> {
    failure
        .map(|failure| failure.kind)
        .filter(|kind| matches!(kind, FailureKind::RateLimit { .. } | FailureKind::Credentials))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_no_id_is_not_remembered() {
        let mut record = Record::new(100);
        for id in ["", "--dangerous", "a b", "a\nb", "a/b", &"a".repeat(200)] {
            record.session(Some(id.to_owned()));
            assert_eq!(record.session, None, "{id}");
        }
        record.session(Some("ses_e1f8-4.b:c".to_owned()));
        record.session(None);
        assert_eq!(record.session.as_deref(), Some("ses_e1f8-4.b:c"));
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut record = Record::new(10);
        let mut held = String::new();
        record.append(&mut held, "12345");
        record.append(&mut held, "67890");
        assert!(!record.is_flooded());
        record.append(&mut held, "1");
        assert!(record.is_flooded());
        for n in 0..1000 {
            record.note(&format!("note {n}"));
            record.deny(Some(n.to_string()), "Write");
            record.deny(Some(n.to_string()), "Write");
        }
        let outcome = record.outcome(Ok(held), None, None);
        assert_eq!(outcome.answer.unwrap_err().kind, FailureKind::Flood);
        assert_eq!((outcome.notes.len(), outcome.denied.len()), (MOST_ENTRIES, MOST_ENTRIES));
    }
}
