//! What changed together before, and what people said about it.
//!
//! [`log`] asks git for the past commits, newest first, with today's names of the files they touched.

pub(crate) mod log;
