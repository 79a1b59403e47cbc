//! Bytes, without the functions of libc.

/// True if both have the same bytes.
pub(super) fn equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other)
}

/// True if a word is in a list that is separated by spaces.
pub(super) fn is_listed(word: &[u8], list: &[u8]) -> bool {
    list.split(|byte| *byte == b' ').any(|listed| equal(listed, word))
}

/// Bytes that end with a zero, as the kernel reads paths.
#[derive(Clone, Copy)]
pub(super) struct Terminated<'a>(&'a [u8]);

impl<'a> Terminated<'a> {
    /// None if the last byte is not a zero.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Terminated<'a>> {
        bytes.last().filter(|last| **last == 0).map(|_| Terminated(bytes))
    }

    /// The bytes before the zero.
    pub(super) fn text(self) -> &'a [u8] {
        self.0.split_last().map_or(&[], |(_, text)| text)
    }

    pub(super) fn as_ptr(self) -> *const u8 {
        self.0.as_ptr()
    }
}
