//! What stands before a run: [`entry`] decides whether the branch a person is on may be built upon,
//! [`preflight`] what a run that starts from main must find there, and [`texts`] holds the sentences both say.
//!
//! Nothing here looks at a repository. Branch facts come from [`crate::branch`], tree facts from the caller.

pub mod entry;
pub mod preflight;
pub mod texts;
