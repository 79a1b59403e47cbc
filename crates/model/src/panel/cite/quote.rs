//! Text that is quoted together with a place, and the search for it in the cited lines.
//!
//! Only fragments that are directly joined with a place count: `a.rs:3: "text"`, `a.rs:3 says "text"`, `"text" (a.rs:3)`,
//! a block quotation or, where the caller expects them, a code fence below. A single word in inline code is a name, not a
//! quotation.

use super::mention::Mention;
use super::zone::Zone;
use crate::markdown::Line;
use crate::words;

/// Quoted lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) lines: Vec<String>,
}

/// The text that is quoted together with a mention.
pub(super) fn quote_of(mention: &Mention, lines: &[(Line<'_>, Zone)], with_fences: bool) -> Option<Quote> {
    let (line, zone) = lines.get(mention.index)?;
    if *zone != Zone::Prose {
        return None;
    }
    let before = &line.text[..mention.on_line.start];
    let after = skip_closing(&line.text[mention.on_line.end..]);
    quoted_after(after)
        .or_else(|| quoted_before(before))
        .map(|text| Quote { lines: vec![text.to_owned()] })
        .or_else(|| quoted_below(before, after, &lines[mention.index + 1..], with_fences))
}

/// Skips what closes around a place: inline code, emphasis, brackets, the target of a link.
fn skip_closing(text: &str) -> &str {
    let text = text.trim_start_matches(['`', '*', '_', ')']);
    let text = match text.strip_prefix("](").and_then(|link| link.split_once(')')) {
        Some((_, rest)) => rest,
        None => text,
    };
    text.trim_start_matches(['`', '*', '_', ')', ']'])
}

/// Verbs that announce a quotation.
const VERBS: [&str; 6] = ["says", "reads", "states", "contains", "shows", "quotes"];

/// Connection between a fragment and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    Verb,
    Mark,
    Blank,
}

fn quoted_after(after: &str) -> Option<&str> {
    let (join, rest) = joint(after);
    let (open, close) = opening(rest)?;
    let inside = &rest[open.len()..];
    let end = inside.find(close)?;
    let (fragment, behind) = (&inside[..end], &inside[end + close.len()..]);
    let count = words::count(fragment);
    let ends_clause = behind.trim_start().is_empty() || behind.starts_with(['.', ',', ';', ')', '|', ':']);
    // One word alone is as often a term: it must end its sentence.
    let ends_sentence = ends_clause && !behind.starts_with([',', ':']);
    let is_quote = match (open.starts_with('`'), count) {
        (_, 0) | (true, 1) => false,
        (false, 1) => join != Join::Blank && ends_sentence,
        (_, 2) => join == Join::Verb || (join == Join::Mark && ends_clause),
        (true, _) => join != Join::Blank,
        (false, _) => true,
    };
    (is_quote && fragment.trim().chars().count() > 1).then_some(fragment)
}

/// Splits the words between a place and what may be a quotation.
fn joint(after: &str) -> (Join, &str) {
    let rest = after.trim_start();
    let marked = rest.trim_start_matches([':', '—', '–', '-', '=', '→', '|']);
    if marked.len() < rest.len() {
        return (Join::Mark, marked.trim_start());
    }
    for verb in VERBS {
        if let Some(rest) = rest.strip_prefix(verb)
            && rest.starts_with([' ', ':'])
        {
            return (Join::Verb, rest.trim_start_matches([' ', ':']));
        }
    }
    (Join::Blank, rest)
}

/// The opening mark at the start, with its closing one.
fn opening(text: &str) -> Option<(&str, &'static str)> {
    [("``", "``"), ("`", "`"), ("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»")]
        .into_iter()
        .find(|(open, _)| text.starts_with(open))
        .map(|(open, close)| (&text[..open.len()], close))
}

/// A quotation of three words or more, with the place in brackets behind it.
fn quoted_before(before: &str) -> Option<&str> {
    let before = before.trim_end_matches(['`', '*', '[']);
    let before = before.strip_suffix('(')?.trim_end();
    let (open, before) = match before.strip_suffix('"') {
        Some(before) => ('"', before),
        None => ('“', before.strip_suffix('”')?),
    };
    let fragment = &before[before.rfind(open)? + open.len_utf8()..];
    (words::count(fragment) > 2).then_some(fragment)
}

/// Words of a line that announce other text than what stands at the place.
const PROPOSALS: [&str; 14] = [
    "replace", "change", "becomes", "become", "new", "add", "adds", "should", "instead", "after", "before",
    "would", "write", "insert",
];

/// A block quotation or a fence directly below a line that ends with the place.
fn quoted_below(before: &str, after: &str, below: &[(Line<'_>, Zone)], with_fences: bool) -> Option<Quote> {
    let (join, rest) = joint(after);
    let ends = rest.trim_matches([' ', '.', ':']).is_empty();
    if !ends || before.trim_start().starts_with('>') {
        return None;
    }
    let skipped = below.iter().take(2).take_while(|(line, _)| line.text.trim().is_empty()).count();
    let below = &below[skipped..];
    let (first, _) = below.first()?;
    let is_proposal = before
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| PROPOSALS.iter().any(|proposal| proposal.eq_ignore_ascii_case(word)));
    if is_proposal {
        return None;
    }
    if first.text.trim_start().starts_with('>') {
        let quoted = below.iter().map_while(|(line, _)| line.text.trim_start().strip_prefix('>'));
        return collect(quoted);
    }
    // Code below a sentence is as often what shall be there: only a lone place announces a quotation.
    let is_alone = words::count(before.trim_matches(|c: char| !c.is_alphanumeric())) < 2;
    let info = first.text.trim().trim_start_matches(['`', '~']).to_ascii_lowercase();
    let is_other = ["json", "mermaid", "diff", "patch"].iter().any(|other| info.starts_with(other));
    if !with_fences || !first.fenced || is_other || !(is_alone || join == Join::Verb) {
        return None;
    }
    let is_mark = |text: &str| text.trim_start().starts_with("```") || text.trim_start().starts_with("~~~");
    collect(below[1..].iter().map(|(line, _)| line.text).take_while(|text| !is_mark(text)))
}

/// Maximum number of quoted lines that are compared.
const MAX_LINES: usize = 80;

fn collect<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Quote> {
    let lines: Vec<String> = lines.take(MAX_LINES).map(str::to_owned).collect();
    lines.iter().any(|line| line.contains(char::is_alphanumeric)).then_some(Quote { lines })
}

impl Quote {
    /// True if every quoted line is among these lines.
    pub(super) fn is_in(&self, lines: &[String]) -> bool {
        let window: String = lines.iter().map(|line| fold(line)).collect();
        self.lines.iter().all(|line| line_is_in(line, &window))
    }

    /// The first quoted line, to show.
    pub(super) fn shown(&self) -> &str {
        self.lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default()
    }
}

/// True if the parts of a quoted line, between its ellipses, are in the folded text, in order.
fn line_is_in(line: &str, window: &str) -> bool {
    let numbered = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let plain = numbered.trim_start_matches([':', '|', '\t', ' ', '│']);
    parts_are_in(line, window) || (numbered.len() < line.trim_start().len() && parts_are_in(plain, window))
}

fn parts_are_in(line: &str, window: &str) -> bool {
    let line = line.replace('…', "...").replace("[...]", "...");
    let mut rest = window;
    for part in line.split("...") {
        let whole = fold(part);
        let bare = whole.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let found =
            [whole.as_str(), bare].into_iter().find_map(|part| rest.find(part).map(|at| at + part.len()));
        let Some(end) = found else { return false };
        rest = &rest[end..];
    }
    true
}

/// A text without white space and marks of emphasis, in lower case, with plain quotation marks.
fn fold(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '*' | '_' | '`' | '\\'));
    let plain = kept.map(|c| match c {
        '“' | '”' | '„' => '"',
        '‘' | '’' => '\'',
        c => c,
    });
    plain.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::super::mention::mentions;
    use super::*;

    fn quoted(text: &str) -> Option<Vec<String>> {
        let (found, lines) = mentions(text);
        quote_of(&found[0], &lines, true).map(|quote| quote.lines)
    }

    #[test]
    fn fragments_that_are_joined_with_a_place_are_quotations() {
        for (text, expected) in [
            ("`a.rs:3`: \"let x = 1;\"", Some("let x = 1;")),
            ("a.rs:3: \"x\".", Some("x")),
            ("a.rs:3: \"xy\".", Some("xy")),
            ("(a.rs:3: “drops the lock”)", Some("drops the lock")),
            ("a.rs:3 says \"no way\" there", Some("no way")),
            ("a.rs:3 says \"no\".", Some("no")),
            ("a.rs:3 says \"no\" there", None),
            ("a.rs:3 says \"rate\", \"limit\", closest in lines 4-9.", None),
            ("`a.rs:3` — `let x = 1;`", Some("let x = 1;")),
            ("`a.rs:3`: `let x`", Some("let x")),
            ("[a.rs:3](a.rs): `let x = 2` is set", Some("let x = 2")),
            ("the error \"could not open file\" (`a.rs:3`)", Some("could not open file")),
            ("`a.rs:3`: `Store::open()`", None),
            ("`a.rs:3`: `Store::open()` is called", None),
            ("`a.rs:3`: \"magic\" numbers", None),
            ("`a.rs:3`: the loop", None),
            ("a \"fail open\" rule (a.rs:3)", None),
            ("`charrette design --quick` (a.rs:3)", None),
        ] {
            let expected = expected.filter(|text| text.len() > 1).map(|text| vec![text.to_owned()]);
            assert_eq!(quoted(text), expected, "{text}");
        }
    }

    #[test]
    fn quotations_stand_below_a_place() {
        let lines = |lines: &[&str]| Some(lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        for (text, expected) in [
            ("See `a.rs:3`:\n> one\n> two\nProse", lines(&[" one", " two"])),
            ("- `a.rs:3`\n\n> one", lines(&[" one"])),
            ("`a.rs:3-4`:\n```rust\none\ntwo\n```\nx", lines(&["one", "two"])),
            ("From a.rs:3:\n```\none\n```", lines(&["one"])),
            ("Put the loop of the server at a.rs:3:\n```\none\n```", None),
            ("Replace a.rs:3:\n> one", None),
            ("`a.rs:3` is read.\n> one", None),
            ("`a.rs:3`:\n```diff\n+one\n```", None),
        ] {
            assert_eq!(quoted(text), expected, "{text}");
        }
        let (found, lines) = mentions("`a.rs:3`:\n```\none\n```");
        assert_eq!(quote_of(&found[0], &lines, false), None);
    }

    #[test]
    fn quotations_are_compared_without_white_space() {
        let lines: Vec<String> =
            ["    fn open(path: &Path,", "            mode: Mode) -> Store {", "**A step** reads `once`."]
                .map(str::to_owned)
                .into();
        for (text, is_there) in [
            ("fn open(path: &Path, mode: Mode)", true),
            ("fn open(…) -> Store", true),
            ("fn open(...)  ->  Store {", true),
            ("A step reads once,", true),
            ("a step reads", true),
            ("12: fn open(path", true),
            ("mode ... path", false),
            ("fn close(path", false),
        ] {
            assert_eq!(Quote { lines: vec![text.to_owned()] }.is_in(&lines), is_there, "{text}");
        }
    }
}
