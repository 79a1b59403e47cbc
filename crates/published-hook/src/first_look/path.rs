//! Room for one path, on the stack.

#![expect(unsafe_code, reason = "room that is not cleared: that would take a function of libc")]

use super::bytes::Terminated;
use super::system;
use core::mem::MaybeUninit;

/// Longest path, with the zero at its end. The kernel takes longer ones, which are left to the hook.
const MAX_BYTES: usize = 1024;

pub(super) struct PathRoom {
    bytes: [MaybeUninit<u8>; MAX_BYTES],
}

impl PathRoom {
    pub(super) fn new() -> PathRoom {
        PathRoom { bytes: [const { MaybeUninit::uninit() }; MAX_BYTES] }
    }

    /// The path of the current folder.
    pub(super) fn read_current_folder(&mut self) -> Option<Terminated<'_>> {
        let length = system::current_folder(&mut self.bytes)?;
        // SAFETY: the kernel has written these bytes.
        unsafe { self.read(length) }
    }

    /// A path that lacks the zero.
    pub(super) fn terminate(&mut self, path: &[u8]) -> Option<Terminated<'_>> {
        if path.len() >= self.bytes.len() {
            return None;
        }
        for (to, byte) in self.bytes.iter_mut().zip(path.iter().chain(&[0])) {
            to.write(*byte);
        }
        // SAFETY: there was room for all of them.
        unsafe { self.read(path.len() + 1) }
    }

    /// # Safety
    /// The first `length` bytes must have been written.
    unsafe fn read(&self, length: usize) -> Option<Terminated<'_>> {
        let written = self.bytes.get(..length)?;
        // SAFETY: as promised by the caller.
        Terminated::new(unsafe { &*(&raw const *written as *const [u8]) })
    }
}
