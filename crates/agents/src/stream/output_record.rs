//! Session id, model, denials and notes of a call, which every parser collects besides the answer; bounded in
//! size.

use super::clean;
use super::event::Object;
use crate::outcome::{Failure, FailureKind, Outcome, output_exceeded};
use charrette_model::checkpoint::Usage;

/// Maximum number of notes, and of denials, of one call.
const MAX_ENTRIES: usize = 64;

/// Maximum length of an id.
const MAX_ID_BYTES: usize = 128;

/// Facts about a call, collected while its output is read.
#[derive(Debug)]
pub(crate) struct OutputRecord {
    /// Output limit: maximum number of bytes of text that are held.
    max_bytes: usize,
    pub(crate) model: Option<String>,
    session: Option<String>,
    denied: Vec<(Option<String>, String)>,
    notes: Vec<String>,
    /// Number of lines that are not JSON.
    unreadable: usize,
    /// The first of them.
    sample: String,
    exceeds_limit: bool,
}

impl OutputRecord {
    pub(crate) fn new(max_bytes: usize) -> OutputRecord {
        OutputRecord {
            max_bytes,
            model: None,
            session: None,
            denied: Vec::new(),
            notes: Vec::new(),
            unreadable: 0,
            sample: String::new(),
            exceeds_limit: false,
        }
    }

    /// Start of the first line that is not JSON, if the client has begun no session; else empty.
    pub(crate) fn plain_start(&self) -> &str {
        if self.session.is_none() { &self.sample } else { "" }
    }

    /// Parses the event on a line. Lines that are no JSON are counted.
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

    /// Adds a warning.
    pub(crate) fn note(&mut self, note: &str) {
        let note = clean::one_line(note);
        if self.notes.len() < MAX_ENTRIES && !note.is_empty() && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds a denied tool call. The same one may be reported twice, under one id.
    pub(crate) fn deny(&mut self, id: Option<String>, what: &str) {
        let known = id.is_some() && self.denied.iter().any(|(known, _)| *known == id);
        let fits = id.as_ref().is_none_or(|id| id.len() <= MAX_ID_BYTES);
        if !known && fits && self.denied.len() < MAX_ENTRIES {
            self.denied.push((id, clean::one_line(what)));
        }
    }

    /// Sets the session id. It will be an argument of a later call, so it must look like an id.
    pub(crate) fn session(&mut self, id: Option<String>) {
        let is_id = |id: &String| {
            (1..=MAX_ID_BYTES).contains(&id.len())
                && !id.starts_with('-')
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        };
        if let Some(id) = id.filter(is_id) {
            self.session = Some(id);
        }
    }

    /// Sets the model, if one is named. Names in angle brackets are placeholders of the vendor.
    pub(crate) fn model(&mut self, name: Option<String>) {
        let name = name.filter(|name| !name.starts_with('<') && !name.trim().is_empty());
        if let Some(name) = name {
            self.model = Some(clean::one_line(&name));
        }
    }

    /// Appends to a text, unless that exceeds the output limit.
    pub(crate) fn append(&mut self, text: &mut String, more: &str) {
        if text.len().saturating_add(more.len()) > self.max_bytes {
            self.exceeds_limit = true;
        } else {
            text.push_str(more);
        }
    }

    pub(crate) fn exceeds_limit(&self) -> bool {
        self.exceeds_limit
    }

    /// The outcome of the call.
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
            _ if self.exceeds_limit => {
                let message = output_exceeded(self.max_bytes as u64, "limits.output_mb");
                Err(failure(FailureKind::OutputLimit, &message))
            }
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

/// A failure whose message is cut to one line.
pub(crate) fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure { kind, message: clean::one_line(message) }
}

/// The failure, if the client must not go on retrying: a rate limit or refused credentials.
pub(crate) fn needs_attention(failure: Option<&Failure>) -> Option<FailureKind> {
    failure
        .map(|failure| failure.kind)
        .filter(|kind| matches!(kind, FailureKind::RateLimit { .. } | FailureKind::Credentials))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_session_ids_are_ignored() {
        let mut record = OutputRecord::new(100);
        for id in ["", "--dangerous", "a b", "a\nb", "a/b", &"a".repeat(200)] {
            record.session(Some(id.to_owned()));
            assert_eq!(record.session, None, "{id}");
        }
        record.session(Some("ses_e1f8-4.b:c".to_owned()));
        record.session(None);
        assert_eq!(record.session.as_deref(), Some("ses_e1f8-4.b:c"));
    }

    #[test]
    fn the_record_is_bounded() {
        let mut record = OutputRecord::new(10);
        let mut held = String::new();
        record.append(&mut held, "12345");
        record.append(&mut held, "67890");
        assert!(!record.exceeds_limit());
        record.append(&mut held, "1");
        assert!(record.exceeds_limit());
        for n in 0..1000 {
            record.note(&format!("note {n}"));
            record.deny(Some(n.to_string()), "Write");
            record.deny(Some(n.to_string()), "Write");
        }
        let outcome = record.outcome(Ok(held), None, None);
        assert_eq!(outcome.answer.unwrap_err().kind, FailureKind::OutputLimit);
        assert_eq!((outcome.notes.len(), outcome.denied.len()), (MAX_ENTRIES, MAX_ENTRIES));
    }
}
