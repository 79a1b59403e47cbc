//! Private keys in PEM: from their first line to their last, also when a JSON string puts all lines into one.
//!
//! A header without a key is left alone where that can be seen: people write about keys. An unterminated key
//! ends where its lines stop looking like one.

use super::marker::Secret;
use memchr::memmem::{self, Finder};
use std::sync::LazyLock;

pub(super) const NAME: &str = "private key";

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const WORDS: &[u8] = b"PRIVATE KEY";

/// Minimum length of a key's lines, except the last.
const BODY: usize = 40;

/// Position of a line relative to a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum KeyPosition {
    #[default]
    Outside,
    Header,
    /// After a full line of the key.
    Body,
    /// After its last, shorter line.
    Tail,
}

/// True if the text may contain a key.
pub(super) fn is_possible(text: &[u8]) -> bool {
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(WORDS));
    FINDER.find(text).is_some()
}

impl KeyPosition {
    /// Number of bytes of a line that belong to the key started before, line end included.
    pub(super) fn rest_of_key(&mut self, line: &[u8]) -> usize {
        if *self == KeyPosition::Outside {
            return 0;
        }
        if let Some(end) = memmem::find(line, END).filter(|end| strip_prefixes(&line[..*end]).is_empty()) {
            *self = KeyPosition::Outside;
            return end + closing_length(&line[end..]);
        }
        let text = strip_prefixes(line);
        let is_base64 = text.iter().all(|b| is_base64(*b));
        let is_header = text.starts_with(b"Proc-Type:") || text.starts_with(b"DEK-Info:") || text.is_empty();
        *self = match self {
            KeyPosition::Header | KeyPosition::Body if is_base64 && text.len() >= BODY => KeyPosition::Body,
            KeyPosition::Header if is_header => KeyPosition::Header,
            KeyPosition::Body if is_base64 => KeyPosition::Tail,
            _ => KeyPosition::Outside,
        };
        if *self == KeyPosition::Outside { 0 } else { line.len() }
    }

    /// Finds keys that start in a line, from `from` on.
    pub(super) fn find(&mut self, line: &[u8], from: usize, found: &mut Vec<Secret<'_>>) {
        let mut from = from;
        while let Some(header) = memmem::find(&line[from..], BEGIN).map(|at| from + at) {
            from = header + BEGIN.len();
            let Some(body) = end_of_header(&line[from..]).map(|length| from + length) else { continue };
            let (length, seen) = key_length(&line[body..]);
            let end = body + length;
            let runs_on = line[end..].iter().all(u8::is_ascii_whitespace);
            let is_ended = line[end..].starts_with(END);
            if is_ended || seen >= BODY {
                let end = if is_ended { end + closing_length(&line[end..]) } else { end };
                found.push(Secret { at: header..end, name: NAME });
                from = end;
            } else if runs_on {
                *self = KeyPosition::Header;
                found.push(Secret { at: header..body, name: NAME });
                return;
            }
        }
    }
}

/// Length of `RSA PRIVATE KEY-----` and the like.
fn end_of_header(text: &[u8]) -> Option<usize> {
    let text = &text[..text.len().min(64)];
    let dashes = memmem::find(text, b"-----")?;
    memmem::find(&text[..dashes], WORDS).map(|_| dashes + 5)
}

/// Length of a key on a line, and its number of base64 bytes.
fn key_length(text: &[u8]) -> (usize, usize) {
    let (mut at, mut seen) = (0, 0);
    loop {
        match text[at..] {
            [b'\\', b'n' | b'r', ..] => at += 2,
            [b'\\', b'\\', b'n' | b'r', ..] => at += 3,
            [b' ' | b'\t', ..] => at += 1,
            [b, ..] if is_base64(b) => {
                at += 1;
                seen += 1;
            }
            _ => return (at, seen),
        }
    }
}

/// Length of the closing line at the start of `text`.
fn closing_length(text: &[u8]) -> usize {
    let near = &text[..text.len().min(80)];
    memmem::find(&near[END.len()..], b"-----").map_or(END.len(), |at| END.len() + at + 5)
}

/// A line without prefixes: indentation, line numbers, marks of diffs and quotations.
fn strip_prefixes(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    let numbered = line[digits..]
        .strip_prefix("→".as_bytes())
        .or_else(|| line[digits..].strip_prefix(b"|"))
        .or_else(|| line[digits..].strip_prefix(b":"))
        .or_else(|| line[digits..].strip_prefix(b"\t"));
    let line = numbered.filter(|_| digits > 0).unwrap_or(line).trim_ascii();
    let marks = line.iter().take_while(|b| matches!(b, b'+' | b'>' | b'|' | b'#' | b' ' | b'-')).count();
    let line = &line[marks.min(line.len())..];
    line.strip_suffix(b"\\n").unwrap_or(line)
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}
