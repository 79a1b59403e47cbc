//! Code fences.
//!
//! Marks are recognised wherever agents put them: at any indentation, and as the first thing in a list item.
//! `CommonMark` is stricter there; read its way, a fence with a sloppy indent would leak its code into the prose,
//! or swallow the prose that follows it. Readers that must see a text exactly as renderers do filter the marks
//! with [`fences_where`].

use super::lines::{is_plain, lines, list_marker, skip_blanks, trimmed};

/// Opening or closing mark of a code fence: three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FenceMark<'a> {
    /// `` ` `` or `~`.
    pub byte: u8,
    pub length: usize,
    /// Text in front of the mark: blanks, and the marker of a list item.
    pub indent: &'a str,
    /// Info string after the mark, as it stands.
    pub info: &'a str,
}

impl<'a> FenceMark<'a> {
    /// Parses a line as a mark. Backticks with more backticks after them are inline code.
    pub fn parse(line: &'a str) -> Option<FenceMark<'a>> {
        let text = skip_blanks(line);
        if is_plain(text) {
            return None;
        }
        let text = list_marker(text).map_or(text, |(_, rest)| skip_blanks(rest));
        let byte = text.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = text.bytes().take_while(|b| *b == byte).count();
        let (indent, info) = (&line[..line.len() - text.len()], &text[length..]);
        let is_inline = byte == b'`' && info.contains('`');
        (length >= 3 && !is_inline).then_some(FenceMark { byte, length, indent, info })
    }

    /// True if this mark closes the fence that `open` opened.
    pub fn closes(&self, open: &FenceMark<'_>) -> bool {
        self.byte == open.byte && self.length >= open.length && trimmed(self.info).is_empty()
    }
}

/// The fence that is open while a text is read line by line.
#[derive(Debug, Clone, Copy, Default)]
pub struct FenceState<'a> {
    open: Option<FenceMark<'a>>,
}

impl<'a> FenceState<'a> {
    /// Takes the next line of the text; true if it opens, closes or stands inside a fence.
    pub fn advance(&mut self, line: &'a str) -> bool {
        self.advance_with(FenceMark::parse(line))
    }

    /// The mark of the fence that is open after the lines so far.
    pub fn open(&self) -> Option<FenceMark<'a>> {
        self.open
    }

    fn advance_with(&mut self, mark: Option<FenceMark<'a>>) -> bool {
        let was_open = self.open.is_some();
        match (self.open, mark) {
            (None, mark) => self.open = mark,
            (Some(open), Some(mark)) if mark.closes(&open) => self.open = None,
            (Some(_), _) => {}
        }
        was_open || self.open.is_some()
    }
}

/// Code fence and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FencedBlock<'a> {
    /// Info string, trimmed.
    pub info: &'a str,
    /// Number of the first line of the content.
    pub line: usize,
    /// Byte offset of the opening line.
    pub opening: usize,
    /// Byte offset of the content.
    pub start: usize,
    /// Text between the marks.
    pub content: &'a str,
    /// Byte offset of the text after the fence.
    pub end: usize,
}

/// The code fences of a text. An unclosed fence runs to the end.
pub fn fences(text: &str) -> Vec<FencedBlock<'_>> {
    fences_where(text, |_| true)
}

/// The code fences of a text, counting only marks that `is_mark` accepts.
pub fn fences_where(text: &str, is_mark: impl Fn(&FenceMark<'_>) -> bool) -> Vec<FencedBlock<'_>> {
    let mut blocks: Vec<FencedBlock<'_>> = Vec::new();
    let mut state = FenceState::default();
    let mut lines = lines(text);
    while let Some(line) = lines.next() {
        let was_open = state.open.is_some();
        state.advance_with(FenceMark::parse(line.text).filter(&is_mark));
        let after = lines.offset().min(text.len());
        match (was_open, state.open, blocks.last_mut()) {
            (false, Some(mark), _) => blocks.push(FencedBlock {
                info: trimmed(mark.info),
                line: line.number + 1,
                opening: line.start,
                start: after,
                content: &text[after..],
                end: text.len(),
            }),
            (true, None, Some(block)) => {
                block.content = &text[block.start..line.start];
                block.end = after;
            }
            _ => {}
        }
    }
    blocks
}

/// Strips the fence around a whole document, if there is one and it can hold a document.
pub fn strip_whole_fence(text: &str) -> &str {
    let fences = fences_where(text, |mark| mark.byte == b'`' && mark.indent.is_empty());
    let [fence] = fences.as_slice() else { return text };
    let is_whole =
        fence.opening == 0 && fence.end == text.len() && fence.start + fence.content.len() < fence.end;
    let is_document = matches!(fence.info, "" | "markdown" | "md" | "text" | "txt" | "json");
    if is_whole && is_document { trimmed(fence.content) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fenced(text: &str) -> String {
        lines(text).map(|line| if line.fenced { '#' } else { '.' }).collect()
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
        assert_eq!(
            fences("```")[0],
            FencedBlock { info: "", line: 2, opening: 0, start: 3, content: "", end: 3 }
        );
    }
}
