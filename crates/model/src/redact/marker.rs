//! The marker that replaces a secret, and its recognition.

use memchr::memmem;
use std::ops::Range;

const OPEN: &[u8] = b"[redacted: ";

/// A range to redact, and the name of its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Secret<'r> {
    pub(super) at: Range<usize>,
    pub(super) name: &'r str,
}

pub(super) fn marker(name: &str) -> String {
    format!("[redacted: {name}]")
}

/// A name sanitised for use in a marker.
pub(super) fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
    name.chars().take(64).map(plain).collect()
}

/// Ranges of markers with these names. Others are ordinary text: anyone can write brackets around a secret.
pub(super) fn markers<'t>(
    text: &'t [u8],
    is_name: impl Fn(&[u8]) -> bool + 't,
) -> impl Iterator<Item = Range<usize>> + 't {
    memmem::find_iter(text, OPEN).filter_map(move |start| {
        let inside = &text[start + OPEN.len()..];
        let length = inside.iter().take(80).position(|&b| b == b']')?;
        is_name(&inside[..length]).then_some(start..start + OPEN.len() + length + 1)
    })
}
