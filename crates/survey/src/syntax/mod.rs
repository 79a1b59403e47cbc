//! Syntax trees of the languages with a grammar: Rust, Python, TypeScript, JavaScript, Go and Java.

mod parse;
mod walk;

pub(crate) use parse::{GrammarId, SyntaxTree, grammar_of, parse};
pub(crate) use walk::{ancestors, children, descendants, node_text};
