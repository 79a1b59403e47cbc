//! Cited lines, quoted with their numbers: what a judge would otherwise have to open.

use super::facts::{SourceFacts, SourceKind};
use super::{CitationRules, CitationVerdict, check_citations};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Limits of quoted lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExcerptLimits {
    /// Maximum number of lines of one place.
    pub lines: usize,
    /// Maximum number of characters of one line.
    pub line_chars: usize,
    /// Maximum size of all quoted places together, in bytes.
    pub total_bytes: usize,
}

impl Default for ExcerptLimits {
    fn default() -> ExcerptLimits {
        ExcerptLimits { lines: 8, line_chars: 160, total_bytes: 16 * 1024 }
    }
}

/// The lines of one place: its path and range, then the numbered lines. None if there is no such place.
pub fn quote_place(place: &str, facts: &dyn SourceFacts, limits: ExcerptLimits) -> Option<String> {
    let cited =
        check_citations(place, facts, &rules()).citations.into_iter().find(|cited| cited.lines.is_some())?;
    if cited.verdict != CitationVerdict::Right {
        return None;
    }
    excerpt(&cited.place(), &cited.path, cited.lines?, facts, limits)
}

/// The lines of every distinct place of a text, in order, as far as the limits allow; empty if it cites none.
pub fn quote_places(text: &str, facts: &dyn SourceFacts, limits: ExcerptLimits) -> String {
    let mut seen = BTreeSet::new();
    let mut quoted = String::new();
    let mut left_out = 0_usize;
    for cited in check_citations(text, facts, &rules()).citations {
        let (CitationVerdict::Right, Some(lines)) = (&cited.verdict, cited.lines) else { continue };
        if !seen.insert((cited.path.clone(), lines)) {
            continue;
        }
        let Some(excerpt) = excerpt(&cited.place(), &cited.path, lines, facts, limits) else { continue };
        if quoted.len() + excerpt.len() > limits.total_bytes {
            left_out += 1;
            continue;
        }
        quoted.push_str(&excerpt);
    }
    if left_out > 0 {
        let places =
            if left_out == 1 { "1 more place".to_owned() } else { format!("{left_out} more places") };
        let _ = writeln!(quoted, "({places} not quoted)");
    }
    quoted
}

fn rules() -> CitationRules {
    CitationRules { only_with_lines: true, ..CitationRules::default() }
}

fn excerpt(
    place: &str,
    path: &str,
    (first, last): (usize, usize),
    facts: &dyn SourceFacts,
    limits: ExcerptLimits,
) -> Option<String> {
    if holds_secrets(path) {
        return None;
    }
    let is_text = |facts: &dyn SourceFacts| matches!(facts.kind(path), Some(SourceKind::Text { lines }) if first <= lines);
    let facts = if is_text(facts) { facts } else { facts.at_head().filter(|head| is_text(*head))? };
    let end = last.min(first.saturating_add(limits.lines.max(1) - 1));
    let mut text = format!("{place}\n");
    let width = end.to_string().len();
    for (number, line) in (first..=end).zip(facts.lines(path, first, end)) {
        let line = match line.char_indices().nth(limits.line_chars) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line,
        };
        let _ = writeln!(text, "  {number:>width$} | {}", line.trim_end());
    }
    if end < last {
        let _ = writeln!(text, "  {:>width$} | … {} more lines", "", last - end);
    }
    Some(text)
}

/// True for files whose lines must not reach another vendor.
pub(super) fn holds_secrets(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.starts_with(".env") || [".pem", ".key", ".p12", ".pfx"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::Files;
    use super::*;

    fn files() -> Files {
        let text = (1..=20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
        Files::new(&[("src/a.rs", &text), ("lib/b.ex", "def b do\nend\n")])
    }

    #[test]
    fn cited_lines_are_quoted_with_their_numbers() {
        let limits = ExcerptLimits { lines: 3, line_chars: 5, total_bytes: 1000 };
        let text = "It is at `src/a.rs:9-10`, src/a.rs:9-10, b.ex:1, src/a.rs:99 and src/a.rs:2-8.";
        assert_eq!(
            quote_places(text, &files(), limits),
            "src/a.rs:9-10\n   9 | line …\n  10 | line …\nlib/b.ex:1\n  1 | def b…\n\
             src/a.rs:2-8\n  2 | line …\n  3 | line …\n  4 | line …\n    | … 4 more lines\n"
        );
        assert_eq!(quote_places("nothing", &files(), limits), "");
        let short = ExcerptLimits { total_bytes: 50, ..limits };
        assert_eq!(
            quote_places(text, &files(), short),
            "src/a.rs:9-10\n   9 | line …\n  10 | line …\n(2 more places not quoted)\n"
        );
    }

    #[test]
    fn one_place_is_quoted() {
        let limits = ExcerptLimits::default();
        assert_eq!(
            quote_place("src/a.rs:2", &files(), limits).as_deref(),
            Some("src/a.rs:2\n  2 | line 2\n")
        );
        let secrets = Files::new(&[(".env", "TOKEN=1\n"), ("keys/server.pem", "x\n")]);
        assert_eq!(quote_places(".env:1 keys/server.pem:1", &secrets, limits), "");
        for place in ["src/a.rs:21", "src/b.rs:1", "src/a.rs", "", "text"] {
            assert_eq!(quote_place(place, &files(), limits), None, "{place}");
        }
    }
}
