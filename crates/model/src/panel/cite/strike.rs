//! Strikes wrong citations out of the prose of an answer. Code, JSON, lists of files and markers stay as they are.

use super::{CheckedCitation, CitationReport, CitationVerdict, WrongCitation};
use crate::panel::places::{STRUCK_MARK, StruckText};

/// Marks a quotation that does not stand at its place.
const MISQUOTED_MARK: &str = "(struck: the quoted text is not there)";

/// Replaces the wrong citations that stand in prose by [`STRUCK_MARK`]. A path without a line keeps its name, because it
/// may be a file that the author forgot to mark as new; so does a place that exists and is misquoted.
pub fn strike_wrong_citations(text: &str, report: &CitationReport) -> StruckText {
    let mut struck = StruckText { text: String::with_capacity(text.len()), count: 0 };
    let mut from = 0;
    for CheckedCitation { range, lines, verdict, .. } in report.wrong().filter(|citation| citation.in_prose) {
        // A list of lines behind one path is struck once, and each wrong one counts.
        if range.end <= from && from > 0 {
            struck.count += 1;
            continue;
        }
        let (Some(before), Some(written)) = (text.get(from..range.start), text.get(range.clone())) else {
            continue;
        };
        struck.text.push_str(before);
        let is_misquoted = matches!(verdict, CitationVerdict::Wrong(WrongCitation::Misquoted { .. }));
        let keeps_place = lines.is_none() || is_misquoted;
        if keeps_place {
            struck.text.push_str(written);
            struck.text.push(' ');
        }
        struck.text.push_str(if is_misquoted { MISQUOTED_MARK } else { STRUCK_MARK });
        if !keeps_place {
            // Keep the backticks of inline code in pairs.
            struck.text.extend(written.matches('`'));
        }
        struck.count += 1;
        from = range.end;
        // `src/a.rs (line 9)`: the bracket goes with what it closes.
        if !keeps_place && written.contains('(') && !written.contains(')') && text[from..].starts_with(')') {
            from += 1;
        }
    }
    struck.text.push_str(&text[from..]);
    struck
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::Files;
    use super::super::{CitationRules, check_citations};
    use super::*;

    fn struck(text: &str) -> (String, usize) {
        let files = Files::new(&[("src/a.rs", "one\ntwo\n")]);
        let report = check_citations(text, &files, &CitationRules::default());
        let StruckText { text, count } = strike_wrong_citations(text, &report);
        (text, count)
    }

    #[test]
    fn wrong_citations_are_struck_in_prose_only() {
        for (text, expected, count) in [
            ("See src/a.rs:1.", "See src/a.rs:1.", 0),
            ("See `src/a.rs:9`, src/a.rs:2.", "See `(struck: no such place)`, src/a.rs:2.", 1),
            ("`src/a.rs`:9 ends", "`(struck: no such place)` ends", 1),
            ("src/a.rs:8,9 end", "(struck: no such place) end", 2),
            ("`src/a.rs (line 9)` ends", "`(struck: no such place)` ends", 1),
            (
                "`src/a.rs:1`: \"neither one nor two\" stands there",
                "`src/a.rs:1 (struck: the quoted text is not there)`: \"neither one nor two\" stands there",
                1,
            ),
            ("`src/b.rs` reads it", "`src/b.rs (struck: no such place)` reads it", 1),
            ("FINDING_1: NO — see x/y.rs:3", "FINDING_1: NO — see (struck: no such place)", 1),
            ("**Files:** src/b.rs:3", "**Files:** src/b.rs:3", 0),
            ("```json\n{\"at\":\"src/b.rs:3\"}\n```", "```json\n{\"at\":\"src/b.rs:3\"}\n```", 0),
            ("```\nsrc/a.rs:9\n```", "```\nsrc/a.rs:9\n```", 0),
            ("x.rs:1\r\nx.rs:1–9", "(struck: no such place)\r\n(struck: no such place)", 2),
        ] {
            assert_eq!(struck(text), (expected.to_owned(), count), "{text}");
            let again = struck(&struck(text).0);
            assert!(
                expected.contains(".rs (struck") || expected.contains("not there)") || again.1 == 0,
                "{text}: {again:?}"
            );
        }
    }
}
