//! The redactor: all finders put together, for whole texts and for streams of lines.

use super::known::Known;
use super::marker::{Secret, marker, markers};
use super::{address, assigned, pem, token};
use std::borrow::Cow;
use std::sync::LazyLock;

/// How often a text is looked at again after something was taken out of it. Twice is already rare.
const ROUNDS: usize = 8;

/// Takes secrets out of texts.
///
/// What was redacted once is not changed by doing it again.
#[derive(Debug, Clone)]
pub struct Redactor {
    known: Known,
    place: pem::Place,
}

impl Redactor {
    /// A redactor that knows these secrets, each by the name of where it came from, and all usual patterns.
    ///
    /// Values of less than eight bytes are passed over: they could be words.
    pub fn new<N, V>(known: impl IntoIterator<Item = (N, V)>) -> Redactor
    where
        N: Into<String>,
        V: Into<Vec<u8>>,
    {
        let known = known.into_iter().map(|(name, value)| (name.into(), value.into()));
        Redactor { known: Known::new(known), place: pem::Place::Outside }
    }

    /// A whole text without its secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.bytes(text.as_bytes()) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// A whole text, of whatever bytes, without its secrets.
    pub fn bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        if !pem::is_possible(text) {
            return self.swept(text, 0, &mut pem::Place::Outside);
        }
        let mut place = pem::Place::Outside;
        let mut whole = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|b| *b == b'\n') {
            whole.extend_from_slice(&self.without(line, &mut place));
        }
        if whole == text { Cow::Borrowed(text) } else { Cow::Owned(whole) }
    }

    /// The next line of a stream without its secrets, with or without its line end.
    ///
    /// A private key goes over many lines: its first one becomes the marker, and for the others there is nothing
    /// left, not even a line end.
    pub fn line<'t>(&mut self, line: &'t [u8]) -> Cow<'t, [u8]> {
        let mut place = self.place;
        let without = self.without(line, &mut place);
        self.place = place;
        without
    }

    fn without<'t>(&self, line: &'t [u8], place: &mut pem::Place) -> Cow<'t, [u8]> {
        let rest = place.rest_of_key(line);
        if rest == line.len() && rest > 0 {
            return Cow::Borrowed(b"");
        }
        self.swept(&line[rest..], 0, place)
    }

    fn swept<'t>(&self, text: &'t [u8], round: usize, place: &mut pem::Place) -> Cow<'t, [u8]> {
        let mut found: Vec<Secret<'_>> = Vec::new();
        if pem::is_possible(text) {
            place.find(text, 0, &mut found);
        }
        self.known.find(text, &mut found);
        address::find(text, &mut found);
        assigned::find(text, &mut found);
        token::find(text, &mut found);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        match self.replaced(text, found) {
            None => Cow::Borrowed(text),
            Some(text) if round == ROUNDS => Cow::Owned(text),
            Some(text) => Cow::Owned(self.swept(&text, round + 1, place).into_owned()),
        }
    }

    /// The text with markers in it; none if nothing but markers was found.
    fn replaced(&self, text: &[u8], mut found: Vec<Secret<'_>>) -> Option<Vec<u8>> {
        // Known secrets come first in the list and so win over what they also look like.
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

/// Everything that can stand in a marker besides the names of known secrets.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let own = [pem::NAME, address::NAME, assigned::SECRET, assigned::AUTHORIZATION];
    token::names().chain(own).collect()
});
