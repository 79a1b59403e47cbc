//! Code references of research notes: lines with a place in the code and its description.
//!
//! The sections around them are parsed by [`super::research_notes`].

use super::places::{CitedPlace, CodePlace, STRUCK_MARK, line_places, parse_place};
use super::research_notes::NONE;
use crate::markdown::offset_in;
use crate::markdown::{Line, MARKS, StrippedLine, is_blank, strip_decoration, trimmed};
use crate::problem::Problem;
use serde::Serialize;

/// Reference to one or more places in the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodeReference {
    /// Line number in the notes, from 1.
    pub line: usize,
    /// At least one.
    pub places: Vec<CodePlace>,
    /// Description of the code at these places.
    pub about: String,
}

/// State of the line-by-line parser of the section.
#[derive(Debug, Default)]
pub(super) struct ReferenceParser {
    pub(super) references: Vec<CodeReference>,
    pub(super) places: Vec<CitedPlace>,
    pub(super) problems: Vec<Problem>,
    /// True if a reference contains a struck place.
    pub(super) struck: bool,
}

impl ReferenceParser {
    /// Parses one line of the section. Headings, prose between references and table headers are allowed; an
    /// indented line continues the reference above.
    pub(super) fn read_line(&mut self, line: Line<'_>) {
        let bare = strip_decoration(line.text);
        let row = bare.content.starts_with('|');
        let leading = if line.fenced { None } else { leading_place(line, &bare, row) };
        let from = leading.as_ref().map_or(0, |place| place.range.end - line.start);
        let others: Vec<CitedPlace> = line_places(line, from).collect();
        let found: Vec<CitedPlace> = leading.into_iter().chain(others).collect();
        self.places.extend(found.iter().cloned());
        if line.fenced || bare.content.is_empty() || bare.heading {
            return;
        }
        let goes_on = bare.indent > 0 && bare.item.is_none() && !row;
        if let Some(above) = self.references.last_mut().filter(|_| goes_on) {
            above.about.push(' ');
            above.about.push_str(bare.content);
        } else if !found.is_empty() {
            self.push_reference(line, &bare, &found);
        } else if bare.content.contains(STRUCK_MARK) {
            self.struck = true;
        } else if bare.item.is_some() && none_reason(bare.content).is_none() {
            self.problems
                .push(Problem::new(line.number, "a code reference needs path:line and what is there"));
        }
    }

    fn push_reference(&mut self, line: Line<'_>, bare: &StrippedLine<'_>, found: &[CitedPlace]) {
        let about = description(line, bare, found);
        if !about.contains(char::is_alphabetic) {
            self.problems.push(Problem::new(line.number, format!("{}: say what is there", found[0].place)));
        }
        let places = found.iter().map(|cited| cited.place.clone()).collect();
        self.references.push(CodeReference { line: line.number, places, about });
    }
}

/// The place at the start of a reference; its path may have any form.
fn leading_place(line: Line<'_>, bare: &StrippedLine<'_>, row: bool) -> Option<CitedPlace> {
    let content =
        if row { bare.content.trim_start_matches(|c| c == '|' || is_blank(c)) } else { bare.content };
    let start = content.trim_start_matches(['*', '[', '(', '"', '\'']);
    let at = offset_in(line.text, start);
    if let Some(code) = start.strip_prefix('`') {
        return parse_place(line, at + 1, &code[..code.find('`')?]);
    }
    let end = start.find(|c: char| is_blank(c) || "])|".contains(c)).unwrap_or(start.len());
    let token = start[..end].trim_end_matches(|c: char| !c.is_alphanumeric());
    parse_place(line, at, token)
}

/// The description of a reference: the text after its leading places, or else the whole line.
fn description(line: Line<'_>, bare: &StrippedLine<'_>, found: &[CitedPlace]) -> String {
    const BETWEEN: &str = "`*_[]()|,;:.—–-";
    let between = |c: char| is_blank(c) || BETWEEN.contains(c);
    let mut at = offset_in(line.text, bare.content);
    let mut leads = false;
    for cited in found {
        let start = cited.range.start - line.start;
        let gap = line.text.get(at..start).unwrap_or("x");
        if !gap.trim_matches(between).is_empty() && trimmed(gap.trim_matches(between)) != "and" {
            break;
        }
        (at, leads) = (cited.range.end - line.start, true);
    }
    let rest =
        if leads { skip_link_target(&line.text[at..]).trim_start_matches(between) } else { bare.content };
    trimmed(rest.trim_end_matches(|c| c == '|' || is_blank(c))).to_owned()
}

/// Skips the target of a Markdown link.
fn skip_link_target(rest: &str) -> &str {
    let link = rest.trim_start_matches('`').strip_prefix("](");
    link.and_then(|link| link.split_once(')')).map_or(rest, |(_, rest)| rest)
}

/// The reason after `None` on the same line, possibly empty. "None of them" does not match.
pub(super) fn none_reason(text: &str) -> Option<&str> {
    let text = strip_decoration(text.lines().next()?).text;
    let word = text.get(..NONE.len()).filter(|word| word.eq_ignore_ascii_case(NONE))?;
    let rest = text[word.len()..].trim_start_matches(is_blank);
    let is_mark = |c: char| MARKS.contains(&c) || ".:;,—–-()".contains(c);
    let apart = rest.chars().next().is_none_or(is_mark);
    apart.then(|| rest.trim_matches(|c| is_blank(c) || is_mark(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::lines;
    use proptest::prelude::*;

    fn read(text: &str) -> ReferenceParser {
        let mut parser = ReferenceParser::default();
        lines(text).for_each(|line| parser.read_line(line));
        parser
    }

    fn references(lines: &str) -> Vec<(String, String)> {
        let read = read(lines);
        assert_eq!(read.problems, [], "{lines}");
        let places = |reference: &CodeReference| {
            reference.places.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        read.references.iter().map(|reference| (places(reference), reference.about.clone())).collect()
    }

    #[test]
    fn references_are_read_as_people_write_them() {
        for (lines, place, about) in [
            ("- `src/a.rs:3`: the loop", "src/a.rs:3", "the loop"),
            ("* **src/a.rs:3-9** — the loop", "src/a.rs:3-9", "the loop"),
            ("1. [src/a.rs:3](src/a.rs#L3): the loop", "src/a.rs:3", "the loop"),
            ("src/a.rs:3 the loop", "src/a.rs:3", "the loop"),
            ("- `src/a.rs`:3 - the loop", "src/a.rs:3", "the loop"),
            (
                "- `src/a.rs:3`, `src/b.rs:4` and src/c.rs:5: the loops",
                "src/a.rs:3 src/b.rs:4 src/c.rs:5",
                "the loops",
            ),
            ("- The loop (`src/a.rs:3`) ends", "src/a.rs:3", "The loop (`src/a.rs:3`) ends"),
            ("| Place | What |\n|---|---|\n| `src/a.rs:3` | the loop |", "src/a.rs:3", "the loop"),
            ("- `LICENSE:3`: the terms", "LICENSE:3", "the terms"),
            ("- Justfile:12: the recipe", "Justfile:12", "the recipe"),
            ("- `docs/my notes.md:4-8`: why", "docs/my notes.md:4-8", "why"),
            ("- src/größe.rs:3: how large", "src/größe.rs:3", "how large"),
            ("- __init__.py:3: what is exported", "__init__.py:3", "what is exported"),
            (
                "### Loops\nThese run:\n- src/a.rs:3: the loop\n  of retries",
                "src/a.rs:3",
                "the loop of retries",
            ),
            ("- src/a.rs:3: the loop\n```\ncode at x.rs:1\n```", "src/a.rs:3", "the loop"),
        ] {
            assert_eq!(references(lines), [(place.to_owned(), about.to_owned())], "{lines}");
        }
    }

    #[test]
    fn a_reference_needs_a_place_and_a_description() {
        let text = "- src/a.rs:3: the loop\n- the other loop\n- src/b.rs:4\n- /etc/passwd:1: users";
        assert_eq!(
            read(text).problems,
            [
                Problem::new(2, "a code reference needs path:line and what is there"),
                Problem::new(3, "src/b.rs:4: say what is there"),
                Problem::new(4, "a code reference needs path:line and what is there")
            ]
        );
    }

    proptest! {
        #[test]
        fn written_references_parse_again(lines in prop::collection::vec(("[a-z]{1,8}/[a-z]{1,8}\\.(rs|py|weird)", 1_usize..900, "[a-z ]{0,20}[a-z]"), 1..6)) {
            let text: Vec<String> = lines.iter().map(|(path, line, about)| format!("- `{path}:{line}`: {about}")).collect();
            let read = references(&text.join("\n"));
            let expected: Vec<(String, String)> =
                lines.iter().map(|(path, line, about)| (format!("{path}:{line}"), about.trim().to_owned())).collect();
            prop_assert_eq!(read, expected);
        }
    }
}
