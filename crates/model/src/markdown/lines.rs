//! Lines as agents write them: byte order marks, CRLF, NUL, code fences, headings, list markers, emphasis.
//!
//! Every grammar of the panel reads its text through here, so all of them forgive the same things. The meaning of
//! a line is decided elsewhere: `panel::token` reads words of a closed set, `panel::blocks` reads headed blocks.
//! Nothing here allocates for a line, and every step is linear in the text.

use super::fences::FenceState;
use memchr::memchr;

/// Splits a text into lines and marks those that belong to a code fence. A byte order mark is skipped.
pub fn lines(text: &str) -> Lines<'_> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    Lines { rest, start: text.len() - rest.len(), number: 0, fence: FenceState::default() }
}

/// Line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// 1-based.
    pub number: usize,
    /// Byte offset in the text.
    pub start: usize,
    /// Text without the line end.
    pub text: &'a str,
    /// True if the line opens, closes or stands inside a code fence. An unclosed fence runs to the end.
    pub fenced: bool,
}

/// Iterator of [`lines`].
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    rest: &'a str,
    start: usize,
    number: usize,
    fence: FenceState<'a>,
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
        let text = text.strip_suffix('\r').unwrap_or(text);
        let fenced = self.fence.advance(text);
        Some(Line { number: self.number, start, text, fenced })
    }
}

impl Lines<'_> {
    /// Byte offset of the next line.
    pub(super) fn offset(&self) -> usize {
        self.start
    }
}

/// Line without its decoration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrippedLine<'a> {
    /// Length of the indentation in bytes.
    pub indent: usize,
    /// True for a heading of any level.
    pub heading: bool,
    /// Marker of a list item.
    pub item: Option<Marker>,
    /// Text after the heading or list marker, trimmed.
    pub content: &'a str,
    /// Content without leading emphasis.
    pub text: &'a str,
}

impl StrippedLine<'_> {
    /// True if the content begins with emphasis.
    pub fn emphasised(&self) -> bool {
        self.text.len() < self.content.len()
    }
}

/// Marker of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// `-`, `*` or `+`.
    Bullet,
    /// `7.` or `7)`.
    Number(u32),
}

/// Strips a line of its decoration. Quotations and table rows keep their first character, and so match nothing.
pub fn strip_decoration(line: &str) -> StrippedLine<'_> {
    let start = skip_blanks(line);
    let indent = line.len() - start.len();
    if is_plain(start) {
        let content = trimmed(start);
        return StrippedLine { indent, heading: false, item: None, content, text: content };
    }
    let hashes = start.bytes().take_while(|&b| b == b'#').count();
    let heading = (1..=6).contains(&hashes);
    let (item, rest) = match list_marker(start) {
        _ if heading => (None, &start[hashes..]),
        Some((marker, rest)) => (Some(marker), rest),
        None => (None, start),
    };
    let content = trimmed(rest);
    StrippedLine { indent, heading, item, content, text: content.trim_start_matches(MARKS) }
}

/// True if a line begins with a letter, and so with no mark of any kind: the common case, decided early.
pub(super) fn is_plain(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
}

/// Parses a list marker at the start of `text`; returns it with the text that follows.
pub(crate) fn list_marker(text: &str) -> Option<(Marker, &str)> {
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

/// `Name: value`, with any part of it emphasised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label<'a> {
    pub name: &'a str,
    pub value: &'a str,
}

/// Longest label, in bytes.
const LABEL_BYTES: usize = 64;

/// Parses the label at the start of a line.
pub fn label<'a>(line: &StrippedLine<'a>) -> Option<Label<'a>> {
    let bytes = line.text.as_bytes();
    label_at(line, memchr(b':', bytes.get(..LABEL_BYTES).unwrap_or(bytes))?)
}

/// Parses the label at the start of a line whose first colon is at `colon`.
pub(crate) fn label_at<'a>(line: &StrippedLine<'a>, colon: usize) -> Option<Label<'a>> {
    if colon >= LABEL_BYTES {
        return None;
    }
    let (name, value) = (&line.text[..colon], &line.text[colon + 1..]);
    let name = trimmed(name);
    let unmarked = name.trim_end_matches(MARKS);
    let open = line.emphasised() && unmarked.len() == name.len();
    let value = match value.strip_prefix(MARKS) {
        Some(value) if open => value.trim_start_matches(MARKS),
        None if open => {
            let opening = &line.content[..line.content.len() - line.text.len()];
            value.trim_end_matches(|c| is_blank(c) || opening.contains(c))
        }
        _ => value,
    };
    Some(Label { name: unmarked.trim_end_matches(is_blank), value: trimmed(value) })
}

/// Characters of emphasis and inline code.
pub const MARKS: [char; 3] = ['*', '_', '`'];

/// White space and invisible characters: NUL, byte order mark, zero-width space.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\0' | '\u{feff}' | '\u{200b}')
}

/// Trims blanks from both ends.
pub fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim_matches(is_blank),
    }
}

/// Joins a text to one line, each run of blanks one space. Values are written this way, so that they can be read again.
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

pub(super) fn skip_blanks(text: &str) -> &str {
    let spaces = text.bytes().take_while(|&b| b == b' ').count();
    match text.as_bytes().get(spaces) {
        Some(b'!'..=b'~') => &text[spaces..],
        _ => text[spaces..].trim_start_matches(is_blank),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::FenceMark;
    use proptest::prelude::*;

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
            let bare = strip_decoration(line);
            assert_eq!((bare.heading, bare.item, bare.content, bare.text), (heading, item, content, text));
            assert_eq!(bare.emphasised(), content != text, "{line:?}");
        }
        assert_eq!(strip_decoration(" \t- x").indent, 2);
    }

    #[test]
    fn labels_are_read_whatever_is_emphasised() {
        for (line, name, value) in [
            ("Chosen: a b", "Chosen", "a b"),
            ("- **Chosen**: a b", "Chosen", "a b"),
            ("- **Chosen:** a b", "Chosen", "a b"),
            ("**Chosen: a b**", "Chosen", "a b"),
            ("**Chosen: a b** ", "Chosen", "a b"),
            ("**Chosen: a `b`**", "Chosen", "a `b`"),
            ("**Chosen** : **a** b", "Chosen", "**a** b"),
            ("Chosen: **a**", "Chosen", "**a**"),
            ("__Chosen__: _a_", "Chosen", "_a_"),
            ("`Chosen`: a", "Chosen", "a"),
            ("Chosen:", "Chosen", ""),
            ("### Chosen:a:b", "Chosen", "a:b"),
        ] {
            assert_eq!(label(&strip_decoration(line)), Some(Label { name, value }), "{line}");
        }
        assert_eq!(label(&strip_decoration("no colon")), None);
        let far = |spaces: usize| format!("{}:", "x".repeat(spaces));
        assert!(label(&strip_decoration(&far(LABEL_BYTES - 1))).is_some());
        assert!(label(&strip_decoration(&far(LABEL_BYTES))).is_none());
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
            label(&strip_decoration(&line));
            FenceMark::parse(&line);
        }
    }
}
