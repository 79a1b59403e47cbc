//! What a file defines: names, kinds, lines.
//!
//! [`grammar`] parses the languages there is a grammar for, by queries that are data (`assets/outlines`);
//! [`pattern`] reads all others line by line. [`read`] chooses.

mod grammar;
mod pattern;
mod read;

pub(crate) use read::{Defined, outline};
