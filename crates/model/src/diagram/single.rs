//! Selection of the one diagram of a text to render, after the policy check.

use super::check::with_plain_line_ends;
use super::fences::fences;
use super::rules::{PolicyViolation, inspect};

/// Returns the only Mermaid fence of a Markdown text, or the text itself if it has none.
pub fn diagram(text: &str) -> Result<String, SelectionError> {
    let text = with_plain_line_ends(text.strip_prefix('\u{feff}').unwrap_or(text));
    let fences = fences(&text);
    let diagram = match fences.as_slice() {
        [] => &text,
        [only] => only.body,
        several => return Err(SelectionError::Several(several.len())),
    };
    match inspect(diagram).first() {
        None => Ok(diagram.to_owned()),
        Some(hit) => Err(SelectionError::Rejected(*hit)),
    }
}

/// Reason why no diagram can be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    #[error("the text has {0} diagrams, and only one can be drawn")]
    Several(usize),
    #[error("rejected by the mermaid sanitizer: {} in line {} of the diagram", .0.token.as_str(), .0.line)]
    Rejected(PolicyViolation),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_diagram_or_has_one_in_it() {
        let fenced = "\u{feff}## Architecture Diagram\r\n\r\n```mermaid\r\ngraph TD\r\n  A --> B\r\n```\r\n";
        let two = "```mermaid\npie\n```\n```mermaid\npie\n```\n";
        for (text, expected) in [
            ("graph TD\n  A --> B\n", Ok("graph TD\n  A --> B\n")),
            (fenced, Ok("graph TD\n  A --> B\n")),
            (two, Err("the text has 2 diagrams, and only one can be drawn")),
            (
                "graph TD\n  A[x|y]\n",
                Err("rejected by the mermaid sanitizer: pipe-in-node-label in line 2 of the diagram"),
            ),
        ] {
            let found = diagram(text).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text:?}");
        }
    }
}
