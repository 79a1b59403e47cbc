//! Diagrams before anybody draws them: a narrow policy that refuses what breaks common Mermaid renderers.
//!
//! [`rules`] looks at one diagram, [`fences`] finds the diagrams of a Markdown text, [`mod@check`] puts both
//! together, [`single`] picks the one to draw, and [`command`] is `charrette diagram check`. [`warnings`] writes a rejection into a log.
//!
//! This is no parser: it accepts much that is not Mermaid, and does not look at most kinds of diagram. A real
//! parse is the business of the `charrette-diagram` crate; the command takes its verdict through a function.
//! The text of a diagram never appears in an answer or a log, only tokens and places.

pub mod check;
pub mod command;
pub mod fences;
mod marks;
pub mod rules;
pub mod single;
pub mod warnings;

pub use check::{Mode, Report, check};
pub use fences::Heading;
pub use rules::{Hit, Token};
