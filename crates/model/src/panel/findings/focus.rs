//! The five focus areas of a review, and the tags in front of a finding.

use super::severity::FindingSeverity;
use crate::markdown::{MARKS, is_blank, trimmed};
use memchr::{memchr, memchr3_iter};
use serde::{Deserialize, Serialize};

/// Focus area of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Focus {
    /// Flaws, reuse, tests, style.
    CodeQuality,
    /// Breaking changes, side effects, deployment.
    RiskIntegration,
    /// Logic, boundaries, races, error paths.
    Correctness,
    /// Boundaries, contracts, invariants.
    Architecture,
    /// Injection, secrets, authorisation.
    Security,
}

impl Focus {
    pub const ALL: [Focus; 5] = [
        Focus::CodeQuality,
        Focus::RiskIntegration,
        Focus::Correctness,
        Focus::Architecture,
        Focus::Security,
    ];

    /// The tag of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Focus::CodeQuality => "code-quality",
            Focus::RiskIntegration => "risk-integration",
            Focus::Correctness => "correctness",
            Focus::Architecture => "architecture",
            Focus::Security => "security",
        }
    }

    /// Parses a name, ignoring case; its words are joined by a hyphen, a slash, an underscore or blanks.
    pub fn parse(text: &str) -> Option<Focus> {
        let text = text.trim_matches(|c| is_blank(c) || MARKS.contains(&c));
        let is = |(_, first, second): &&(Focus, &str, &str)| {
            if !starts_with_word(text, first) {
                return false;
            }
            let rest = &text[first.len()..];
            let end = rest.trim_start_matches(WORD_JOINERS);
            let joined = end.len() < rest.len() || second.is_empty();
            end.eq_ignore_ascii_case(second) && joined
        };
        WORDS.iter().find(is).map(|(focus, ..)| *focus)
    }
}

/// The words of each name.
const WORDS: [(Focus, &str, &str); 5] = [
    (Focus::CodeQuality, "code", "quality"),
    (Focus::RiskIntegration, "risk", "integration"),
    (Focus::Correctness, "correctness", ""),
    (Focus::Architecture, "architecture", ""),
    (Focus::Security, "security", ""),
];

const WORD_JOINERS: [char; 4] = ['-', '/', '_', ' '];

/// Tag in front of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Focus(Focus),
    /// Only in brackets or code: "minor: x" may be a sentence.
    Severity(FindingSeverity),
    OutOfScope,
}

/// Maximum length of a tag in bytes.
const TAG_BYTES: usize = 64;

/// Passes the tags at the start of `text` to `found` and returns the rest: `[OUT_OF_SCOPE] [security] …`,
/// `**Security** — …`.
pub(super) fn leading_tags(text: &str, mut found: impl FnMut(Tag)) -> &str {
    let mut rest = text;
    loop {
        let start = rest.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
        let after = match start.as_bytes().first() {
            Some(b'[' | b'(' | b'`') => parse_bracketed_tags(start, &mut found),
            Some(b) if b.is_ascii_alphabetic() => parse_plain_tag(start, &mut found),
            _ => None,
        };
        match after {
            Some(after) => rest = after.trim_start_matches(is_tag_separator),
            None => return rest,
        }
    }
}

/// The first focus tag in brackets or code anywhere in a text, for findings with their tag at the end.
pub(super) fn find_focus(text: &str) -> Option<Focus> {
    memchr3_iter(b'[', b'(', b'`', text.as_bytes()).find_map(|at| {
        let (inner, _) = split_enclosed(&text[at..])?;
        split_parts(inner).find_map(Focus::parse)
    })
}

/// True for a separator between a tag and the finding.
fn is_tag_separator(c: char) -> bool {
    is_blank(c) || MARKS.contains(&c) || matches!(c, ':' | '—' | '–' | '-' | '|' | ',')
}

fn parse_bracketed_tags<'a>(text: &'a str, found: &mut impl FnMut(Tag)) -> Option<&'a str> {
    let (inner, after) = split_enclosed(text)?;
    if let Some(tag) = parse_tag(inner) {
        found(tag);
        return Some(after);
    }
    let mut tags = split_parts(inner).filter_map(parse_tag).peekable();
    tags.peek()?;
    tags.for_each(found);
    Some(after)
}

/// Splits a text after the bracketed part it starts with.
fn split_enclosed(text: &str) -> Option<(&str, &str)> {
    let close = match text.as_bytes().first()? {
        b'[' => b']',
        b'(' => b')',
        b'`' => b'`',
        _ => return None,
    };
    let inner = &text.as_bytes()[1..];
    let length = memchr(close, inner.get(..TAG_BYTES).unwrap_or(inner))?;
    Some((&text[1..=length], &text[length + 2..]))
}

fn split_parts(inner: &str) -> impl Iterator<Item = &str> {
    inner.split([',', ';', ':', '|'])
}

fn parse_tag(name: &str) -> Option<Tag> {
    if trimmed(name).eq_ignore_ascii_case("OUT_OF_SCOPE") {
        return Some(Tag::OutOfScope);
    }
    let focus = Focus::parse(name).map(Tag::Focus);
    focus.or_else(|| FindingSeverity::parse(name).map(Tag::Severity))
}

/// Parses a focus tag without brackets: alone, emphasised, or followed by a separator.
fn parse_plain_tag<'a>(text: &'a str, found: &mut impl FnMut(Tag)) -> Option<&'a str> {
    let (focus, first, second) = WORDS.iter().find(|(_, first, _)| starts_with_word(text, first))?;
    let rest = &text[first.len()..];
    let after = if second.is_empty() {
        rest
    } else {
        rest.strip_prefix(WORD_JOINERS)?.trim_start_matches(WORD_JOINERS)
    };
    let after = after.split_at_checked(second.len()).filter(|(word, _)| word.eq_ignore_ascii_case(second))?.1;
    let next = after.trim_start_matches(is_blank);
    if !next.is_empty() && !next.starts_with(is_tag_separator) {
        return None;
    }
    found(Tag::Focus(*focus));
    Some(after)
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let same_letter = text.first().map(u8::to_ascii_lowercase) == word.first().copied();
    same_letter && text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> (String, &str) {
        let mut names = Vec::new();
        let rest = leading_tags(text, |tag| {
            names.push(match tag {
                Tag::Focus(focus) => focus.name(),
                Tag::Severity(severity) => severity.name(),
                Tag::OutOfScope => "oos",
            });
        });
        (names.join(" "), rest)
    }

    #[test]
    fn a_focus_is_read_in_many_spellings() {
        for (text, focus) in [
            ("code-quality", Some(Focus::CodeQuality)),
            ("Code Quality", Some(Focus::CodeQuality)),
            ("RISK/INTEGRATION", Some(Focus::RiskIntegration)),
            ("risk / integration", Some(Focus::RiskIntegration)),
            ("risk_integration", Some(Focus::RiskIntegration)),
            (" **correctness** ", Some(Focus::Correctness)),
            ("Architecture", Some(Focus::Architecture)),
            ("security", Some(Focus::Security)),
            ("codequality", None),
            ("code-", None),
            ("quality", None),
            ("securité", None),
            ("insecurity", None),
            ("", None),
        ] {
            assert_eq!(Focus::parse(text), focus, "{text}");
        }
        for focus in Focus::ALL {
            assert_eq!(Focus::parse(focus.name()), Some(focus));
            assert_eq!(serde_json::to_value(focus).unwrap(), focus.name());
        }
    }

    #[test]
    fn leading_tags_are_stripped() {
        for (text, names, rest) in [
            ("[security] No auth", "security", "No auth"),
            ("**[security]** No auth", "security", "No auth"),
            ("[OUT_OF_SCOPE] [code-quality]: Old code", "oos code-quality", "Old code"),
            ("[out_of_scope, correctness] x", "oos correctness", "x"),
            ("[Focus: correctness] x", "correctness", "x"),
            ("(Risk/Integration) x", "risk-integration", "x"),
            ("`architecture` — x", "architecture", "x"),
            ("**Security** — x", "security", "x"),
            ("**Code Quality**: x", "code-quality", "x"),
            ("security - the plan", "security", "the plan"),
            ("Security: the plan", "security", "the plan"),
            ("correctness", "correctness", ""),
            ("Security tokens leak", "", "Security tokens leak"),
            ("Securitys: x", "", "Securitys: x"),
            ("code smell: x", "", "code smell: x"),
            ("codequality: x", "", "codequality: x"),
            ("[correctness] [major] x", "correctness major", "x"),
            ("[CRITICAL] **[security]** x", "critical security", "x"),
            ("[correctness, minor] x", "correctness minor", "x"),
            ("minor: x", "", "minor: x"),
            ("[critical path] x", "", "[critical path] x"),
            ("[security x", "", "[security x"),
            ("[] x", "", "[] x"),
            ("the [security] tag", "", "the [security] tag"),
            ("", "", ""),
        ] {
            assert_eq!(tags(text), (names.to_owned(), rest), "{text}");
        }
        let long = format!("[{}security] x", " ".repeat(TAG_BYTES));
        assert_eq!(tags(&long).0, "");
    }

    #[test]
    fn a_bracketed_tag_is_found_anywhere() {
        assert_eq!(find_focus("No rollback (correctness)"), Some(Focus::Correctness));
        assert_eq!(find_focus("No [really] rollback [risk-integration]"), Some(Focus::RiskIntegration));
        assert_eq!(find_focus("`security`"), Some(Focus::Security));
        assert_eq!(find_focus("about security [x"), None);
    }
}
