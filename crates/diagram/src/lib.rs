//! Mermaid diagrams, really parsed and really drawn: [`parse`] says whether a renderer would take the text,
//! [`svg`] draws it.
//!
//! The text comes from an agent, so nothing about it is believed: its size, depth and the time spent on it are
//! bounded, and a panic of the engine underneath is an error here. Which texts are refused before that, for
//! reasons of policy, is the business of `charrette_model::diagram`.

#![warn(missing_docs)]

mod drawing;
mod mermaid;

pub use drawing::{MermaidDrawing, draw};
pub use mermaid::{MAX_CHARS, ParseError, SvgError, parse, svg};
