//! The rules for one diagram, by its kind.
//!
//! A flowchart may not have an unquoted `|` inside a node's label, a sequence diagram no line break and no `$`
//! in a participant's alias, and front matter must end. Other kinds are not checked.
//!
//! Lines must end with `\n`; [`check`](super::check::check) normalises them.

use super::marks::marks;
use std::cell::LazyCell;

/// Reason for a rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReasonToken {
    /// `A[one|two]`.
    PipeInNodeLabel,
    /// `participant A as one<br>two`.
    BrInParticipantAlias,
    /// `participant A as $x`.
    DollarInParticipantAlias,
    /// `---` at the top without an end.
    UnclosedFrontmatter,
    /// Rejected by the full parser.
    ParseError,
}

impl ReasonToken {
    /// Token in the output of `diagram check`.
    pub fn as_str(self) -> &'static str {
        match self {
            ReasonToken::PipeInNodeLabel => "pipe-in-node-label",
            ReasonToken::BrInParticipantAlias => "br-in-participant-alias",
            ReasonToken::DollarInParticipantAlias => "dollar-in-participant-alias",
            ReasonToken::UnclosedFrontmatter => "unclosed-frontmatter",
            ReasonToken::ParseError => "parse-error",
        }
    }
}

/// Violation of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyViolation {
    pub token: ReasonToken,
    /// 1-based line of the diagram.
    pub line: usize,
}

/// All violations in a diagram.
pub fn inspect(diagram: &str) -> Vec<PolicyViolation> {
    match Start::of(diagram) {
        Start::Nothing => Vec::new(),
        Start::UnclosedFrontmatter => {
            vec![PolicyViolation { token: ReasonToken::UnclosedFrontmatter, line: diagram.lines().count() }]
        }
        Start::Kind { kind, at } => {
            if is_flowchart(kind) {
                pipe_in_label(diagram, at).into_iter().collect()
            } else if kind == "sequenceDiagram" {
                aliases(diagram, at)
            } else {
                Vec::new()
            }
        }
    }
}

/// First line of a diagram.
enum Start<'a> {
    /// No kind was found.
    Nothing,
    /// Front matter without an end.
    UnclosedFrontmatter,
    /// The kind, and the byte offset of its line.
    Kind { kind: &'a str, at: usize },
}

impl Start<'_> {
    fn of(diagram: &str) -> Start<'_> {
        let mut lines = numbered_bytes(diagram).skip_while(|(_, line)| line.trim().is_empty()).peekable();
        if lines.next_if(|(_, line)| line.trim() == "---").is_some()
            && !lines.any(|(_, line)| line.trim() == "---")
        {
            return Start::UnclosedFrontmatter;
        }
        let last_directive_end = LazyCell::new(|| diagram.rfind("}%%"));
        while let Some((at, line)) = lines.next() {
            let line = line.trim();
            if opens_directive(line) && last_directive_end.is_some_and(|end| end > at) {
                while lines.next_if(|(_, line)| !line.contains("}%%")).is_some() {}
                lines.next();
            } else if !line.is_empty() && !line.starts_with("%%") {
                return Start::Kind { kind: line, at };
            }
        }
        Start::Nothing
    }
}

/// `%%{init: …` whose `}%%` stands on a later line.
fn opens_directive(line: &str) -> bool {
    line.starts_with("%%{") && !line.contains("}%%")
}

/// Lines with the byte they start at.
fn numbered_bytes(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

fn is_flowchart(kind: &str) -> bool {
    ["flowchart", "graph"].iter().any(|name| {
        kind.strip_prefix(name).is_some_and(|rest| rest.chars().next().is_none_or(char::is_whitespace))
    })
}

/// The first `|` inside a node's label.
fn pipe_in_label(diagram: &str, from: usize) -> Option<PolicyViolation> {
    // Without a pipe there is nothing to look for, and finding none is quick.
    let first = from + diagram[from..].find('|')?;
    let start = diagram[from..first].rfind('\n').map_or(from, |newline| from + newline + 1);
    let pipe = start + labelled_pipe(&diagram[start..])?;
    Some(PolicyViolation {
        token: ReasonToken::PipeInNodeLabel,
        line: 1 + diagram[..pipe].matches('\n').count(),
    })
}

/// Finds the first `|` inside a label. Brackets open a label, quotes inside one hide their content; both
/// end with the line. The label of an edge stands outside brackets.
fn labelled_pipe(lines: &str) -> Option<usize> {
    let (mut line_start, mut line_is_comment) = (0, false);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, usize::MAX);
    for (at, mark) in marks(lines.as_bytes()) {
        match mark {
            b'\n' => (line_start, line_is_comment, depth, quoted) = (at + 1, false, 0, false),
            _ if line_is_comment || at == escaped => {}
            b'"' if depth > 0 => quoted = !quoted,
            b'\\' if quoted => escaped = at + 1,
            _ if quoted => {}
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth = depth.saturating_sub(1),
            b'|' if depth > 0 => {
                line_is_comment = is_comment(&lines[line_start..at]);
                if !line_is_comment {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// A line a renderer drops: `%%`, but not the directive `%%{`.
fn is_comment(line: &str) -> bool {
    line.trim_start().strip_prefix("%%").is_some_and(|rest| !rest.starts_with('{'))
}

/// Violations in the aliases of participants.
fn aliases(diagram: &str, from: usize) -> Vec<PolicyViolation> {
    let mut hits = Vec::new();
    let before = diagram[..from].matches('\n').count();
    for (index, line) in diagram[from..].lines().enumerate() {
        let Some(alias) = alias(line) else { continue };
        let line = before + index + 1;
        if has_line_break(alias) {
            hits.push(PolicyViolation { token: ReasonToken::BrInParticipantAlias, line });
        }
        if alias.contains('$') {
            hits.push(PolicyViolation { token: ReasonToken::DollarInParticipantAlias, line });
        }
    }
    hits
}

/// ALIAS of `participant ID as ALIAS` or `actor ID as ALIAS`.
fn alias(line: &str) -> Option<&str> {
    // Almost every other line is turned away by its first letter.
    if !matches!(line.as_bytes().trim_ascii_start().first()?, b'p' | b'P' | b'a' | b'A' | 0x80..) {
        return None;
    }
    let line = line.trim_start();
    let (keyword, rest) = line.split_once(char::is_whitespace)?;
    if !keyword.eq_ignore_ascii_case("participant") && !keyword.eq_ignore_ascii_case("actor") {
        return None;
    }
    // An id may have spaces in it, so the first word "as" after its first word begins the alias.
    let (_id, mut rest) = rest.trim_start().split_once(char::is_whitespace)?;
    while let Some((word, after)) = rest.split_once(char::is_whitespace) {
        if word.eq_ignore_ascii_case("as") {
            return Some(after);
        }
        rest = after;
    }
    None
}

/// `<br>`, `<br/>`, `<br />`, in any case.
fn has_line_break(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let Some(tag) = text.get(at + 1..at + 3) else { return false };
        let rest = text[at + 3..].trim_start();
        tag.eq_ignore_ascii_case("br") && rest.strip_prefix('/').unwrap_or(rest).starts_with('>')
    })
}
