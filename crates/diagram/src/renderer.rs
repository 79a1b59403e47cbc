//! Rendering of a diagram that an agent wrote. Errors never quote the diagram.

use crate::{MAX_CHARS, ParseError};
use charrette_engine::ports::{BoxFuture, DiagramRenderer};
use charrette_model::diagram::single;

/// Renderer of Mermaid diagrams. Without the feature `svg` it only parses.
#[derive(Debug, Clone, Copy, Default)]
pub struct MermaidRenderer;

impl DiagramRenderer for MermaidRenderer {
    fn render(&self, diagram: String) -> BoxFuture<'static, Result<Option<String>, String>> {
        Box::pin(async move {
            let rendered = tokio::task::spawn_blocking(move || render(&diagram)).await;
            rendered.unwrap_or_else(|error| Err(format!("the diagram renderer stopped: {error}")))
        })
    }
}

/// Parses a diagram, or the only one of a Markdown text, and renders it if this build can.
pub fn render(text: &str) -> Result<Option<String>, String> {
    let diagram = single::diagram(text).map_err(|error| error.to_string())?;
    let chars = diagram.chars().count();
    if chars > MAX_CHARS {
        return Err(format!("the diagram has {chars} characters; at most {MAX_CHARS} are drawn"));
    }
    to_svg(&diagram)
}

#[cfg(feature = "svg")]
fn to_svg(diagram: &str) -> Result<Option<String>, String> {
    use crate::SvgError;
    crate::svg(diagram).map(Some).map_err(|error| match error {
        SvgError::Parse(problem) => without_quote(&problem),
        SvgError::Layout(_) => "the diagram could not be laid out".to_owned(),
    })
}

#[cfg(not(feature = "svg"))]
fn to_svg(diagram: &str) -> Result<Option<String>, String> {
    crate::parse(diagram).map(|()| None).map_err(|problem| without_quote(&problem))
}

/// The parser's own message may quote the diagram.
fn without_quote(problem: &ParseError) -> String {
    match problem.line {
        Some(line) => format!("line {line} of the diagram cannot be parsed"),
        None => "the diagram cannot be parsed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_is_rendered_with_or_without_its_fence() {
        for text in [
            "flowchart TD\n  A[Start] --> B[Done]\n",
            "## Architecture Diagram\n\n```mermaid\nflowchart TD\n  A[Start] --> B[Done]\n```\n",
        ] {
            let svg = render(text).unwrap();
            assert_eq!(svg.is_some(), cfg!(feature = "svg"));
            assert!(svg.is_none_or(|svg| svg.contains("<svg") && svg.contains("Start")), "{text}");
        }
    }

    #[test]
    fn errors_do_not_quote_the_diagram() {
        let long = format!("flowchart TD\n  A[SECRET] --> B\n{}", "%% SECRET\n".repeat(MAX_CHARS / 10));
        for (text, said) in [
            ("flowchart TD\n  A[SECRET --> B\n", "line 2 of the diagram cannot be parsed"),
            ("SECRET", "the diagram cannot be parsed"),
            ("", "the diagram cannot be parsed"),
            (
                "flowchart TD\n  A[SECRET|x] --> B\n",
                "rejected by the mermaid sanitizer: pipe-in-node-label in line 2 of the diagram",
            ),
            (&long, "the diagram has 50031 characters; at most 50000 are drawn"),
        ] {
            let error = render(text).unwrap_err();
            assert_eq!(error, said);
        }
    }
}
