//! Commit history.
//!
//! [`log`] reads past commits, newest first, with today's names of the files they touched.

pub(crate) mod log;
