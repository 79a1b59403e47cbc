//! Outlines: the definitions of a file with names, kinds and lines.
//!
//! [`grammar`] parses languages with a tree-sitter grammar and a query in `assets/outlines`;
//! [`pattern`] reads all others line by line. [`definitions`] chooses.

mod definitions;
mod grammar;
mod pattern;

pub(crate) use definitions::{Definition, outline};
