//! Finds the words of a text that may cite a file: `src/a.rs:12-20`, `` `docs/my notes.md`:4 ``, `Makefile (line 3)`,
//! `src/a.rs#L12`, or a path alone.
//!
//! Whether a word is a citation is often decided by the facts (`judge`): a name may begin earlier than its last word,
//! and `LICENSE:3` is a place where `port:8080` is none.

use super::zone::{Zone, zones};
use crate::markdown::{Line, is_blank};
use std::ops::Range;

/// Words that may cite a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// Line number in the text, from 1.
    pub(super) line: usize,
    /// Index of that line among the lines of the text.
    pub(super) index: usize,
    /// Byte range in the text, of the most likely reading.
    pub(super) range: Range<usize>,
    /// Byte range on the line.
    pub(super) on_line: Range<usize>,
    /// Possible paths, the most likely first; each with its start on the line.
    pub(super) readings: Vec<Reading>,
    /// First and last line; none for a path alone.
    pub(super) lines: Option<(usize, usize)>,
    pub(super) zone: Zone,
}

/// One reading of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) path: String,
    /// Byte offset on the line.
    pub(super) start: usize,
}

/// All mentions of a text, in order, with its lines.
pub(super) fn mentions(text: &str) -> (Vec<Mention>, Vec<(Line<'_>, Zone)>) {
    mentions_on(text, |_| true)
}

/// Mentions on the lines that are wanted, with all lines of the text.
pub(super) fn mentions_on(
    text: &str,
    is_wanted: impl Fn(&str) -> bool,
) -> (Vec<Mention>, Vec<(Line<'_>, Zone)>) {
    let lines = zones(text);
    let mut found = Vec::new();
    for (index, (line, zone)) in lines.iter().enumerate() {
        if *zone != Zone::Log && is_wanted(line.text) {
            line_mentions(*line, index, *zone, &mut found);
        }
    }
    (found, lines)
}

/// Maximum number of bytes before a line number at which its path may begin.
const MAX_LOOKBACK: usize = 300;

fn line_mentions(line: Line<'_>, index: usize, zone: Zone, found: &mut Vec<Mention>) {
    let text = line.text;
    let backticks: Vec<usize> = memchr::memchr_iter(b'`', text.as_bytes()).collect();
    let mention = |end: usize, readings: Vec<Reading>, lines| {
        let on_line = readings[0].start..end;
        let range = line.start + on_line.start..line.start + on_line.end;
        Mention { line: line.number, index, range, on_line, readings, lines, zone }
    };
    let first_new = found.len();
    let mut from = 0;
    while let Some(anchor) = next_anchor(text, from) {
        from = anchor.end;
        let Some(readings) = readings_before(text, anchor.path_end, &backticks) else { continue };
        for lines in anchor.ranges {
            found.push(mention(anchor.end, readings.clone(), Some(lines)));
        }
    }
    let mut taken = found[first_new..]
        .iter()
        .map(|mention| mention.on_line.clone())
        .collect::<Vec<_>>()
        .into_iter()
        .peekable();
    for word in bare_paths(text) {
        while taken.next_if(|range| range.end <= word.start).is_some() {}
        if taken.peek().is_some_and(|range| range.start < word.end) {
            continue;
        }
        let Some(readings) = readings_before(text, word.end, &backticks) else { continue };
        match spelled_lines(&text[word.end..]) {
            Some((lines, length)) => found.push(mention(word.end + length, readings, Some(lines))),
            None if text[word.clone()].contains('/') => found.push(mention(word.end, readings, None)),
            None => {}
        }
    }
    found[first_new..].sort_by_key(|mention| mention.on_line.start);
}

/// Line numbers behind a path.
struct Anchor {
    /// End of the path.
    path_end: usize,
    /// End of the numbers.
    end: usize,
    ranges: Vec<(usize, usize)>,
}

/// The next `:12`, `:12-20`, `:3,7-9`, `:L12` or `#L12-L20` from byte `from` on.
fn next_anchor(text: &str, from: usize) -> Option<Anchor> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|b| matches!(b, b':' | b'#'))?;
        let mark = at;
        at += 1;
        let rest = &text[at..];
        let numbers = match bytes[mark] {
            b'#' if !rest.starts_with('L') => continue,
            _ => rest.strip_prefix('L').unwrap_or(rest),
        };
        let Some((ranges, length)) = line_ranges(numbers) else { continue };
        let end = text.len() - numbers.len() + length;
        if is_other_number(&text[end..]) {
            at = end;
            continue;
        }
        return Some(Anchor { path_end: mark, end: end + column(&text[end..]), ranges });
    }
}

/// Parses `12`, `12-20`, `12–20`, `3,7-9`; returns the ranges and the length.
fn line_ranges(text: &str) -> Option<(Vec<(usize, usize)>, usize)> {
    let mut ranges = Vec::new();
    let mut at = 0;
    loop {
        let (first, length) = number(&text[at..]).filter(|(first, _)| *first > 0)?;
        at += length;
        let last = range_end(&text[at..]);
        at += last.map_or(0, |(_, length)| length);
        ranges.push((first, last.map_or(first, |(last, _)| last)));
        let more = text[at..].strip_prefix(',').and_then(number);
        match more {
            Some((next, _)) if next > 0 && ranges.len() < 16 => at += 1,
            _ => return Some((ranges, at)),
        }
    }
}

/// The end of a range: `-20`, `–20`, `..20`, `-L20`.
fn range_end(text: &str) -> Option<(usize, usize)> {
    let rest = ["-", "–", "‑", "..=", ".."].iter().find_map(|dash| text.strip_prefix(dash))?;
    let rest = rest.strip_prefix('L').unwrap_or(rest);
    let (last, length) = number(rest)?;
    Some((last, text.len() - rest.len() + length))
}

/// Digits at the start. A number that overflows becomes the maximum, which no file has.
fn number(text: &str) -> Option<(usize, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    (length > 0).then(|| (text[..length].parse().unwrap_or(usize::MAX), length))
}

/// Length of a column: `:5`.
fn column(text: &str) -> usize {
    text.strip_prefix(':').and_then(number).map_or(0, |(_, length)| 1 + length)
}

/// True if the digits before `rest` belong to something else: a version, a size, an address.
fn is_other_number(rest: &str) -> bool {
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (Some('.'), Some(next)) => next.is_ascii_digit(),
        (Some(c), _) => c.is_ascii_alphabetic() || matches!(c, '_' | '/' | '%' | '@'),
        _ => false,
    }
}

/// Line numbers in words behind a path: `` ` (lines 3-9)``, `, line 3`.
fn spelled_lines(after: &str) -> Option<((usize, usize), usize)> {
    let rest = after.strip_prefix('`').unwrap_or(after);
    let start = [" (lines ", " (line ", ", lines ", ", line ", " lines ", " line ", " at line ", " on line "];
    let rest = start.iter().find_map(|words| rest.strip_prefix(words))?;
    let (first, length) = number(rest).filter(|(first, _)| *first > 0)?;
    let last = range_end(&rest[length..]);
    let length = length + last.map_or(0, |(_, length)| length);
    let end = after.len() - rest.len() + length;
    Some(((first, last.map_or(first, |(last, _)| last)), end))
}

/// Words on a line with a slash or a dot inside, as ranges without trailing punctuation.
fn bare_paths(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text.as_bytes().get(from..)?.iter().position(|b| matches!(b, b'/' | b'.'))?;
            let end = at + text[at..].find(|c| !is_path_char(c)).unwrap_or(text.len() - at);
            let start = at - back(&text[from..at], is_path_char);
            let word = text[start..end].trim_end_matches(['.', '-', '/', '+', '@']);
            from = end.max(at + 1);
            if word.len() > 2 && word.contains(char::is_alphabetic) {
                return Some(start..start + word.len());
            }
        }
    })
}

/// The possible paths that end at byte `end`, the most likely first; none if another kind of word ends there.
fn readings_before(text: &str, end: usize, backticks: &[usize]) -> Option<Vec<Reading>> {
    // `path`:12
    let (end, in_code) = match text[..end].strip_suffix('`') {
        Some(code) => (code.len(), true),
        None => (end, false),
    };
    let least = floor(text, end.saturating_sub(MAX_LOOKBACK));
    let before = &text[least..end];
    let narrow = end - back(before, is_path_char);
    let ascii = end - back(before, |c| c.is_ascii() && is_path_char(c));
    let word = end - back(before, |c| !is_blank(c) && !"`\"“”'|<>,;".contains(c));
    let code = code_start(text, least..end, in_code, backticks);
    if is_other_word(&text[word..end], &text[..narrow]) {
        return None;
    }
    // In scripts without blanks between words the path begins with its first ASCII character.
    let joined = text[narrow..ascii].chars().next_back().is_some_and(|c| c >= '\u{2e80}')
        && text[ascii..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let trimmed_word = end - text[word..end].trim_start_matches(['(', '[', '{', '*']).len();
    // Folders with brackets: `app/[slug]/page.tsx`.
    let has_brackets = text[..narrow].ends_with([']', ')']) && text[narrow..].starts_with('/');
    let first = match () {
        () if has_brackets => trimmed_word,
        () if joined => ascii,
        () => narrow,
    };
    let mut readings: Vec<Reading> = Vec::new();
    for start in [first, narrow, ascii, trimmed_word, word].into_iter().chain(code) {
        let path = text[start..end].trim_start_matches(is_blank);
        let start = end - path.len();
        let path = path.trim_start_matches("./");
        let fits = path.contains(char::is_alphabetic) && !path.contains(|c: char| c.is_control() || c == '`');
        if fits && readings.iter().all(|known| known.path != path) {
            readings.push(Reading { path: path.to_owned(), start });
        }
    }
    (!readings.is_empty()).then_some(readings)
}

/// Start of the inline code or quotation that a path ends in: names in there may have blanks.
fn code_start(text: &str, near: Range<usize>, in_code: bool, backticks: &[usize]) -> Option<usize> {
    let count = backticks.partition_point(|at| *at < near.end);
    let is_open = in_code || count % 2 == 1;
    let backtick = backticks[..count].last().filter(|at| is_open && **at >= near.start);
    let before = &text[near.clone()];
    let quote = before.char_indices().rfind(|(_, c)| matches!(c, '"' | '“'));
    backtick.map(|at| at + 1).or(quote.map(|(at, c)| near.start + at + c.len_utf8()))
}

/// True for addresses, paths of symbols, and paths of another system. `before` ends where the path begins.
fn is_other_word(word: &str, before: &str) -> bool {
    word.contains("://") || word.starts_with("//") || before.ends_with("::") || before.ends_with('\\')
}

fn is_path_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '+' | '@' | '~' | '$' | '…')
}

/// Number of bytes at the end of a text whose characters all fit.
fn back(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.len() - text.trim_end_matches(fits).len()
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let show = |mention: &Mention| match mention.lines {
            Some((first, last)) if first == last => format!("{}:{first}", mention.readings[0].path),
            Some((first, last)) => format!("{}:{first}-{last}", mention.readings[0].path),
            None => mention.readings[0].path.clone(),
        };
        mentions(text).0.iter().map(show).collect()
    }

    #[test]
    fn places_are_found_as_people_write_them() {
        for (text, expected) in [
            ("", vec![]),
            ("src/a.rs:12, `src/b.rs:3-9` (x.md:1).", vec!["src/a.rs:12", "src/b.rs:3-9", "x.md:1"]),
            ("./src/a.rs:4 and src/a.rs:12–20", vec!["src/a.rs:4", "src/a.rs:12-20"]),
            ("`src/a.rs`:12-20", vec!["src/a.rs:12-20"]),
            ("src/a.rs:12:5", vec!["src/a.rs:12"]),
            ("src/a.rs:3,7-9", vec!["src/a.rs:3", "src/a.rs:7-9"]),
            ("src/a.rs#L12-L20 lib.ex:L7", vec!["src/a.rs:12-20", "lib.ex:7"]),
            ("`Makefile.am` (line 4), `lib/a.ex` (lines 4-8)", vec!["Makefile.am:4", "lib/a.ex:4-8"]),
            ("src/a.ex, line 9", vec!["src/a.ex:9"]),
            ("It is in lib/a.ex.", vec!["lib/a.ex"]),
            ("**docs/größe.md:3**", vec!["docs/größe.md:3"]),
            ("詳細はsrc/a.rs:7を参照", vec!["src/a.rs:7"]),
            ("日本語.md:3", vec!["日本語.md:3"]),
            ("https://a.dev/x/y.rs:3 std::fmt.rs:12 C:\\src\\a.rs:12 //host/x.rs:3", vec![]),
            ("12:30 3:1 16:9, 10:00-11:00", vec![]),
            ("foo.rs:1.2 foo.rs:12px foo.rs:80m", vec![]),
            ("2026-11-17 12:30:00 ERROR src/a.rs:3 failed", vec![]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn names_with_blanks_have_longer_readings() {
        let found = mentions("`docs/my notes.md:4`").0;
        let paths: Vec<&str> = found[1].readings.iter().map(|reading| reading.path.as_str()).collect();
        assert_eq!(paths, ["notes.md", "docs/my notes.md"]);
        let found = mentions("app/[slug]/page.tsx:4").0;
        assert!(found[0].readings.iter().any(|reading| reading.path == "app/[slug]/page.tsx"));
    }

    #[test]
    fn huge_lines_take_linear_time() {
        for text in [
            "src/a.rs:1 `".repeat(1 << 12),
            "ä".repeat(1 << 15) + "a.rs:1",
            "a/".repeat(1 << 15),
            ":1".repeat(1 << 15),
            "`".repeat(1 << 15),
            "9".repeat(1 << 15),
        ] {
            mentions(&text);
        }
    }
}
