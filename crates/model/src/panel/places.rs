//! Places an answer cites, `path:line` or `path:line-line`: found, held against the repository, struck out.
//!
//! [`super::cited`] knows how names of files look; here they get their lines. Whether a place exists is asked of
//! [`PlaceFacts`], so nothing here touches a file. A place that is wrong goes back to whoever cited it once; if it
//! is still wrong then, [`strike`] takes it out of the text.

use super::cited::{Citation, Citations, leads_out};
use super::lines::{Line, Problem, is_blank, lines};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The file, from the root of the repository.
    pub path: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line; the first one again if only one was named.
    pub last: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { path, first, last } = self;
        if first == last { write!(f, "{path}:{first}") } else { write!(f, "{path}:{first}-{last}") }
    }
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CitedPlace {
    /// The line of the text it is cited on, from 1.
    pub line: usize,
    /// What is cited.
    pub place: Place,
    /// What the path may have been meant to be: names with blanks or letters beyond ASCII begin earlier.
    #[serde(skip)]
    wider: Vec<String>,
    /// Where it stands in the text, in bytes.
    #[serde(skip)]
    pub(super) range: Range<usize>,
}

/// The places a text cites, in order, those in code fences too.
pub fn cited_places(text: &str) -> Vec<CitedPlace> {
    lines(text).flat_map(|line| places_in(line, 0)).collect()
}

/// What a repository says about its files.
pub trait PlaceFacts {
    /// How many lines the file at `path` has; nothing if there is no such file. Paths come from agents: whoever
    /// answers looks at files inside the repository only.
    fn lines(&self, path: &str) -> Option<usize>;
}

impl<F: Fn(&str) -> Option<usize>> PlaceFacts for F {
    fn lines(&self, path: &str) -> Option<usize> {
        self(path)
    }
}

/// A cited place that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrongPlace {
    /// The line of the text it is cited on, from 1.
    pub line: usize,
    /// What is cited.
    pub place: Place,
    /// Why it is wrong.
    pub why: String,
}

impl WrongPlace {
    /// As something to tell whoever cited it.
    pub fn problem(&self) -> Problem {
        Problem::new(self.line, self.to_string())
    }
}

impl fmt::Display for WrongPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.why)
    }
}

/// The places that do not exist, in order. A file is asked about once.
pub fn wrong_places(places: &[CitedPlace], facts: &dyn PlaceFacts) -> Vec<WrongPlace> {
    let mut known: HashMap<&str, Option<usize>> = HashMap::new();
    let mut wrong = Vec::new();
    for cited in places {
        let CitedPlace { line, place, .. } = cited;
        let mut length = |path| *known.entry(path).or_insert_with(|| facts.lines(path));
        let Some(why) = fault(place, length(&place.path)) else { continue };
        if !cited.wider.iter().any(|path| fault(place, length(path)).is_none()) {
            wrong.push(WrongPlace { line: *line, place: place.clone(), why });
        }
    }
    wrong
}

/// What is wrong with a place in a file of so many lines.
fn fault(place: &Place, length: Option<usize>) -> Option<String> {
    match length {
        None => Some("there is no such file".to_owned()),
        Some(_) if place.last < place.first => Some("the range ends before it begins".to_owned()),
        Some(1) if place.last > 1 => Some("the file has 1 line".to_owned()),
        Some(length) if place.last > length => Some(format!("the file has {length} lines")),
        Some(_) => None,
    }
}

/// What stands where a place was struck out.
pub const STRUCK: &str = "(struck: no such place)";

/// A text without its wrong places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Struck {
    /// The text, with a mark for each of them.
    pub text: String,
    /// How many were struck out.
    pub count: usize,
}

/// Takes those of the cited places out of `text` that are wrong.
pub fn strike(text: &str, cited: &[CitedPlace], wrong: &[WrongPlace]) -> Struck {
    let wrong: HashSet<(usize, &Place)> = wrong.iter().map(|wrong| (wrong.line, &wrong.place)).collect();
    let mut struck = Struck { text: String::with_capacity(text.len()), count: 0 };
    let mut from = 0;
    for CitedPlace { range, .. } in cited.iter().filter(|cited| wrong.contains(&(cited.line, &cited.place))) {
        let (Some(before), Some(gone)) = (text.get(from..range.start), text.get(range.clone())) else {
            continue;
        };
        struck.text.push_str(before);
        struck.text.push_str(STRUCK);
        // Marks of inline code stay in pairs.
        struck.text.extend(gone.matches('`'));
        struck.count += 1;
        from = range.end;
    }
    struck.text.push_str(&text[from..]);
    struck
}

/// A text to be quoted, with a blank before the lines of each place: whoever repeats the words of others does not cite
/// what they cited.
pub fn without_citations(text: &str) -> String {
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

/// The places on a line, from a byte of it on.
pub(super) fn places_in(line: Line<'_>, from: usize) -> impl Iterator<Item = CitedPlace> + '_ {
    let text = line.text;
    Citations::new(&text[from..]).filter_map(move |citation| {
        let at = from + citation.start;
        let found = with_lines(&text[at..], &citation)?;
        let wider = wider(text, at, at + found.path.len());
        Some(CitedPlace {
            line: line.number,
            place: Place {
                path: found.path.trim_start_matches("./").to_owned(),
                first: found.first,
                last: found.last,
            },
            wider,
            range: line.start + at..line.start + at + found.length,
        })
    })
}

/// A place that fills `token`, whatever its path looks like: `LICENSE:3`, `docs/große Dinge.md:4-8`. `at` is where it
/// stands on the line.
pub(super) fn place_as_token(line: Line<'_>, at: usize, token: &str) -> Option<CitedPlace> {
    let (path, numbers) = token.rsplit_once(':')?;
    let path = path.trim_start_matches("./");
    let (first, last) = range(numbers)?;
    let fits = path.contains(char::is_alphabetic) && is_inside(path) && !path.contains(':');
    fits.then(|| CitedPlace {
        line: line.number,
        place: Place { path: path.to_owned(), first, last },
        wider: Vec::new(),
        range: line.start + at..line.start + at + token.len(),
    })
}

/// A path and its lines, at the start of a text.
struct Found<'a> {
    path: &'a str,
    first: usize,
    last: usize,
    /// How much of the text it takes.
    length: usize,
}

/// The lines of a citation: its own, those behind inline code, the end of a range behind a long dash.
fn with_lines<'a>(text: &'a str, citation: &Citation<'a>) -> Option<Found<'a>> {
    let written = citation.path;
    if !citation.has_line {
        let numbers = text[written.len()..].strip_prefix("`:")?;
        let digits = numbers.bytes().take_while(|b| b.is_ascii_digit() || *b == b'-').count();
        let numbers = numbers[..digits].trim_end_matches('-');
        let (first, last) = range(numbers)?;
        return Some(Found { path: written, first, last, length: written.len() + 2 + numbers.len() });
    }
    let (path, numbers) = written.rsplit_once(':')?;
    if is_host(path) {
        return None;
    }
    let (first, last) = range(numbers)?;
    let dash = text[written.len()..].strip_prefix(['–', '\u{2011}']).filter(|_| first == last);
    let digits = dash.map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    match dash {
        Some(rest) if digits > 0 => {
            let end = text.len() - rest.len() + digits;
            Some(Found { path, first, last: number(&rest[..digits])?, length: end })
        }
        _ => Some(Found { path, first, last, length: written.len() }),
    }
}

/// `12` or `12-20`.
fn range(numbers: &str) -> Option<(usize, usize)> {
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    Some((number(first)?, number(last)?)).filter(|(first, _)| *first > 0)
}

/// Digits; more than a machine can count is still a number that no file has.
fn number(digits: &str) -> Option<usize> {
    let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// `example.com:443` is a machine and a port.
fn is_host(path: &str) -> bool {
    const ENDS: [&str; 8] = ["com", "dev", "example", "internal", "io", "local", "net", "org"];
    !path.contains('/') && path.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end))
}

/// How far before a citation its path may begin, in bytes.
const REACH: usize = 200;

/// Other readings of the path that ends at `end`: from the start of the word, and from the start of inline code.
fn wider(text: &str, start: usize, end: usize) -> Vec<String> {
    let mut least = start.saturating_sub(REACH);
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

/// Whether a path stays inside the repository, as far as its letters go.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !leads_out(path) && !path.contains(char::is_control)
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
    fn a_wrong_place_says_why() {
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
    fn names_with_blanks_and_other_letters_are_read_as_they_were_meant() {
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
    fn a_file_is_asked_about_once() {
        let asked = std::cell::RefCell::new(Vec::new());
        let facts = |path: &str| {
            asked.borrow_mut().push(path.to_owned());
            None
        };
        assert_eq!(wrong_places(&cited_places("a.rs:1 b.rs:1 a.rs:2 `a.rs:1`"), &facts).len(), 4);
        assert_eq!(*asked.borrow(), ["a.rs", "b.rs"]);
    }

    #[test]
    fn what_is_wrong_is_struck_out_and_counted() {
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
            let struck = strike(text, &places, &wrong_places(&places, &facts));
            assert_eq!(struck, Struck { text: expected.to_owned(), count }, "{text}");
        }
        let other = cited_places("a longer text with x.rs:1");
        let wrong = wrong_places(&other, &facts);
        assert_eq!(strike("ä", &other, &wrong), Struck { text: "ä".to_owned(), count: 0 });
    }

    #[test]
    fn what_is_quoted_is_not_cited() {
        assert_eq!(
            without_citations("Fix src/a.rs:900, `b.rs`:3-4 and c"),
            "Fix src/a.rs: 900, `b.rs`: 3-4 and c"
        );
        assert_eq!(without_citations("x: y"), "x: y");
    }

    #[test]
    fn enormous_texts_are_read_once() {
        let many = "src/a.rs:1 `".repeat(1 << 15);
        let places = cited_places(&many);
        assert_eq!(places.len(), 1 << 15);
        let wrong = wrong_places(&places, &|_: &str| None);
        assert_eq!(strike(&many, &places, &wrong).count, 1 << 15);
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
        fn nothing_wrong_is_left(text in "((src/|a\\.rs|ä|:|[0-9]|-|–|`|\\.|/| |\r|\n|\0|\\PC){0,4}){0,20}") {
            let places = cited_places(&text);
            let wrong = wrong_places(&places, &|_: &str| None);
            prop_assert_eq!(wrong.len(), places.len());
            let struck = strike(&text, &places, &wrong);
            prop_assert_eq!(struck.count, places.len());
            prop_assert_eq!(cited_places(&struck.text), vec![]);
            prop_assert_eq!(cited_places(&without_citations(&text)), vec![]);
        }

        #[test]
        fn a_place_is_read_as_it_is_written(folder in "[a-z_]{1,8}", name in "[a-z]{1,8}", first in 1_usize..5000, more in 0_usize..50) {
            let place = Place { path: format!("{folder}/{name}.rs"), first, last: first + more };
            let places = cited_places(&format!("It is at `{place}`, and not elsewhere."));
            prop_assert_eq!(places.into_iter().map(|cited| cited.place).collect::<Vec<_>>(), vec![place]);
        }
    }
}
