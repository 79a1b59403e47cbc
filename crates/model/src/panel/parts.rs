//! Named parts of an answer, and the entries of a list in one. A part begins with its name: as a heading of any
//! level, or emphasised on a line of its own, with or without text after a colon.
//!
//! [`crate::spec::sections`] is stricter: it knows headings only.

use crate::markdown::{Line, MARKS, Marker, heading, is_blank, lines, strip_decoration, trimmed};

/// Part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part<'a> {
    /// Line number of its name.
    pub(super) line: usize,
    /// Text after the name on the same line.
    pub(super) rest: &'a str,
    /// Text below that line.
    pub(super) below: &'a str,
}

impl Part<'_> {
    pub(super) fn is_empty(&self) -> bool {
        trimmed(self.rest).is_empty() && trimmed(self.below).is_empty()
    }

    /// The whole text.
    pub(super) fn text(&self) -> String {
        trimmed(&format!("{}\n{}", self.rest, self.below)).to_owned()
    }
}

/// The parts with these names; the first of each counts. A part ends at the next one, or at a heading that is not
/// below its own.
pub(super) fn read_parts<'a, const N: usize>(text: &'a str, names: &[&str; N]) -> [Option<Part<'a>>; N] {
    let mut parts = [const { None }; N];
    let mut open: Option<(usize, usize)> = None;
    let close = |parts: &mut [Option<Part<'a>>; N], open: Option<(usize, usize)>, end: usize| {
        if let Some(part) = open.and_then(|(index, _)| parts[index].as_mut()) {
            part.below = &part.below[..end.saturating_sub(text.len() - part.below.len())];
        }
    };
    for line in lines(text).filter(|line| !line.fenced) {
        let level = heading(line.text).map(|(level, _)| level);
        let start = part_start(&line, names).filter(|(index, _)| parts[*index].is_none());
        let is_end = level.zip(open).is_some_and(|(level, (_, own))| level <= own);
        if start.is_none() && !is_end {
            continue;
        }
        close(&mut parts, open, line.start);
        open = start.map(|(index, _)| (index, level.unwrap_or(EMPHASISED)));
        if let Some((index, rest)) = start {
            let below = &text[(line.start + line.text.len()).min(text.len())..];
            parts[index] = Some(Part { line: line.number, rest, below });
        }
    }
    parts
}

/// Level of an emphasised name: below all headings.
const EMPHASISED: usize = 7;

fn part_start<'a, const N: usize>(line: &Line<'a>, names: &[&str; N]) -> Option<(usize, &'a str)> {
    let bare = strip_decoration(line.text);
    if bare.item.is_some() || !(bare.heading || bare.emphasised()) {
        return None;
    }
    let (name, rest) = bare.text.split_once(':').unwrap_or((bare.text, ""));
    let index = names.iter().position(|known| has_same_letters(known, name))?;
    let rest =
        if bare.emphasised() { rest.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c)) } else { rest };
    Some((index, rest))
}

/// Compares the letters of two short names: `1. Next step` and `NEXT_STEP **`.
fn has_same_letters(known: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().take(60).filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
    };
    letters(known) == letters(name)
}

/// Entry of a list, with the lines that continue it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Line number in the text.
    pub(crate) line: usize,
    pub(crate) marker: Option<Marker>,
    /// Its lines without the list marker and without the indentation of the first.
    pub(crate) text: String,
}

/// The entries of a list. Deeper items, other lines and code fences belong to the entry above them. Without any
/// item, each paragraph and each code fence is an entry.
pub(crate) fn read_entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut margin: Option<usize> = None;
    let mut is_apart = true;
    let has_items = lines(text).any(|line| !line.fenced && strip_decoration(line.text).item.is_some());
    for line in lines(text) {
        let bare = strip_decoration(line.text);
        let is_item =
            !line.fenced && bare.item.is_some() && margin.is_none_or(|margin| bare.indent <= margin);
        let is_blank = !line.fenced && bare.content.is_empty();
        let begins = if has_items { is_item } else { is_apart && !is_blank };
        is_apart = is_blank;
        if begins {
            margin = Some(bare.indent);
            entries.push(Entry { line: line.number, marker: bare.item, text: bare.content.to_owned() });
        } else if let Some(entry) = entries.last_mut() {
            entry.text.push('\n');
            entry.text.push_str(line.text);
        }
    }
    for entry in &mut entries {
        entry.text.truncate(entry.text.trim_end_matches(is_blank).len());
    }
    entries.retain(|entry| !entry.text.is_empty());
    entries
}

/// The reason of a text that says `None`, empty if it gives none: `None: nothing is stored`, `None.`, `N/A`.
pub(crate) fn none_reason(text: &str) -> Option<&str> {
    let is_mark = |c: char| is_blank(c) || MARKS.contains(&c) || c == '-';
    let text = text.trim_matches(is_mark);
    let end = text.find(|c: char| !(c.is_ascii_alphabetic() || c == '/')).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if !["none", "n/a", "nothing"].iter().any(|none| none.eq_ignore_ascii_case(word)) {
        return None;
    }
    // "None of the …" begins a sentence.
    let rest = rest.trim_start_matches(MARKS);
    let is_set_off = rest.trim_start().is_empty()
        || rest.trim_start().starts_with([':', '.', ',', ';', '(', '—', '–', '-'])
        || rest.starts_with('\n');
    let separates = |c: char| is_blank(c) || MARKS.contains(&c) || ":.,;()—–-".contains(c);
    is_set_off.then(|| rest.trim_matches(separates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [&str; 2] = ["Answer", "Next step"];

    fn texts(text: &str) -> [Option<String>; 2] {
        read_parts(text, &NAMES).map(|part| part.map(|part| part.text()))
    }

    #[test]
    fn parts_are_found_in_many_shapes() {
        for text in [
            "## Answer\nyes\n\n## Next step\ngo",
            "\u{feff}Sure.\r\n# 1. **ANSWER**\r\nyes\r\n# NEXT_STEP:\r\ngo\r\n",
            "**Answer**: yes\n**Next step:**\ngo\n",
            "### Answer: yes\n### Next step\ngo\n### Other\nlost",
            "## Answer\nyes\n# Other\nlost\n## Next step: go\n",
        ] {
            assert_eq!(texts(text), [Some("yes".to_owned()), Some("go".to_owned())], "{text}");
        }
        assert_eq!(texts("## Answer\nyes\n### Why\nso"), [Some("yes\n### Why\nso".to_owned()), None]);
        assert_eq!(texts("- Answer: x\nAnswer: y\n```\n## Answer\n```"), [None, None]);
        assert_eq!(texts("## Answer\na\n### Answer\nb")[0].as_deref(), Some("a\n### Answer\nb"));
        assert!(read_parts("## Answer\n\n", &NAMES)[0].as_ref().unwrap().is_empty());
    }

    #[test]
    fn entries_keep_what_continues_them() {
        let entries = |text: &str| read_entries(text).into_iter().map(|e| e.text).collect::<Vec<_>>();
        assert_eq!(
            entries("- a\n  b\n- c\n```\n- d\n```\n\n  - e\n"),
            ["a\n  b", "c\n```\n- d\n```\n\n  - e"]
        );
        assert_eq!(entries("Intro:\n1. a\n2) b\n"), ["a", "b"]);
        assert_eq!(entries("  - a\n- b"), ["a", "b"]);
        assert_eq!(entries("One\ntwo.\n\nThree.\n"), ["One\ntwo.", "Three."]);
        assert_eq!(entries("\n-\n"), Vec::<String>::new());
        assert_eq!(
            read_entries("x\n\n3. a")[0],
            Entry { line: 3, marker: Some(Marker::Number(3)), text: "a".to_owned() }
        );
    }

    #[test]
    fn none_is_told_from_a_sentence() {
        for (text, reason) in [
            ("None", Some("")),
            ("- **None.**", Some("")),
            ("n/a", Some("")),
            ("None: nothing is stored.", Some("nothing is stored")),
            ("None — nothing is stored", Some("nothing is stored")),
            ("Nothing (a cosmetic change)", Some("a cosmetic change")),
            ("None of the files changes", None),
            ("Nonesuch", None),
            ("", None),
            ("The rest", None),
        ] {
            assert_eq!(none_reason(text), reason, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "((#|## |Answer|Next step|:|\\*\\*|- |```|\r|\n|\0|\\PC){0,4}){0,20}") {
            texts(&text);
            read_entries(&text);
            none_reason(&text);
        }
    }
}
