//! What stands where a secret stood, and recognising it later.

use memchr::memmem;
use std::ops::Range;

const OPEN: &[u8] = b"[redacted: ";

/// Something to be replaced, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Secret<'r> {
    pub(super) at: Range<usize>,
    pub(super) name: &'r str,
}

/// The text that replaces a secret of that name.
pub(super) fn marker(name: &str) -> String {
    format!("[redacted: {name}]")
}

/// A name as it may stand in a marker: nothing that could end it early.
pub(super) fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
    name.chars().take(64).map(plain).collect()
}

/// Where markers of these names stand. Others are ordinary text: anybody can write brackets around a secret.
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
