//! Lines as agents write them: byte order marks, CRLF, NUL, code fences, headings, list markers, emphasis.
//!
//! Every grammar of the panel reads its text through here, so all of them forgive the same things. What a line
//! means is decided elsewhere: [`super::token`] reads words of a closed set, `blocks` reads headed blocks.
//! Nothing here allocates for a line, and every step is linear in the text.

use memchr::memchr;

pub use crate::problem::Problem;

/// The lines of a text, each told whether it belongs to a code fence. A byte order mark is no part of them.
pub fn lines(text: &str) -> Lines<'_> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    Lines { rest, start: text.len() - rest.len(), number: 0, fence: None }
}

/// One line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    /// Where it starts in the text, in bytes.
    pub start: usize,
    /// Without its line end.
    pub text: &'a str,
    /// Whether it opens, closes or stands inside a code fence. A fence that is never closed runs to the end.
    pub fenced: bool,
}

/// See [`lines`].
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    rest: &'a str,
    start: usize,
    number: usize,
    fence: Option<Fence>,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
        let text = &self.rest[..end];
        let start = self.start;
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.start += end + 1;
        self.number += 1;
        let fenced = self.fence.is_some() | self.follow_fence(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        Some(Line { number: self.number, start, text, fenced })
    }
}

impl Lines<'_> {
    /// Opens or closes the fence if `text` is one of its marks; whether it is open afterwards.
    fn follow_fence(&mut self, text: &str) -> bool {
        if let Some((mark, info)) = fence_mark(text) {
            match self.fence {
                None => self.fence = Some(mark),
                Some(open) if open.closed_by(mark, info) => self.fence = None,
                Some(_) => {}
            }
        }
        self.fence.is_some()
    }
}

/// The mark that opened a fence.
#[derive(Debug, Clone, Copy)]
struct Fence {
    byte: u8,
    length: usize,
}

impl Fence {
    fn closed_by(self, mark: Fence, info: &str) -> bool {
        mark.byte == self.byte && mark.length >= self.length && trimmed(info).is_empty()
    }
}

/// Three or more backticks or tildes at the start of a line, also as the first thing in a list item, and the
/// info string after them.
fn fence_mark(text: &str) -> Option<(Fence, &str)> {
    let text = skip_blanks(text);
    if is_plain(text) {
        return None;
    }
    let text = list_marker(text).map_or(text, |(_, rest)| skip_blanks(rest));
    let byte = *text.as_bytes().first()?;
    if byte != b'`' && byte != b'~' {
        return None;
    }
    let length = text.bytes().take_while(|&b| b == byte).count();
    let info = &text[length..];
    let inline = byte == b'`' && info.contains('`');
    (length >= 3 && !inline).then_some((Fence { byte, length }, info))
}

/// A code fence and what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FencedBlock<'a> {
    /// What stands after the opening mark, trimmed.
    pub info: &'a str,
    /// The line its content begins on.
    pub line: usize,
    /// Where its content starts in the text, in bytes.
    pub start: usize,
    /// Everything between its marks.
    pub content: &'a str,
    /// Where the text goes on after it, in bytes.
    pub end: usize,
}

/// The code fences of a text. One that is never closed runs to the end.
pub fn fences(text: &str) -> Vec<FencedBlock<'_>> {
    let mut found: Vec<FencedBlock<'_>> = Vec::new();
    let mut lines = lines(text);
    loop {
        let was_open = lines.fence.is_some();
        let Some(line) = lines.next() else { return found };
        let after = lines.start.min(text.len());
        match (was_open, lines.fence.is_some(), found.last_mut()) {
            (false, true, _) => {
                let info = fence_mark(line.text).map_or("", |(_, info)| trimmed(info));
                let (content, end) = (&text[after..], text.len());
                found.push(FencedBlock { info, line: line.number + 1, start: after, content, end });
            }
            (true, false, Some(open)) => {
                open.content = &text[open.start..line.start];
                open.end = after;
            }
            _ => {}
        }
    }
}

/// A line without what only decorates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bare<'a> {
    /// How many blanks it is indented by.
    pub indent: usize,
    /// Whether it is a heading, of any level.
    pub heading: bool,
    /// The marker, if it is a list item.
    pub item: Option<Marker>,
    /// What follows the heading or list marker, trimmed.
    pub content: &'a str,
    /// The content without emphasis in front of it.
    pub text: &'a str,
}

impl Bare<'_> {
    /// Whether emphasis opens right at the start.
    pub fn emphasised(&self) -> bool {
        self.text.len() < self.content.len()
    }
}

/// What makes a line a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// `-`, `*` or `+`.
    Bullet,
    /// `7.` or `7)`.
    Number(u32),
}

/// Takes a line apart. Quotations and table rows keep their first character, and so match nothing.
pub fn bare(line: &str) -> Bare<'_> {
    let start = skip_blanks(line);
    let indent = line.len() - start.len();
    if is_plain(start) {
        let content = trimmed(start);
        return Bare { indent, heading: false, item: None, content, text: content };
    }
    let hashes = start.bytes().take_while(|&b| b == b'#').count();
    let heading = (1..=6).contains(&hashes);
    let (item, rest) = match list_marker(start) {
        _ if heading => (None, &start[hashes..]),
        Some((marker, rest)) => (Some(marker), rest),
        None => (None, start),
    };
    let content = trimmed(rest);
    Bare { indent, heading, item, content, text: content.trim_start_matches(MARKS) }
}

/// A letter begins no mark of any kind; most lines begin with one.
fn is_plain(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
}

/// A list marker at the start of `text`, and what follows it.
pub(super) fn list_marker(text: &str) -> Option<(Marker, &str)> {
    let bytes = text.as_bytes();
    let (marker, length) = match bytes.first()? {
        b'-' | b'*' | b'+' => (Marker::Bullet, 1),
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            let ends = matches!(bytes.get(digits), Some(b'.' | b')'));
            (Marker::Number(text[..digits].parse().ok().filter(|_| ends)?), digits + 1)
        }
        _ => return None,
    };
    let rest = &text[length..];
    (rest.is_empty() || rest.starts_with(is_blank)).then_some((marker, rest))
}

/// `Name: value`, whatever part of it is emphasised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    /// Before the colon.
    pub name: &'a str,
    /// After the colon, trimmed.
    pub value: &'a str,
}

/// How many bytes into a line the colon of a label is looked for.
const LABEL_BYTES: usize = 64;

/// The label a line starts with.
pub fn label<'a>(line: &Bare<'a>) -> Option<Label<'a>> {
    let bytes = line.text.as_bytes();
    label_at(line, memchr(b':', bytes.get(..LABEL_BYTES).unwrap_or(bytes))?)
}

/// The label a line starts with, given where the first colon of its text is.
pub(super) fn label_at<'a>(line: &Bare<'a>, colon: usize) -> Option<Label<'a>> {
    if colon >= LABEL_BYTES {
        return None;
    }
    let (name, value) = (&line.text[..colon], &line.text[colon + 1..]);
    let name = trimmed(name);
    let unmarked = name.trim_end_matches(MARKS);
    let open = line.emphasised() && unmarked.len() == name.len();
    let value = match value.strip_prefix(MARKS) {
        Some(value) if open => value.trim_start_matches(MARKS),
        None if open => value.trim_end_matches(|c| is_blank(c) || MARKS.contains(&c)),
        _ => value,
    };
    Some(Label { name: unmarked.trim_end_matches(is_blank), value: trimmed(value) })
}

/// The characters emphasis and inline code are made of.
pub const MARKS: [char; 3] = ['*', '_', '`'];

/// White space, and what is as invisible: NUL, byte order mark, zero-width space.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\0' | '\u{feff}' | '\u{200b}')
}

/// `text` without blanks around it.
pub fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim_matches(is_blank),
    }
}

/// `text` on one line, each run of blanks one space: how values are written, so that they can be read again.
pub fn flat(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for word in text.split(is_blank).filter(|word| !word.is_empty()) {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
    }
    flat
}

fn skip_blanks(text: &str) -> &str {
    let spaces = text.bytes().take_while(|&b| b == b' ').count();
    match text.as_bytes().get(spaces) {
        Some(b'!'..=b'~') => &text[spaces..],
        _ => text[spaces..].trim_start_matches(is_blank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fenced(text: &str) -> String {
        lines(text).map(|line| if line.fenced { '#' } else { '.' }).collect()
    }

    #[test]
    fn lines_are_numbered_and_lose_their_ends() {
        let text = "\u{feff}one\r\n\ntwo\n";
        let found: Vec<_> = lines(text).map(|line| (line.number, line.start, line.text)).collect();
        assert_eq!(found, [(1, 3, "one"), (2, 8, ""), (3, 9, "two")]);
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("\u{feff}").count(), 0);
        assert_eq!(lines("x\r").next().unwrap().text, "x");
    }

    #[test]
    fn fences_hide_what_they_hold() {
        for (text, expected) in [
            ("a\n```\nb\n```\nc", ".###."),
            ("a\n```rust\r\nb\r\n```\r\nc", ".###."),
            ("~~~\nb\n```\n~~~\nc", "####."),
            ("````\n```\n````\nc", "###."),
            ("```\n````\nc", "##."),
            ("```\n``` rust\n```\nc", "###."),
            ("```\nnever closed", "##"),
            ("```inline``` code\nc", ".."),
            ("~~~ `info`\nc", "##"),
            ("``\nc", ".."),
            ("- ```\n  b\n  ```\nc", "###."),
            ("1. ```\n   b\n   ```\nc", "###."),
            ("      ```\nb\n\t```\nc", "###."),
            ("> ```\n> b\n> ```\nc", "...."),
            ("```\n~~~\n```\nc", "###."),
        ] {
            assert_eq!(fenced(text), expected, "{text:?}");
        }
    }

    #[test]
    fn fences_are_found_with_their_content() {
        let text = "\u{feff}a\n```json x\r\n{}\r\n```\n```\n```\n~~~\nb";
        let found: Vec<_> =
            fences(text).iter().map(|f| (f.info, f.line, f.content, &text[f.end..])).collect();
        assert_eq!(
            found,
            [("json x", 3, "{}\r\n", "```\n```\n~~~\nb"), ("", 6, "", "~~~\nb"), ("", 8, "b", "")]
        );
        assert_eq!(fences("none"), []);
        assert_eq!(fences("```")[0], FencedBlock { info: "", line: 2, start: 3, content: "", end: 3 });
    }

    #[test]
    fn decoration_is_taken_off() {
        for (line, heading, item, content, text) in [
            ("plain", false, None, "plain", "plain"),
            ("  ## **bold** ", true, None, "**bold**", "bold**"),
            ("###### six", true, None, "six", "six"),
            ("####### seven", false, None, "####### seven", "####### seven"),
            ("##tight", true, None, "tight", "tight"),
            ("- one", false, Some(Marker::Bullet), "one", "one"),
            ("* one", false, Some(Marker::Bullet), "one", "one"),
            ("+\tone", false, Some(Marker::Bullet), "one", "one"),
            ("-one", false, None, "-one", "-one"),
            ("*one*", false, None, "*one*", "one*"),
            ("12) x", false, Some(Marker::Number(12)), "x", "x"),
            ("3.", false, Some(Marker::Number(3)), "", ""),
            ("3.x", false, None, "3.x", "3.x"),
            ("3", false, None, "3", "3"),
            ("3: x", false, None, "3: x", "3: x"),
            ("99999999999. x", false, None, "99999999999. x", "99999999999. x"),
            ("> quoted", false, None, "> quoted", "> quoted"),
            ("| cell |", false, None, "| cell |", "| cell |"),
            ("\0\u{feff}__`x", false, None, "__`x", "x"),
            ("", false, None, "", ""),
        ] {
            let bare = bare(line);
            assert_eq!((bare.heading, bare.item, bare.content, bare.text), (heading, item, content, text));
            assert_eq!(bare.emphasised(), content != text, "{line:?}");
        }
        assert_eq!(bare(" \t- x").indent, 2);
    }

    #[test]
    fn labels_are_read_whatever_is_emphasised() {
        for (line, name, value) in [
            ("Chosen: a b", "Chosen", "a b"),
            ("- **Chosen**: a b", "Chosen", "a b"),
            ("- **Chosen:** a b", "Chosen", "a b"),
            ("**Chosen: a b**", "Chosen", "a b"),
            ("**Chosen: a b** ", "Chosen", "a b"),
            ("**Chosen** : **a** b", "Chosen", "**a** b"),
            ("Chosen: **a**", "Chosen", "**a**"),
            ("__Chosen__: _a_", "Chosen", "_a_"),
            ("`Chosen`: a", "Chosen", "a"),
            ("Chosen:", "Chosen", ""),
            ("### Chosen:a:b", "Chosen", "a:b"),
        ] {
            assert_eq!(label(&bare(line)), Some(Label { name, value }), "{line}");
        }
        assert_eq!(label(&bare("no colon")), None);
        let far = |spaces: usize| format!("{}:", "x".repeat(spaces));
        assert!(label(&bare(&far(LABEL_BYTES - 1))).is_some());
        assert!(label(&bare(&far(LABEL_BYTES))).is_none());
    }

    #[test]
    fn flat_text_has_single_spaces_only() {
        assert_eq!(flat(" a\r\n\tb\0c\u{feff}d\u{2028} "), "a b c d");
        assert_eq!(flat(" \n "), "");
    }

    proptest! {
        #[test]
        fn lines_agree_with_the_standard_library(text in "(\\PC|[\r\n`~ ]){0,80}") {
            let ours: Vec<_> = lines(&text).map(|line| line.text).collect();
            let body = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let theirs: Vec<_> = body.split_terminator('\n').map(|l| l.strip_suffix('\r').unwrap_or(l)).collect();
            prop_assert_eq!(ours, theirs);
            for line in lines(&text) {
                prop_assert!(text[line.start..].starts_with(line.text));
            }
        }

        #[test]
        fn no_line_is_too_strange(line in "(\\PC|[-*_`#0-9.: \0]){0,80}") {
            label(&bare(&line));
            fence_mark(&line);
        }
    }
}
