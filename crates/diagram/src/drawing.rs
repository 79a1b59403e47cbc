//! Drawing a diagram that an agent wrote. What is wrong with one is said without quoting it.

use crate::{MAX_CHARS, SvgError, svg};
use charrette_engine::ports::{BoxFuture, Drawing};
use charrette_model::diagram::single;

/// Draws Mermaid diagrams.
#[derive(Debug, Clone, Copy, Default)]
pub struct MermaidDrawing;

impl Drawing for MermaidDrawing {
    fn draw(&self, diagram: String) -> BoxFuture<'static, Result<String, String>> {
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || draw(&diagram)).await;
            done.unwrap_or_else(|error| Err(format!("the drawing broke off: {error}")))
        })
    }
}

/// Really parses a diagram, or the only one of a Markdown text, and draws it.
pub fn draw(text: &str) -> Result<String, String> {
    let diagram = single::diagram(text).map_err(|error| error.to_string())?;
    let chars = diagram.chars().count();
    if chars > MAX_CHARS {
        return Err(format!("the diagram has {chars} characters; at most {MAX_CHARS} are drawn"));
    }
    svg(&diagram).map_err(|error| match error {
        // The engine's own words may quote the diagram.
        SvgError::Parse(problem) => match problem.line {
            Some(line) => format!("line {line} of the diagram cannot be parsed"),
            None => "the diagram cannot be parsed".to_owned(),
        },
        SvgError::Layout(_) => "the diagram could not be laid out".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagram_is_drawn_with_or_without_its_fence() {
        for text in [
            "flowchart TD\n  A[Start] --> B[Done]\n",
            "## Architecture Diagram\n\n```mermaid\nflowchart TD\n  A[Start] --> B[Done]\n```\n",
        ] {
            let svg = draw(text).unwrap();
            assert!(svg.contains("<svg") && svg.contains("Start"), "{svg}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_text() {
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
            let error = draw(text).unwrap_err();
            assert_eq!(error, said);
        }
    }
}
