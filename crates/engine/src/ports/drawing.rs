//! Drawing diagrams.

use super::BoxFuture;

/// Draws diagrams.
pub trait Drawing: Send + Sync {
    /// Really parses a Mermaid diagram and draws it as SVG. The error says what is wrong, without the diagram's text.
    fn draw(&self, diagram: String) -> BoxFuture<'static, Result<String, String>>;
}
