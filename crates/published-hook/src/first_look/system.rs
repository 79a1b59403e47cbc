//! System calls.

#![expect(unsafe_code, reason = "system calls without libc")]

use super::bytes::Terminated;
use core::arch::asm;
use core::ffi::c_long;
use core::mem::MaybeUninit;

const NOTHING: isize = -(libc::ENOENT as isize);
const NO_FOLDER: isize = -(libc::ENOTDIR as isize);
/// What starts in the current folder, for calls that want a descriptor.
const HERE: usize = (libc::AT_FDCWD as isize).cast_unsigned();

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    Something,
    Nothing,
    /// Nothing, because a part of the path before the last is not a folder.
    NoFolder,
    /// The kernel does not tell.
    Unknown,
}

/// A folder.
pub(super) struct Folder {
    descriptor: usize,
}

impl Folder {
    /// Opens a folder, if no part of its path is a symbolic link.
    pub(super) fn open(path: Terminated<'_>) -> Option<Folder> {
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
        // Flags, rights of a new file, rules for the path.
        let how = [u64::from(flags.cast_unsigned()), 0, libc::RESOLVE_NO_SYMLINKS];
        let how_address = (&raw const how).expose_provenance();
        // SAFETY: the path ends with a zero; `how` has the given size.
        let opened =
            unsafe { call(libc::SYS_openat2, [HERE, address(path), how_address, size_of_val(&how)]) };
        usize::try_from(opened).ok().map(|descriptor| Folder { descriptor })
    }

    /// Looks at a path that starts in this folder. A symbolic link at its end is something.
    pub(super) fn look_at(&self, path: Terminated<'_>) -> Sight {
        let mut status = MaybeUninit::<libc::stat>::uninit();
        let status = status.as_mut_ptr().expose_provenance();
        // SAFETY: the path ends with a zero; the kernel writes one `stat`.
        let result =
            unsafe { call(libc::SYS_newfstatat, [self.descriptor, address(path), status, NO_FOLLOW]) };
        match result {
            0 => Sight::Something,
            NOTHING => Sight::Nothing,
            NO_FOLDER => Sight::NoFolder,
            _ => Sight::Unknown,
        }
    }
}

const NO_FOLLOW: usize = libc::AT_SYMLINK_NOFOLLOW as usize;

impl Drop for Folder {
    fn drop(&mut self) {
        // SAFETY: only this value has the descriptor.
        unsafe { call(libc::SYS_close, [self.descriptor, 0, 0, 0]) };
    }
}

/// Writes the path of the current folder, with a zero at its end. Returns its length with the zero.
pub(super) fn current_folder(buffer: &mut [MaybeUninit<u8>]) -> Option<usize> {
    let to = buffer.as_mut_ptr().expose_provenance();
    // SAFETY: the kernel writes into the buffer only.
    let length = unsafe { call(libc::SYS_getcwd, [to, buffer.len(), 0, 0]) };
    usize::try_from(length).ok()
}

/// Reads from standard input. Returns the number of bytes: zero at the end, none if it cannot be read at present.
pub(super) fn read_standard_input(buffer: &mut [MaybeUninit<u8>]) -> Option<usize> {
    const STANDARD_INPUT: usize = 0;
    let to = buffer.as_mut_ptr().expose_provenance();
    // SAFETY: the kernel writes into the buffer only.
    let length = unsafe { call(libc::SYS_read, [STANDARD_INPUT, to, buffer.len(), 0]) };
    usize::try_from(length).ok()
}

/// Ends the process.
pub(super) fn exit_with_success() -> ! {
    // SAFETY: this call does not return.
    unsafe { asm!("syscall", in("rax") libc::SYS_exit_group, in("rdi") 0, options(noreturn)) }
}

fn address(path: Terminated<'_>) -> usize {
    path.as_ptr().expose_provenance()
}

/// # Safety
/// The arguments must be what the call wants.
unsafe fn call(number: c_long, arguments: [usize; 4]) -> isize {
    let [first, second, third, fourth] = arguments;
    let result: isize;
    // SAFETY: as promised by the caller. The kernel changes these registers only.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") first,
            in("rsi") second,
            in("rdx") third,
            in("r10") fourth,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}
