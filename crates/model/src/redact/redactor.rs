//! The redactor: all finders combined, for whole texts and for streams of lines.

use super::known::KnownSecrets;
use super::marker::{Secret, marker, markers};
use super::{address, assigned, pem, token};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Maximum number of passes over a text. A second one is already rare.
const ROUNDS: usize = 8;

/// Replaces secrets in texts by markers.
///
/// Idempotent: redacted text is not changed again.
#[derive(Debug, Clone)]
pub struct Redactor {
    known: KnownSecrets,
    position: pem::KeyPosition,
}

impl Redactor {
    /// A redactor for these known secrets, each with the name of its source, and for all patterns.
    ///
    /// Values shorter than eight bytes are ignored: they could be words.
    pub fn new<N, V>(known: impl IntoIterator<Item = (N, V)>) -> Redactor
    where
        N: Into<String>,
        V: Into<Vec<u8>>,
    {
        let known = known.into_iter().map(|(name, value)| (name.into(), value.into()));
        Redactor { known: KnownSecrets::new(known), position: pem::KeyPosition::Outside }
    }

    /// Redacts a whole text.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.redact_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// A text without its secrets, and without markers in their place.
    pub(super) fn without_secrets(&self, text: &str) -> String {
        let redacted = self.redact(text).into_owned();
        let mut rest = String::with_capacity(redacted.len());
        let mut done = 0;
        for marker in markers(redacted.as_bytes(), |name| self.is_name(name)) {
            rest.push_str(&redacted[done..marker.start]);
            done = marker.end;
        }
        rest + &redacted[done..]
    }

    /// Redacts a whole text of any bytes.
    pub fn redact_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        if !pem::is_possible(text) {
            return self.sweep(text, 0, &mut pem::KeyPosition::Outside);
        }
        let mut position = pem::KeyPosition::Outside;
        let mut whole = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|b| *b == b'\n') {
            whole.extend_from_slice(&self.redact_next(line, &mut position));
        }
        if whole == text { Cow::Borrowed(text) } else { Cow::Owned(whole) }
    }

    /// Redacts the next line of a stream, with or without its line end.
    ///
    /// A private key spans many lines: its first one becomes the marker, the others become empty, without
    /// line end.
    pub fn redact_line<'t>(&mut self, line: &'t [u8]) -> Cow<'t, [u8]> {
        let mut position = self.position;
        let redacted = self.redact_next(line, &mut position);
        self.position = position;
        redacted
    }

    fn redact_next<'t>(&self, line: &'t [u8], position: &mut pem::KeyPosition) -> Cow<'t, [u8]> {
        let rest = position.rest_of_key(line);
        if rest == line.len() && rest > 0 {
            return Cow::Borrowed(b"");
        }
        self.sweep(&line[rest..], 0, position)
    }

    fn sweep<'t>(&self, text: &'t [u8], round: usize, position: &mut pem::KeyPosition) -> Cow<'t, [u8]> {
        let mut found: Vec<Secret<'_>> = Vec::new();
        if pem::is_possible(text) {
            position.find(text, 0, &mut found);
        }
        self.known.find(text, &mut found);
        assigned::find(text, &mut found);
        // A token that names its service says more than its place in an address.
        token::find(text, &mut found);
        address::find(text, &mut found);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        match self.replace(text, found) {
            None => Cow::Borrowed(text),
            Some(text) if round == ROUNDS => Cow::Owned(text),
            Some(text) => Cow::Owned(self.sweep(&text, round + 1, position).into_owned()),
        }
    }

    /// The text with markers; `None` if nothing but markers was found.
    fn replace(&self, text: &[u8], mut found: Vec<Secret<'_>>) -> Option<Vec<u8>> {
        // Known secrets come first in the list and so win over patterns.
        found.sort_by_key(|secret| secret.at.start);
        let mut old = markers(text, |name| self.is_name(name)).peekable();
        found.retain(|secret| {
            while old.next_if(|old| old.end <= secret.at.start).is_some() {}
            old.peek().is_none_or(|old| secret.at.end <= old.start)
        });
        if found.is_empty() {
            return None;
        }
        let mut out = Vec::with_capacity(text.len());
        let mut done = 0;
        for secret in &found {
            if secret.at.start >= done {
                out.extend_from_slice(&text[done..secret.at.start]);
                out.extend_from_slice(marker(secret.name).as_bytes());
            }
            done = done.max(secret.at.end);
        }
        out.extend_from_slice(&text[done..]);
        Some(out)
    }

    fn is_name(&self, name: &[u8]) -> bool {
        NAMES.iter().any(|known| known.as_bytes() == name)
            || self.known.names().any(|known| known.as_bytes() == name)
    }
}

/// Names that occur in markers besides those of known secrets.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let own = [pem::NAME, address::NAME, address::TOKEN, assigned::SECRET, assigned::AUTHORIZATION];
    token::names().chain(own).collect()
});
