//! Outlines: the definitions of a file with names, kinds and lines.
//!
//! [`grammar`] parses languages with a tree-sitter grammar and a query in `assets/outlines`, which [`tree_pattern`] reads;
//! [`pattern`] reads all others line by line. [`definitions`] chooses.

mod definitions;
mod grammar;
mod pattern;
mod tree_pattern;

pub(crate) use definitions::{Definition, outline};
