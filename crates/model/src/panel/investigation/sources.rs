//! Pages outside of the repository that an investigation rests on: address, day and what they say.

use super::Investigation;
use crate::markdown::{MARKS, flat, is_blank};
use indexmap::IndexMap;
use jiff::civil::Date;
use std::fmt::Write as _;

/// Page outside of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Source {
    pub address: String,
    /// Day on which it was read, `2026-11-17`; may be empty.
    pub date: String,
    /// Its text; may be empty.
    pub what: String,
}

pub(super) fn source_line(source: &Source) -> String {
    let date = if source.date.is_empty() { "date not given" } else { &source.date };
    let what = flat(&source.what);
    let what = if what.is_empty() { what } else { format!(": {what}") };
    format!("- <{}> ({date}){what}", source.address)
}

/// Writes `sources.md`: the pages that all investigations rest on, each with the numbers of its questions.
pub fn sources_file(investigations: &[(u32, &Investigation)]) -> String {
    let mut all: IndexMap<&Source, Vec<u32>> = IndexMap::new();
    for (n, investigation) in investigations {
        for source in &investigation.sources {
            let questions = all.entry(source).or_default();
            if questions.last() != Some(n) {
                questions.push(*n);
            }
        }
    }
    let mut out = "# Sources\n\n".to_owned();
    if all.is_empty() {
        out.push_str("No page outside of the repository was read.\n");
    }
    for (source, questions) in all {
        let names: Vec<String> = questions.iter().map(|n| format!("QUESTION_{n}")).collect();
        let _ = writeln!(out, "{} ({})", source_line(source), names.join(", "));
    }
    out
}

/// Parses `<https://…> (2026-11-17): what it says`; date and description may be empty.
pub(super) fn parse_source(item: &str) -> Option<Source> {
    let (start, end) = find_address(item)?;
    let address = item[start..end].to_owned();
    let (before, after) = (&item[..start], &item[end..]);
    let (date, what) = match find_date(after) {
        Some((date, from, to)) => (date, format!("{} {}", &after[..from], &after[to..])),
        None => match find_date(before) {
            Some((date, ..)) => (date, after.to_owned()),
            None => (String::new(), after.to_owned()),
        },
    };
    let edge = |c: char| is_blank(c) || MARKS.contains(&c) || "<>()[]:,;—–-".contains(c);
    let mut what = flat(what.trim_matches(edge)).trim_start_matches(edge).to_owned();
    if what.is_empty() {
        // `[what it says](https://…)`
        let title = before.trim_matches(edge);
        if !title.is_empty() && find_date(title).is_none() {
            what = flat(title);
        }
    }
    Some(Source { address, date, what })
}

/// Byte range of the first address of a text.
pub(super) fn find_address(text: &str) -> Option<(usize, usize)> {
    let start = [text.find("https://"), text.find("http://")].into_iter().flatten().min()?;
    let ends = |c: char| {
        is_blank(c) || c.is_control() || matches!(c, '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}')
    };
    let length = text[start..].find(ends).unwrap_or(text.len() - start);
    let mut address = &text[start..start + length];
    loop {
        let trimmed = address.trim_end_matches(['.', ',', ';', ':', '*', '\'', ']', '_']);
        // A closing bracket belongs to the address only if it was opened in it.
        let unbalanced =
            trimmed.ends_with(')') && trimmed.matches(')').count() > trimmed.matches('(').count();
        let next = if unbalanced { cut_unbalanced(trimmed) } else { trimmed };
        if next.len() == address.len() {
            break;
        }
        address = next;
    }
    let host = address.split_once("://").map_or("", |(_, host)| host);
    host.starts_with(|c: char| c.is_alphanumeric() || c == '[').then_some((start, start + address.len()))
}

/// Cuts an address at its first closing bracket that was not opened.
fn cut_unbalanced(address: &str) -> &str {
    let mut open = 0_usize;
    for (at, c) in address.char_indices() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return &address[..at],
            ')' => open -= 1,
            _ => {}
        }
    }
    address
}

/// The first date of a text, with its byte range.
fn find_date(text: &str) -> Option<(String, usize, usize)> {
    const LENGTH: usize = 10;
    for (at, _) in text.match_indices('-') {
        let Some(start) = at.checked_sub(4) else { continue };
        let Some(candidate) = text.get(start..start + LENGTH) else { continue };
        let is_apart = !text[..start].ends_with(|c: char| c.is_alphanumeric())
            && !text[start + LENGTH..].starts_with(|c: char| c.is_alphanumeric());
        let has_form = candidate.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
        if is_apart && has_form && candidate.parse::<Date>().is_ok() {
            return Some((candidate.to_owned(), start, start + LENGTH));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::AnswerKind;
    use super::*;

    #[test]
    fn addresses_end_where_the_sentence_goes_on() {
        for (text, address) in [
            ("see <https://a.b/c>.", "https://a.b/c"),
            ("(http://a.b/c)", "http://a.b/c"),
            ("[x](https://a.b/c_(d)), y", "https://a.b/c_(d)"),
            ("https://a.b/c?x=1&y=2#z.", "https://a.b/c?x=1&y=2#z"),
            ("`https://a.b`: x", "https://a.b"),
            ("https://[::1]:80/x y", "https://[::1]:80/x"),
            ("http:// and https://a.b", ""),
            ("ftp://a.b", ""),
        ] {
            let found = find_address(text).map_or("", |(start, end)| &text[start..end]);
            assert_eq!(found, address, "{text}");
        }
    }

    #[test]
    fn sources_are_read_in_many_shapes() {
        for text in [
            "<https://a.b/c> (2026-11-17): it says so",
            "https://a.b/c, 2026-11-17: it says so",
            "[it says so](https://a.b/c) (2026-11-17)",
            "[Title](https://a.b/c), 2026-11-17 — it\n  says so",
            "2026-11-17: https://a.b/c - it says so",
            "**https://a.b/c** (2026-11-17): it says so",
        ] {
            let source = parse_source(text).unwrap();
            let Source { address, date, what } = &source;
            assert_eq!(
                (address.as_str(), date.as_str(), what.as_str()),
                ("https://a.b/c", "2026-11-17", "it says so"),
                "{text}"
            );
        }
    }

    #[test]
    fn all_sources_are_collected_once() {
        let investigation = |addresses: &[&str]| Investigation {
            kind: AnswerKind::Fact,
            answer: String::new(),
            evidence: vec![],
            consequence: String::new(),
            sources: addresses
                .iter()
                .map(|address| Source {
                    address: (*address).to_owned(),
                    date: "2026-11-17".to_owned(),
                    what: "so".to_owned(),
                })
                .collect(),
        };
        let (one, two) =
            (investigation(&["https://a", "https://b", "https://a"]), investigation(&["https://a"]));
        assert_eq!(
            sources_file(&[(1, &one), (3, &two)]),
            "# Sources\n\n- <https://a> (2026-11-17): so (QUESTION_1, QUESTION_3)\n- <https://b> (2026-11-17): so (QUESTION_1)\n"
        );
        assert_eq!(sources_file(&[]), "# Sources\n\nNo page outside of the repository was read.\n");
    }
}
