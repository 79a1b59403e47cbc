//! Reads the edits of an answer: which section each names, and its new text.

use super::headings::{loose_title, read_heading};
use crate::escape::printable;
use crate::markdown::{
    MARKS, fences, heading, is_blank, lines, offset_in, outline, strip_decoration, strip_whole_fence, trimmed,
};
use crate::problem::Problem;

/// Most edits in one answer; with more, the whole text is the better answer.
const MAX_EDITS: usize = 200;

pub(super) enum Answer<'a> {
    Edits(Vec<Edit<'a>>),
    Whole(&'a str),
}

/// Edit of one section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edit<'a> {
    /// Line of its marker in the answer.
    pub(super) line: usize,
    pub(super) verb: Verb,
    /// Heading as written, with its parents.
    pub(super) heading: &'a str,
    /// Text below the marker without blank lines around it.
    pub(super) text: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Replace,
    AddAfter,
    Delete,
}

/// The words of a marker and their meaning.
const VERBS: [(&str, Verb); 5] = [
    ("replace", Verb::Replace),
    ("add after", Verb::AddAfter),
    ("insert after", Verb::AddAfter),
    ("delete", Verb::Delete),
    ("remove", Verb::Delete),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker<'a> {
    Edit(Verb, &'a str),
    /// A line of the shape with a word that is no verb.
    Unknown(&'a str),
    End,
}

/// Reads an answer, or says what is wrong with its form.
pub(super) fn read_answer(whole: &str) -> Result<Answer<'_>, Vec<Problem>> {
    let answer = strip_whole_fence(trimmed(whole));
    if answer.is_empty() {
        return Err(vec![Problem::new(1, "the answer is empty")]);
    }
    let above = whole[..offset_in(whole, answer)].matches('\n').count();
    let read = split_edits(answer, above);
    if !read.has_markers {
        return match edits_in_fence(answer) {
            Some(line) => Err(vec![Problem::new(
                line + above,
                "the edits stand inside a code fence: write them without one around them",
            )]),
            None => Ok(Answer::Whole(answer)),
        };
    }
    let SplitAnswer { mut edits, mut problems, .. } = read;
    if let Some(fence) = outline(answer).unclosed_fence {
        problems.push(Problem::new(fence.line + above, "this code fence is never closed"));
    }
    if edits.len() > MAX_EDITS {
        let message = format!("{} edits: {MAX_EDITS} at most", edits.len());
        problems.push(Problem::new(edits[MAX_EDITS].line, message));
    }
    for edit in &mut edits {
        edit.text = strip_document_fence(edit, trim_blank_lines(edit.text));
        problems.extend(check_text(edit));
    }
    if problems.is_empty() { Ok(Answer::Edits(edits)) } else { Err(problems) }
}

#[derive(Default)]
struct SplitAnswer<'a> {
    has_markers: bool,
    edits: Vec<Edit<'a>>,
    problems: Vec<Problem>,
}

/// Splits an answer at its markers. `above` is the number of lines before it.
fn split_edits(answer: &str, above: usize) -> SplitAnswer<'_> {
    let mut read = SplitAnswer::default();
    // Where the text since the last marker begins, its line, and if it belongs to an edit.
    let (mut from, mut line_above, mut is_open) = (0, above + 1, false);
    for line in lines(answer).filter(|line| !line.fenced) {
        let Some(marker) = parse_marker(line.text) else { continue };
        read.close(&answer[from..line.start], line_above, is_open);
        (from, line_above) = (line.start + line.text.len(), line.number + above);
        is_open = matches!(marker, Marker::Edit(..));
        read.has_markers = true;
        match marker {
            Marker::Edit(verb, heading) => {
                read.edits.push(Edit { line: line_above, verb, heading, text: "" });
            }
            Marker::Unknown(word) => read.problems.push(Problem::new(
                line_above,
                format!("'{}' is no edit: write replace, add after or delete", printable(word)),
            )),
            Marker::End => {}
        }
    }
    if read.has_markers {
        read.close(&answer[from..], line_above, is_open);
    }
    read
}

impl<'a> SplitAnswer<'a> {
    /// Takes the text between two markers. Outside of an edit it is an introduction, unless it has sections.
    fn close(&mut self, text: &'a str, line: usize, is_open: bool) {
        match self.edits.last_mut().filter(|_| is_open) {
            Some(edit) => edit.text = text,
            None if has_heading(text) => self.problems.push(Problem::new(
                line,
                "there are sections outside of the edits: put each below a line '=== replace: … ===' or '=== add after: … ==='",
            )),
            None => {}
        }
    }
}

fn check_text(edit: &Edit<'_>) -> Option<Problem> {
    let message = match edit.verb {
        Verb::Delete if has_heading(edit.text) => {
            "there are sections below this deletion: put them below a line '=== add after: … ==='"
        }
        Verb::Replace | Verb::AddAfter if edit.text.is_empty() => {
            "there is no text below this line: to remove a section, write '=== delete: … ==='"
        }
        _ => return None,
    };
    Some(Problem::new(edit.line, message))
}

fn has_heading(text: &str) -> bool {
    outline(text).lines.iter().any(|line| !line.fenced && heading(line.text).is_some())
}

/// Line of a fence that holds the edits of an answer. A text with headings of its own is no such answer: it may
/// show edits as an example.
fn edits_in_fence(answer: &str) -> Option<usize> {
    if has_heading(answer) {
        return None;
    }
    let blocks = fences(answer);
    let holds_edits = |content: &str| {
        trimmed(content).lines().next().and_then(parse_marker).is_some_and(|m| matches!(m, Marker::Edit(..)))
    };
    blocks.iter().find(|block| holds_edits(block.content)).map(|block| block.line)
}

fn parse_marker(line: &str) -> Option<Marker<'_>> {
    let text = strip_decoration(line).text;
    let text = text.strip_prefix("===")?.trim_start_matches('=');
    let text = text.trim_end_matches(|c| is_blank(c) || MARKS.contains(&c));
    let (inside, is_closed) = match text.strip_suffix("===") {
        Some(inside) => (inside.trim_end_matches('='), true),
        None => (text, false),
    };
    let inside = trimmed(inside);
    if is_closed && inside.eq_ignore_ascii_case("end") {
        return Some(Marker::End);
    }
    for (word, verb) in VERBS {
        let Some(rest) = strip_word(inside, word) else { continue };
        let (named, has_colon) = match trimmed(rest).strip_prefix(':') {
            Some(named) => (trimmed(named), true),
            None => (trimmed(rest), false),
        };
        let named = named.trim_start_matches(MARKS);
        if !named.is_empty() && (has_colon && is_closed || named.starts_with('#')) {
            return Some(Marker::Edit(verb, named));
        }
    }
    let (word, named) = inside.split_once(':')?;
    (is_closed && trimmed(named).starts_with('#')).then_some(Marker::Unknown(word))
}

/// The text after `word`, whose parts may be joined by any blank, `-` or `_`.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let fits = |(a, b): (u8, u8)| a.eq_ignore_ascii_case(&b) || b == b' ' && matches!(a, b'-' | b'_' | b'\t');
    start.bytes().zip(word.bytes()).all(fits).then_some(rest)
}

/// Trims blank lines, but not the indentation of the first line.
pub(super) fn trim_blank_lines(text: &str) -> &str {
    let text = text.trim_end_matches(is_blank);
    let first = text.len() - text.trim_start_matches(is_blank).len();
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    text[start..].trim_start_matches('\u{feff}')
}

/// Strips a fence around the whole text of a section. It must begin with the heading: with the section's own if it
/// is replaced, so that a section which consists of code keeps its fence.
fn strip_document_fence<'a>(edit: &Edit<'_>, text: &'a str) -> &'a str {
    let inside = strip_whole_fence(text);
    let first = inside.lines().next().and_then(heading);
    let (level, title) = read_heading(edit.heading.rsplit(" > ").next().unwrap_or_default());
    let is_own = |(found, name): (usize, &str)| {
        level.is_none_or(|level| level == found) && loose_title(name) == loose_title(title)
    };
    let is_document = match edit.verb {
        Verb::AddAfter => first.is_some(),
        _ => first.is_some_and(is_own),
    };
    if is_document { inside } else { text }
}
