//! Arguments and variables of the process, as the kernel lays them out: their count, the arguments, a zero, the variables,
//! a zero.

#![expect(unsafe_code, reason = "the kernel gives addresses")]

use super::bytes::Terminated;

/// The start of the process.
pub(super) struct Process {
    stack: *const usize,
}

impl Process {
    /// # Safety
    /// `stack` must be the stack as the kernel prepared it. It must stay unchanged as long as the process lives.
    pub(super) unsafe fn new(stack: *const usize) -> Process {
        Process { stack }
    }

    /// The argument, if there is exactly one.
    pub(super) fn only_argument(&self) -> Option<Word> {
        // SAFETY: the count is first, then come the name of the program and the argument.
        unsafe { (*self.stack == 2).then(|| Word(*self.stack.add(2).cast())) }
    }

    /// All variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = Word> {
        // SAFETY: the variables are behind the count, the arguments and a zero.
        let mut next: *const *const u8 = unsafe { self.stack.add(*self.stack).add(2).cast() };
        core::iter::from_fn(move || {
            // SAFETY: the end is a zero, at which an iterator that is used once stays.
            let word = unsafe { *next };
            if word.is_null() {
                return None;
            }
            // SAFETY: this was not the end.
            next = unsafe { next.add(1) };
            Some(Word(word))
        })
    }
}

/// An argument, a variable, or the end of one.
#[derive(Clone, Copy)]
pub(super) struct Word(*const u8);

impl Word {
    /// What follows a beginning, which has no zero in it.
    pub(super) fn strip_prefix(self, prefix: &[u8]) -> Option<Word> {
        let mut rest = self.0;
        for byte in prefix {
            // SAFETY: all bytes before were equal to some of the prefix, so none was the zero at the end.
            if unsafe { *rest } != *byte {
                return None;
            }
            // SAFETY: as above: this one was not the end.
            rest = unsafe { rest.add(1) };
        }
        Some(Word(rest))
    }

    /// Its bytes, with the zero.
    pub(super) fn read(self) -> Option<Terminated<'static>> {
        let mut length = 0;
        // SAFETY: the bytes before were not the zero at the end.
        while unsafe { *self.0.add(length) } != 0 {
            length += 1;
        }
        // SAFETY: these bytes were just read, and they stay as they are.
        Terminated::new(unsafe { core::slice::from_raw_parts(self.0, length + 1) })
    }
}
