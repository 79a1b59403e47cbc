//! Gates before a run: [`entry`] decides if the current branch may be built upon, [`preflight`] checks the
//! conditions of a start from main, and [`texts`] holds the messages of both.
//!
//! Nothing here looks at a repository. Branch facts come from [`crate::branch`], tree facts from the caller.

pub mod entry;
pub mod preflight;
pub mod texts;
