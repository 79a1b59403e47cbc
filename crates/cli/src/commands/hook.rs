//! `charrette hook`: the same as the program `charrette-hook`, for clients without it.

use clap::Args;
use std::ffi::OsString;
use std::process::ExitCode;

/// Judge a tool of a coding agent: JSON of the client on standard input, exit code 2 to deny
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// Event of the client, such as `PreToolUse`
    event: OsString,
}

/// The event of `charrette hook EVENT`, found without parsing all arguments.
pub(crate) fn requested_event() -> Option<OsString> {
    let mut words = std::env::args_os().skip(1);
    let is_hook = words.next().is_some_and(|word| word == "hook");
    words.next().filter(|event| is_hook && !event.as_encoded_bytes().starts_with(b"-"))
}

pub(crate) fn hook(args: HookArgs) -> ExitCode {
    ExitCode::from(charrette_hook::run_hook(Some(args.event), std::io::stdin().lock()))
}
