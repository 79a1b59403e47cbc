//! Headed blocks with labelled fields, the shape most files of the panel share:
//!
//! ```text
//! ### DECISION_1: a title
//! - **Chosen**: a value, which may
//!   go on in the next lines
//! ```
//!
//! Each grammar defines its heads, its fields and which of them are required. The writers are here too, so that
//! written blocks can be parsed again.

use crate::markdown::{StrippedLine, flat, label, lines, strip_decoration};
use crate::problem::Problem;
use std::fmt::Write as _;

/// Headed block, generic over the parsed head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'a, H> {
    /// Line number of the head.
    pub(super) line: usize,
    pub(super) head: H,
    /// Text after the name in the head.
    pub(super) title: &'a str,
    fields: Vec<Field>,
}

/// Labelled value, flattened to one line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: usize,
    line: usize,
    value: String,
    /// Items of the list below the label; empty if there is none.
    items: Vec<String>,
}

/// Parses the blocks of a text. `head` parses the name in a head, `names` are the field labels, in any order.
///
/// A head is a heading, emphasised or plain, but no list item. Another heading ends a block. An unknown
/// emphasised label ends a field, unless it is a single letter, as of an option, or begins an item of a list that is the
/// field; any other line continues it. Code fences are skipped.
pub(super) fn blocks<'a, H>(
    text: &'a str,
    head: impl Fn(&'a str) -> Option<H>,
    names: &[&str],
) -> Vec<Block<'a, H>> {
    let mut blocks: Vec<Block<'a, H>> = Vec::new();
    let mut open = false;
    let mut field_open = false;
    for line in lines(text).filter(|line| !line.fenced) {
        let bare = strip_decoration(line.text);
        let label = label(&bare);
        let headed = label.filter(|_| bare.item.is_none()).and_then(|l| Some((head(l.name)?, l.value)));
        if let Some((head, title)) = headed {
            blocks.push(Block { line: line.number, head, title, fields: Vec::new() });
            (open, field_open) = (true, false);
            continue;
        }
        let Some(block) = blocks.last_mut().filter(|_| open) else { continue };
        let known =
            label.and_then(|l| names.iter().position(|name| name.eq_ignore_ascii_case(l.name)).zip(Some(l)));
        if let Some((name, label)) = known {
            block.fields.push(Field { name, line: line.number, value: flat(label.value), items: Vec::new() });
            field_open = true;
        } else if bare.heading {
            open = false;
        } else if label.is_some_and(|label| label.name.len() > 1)
            && bare.emphasised()
            && !(bare.item.is_some() && field_open && block.fields.last().is_some_and(Field::is_list))
        {
            field_open = false;
        } else if let Some(field) = block.fields.last_mut().filter(|_| field_open) {
            field.append_line(&bare);
        }
    }
    blocks
}

impl Field {
    /// True if nothing but a list stands behind its label so far.
    fn is_list(&self) -> bool {
        self.value.is_empty() || !self.items.is_empty()
    }

    fn append_line(&mut self, line: &StrippedLine<'_>) {
        let content = flat(line.content);
        if content.is_empty() {
            return;
        }
        if !self.value.is_empty() {
            self.value.push_str(if line.item.is_some() { LIST_BREAK } else { " " });
        }
        self.value.push_str(&content);
        if line.item.is_some() {
            self.items.push(content);
        } else if let Some(last) = self.items.last_mut() {
            last.push(' ');
            last.push_str(&content);
        }
    }
}

/// Separator between the items of a list that continues a field.
pub(super) const LIST_BREAK: &str = ", ";

impl<H> Block<'_, H> {
    /// The first value of a field, empty or not. Each further one is reported as a problem.
    pub(super) fn value(&self, name: usize, known: &[&str], problems: &mut Vec<Problem>) -> Option<&str> {
        let mut found = self.fields.iter().filter(|field| field.name == name);
        let first = found.next()?;
        for duplicate in found {
            let message = format!("{} is given twice; line {} counts", known[name], first.line);
            problems.push(Problem::new(duplicate.line, message));
        }
        Some(&first.value)
    }

    /// Items of the list below the label of a field; empty if there is none.
    pub(super) fn items(&self, name: usize) -> &[String] {
        self.fields.iter().find(|field| field.name == name).map_or(&[], |field| &field.items)
    }

    /// Line number of a field, or of the head if the field is missing.
    pub(super) fn line_of(&self, name: usize) -> usize {
        self.fields.iter().find(|field| field.name == name).map_or(self.line, |field| field.line)
    }
}

/// Writes the head of a block: `### NAME: title`, a blank line before it if it is not the first.
pub(super) fn write_head(out: &mut String, hashes: &str, name: impl std::fmt::Display, title: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{hashes} {name}: {}", flat(title));
}

/// Writes a field on one line, `**Name**: value`, with `bullet` in front.
pub(super) fn write_field(out: &mut String, bullet: &str, name: &str, value: &str) {
    let value = flat(value);
    let _ = writeln!(out, "{}", format!("{bullet}**{name}**: {value}").trim_end());
}

/// Writes a field as a list, one line for each value; nothing without values.
pub(super) fn write_list(out: &mut String, name: &str, values: &[String]) {
    if !values.is_empty() {
        write_field(out, "", name, "");
    }
    for value in values {
        let _ = writeln!(out, "- {}", flat(value));
    }
}

/// Joins sentences to one line: `a; b`. A full stop before the semicolon goes.
pub(super) fn join_sentences<'a>(sentences: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for sentence in sentences.filter(|sentence| !sentence.is_empty()) {
        if !joined.is_empty() {
            if joined.ends_with('.') && !joined.ends_with("..") {
                joined.pop();
            }
            joined.push_str("; ");
        }
        joined.push_str(sentence);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 2] = ["Chosen", "Affected files"];

    fn head(name: &str) -> Option<u32> {
        name.strip_prefix("D")?.parse().ok()
    }

    /// Head, title and values of every block.
    fn read(text: &str) -> Vec<(u32, &str, Vec<String>)> {
        let values = |block: &Block<'_, u32>| block.fields.iter().map(|f| f.value.clone()).collect();
        blocks(text, head, &NAMES).iter().map(|block| (block.head, block.title, values(block))).collect()
    }

    #[test]
    fn heads_and_fields_are_found_in_many_shapes() {
        for text in [
            "### D1: t\n- **Chosen**: a b\n- **Affected files**: x, y",
            "# D1: t\r\n**chosen:** a b\r\nAFFECTED FILES: x, y\r\n",
            "**D1: t**\n* Chosen: a\n  b\n\n- Affected files: x, y",
            "D1: t\nlost\nChosen:\na\n\nb\nAffected files:\n- x\n- y",
            "### **D1**: t\n- __Chosen__: a\n```\nChosen: no\n```\nb\n1. **Affected files**: x, y",
            "### D1: t\n**Chosen**: a b\n**Unknown**: c\nlost\n**Affected files**: x, y\n## Notes\nlost",
        ] {
            assert_eq!(read(text), [(1, "t", vec!["a b".to_owned(), "x, y".to_owned()])], "{text}");
        }
    }

    #[test]
    fn items_of_a_list_may_begin_like_a_label() {
        let text = "### D1: t\n**Chosen**:\n- `a.rs`: one\n- **Both**: two\n**Other**: lost\n";
        let blocks = blocks(text, head, &NAMES);
        assert_eq!(blocks[0].items(0), ["`a.rs`: one", "**Both**: two"]);
    }

    #[test]
    fn other_lines_are_no_blocks() {
        for text in ["", "- D1: a list item", "DX: t", "> D1: t", "Chosen: a", "```\nD1: t\n```"] {
            assert_eq!(read(text), [], "{text}");
        }
        let ended = "D1: t\n## Notes\nChosen: a\nD2: u\n- D3: v\nChosen: b\nNote: c";
        assert_eq!(read(ended), [(1, "t", vec![]), (2, "u", vec!["b Note: c".to_owned()])]);
    }

    #[test]
    fn a_list_below_a_label_is_kept_as_one() {
        let mut text = String::new();
        write_head(&mut text, "###", "D1", "t");
        write_list(&mut text, "Chosen", &["a\nb".to_owned(), "c, d".to_owned()]);
        write_list(&mut text, "Affected files", &[]);
        assert_eq!(text, "### D1: t\n**Chosen**:\n- a b\n- c, d\n");
        let with_prose = text + "  goes on\n**Other**:\n- e\n";
        let blocks = blocks(&with_prose, head, &NAMES);
        assert_eq!(blocks[0].items(0), ["a b", "c, d goes on"]);
        assert_eq!(blocks[0].items(1), [""; 0]);
    }

    #[test]
    fn sentences_are_joined_without_their_stops() {
        for (sentences, joined) in [
            (&["a.", "b.", "c"][..], "a; b; c"),
            (&["a…", "", "b!"], "a…; b!"),
            (&["and so on...", "b"], "and so on...; b"),
            (&[], ""),
        ] {
            assert_eq!(join_sentences(sentences.iter().copied()), joined);
        }
    }

    #[test]
    fn duplicate_fields_are_reported() {
        let text = "D1: t\nChosen: a\nChosen: b\nChosen: c";
        let blocks = blocks(text, head, &NAMES);
        let mut problems = Vec::new();
        assert_eq!(blocks[0].value(0, &NAMES, &mut problems), Some("a"));
        assert_eq!(
            problems,
            [
                Problem::new(3, "Chosen is given twice; line 2 counts"),
                Problem::new(4, "Chosen is given twice; line 2 counts")
            ]
        );
        assert_eq!(blocks[0].value(1, &NAMES, &mut problems), None);
        assert_eq!((blocks[0].line_of(0), blocks[0].line_of(1)), (2, 1));
    }

    proptest! {
        #[test]
        fn written_blocks_parse_again(title in "\\PC{0,20}", values in prop::collection::vec("(\\PC|[\r\n\0`*#:-]){0,40}", 2), bullet in "(- )?") {
            let mut text = String::new();
            write_head(&mut text, "##", "D1", &title);
            write_field(&mut text, &bullet, NAMES[0], &values[0]);
            write_field(&mut text, &bullet, NAMES[1], &values[1]);
            let title = flat(&title);
            prop_assert_eq!(read(&text), [(1, title.as_str(), vec![flat(&values[0]), flat(&values[1])])]);
        }
    }
}
