//! Entry point of the program: the first look, and then that of libc.

#![expect(unsafe_code, reason = "nothing has prepared the process for Rust yet")]

use super::input::EarlyInput;
use super::process::Process;
use super::{proof, system};
use core::arch::naked_asm;

/// Where the kernel or the dynamic linker starts the program (`build.rs` tells the linker). The entry point of libc finds
/// the stack and `rdx` as they were; other registers have no meaning at the start.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn charrette_first_look() {
    naked_asm!(
        "mov rdi, rsp",
        // Two words, so that the stack stays aligned.
        "push rdx",
        "push rdx",
        "call {look}",
        "pop rdx",
        "pop rdx",
        "jmp _start",
        look = sym look,
    )
}

/// Ends the process if the hook would only allow; returns otherwise.
///
/// # Safety
/// `stack` must be the stack as the kernel prepared it.
unsafe extern "C" fn look(stack: *const usize) {
    // SAFETY: as promised by the caller.
    let process = unsafe { Process::new(stack) };
    // SAFETY: this is the first look, and there is no second one.
    let input = unsafe { EarlyInput::new() };
    if proof::is_allowed(&process, input) {
        system::exit_with_success();
    }
}
