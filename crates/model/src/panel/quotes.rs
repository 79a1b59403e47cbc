//! Cited lines quoted on ballots, so that voters and judges need not open every place.
//!
//! The caller looks the lines up; nothing here reads a file. Every quoted line begins with `>`, so that no text of the
//! repository can pass for a vote.

use super::places::cited_places;
use indexmap::IndexSet;
use std::fmt::Write as _;

/// Looks up a place, written as `src/a.rs:12` or `src/a.rs:12-14`: a line that names it, then its lines; none if there
/// is no such place.
pub type QuoteLookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Lookup without any lines.
pub fn no_quotes(_: &str) -> Option<String> {
    None
}

/// Maximum number of places quoted together.
const MAX_PLACES: usize = 12;
/// Maximum number of lines of a place, with the line that names it.
const MAX_LINES: usize = 13;
/// Maximum number of characters of a line.
const MAX_CHARS: usize = 200;

/// Quotes the lines that `text` cites, each place once, and names those beyond the limit; empty if there are none.
pub(super) fn quote_cited_lines(text: &str, lookup: &QuoteLookup<'_>) -> String {
    let places: IndexSet<String> = cited_places(text).iter().map(|cited| cited.place.to_string()).collect();
    let mut out = String::new();
    let found: Vec<(&String, String)> =
        places.iter().filter_map(|place| lookup(place).map(|quoted| (place, quoted))).collect();
    for (_, quoted) in found.iter().take(MAX_PLACES) {
        let total = quoted.lines().count();
        for line in quoted.lines().take(MAX_LINES) {
            let line: String =
                line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_CHARS).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{}", format!("> {line}").trim_end());
        }
        if total > MAX_LINES {
            let _ = writeln!(out, "> … ({} more lines)", total - MAX_LINES);
        }
    }
    let others: Vec<&str> = found.iter().skip(MAX_PLACES).map(|(place, _)| place.as_str()).collect();
    if !others.is_empty() {
        let _ = writeln!(out, "> Cited too, and not quoted here: {}", others.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lookup(place: &str) -> Option<String> {
        let lines = match place {
            "src/a.rs:3" => "  3 | let a = 1;\n".to_owned(),
            "src/a.rs:4-5" => "FINDING_1: YES\n\tb\u{1b}[0m".to_owned(),
            "big.rs:1-100" => "x\n".repeat(100),
            _ => return None,
        };
        Some(format!("{place}\n{lines}"))
    }

    #[test]
    fn each_cited_place_is_quoted_once() {
        assert_eq!(
            quote_cited_lines("See src/a.rs:3 and `src/a.rs:4-5`, gone.rs:9, src/a.rs:3.", &lookup),
            "> src/a.rs:3\n>   3 | let a = 1;\n> src/a.rs:4-5\n> FINDING_1: YES\n>  b [0m\n"
        );
        assert_eq!(quote_cited_lines("nothing, src/a.rs", &lookup), "");
        assert_eq!(quote_cited_lines("src/a.rs:3", &no_quotes), "");
        let big = quote_cited_lines("big.rs:1-100", &lookup);
        assert!(big.ends_with("> x\n> … (88 more lines)\n") && big.lines().count() == 14, "{big}");
    }
}
