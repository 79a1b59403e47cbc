//! Open points: places in a specification that only a person can fill in, written as `(to be filled in: what)`.

use crate::markdown::lines;

/// Beginning of an open point.
const MARK: &str = "(to be filled in";

/// A place that is still to be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPoint {
    /// From 1.
    pub line: usize,
    /// The point, with its brackets.
    pub text: String,
    /// The line that it stands in.
    pub context: String,
}

/// Open points of a text, in order; code blocks have none.
pub fn open_points(text: &str) -> Vec<OpenPoint> {
    let mut points = Vec::new();
    for line in lines(text).filter(|line| !line.fenced) {
        let mut rest = line.text;
        while let Some(start) = rest.to_ascii_lowercase().find(MARK) {
            let point = &rest[start..];
            let end = closing(point).unwrap_or(point.len());
            points.push(OpenPoint {
                line: line.number,
                text: point[..end].to_owned(),
                context: line.text.trim().to_owned(),
            });
            rest = &point[end..];
        }
    }
    points
}

/// End of a bracketed text, behind its last bracket.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_open_point_is_found_and_code_has_none() {
        let text = "As a user (to be filled in: who), I want x (To be filled in: which (of two)).\n```\n(to be filled in: code)\n```\nEnd (to be filled in\n(filled in)\n";
        let found: Vec<(usize, String)> =
            open_points(text).into_iter().map(|point| (point.line, point.text)).collect();
        assert_eq!(
            found,
            [
                (1, "(to be filled in: who)".to_owned()),
                (1, "(To be filled in: which (of two))".to_owned()),
                (5, "(to be filled in".to_owned()),
            ]
        );
    }
}
