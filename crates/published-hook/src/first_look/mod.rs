//! First look: ends the process with the answer "allowed" where nothing is driven, before libc has started.
//!
//! What libc does before `main` takes longer than the rest of a call in a repository without a run. So the program starts
//! in [`entry`], and [`proof`] looks with a few system calls for a proof that the hook would allow the tool and say
//! nothing. Without one libc starts as if nothing had happened, and the hook reads the input that was read here
//! ([`input`]). The look decides nothing else: in any doubt there is no proof.
//!
//! [`process`] has the arguments and variables, [`folder`] looks for runs, [`json`] finds the folders that the input
//! names, [`path`] has room for a path, [`system`] the system calls.
//!
//! Nothing here may panic, use a thread-local or call a function of libc, not even `memcpy`: in a static program libc
//! chooses one at its start. So slices are compared with [`bytes::equal`], and no buffer is cleared. `cargo xtask dist` runs
//! the tests with the static program.

mod bytes;
mod entry;
mod folder;
mod input;
mod json;
mod path;
mod process;
mod proof;
mod system;

pub(crate) use input::open_input;
