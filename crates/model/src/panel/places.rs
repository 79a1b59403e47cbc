//! Places in the code cited as `path:line` or `path:line-line`: parsed, checked against the repository, struck
//! out.
//!
//! [`super::citations`] recognises file names; this module adds the line numbers. Existence is checked through
//! [`PlaceFacts`], so nothing here touches a file. A wrong place is returned to the agent once; if it is still
//! wrong then, [`strike_wrong_places`] removes it from the text.

use super::citations::{Citation, Citations, leaves_repository};
use crate::markdown::{Line, is_blank, lines};
use crate::problem::Problem;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

/// Line range of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CodePlace {
    /// Path from the root of the repository.
    pub path: String,
    /// First line, from 1.
    pub first: usize,
    /// Last line; equals `first` for a single line.
    pub last: usize,
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CodePlace { path, first, last } = self;
        if first == last { write!(f, "{path}:{first}") } else { write!(f, "{path}:{first}-{last}") }
    }
}

/// Place cited in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CitedPlace {
    /// Line number in the citing text, from 1.
    pub line: usize,
    pub place: CodePlace,
    /// Longer readings of the path: names with blanks or non-ASCII letters begin earlier.
    #[serde(skip)]
    wider: Vec<String>,
    /// Byte range in the citing text.
    #[serde(skip)]
    pub(super) range: Range<usize>,
}

/// The places cited in a text, in order, including those in code fences.
pub fn cited_places(text: &str) -> Vec<CitedPlace> {
    lines(text).flat_map(|line| line_places(line, 0)).collect()
}

/// Facts about the files of a repository.
pub trait PlaceFacts {
    /// Number of lines of the file at `path`; none if there is no such file. Paths come from agents:
    /// implementations must not look outside the repository.
    fn line_count(&self, path: &str) -> Option<usize>;
}

impl<F: Fn(&str) -> Option<usize>> PlaceFacts for F {
    fn line_count(&self, path: &str) -> Option<usize> {
        self(path)
    }
}

/// Cited place that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrongPlace {
    /// Line number in the citing text, from 1.
    pub line: usize,
    pub place: CodePlace,
    pub why: String,
}

impl WrongPlace {
    /// The problem to report to the agent.
    pub fn problem(&self) -> Problem {
        Problem::new(self.line, self.to_string())
    }
}

impl fmt::Display for WrongPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.why)
    }
}

/// The places that do not exist, in order. Each file is looked up once.
pub fn wrong_places(places: &[CitedPlace], facts: &dyn PlaceFacts) -> Vec<WrongPlace> {
    let mut known: HashMap<&str, Option<usize>> = HashMap::new();
    let mut wrong = Vec::new();
    for cited in places {
        let CitedPlace { line, place, .. } = cited;
        let mut length = |path| *known.entry(path).or_insert_with(|| facts.line_count(path));
        let Some(why) = place_error(place, length(&place.path)) else { continue };
        if !cited.wider.iter().any(|path| place_error(place, length(path)).is_none()) {
            wrong.push(WrongPlace { line: *line, place: place.clone(), why });
        }
    }
    wrong
}

/// The error of a place in a file with `length` lines.
fn place_error(place: &CodePlace, length: Option<usize>) -> Option<String> {
    match length {
        None => Some("there is no such file".to_owned()),
        Some(_) if place.last < place.first => Some("the range ends before it begins".to_owned()),
        Some(1) if place.last > 1 => Some("the file has 1 line".to_owned()),
        Some(length) if place.last > length => Some(format!("the file has {length} lines")),
        Some(_) => None,
    }
}

/// Replacement for a struck place.
pub const STRUCK_MARK: &str = "(struck: no such place)";

/// Text with its wrong places struck out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StruckText {
    /// Text with [`STRUCK_MARK`] in place of each.
    pub text: String,
    /// Number of struck places.
    pub count: usize,
}

/// Replaces the wrong ones of the cited places in `text`.
pub fn strike_wrong_places(text: &str, cited: &[CitedPlace], wrong: &[WrongPlace]) -> StruckText {
    let wrong: HashSet<(usize, &CodePlace)> = wrong.iter().map(|wrong| (wrong.line, &wrong.place)).collect();
    let mut struck = StruckText { text: String::with_capacity(text.len()), count: 0 };
    let mut from = 0;
    for CitedPlace { range, .. } in cited.iter().filter(|cited| wrong.contains(&(cited.line, &cited.place))) {
        let (Some(before), Some(struck_text)) = (text.get(from..range.start), text.get(range.clone())) else {
            continue;
        };
        struck.text.push_str(before);
        struck.text.push_str(STRUCK_MARK);
        // Keep the backticks of inline code in pairs.
        struck.text.extend(struck_text.matches('`'));
        struck.count += 1;
        from = range.end;
    }
    struck.text.push_str(&text[from..]);
    struck
}

/// Quotes a text without citing its places: inserts a blank before each line number.
pub fn defuse_citations(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    let mut from = 0;
    for CitedPlace { range, .. } in cited_places(text) {
        let colon = text[range.clone()].rfind(':').map_or(range.end, |at| range.start + at + 1);
        quoted.push_str(&text[from..colon]);
        quoted.push(' ');
        from = colon;
    }
    quoted.push_str(&text[from..]);
    quoted
}

/// The places on a line, from byte `from` on.
pub(super) fn line_places(line: Line<'_>, from: usize) -> impl Iterator<Item = CitedPlace> + '_ {
    let text = line.text;
    Citations::new(&text[from..]).filter_map(move |citation| {
        let at = from + citation.start;
        let found = parse_lines(&text[at..], &citation)?;
        let wider = wider_paths(text, at, at + found.path.len());
        Some(CitedPlace {
            line: line.number,
            place: CodePlace {
                path: found.path.trim_start_matches("./").to_owned(),
                first: found.first,
                last: found.last,
            },
            wider,
            range: line.start + at..line.start + at + found.length,
        })
    })
}

/// Parses a place that fills `token`; its path may have any form: `LICENSE:3`, `docs/große Dinge.md:4-8`. `at`
/// is the byte offset on the line.
pub(super) fn parse_place(line: Line<'_>, at: usize, token: &str) -> Option<CitedPlace> {
    let (path, numbers) = token.rsplit_once(':')?;
    let path = path.trim_start_matches("./");
    let (first, last) = parse_range(numbers)?;
    let fits = path.contains(char::is_alphabetic) && is_inside(path) && !path.contains(':');
    fits.then(|| CitedPlace {
        line: line.number,
        place: CodePlace { path: path.to_owned(), first, last },
        wider: Vec::new(),
        range: line.start + at..line.start + at + token.len(),
    })
}

/// Path and lines at the start of a text.
struct PlaceSpan<'a> {
    path: &'a str,
    first: usize,
    last: usize,
    /// Bytes of the text it takes.
    length: usize,
}

/// The lines of a citation: its own, those after inline code, the end of a range after a long dash.
fn parse_lines<'a>(text: &'a str, citation: &Citation<'a>) -> Option<PlaceSpan<'a>> {
    let written = citation.path;
    if !citation.has_line {
        let numbers = text[written.len()..].strip_prefix("`:")?;
        let digits = numbers.bytes().take_while(|b| b.is_ascii_digit() || *b == b'-').count();
        let numbers = numbers[..digits].trim_end_matches('-');
        let (first, last) = parse_range(numbers)?;
        return Some(PlaceSpan { path: written, first, last, length: written.len() + 2 + numbers.len() });
    }
    let (path, numbers) = written.rsplit_once(':')?;
    if is_host(path) {
        return None;
    }
    let (first, last) = parse_range(numbers)?;
    let dash = text[written.len()..].strip_prefix(['–', '\u{2011}']).filter(|_| first == last);
    let digits = dash.map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    match dash {
        Some(rest) if digits > 0 => {
            let end = text.len() - rest.len() + digits;
            Some(PlaceSpan { path, first, last: parse_number(&rest[..digits])?, length: end })
        }
        _ => Some(PlaceSpan { path, first, last, length: written.len() }),
    }
}

/// Parses `12` or `12-20`.
fn parse_range(numbers: &str) -> Option<(usize, usize)> {
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    Some((parse_number(first)?, parse_number(last)?)).filter(|(first, _)| *first > 0)
}

/// Parses digits. A number that overflows becomes the maximum, which no file has.
fn parse_number(digits: &str) -> Option<usize> {
    let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// True for a host and port such as `example.com:443`.
fn is_host(path: &str) -> bool {
    const ENDS: [&str; 8] = ["com", "dev", "example", "internal", "io", "local", "net", "org"];
    !path.contains('/') && path.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end))
}

/// Maximum number of bytes before a citation at which its path may begin.
const MAX_LOOKBACK: usize = 200;

/// Longer readings of the path that ends at `end`: from the start of the word, and from the start of inline
/// code.
fn wider_paths(text: &str, start: usize, end: usize) -> Vec<String> {
    let mut least = start.saturating_sub(MAX_LOOKBACK);
    while !text.is_char_boundary(least) {
        least += 1;
    }
    let before = &text[least..start];
    let after = |is_end: fn(char) -> bool| before.rfind(is_end).map(|at| after_char(before, at));
    let word = after(|c| is_blank(c) || "`\"'()[]{}<>|,;:".contains(c)).unwrap_or(0);
    let code = after(|c| c == '`').unwrap_or(before.len());
    let mut readings = Vec::new();
    for from in [word, code] {
        let path = text[least + from..end].trim_start_matches(is_blank).trim_start_matches("./");
        if from < before.len() && is_inside(path) && !readings.iter().any(|known| known == path) {
            readings.push(path.to_owned());
        }
    }
    readings
}

fn after_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// True if a path has the form of one inside the repository.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !leaves_repository(path) && !path.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> Vec<String> {
        cited_places(text).iter().map(|cited| cited.place.to_string()).collect()
    }

    fn facts(path: &str) -> Option<usize> {
        match path {
            "src/a.rs" => Some(120),
            "src/größe.rs" | "docs/my notes.md" | "one.md" => Some(1),
            "empty.md" => Some(0),
            _ => None,
        }
    }

    fn wrong(text: &str) -> Vec<String> {
        wrong_places(&cited_places(text), &facts).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn places_are_found_as_people_write_them() {
        for (text, expected) in [
            ("", vec![]),
            ("src/a.rs:12, `src/b.rs:3-9` (x.md:1).", vec!["src/a.rs:12", "src/b.rs:3-9", "x.md:1"]),
            ("src/a.rs:3-3 ./src/a.rs:4", vec!["src/a.rs:3", "src/a.rs:4"]),
            ("src/a.rs:12–20 and src/a.rs:12‑20", vec!["src/a.rs:12-20", "src/a.rs:12-20"]),
            ("src/a.rs:12–dash", vec!["src/a.rs:12"]),
            ("`src/a.rs`:12-20, `src/a.rs`: 12", vec!["src/a.rs:12-20"]),
            ("[src/a.rs:12](src/a.rs#L12) src/a.rs:12:5", vec!["src/a.rs:12", "src/a.rs:12"]),
            ("```\nmain.rs:7 -> src/run.rs:9\n```", vec!["main.rs:7", "src/run.rs:9"]),
            ("src/a.rs:99999999999999999999999", vec!["src/a.rs:18446744073709551615"]),
            ("src/a.rs, src/a.rs:0, line 12 of src/a.rs, `src/a.rs`:x", vec![]),
            ("example.com:443 localhost:8080 https://a.dev/x/y.rs:3 12:30 note:5", vec![]),
            ("/etc/passwd:1 ../x.rs:2 a/../b.rs:3", vec![]),
        ] {
            assert_eq!(written(text), expected, "{text}");
        }
        let lines: Vec<usize> = cited_places("\u{feff}a.rs:1\r\n\r\nb.rs:2").iter().map(|c| c.line).collect();
        assert_eq!(lines, [1, 3]);
    }

    #[test]
    fn wrong_places_have_a_reason() {
        for (text, expected) in [
            ("src/a.rs:1, src/a.rs:120, src/a.rs:3-120, one.md:1", vec![]),
            ("src/a.rs:900", vec!["src/a.rs:900: the file has 120 lines"]),
            ("src/a.rs:100-121", vec!["src/a.rs:100-121: the file has 120 lines"]),
            ("src/a.rs:9-3", vec!["src/a.rs:9-3: the range ends before it begins"]),
            (
                "one.md:2 empty.md:1",
                vec!["one.md:2: the file has 1 line", "empty.md:1: the file has 0 lines"],
            ),
            ("src/b.rs:1\nsrc/b.rs:1", vec!["src/b.rs:1: there is no such file"; 2]),
        ] {
            assert_eq!(wrong(text), expected, "{text}");
        }
        let problem = wrong_places(&cited_places("\nsrc/b.rs:1"), &facts)[0].problem();
        assert_eq!(problem, Problem::new(2, "src/b.rs:1: there is no such file"));
    }

    #[test]
    fn paths_with_blanks_and_unicode_are_looked_up() {
        for text in
            ["src/größe.rs:1", "`docs/my notes.md:1`", "siehe (src/größe.rs:1)", "詳細はsrc/a.rs:7を参照"]
        {
            assert_eq!(wrong(text), [""; 0], "{text}");
        }
        assert_eq!(wrong("src/größe.rs:7"), ["e.rs:7: there is no such file"]);
        assert_eq!(
            wrong("docs/my notes.md:1"),
            ["notes.md:1: there is no such file"],
            "where does it begin?"
        );
    }

    #[test]
    fn each_file_is_looked_up_once() {
        let asked = std::cell::RefCell::new(Vec::new());
        let facts = |path: &str| {
            asked.borrow_mut().push(path.to_owned());
            None
        };
        assert_eq!(wrong_places(&cited_places("a.rs:1 b.rs:1 a.rs:2 `a.rs:1`"), &facts).len(), 4);
        assert_eq!(*asked.borrow(), ["a.rs", "b.rs"]);
    }

    #[test]
    fn wrong_places_are_struck_and_counted() {
        for (text, expected, count) in [
            ("See src/a.rs:3.", "See src/a.rs:3.", 0),
            ("See `src/a.rs:900`, src/a.rs:9.", "See `(struck: no such place)`, src/a.rs:9.", 1),
            ("`src/a.rs`:900 ends", "`(struck: no such place)` ends", 1),
            (
                "x.rs:1\r\nx.rs:1–9, x.rs:1",
                "(struck: no such place)\r\n(struck: no such place), (struck: no such place)",
                3,
            ),
        ] {
            let places = cited_places(text);
            let struck = strike_wrong_places(text, &places, &wrong_places(&places, &facts));
            assert_eq!(struck, StruckText { text: expected.to_owned(), count }, "{text}");
        }
        let other = cited_places("a longer text with x.rs:1");
        let wrong = wrong_places(&other, &facts);
        assert_eq!(strike_wrong_places("ä", &other, &wrong), StruckText { text: "ä".to_owned(), count: 0 });
    }

    #[test]
    fn quoted_places_are_not_cited() {
        assert_eq!(
            defuse_citations("Fix src/a.rs:900, `b.rs`:3-4 and c"),
            "Fix src/a.rs: 900, `b.rs`: 3-4 and c"
        );
        assert_eq!(defuse_citations("x: y"), "x: y");
    }

    #[test]
    fn huge_texts_take_linear_time() {
        let many = "src/a.rs:1 `".repeat(1 << 15);
        let places = cited_places(&many);
        assert_eq!(places.len(), 1 << 15);
        let wrong = wrong_places(&places, &|_: &str| None);
        assert_eq!(strike_wrong_places(&many, &places, &wrong).count, 1 << 15);
        for text in [
            "ä".repeat(1 << 19) + "a.rs:1",
            "`".repeat(1 << 20),
            "a.rs`:".repeat(1 << 17),
            "9".repeat(1 << 20),
        ] {
            cited_places(&text);
        }
    }

    proptest! {
        #[test]
        fn striking_removes_every_wrong_place(text in "((src/|a\\.rs|ä|:|[0-9]|-|–|`|\\.|/| |\r|\n|\0|\\PC){0,4}){0,20}") {
            let places = cited_places(&text);
            let wrong = wrong_places(&places, &|_: &str| None);
            prop_assert_eq!(wrong.len(), places.len());
            let struck = strike_wrong_places(&text, &places, &wrong);
            prop_assert_eq!(struck.count, places.len());
            prop_assert_eq!(cited_places(&struck.text), vec![]);
            prop_assert_eq!(cited_places(&defuse_citations(&text)), vec![]);
        }

        #[test]
        fn a_place_is_read_as_it_is_written(folder in "[a-z_]{1,8}", name in "[a-z]{1,8}", first in 1_usize..5000, more in 0_usize..50) {
            let place = CodePlace { path: format!("{folder}/{name}.rs"), first, last: first + more };
            let places = cited_places(&format!("It is at `{place}`, and not elsewhere."));
            prop_assert_eq!(places.into_iter().map(|cited| cited.place).collect::<Vec<_>>(), vec![place]);
        }
    }
}
