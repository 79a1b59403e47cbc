//! Policy for diagrams: rejects syntax that breaks common Mermaid renderers.
//!
//! [`rules`] checks one diagram, [`fences`] finds the diagrams of a Markdown text, [`mod@check`] combines both,
//! [`single`] selects the one to render, and [`command`] is `charrette diagram check`. [`warnings`] writes a rejection into a log.
//!
//! This is not a parser: it accepts much that is not Mermaid, and ignores most kinds of diagram. The full parser is in
//! the crate `charrette-diagram`; the command calls it through a function.
//! The text of a diagram never appears in an answer or a log, only tokens and places.

pub mod check;
pub mod command;
pub mod fences;
mod marks;
pub mod rules;
pub mod single;
pub mod warnings;

pub use check::{DiagramMode, PolicyReport, check};
pub use fences::DiagramKind;
pub use rules::{PolicyViolation, ReasonToken};
