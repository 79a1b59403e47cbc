//! The one runner of the `git` program. Nothing else in charrette starts git.
//!
//! Git is started with arguments, never through a shell. There are four kinds of calls, all on [`Git`]:
//!
//! - *reading* (`bytes`, `text`, `find`, `succeeds`, …) changes nothing, takes no locks, reaches no network and runs
//!   no program that the repository's configuration names;
//! - *editing* (`edit`) changes the index or the work tree on our own behalf, with the same restrictions;
//! - *acting* (`act`) does what a user would do (switch, rebase): programs of the user's configuration run;
//! - *calling* (`call`) talks to a remote, with a time limit and cancellation.
//!
//! The others have a time limit too, and [`interrupt_calls`] shortens it: a pipe in the place of a file would hold git up for
//! ever.
//!
//! `command` has the options of each kind, `environment` the variables, `clean_room` what a repository's own programs are
//! replaced by, `waiting` the limits.

mod clean_room;
mod command;
mod environment;
mod index_file;
mod lock_files;
mod process;
mod program;
mod regular;
mod remote;
mod search_path;
mod signature;
mod waiting;

pub use environment::{is_redirected, set_environment};
pub use index_file::{IndexRecord, LIST_INDEX, MAX_INDEX, parse_index, parse_index_list};
pub use lock_files::{LockFile, git_at_work};
pub use process::{GitError, LimitedOutput};
pub use program::Git;
pub use regular::{open_regular, read_regular};
pub use remote::{CallError, RemoteCallOptions};
pub use search_path::find_program;
pub use signature::Signature;
pub use waiting::interrupt_calls;
