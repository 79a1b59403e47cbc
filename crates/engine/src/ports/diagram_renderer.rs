//! Rendering of diagrams.

use super::BoxFuture;

/// Parses and renders Mermaid diagrams.
pub trait DiagramRenderer: Send + Sync {
    /// Parses a diagram and renders it as SVG; `None` if this build only parses. The error does not quote the diagram.
    fn render(&self, diagram: String) -> BoxFuture<'static, Result<Option<String>, String>>;
}
