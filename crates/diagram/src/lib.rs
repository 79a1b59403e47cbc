//! Parser and renderer of Mermaid diagrams: [`parse`] validates the text, `svg` (feature `svg`) renders it.
//!
//! The text comes from an agent and is untrusted: its size, its depth and the time spent on it are bounded,
//! and a panic of the engine is an error here. Sanitizer rules that reject a text before that are in
//! `charrette_model::diagram`.

mod mermaid;
mod renderer;

pub use mermaid::{MAX_CHARS, ParseError, parse};
#[cfg(feature = "svg")]
pub use mermaid::{SvgError, svg};
pub use renderer::{MermaidRenderer, render};
