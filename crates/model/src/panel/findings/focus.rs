//! The five focus areas of a review, and the tags in front of a finding.

use crate::panel::lines::{MARKS, is_blank};
use serde::{Deserialize, Serialize};

/// What a finding is about.
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
    /// All of them.
    pub const ALL: [Focus; 5] = [
        Focus::CodeQuality,
        Focus::RiskIntegration,
        Focus::Correctness,
        Focus::Architecture,
        Focus::Security,
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Focus::CodeQuality => "code-quality",
            Focus::RiskIntegration => "risk-integration",
            Focus::Correctness => "correctness",
            Focus::Architecture => "architecture",
            Focus::Security => "security",
        }
    }

    /// Reads a name, in any case, its words joined by a hyphen, a slash, an underscore or blanks.
    pub fn parse(text: &str) -> Option<Focus> {
        let text = text.trim_matches(|c| is_blank(c) || MARKS.contains(&c));
        Focus::ALL.into_iter().find(|focus| match focus.name().split_once('-') {
            None => text.eq_ignore_ascii_case(focus.name()),
            Some((first, second)) => text.split_at_checked(first.len()).is_some_and(|(start, rest)| {
                let end = rest.trim_start_matches(JOINTS);
                start.eq_ignore_ascii_case(first)
                    && end.len() < rest.len()
                    && end.eq_ignore_ascii_case(second)
            }),
        })
    }
}

const JOINTS: [char; 4] = ['-', '/', '_', ' '];

/// A tag in front of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Focus(Focus),
    OutOfScope,
}

/// How many bytes a tag can have.
const TAG_BYTES: usize = 64;

/// The tags at the start of `text`, and what follows them: `[OUT_OF_SCOPE] [security] …`, `**Security** — …`.
pub(super) fn leading_tags<'a>(text: &'a str, mut found: impl FnMut(Tag)) -> &'a str {
    let mut rest = text;
    loop {
        let start = rest.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
        match bracketed(start, &mut found).or_else(|| plain(start, &mut found)) {
            Some(after) => rest = after.trim_start_matches(separates),
            None => return rest,
        }
    }
}

/// The first focus in brackets or code anywhere in a text: for findings that carry their tag at the end.
pub(super) fn any_focus(text: &str) -> Option<Focus> {
    text.match_indices(['[', '(', '`']).find_map(|(at, _)| {
        let (inner, _) = enclosed(&text[at..])?;
        parts(inner).find_map(Focus::parse)
    })
}

/// Between a tag and what it is a tag of.
fn separates(c: char) -> bool {
    is_blank(c) || MARKS.contains(&c) || matches!(c, ':' | '—' | '–' | '-' | '|' | ',')
}

fn bracketed<'a>(text: &'a str, found: &mut impl FnMut(Tag)) -> Option<&'a str> {
    let (inner, after) = enclosed(text)?;
    let mut any = false;
    for tag in parts(inner).filter_map(tag) {
        found(tag);
        any = true;
    }
    any.then_some(after)
}

/// What stands in brackets at the start of a text, and what follows.
fn enclosed(text: &str) -> Option<(&str, &str)> {
    let close = match text.as_bytes().first()? {
        b'[' => b']',
        b'(' => b')',
        b'`' => b'`',
        _ => return None,
    };
    let length = text.bytes().skip(1).take(TAG_BYTES).position(|b| b == close)?;
    Some((&text[1..=length], &text[length + 2..]))
}

fn parts(inner: &str) -> impl Iterator<Item = &str> {
    inner.split([',', ';', ':', '|'])
}

fn tag(name: &str) -> Option<Tag> {
    let is_out_of_scope = name.trim().eq_ignore_ascii_case("OUT_OF_SCOPE");
    if is_out_of_scope { Some(Tag::OutOfScope) } else { Focus::parse(name).map(Tag::Focus) }
}

/// A focus without brackets: alone, emphasised, or set off from what follows.
fn plain<'a>(text: &'a str, found: &mut impl FnMut(Tag)) -> Option<&'a str> {
    let ends = |c: char| !(c.is_ascii_alphabetic() || JOINTS.contains(&c));
    let end = text.find(ends).unwrap_or(text.len());
    let words = text[..end].trim_end_matches(JOINTS);
    // "security - the plan" runs on over its dash; the tag is what stands before it.
    let words = words.split_once(" - ").map_or(words, |(words, _)| words);
    let after = &text[words.len()..];
    let set_off = after.trim_start().starts_with(|c| separates(c) && !is_blank(c)) || after.trim().is_empty();
    let focus = Focus::parse(words).filter(|_| set_off)?;
    found(Tag::Focus(focus));
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> (String, &str) {
        let mut names = Vec::new();
        let rest = leading_tags(text, |tag| {
            names.push(match tag {
                Tag::Focus(focus) => focus.name(),
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
    fn tags_are_taken_off_the_front() {
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
            ("[CRITICAL] x", "", "[CRITICAL] x"),
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
    fn a_tag_further_on_is_found_when_it_is_marked() {
        assert_eq!(any_focus("No rollback (correctness)"), Some(Focus::Correctness));
        assert_eq!(any_focus("No [really] rollback [risk-integration]"), Some(Focus::RiskIntegration));
        assert_eq!(any_focus("`security`"), Some(Focus::Security));
        assert_eq!(any_focus("about security [x"), None);
    }
}
