//! `git`, by subcommand and arguments: [`invocation`] reads the global options, [`subcommands`] classifies, [`head`] has the
//! subcommands that move HEAD, [`branches`] branches and references, [`push`] pushes.

mod branches;
mod head;
mod invocation;
mod push;
mod revision;
mod subcommands;

pub(super) use invocation::{run, run_guessed};
