//! Parser of the first line of a phase or a task.

use crate::markdown::{is_decoration, item, offset_in, parse_checkbox, trim_around, trim_before};
use crate::spec::ids::{self, SpecId};

/// First line of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskHead {
    pub id: SpecId,
    /// Title without id, references and checkboxes.
    pub title: String,
    /// Ids it refers to: `[US1, REQ-1.1]`.
    pub refs: Vec<SpecId>,
    pub check: Option<Checkbox>,
}

/// Checkbox on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkbox {
    /// Byte offset of its mark.
    pub at: usize,
    pub ticked: bool,
}

/// Parses `Phase 2: Name (note)` into number, name and note.
pub fn parse_phase(title: &str) -> Option<(u32, String, Option<String>)> {
    let title = trim_around(title.trim_start_matches(is_decoration), is_decoration);
    let rest = strip_word(title, "phase")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let name = trim_before(&rest[digits..], is_separator);
    if let Some((name, note)) = name.strip_suffix(')').and_then(|open| open.rsplit_once('('))
        && !name.trim().is_empty()
    {
        return Some((number, name.trim().to_owned(), Some(note.trim().to_owned())));
    }
    Some((number, name.trim().to_owned(), None))
}

/// Parses a task in the title of a heading: `T001: Title [US1]`, `[x] T001: Title`, `Task 1: Title`.
pub fn parse_heading(line: &str, title: &str) -> Option<TaskHead> {
    let leading = parse_checkbox(title);
    let rest = leading.map_or(title, |(_, rest)| rest).trim_start_matches(is_decoration);
    let named = strip_word(rest, "task");
    let (id, rest) = match named {
        Some(named) => parse_task_id(named).or_else(|| parse_plain_number(named))?,
        None => parse_task_id(rest)?,
    };
    let check = leading.map(|(ticked, _)| Checkbox { at: offset_in(line, title) + 1, ticked });
    Some(finish_head(line, id, rest, check))
}

/// Parses a task with a checkbox in a list: `- [ ] T010: title`, `- [x] **T011** [D2] title`, `- [ ] 8. title`.
pub fn parse_list_item(line: &str) -> Option<TaskHead> {
    let text = item(line)?;
    let (ticked, rest) = parse_checkbox(text)?;
    let rest = rest.trim_start_matches(is_decoration);
    let (id, rest) = parse_task_id(rest).or_else(|| parse_numbered(rest))?;
    Some(finish_head(line, id, rest, Some(Checkbox { at: offset_in(line, text) + 1, ticked })))
}

fn finish_head(line: &str, id: SpecId, rest: &str, leading: Option<Checkbox>) -> TaskHead {
    let mut title = trim_before(rest, is_separator).trim_end();
    let mut refs = Vec::new();
    let mut check = leading;
    while let Some((inside, after)) = title.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && let Some(ids) = ids::parse_id_list(inside)
    {
        refs.extend(ids);
        title = trim_before(after, is_separator);
    }
    let mut trailing = Vec::new();
    while let Some((before, inside)) = title.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        if let Some(ids) = ids::parse_id_list(inside) {
            trailing.splice(0..0, ids);
        } else if let Some((ticked, "")) = parse_checkbox(&title[before.len()..])
            && check.is_none()
        {
            check = Some(Checkbox { at: offset_in(line, inside), ticked });
        } else {
            break;
        }
        title = before.trim_end();
    }
    refs.append(&mut trailing);
    TaskHead { id, title: title.to_owned(), refs, check }
}

/// Parses `T001` at the start of a text; returns it with the rest.
fn parse_task_id(text: &str) -> Option<(SpecId, &str)> {
    if !text.starts_with(['T', 't']) {
        return None;
    }
    SpecId::parse_prefix(text)
}

/// Parses `8. title`, `8) title`, `8.1 title`: a number followed by a mark, or with a dot in it.
fn parse_numbered(text: &str) -> Option<(SpecId, &str)> {
    let (id, rest) = parse_plain_number(text)?;
    (id.number.contains('.') || rest.starts_with(['.', ')', ':'])).then_some((id, rest))
}

fn parse_plain_number(text: &str) -> Option<(SpecId, &str)> {
    let (number, rest) = ids::parse_number(text)?;
    Some((SpecId::task(&number), rest))
}

/// The text after a word at the start, ignoring case.
fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    (start.eq_ignore_ascii_case(word) && rest.starts_with([' ', '\t'])).then(|| rest.trim_start())
}

fn is_separator(c: char) -> bool {
    is_decoration(c) || matches!(c, ':' | '.' | ')' | '-' | '–' | '—')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::heading;

    fn read(line: &str) -> Option<(String, String, String, Option<bool>)> {
        let head = match heading(line) {
            Some((_, title)) => parse_heading(line, title),
            None => parse_list_item(line),
        }?;
        if let Some(check) = head.check {
            assert!(matches!(line.as_bytes()[check.at], b' ' | b'x' | b'X' | b'-'), "{line}");
        }
        let refs = head.refs.iter().map(SpecId::to_string).collect::<Vec<_>>().join(" ");
        Some((head.id.to_string(), head.title, refs, head.check.map(|check| check.ticked)))
    }

    #[test]
    fn every_accepted_form_is_read() {
        for (line, id, title, refs, ticked) in [
            ("### T001: Add the parser [US1]", "T001", "Add the parser", "US1", None),
            ("### T002: Two refs [REQ-1.1, REQ-1.4] [C1]", "T002", "Two refs", "REQ-1.1 REQ-1.4 C1", None),
            ("### T003 — Dash", "T003", "Dash", "", None),
            ("### **T004:** Bold", "T004", "Bold", "", None),
            ("### [x] T005: Boxed [US2]", "T005", "Boxed", "US2", Some(true)),
            ("### T006: Boxed behind [US2] [ ]", "T006", "Boxed behind", "US2", Some(false)),
            ("#### Task T007: Named", "T007", "Named", "", None),
            ("## Task 1: Pipeline form", "T001", "Pipeline form", "", None),
            ("## Task 12:No space", "T012", "No space", "", None),
            ("- [ ] T010: title", "T010", "title", "", Some(false)),
            ("- [x] **T011** [D2] title", "T011", "title", "D2", Some(true)),
            ("  * [X] T012 title", "T012", "title", "", Some(true)),
            ("- [-] T013: under way", "T013", "under way", "", Some(false)),
            ("- [ ] 8. title", "T008", "title", "", Some(false)),
            ("- [ ] 8.1 title", "T8.1", "title", "", Some(false)),
            ("- [ ] 9) title", "T009", "title", "", Some(false)),
            ("1. [ ] T014: numbered list", "T014", "numbered list", "", Some(false)),
            ("### T015: Support arrays [0] and [later]", "T015", "Support arrays [0] and [later]", "", None),
            ("### T016", "T016", "", "", None),
            ("### T018: `answer` names its origin", "T018", "`answer` names its origin", "", None),
            ("### T019: `answer`", "T019", "`answer`", "", None),
            ("- [ ] **T020:** `charrette mcp` [US1]", "T020", "`charrette mcp`", "US1", Some(false)),
            ("### `T021`: **Bold** start", "T021", "**Bold** start", "", None),
            ("- [x] T022 [D2] `x` and `y`", "T022", "`x` and `y`", "D2", Some(true)),
            ("### t017: lower case", "T017", "lower case", "", None),
        ] {
            let expected = (id.to_owned(), title.to_owned(), refs.to_owned(), ticked);
            assert_eq!(read(line), Some(expected), "{line}");
        }
        for none in [
            "### Overview",
            "### The task",
            "### Tasks 1: x",
            "### 1. Not a task",
            "### T001x: no",
            "- [ ] write the docs",
            "- [ ] 8 bits are enough",
            "- T001: no box",
            "- [x](link) T001",
            "T001: no marker",
        ] {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn phases_have_a_number_a_name_and_perhaps_a_note() {
        for (title, number, name, note) in [
            ("Phase 1: Foundation", 1, "Foundation", None),
            ("Phase 2 - Commands (US1, US2)", 2, "Commands", Some("US1, US2")),
            ("**phase 03:** Gates", 3, "Gates", None),
            ("Phase 7: `mcp` and `seats`", 7, "`mcp` and `seats`", None),
            ("Phase 4", 4, "", None),
            ("Phase 5: f(x)", 5, "f", Some("x")),
            ("Phase 6: (only a note)", 6, "(only a note)", None),
        ] {
            let expected = (number, name.to_owned(), note.map(str::to_owned));
            assert_eq!(parse_phase(title), Some(expected), "{title}");
        }
        for none in ["Phases 1", "Phase one", "Phase", "The phase 1", "Phase 99999999999"] {
            assert_eq!(parse_phase(none), None, "{none}");
        }
    }

    #[test]
    fn a_megabyte_of_brackets_is_linear() {
        let line = format!("### T001: {}", "[US1] ".repeat(1 << 18));
        assert_eq!(read(&line).unwrap().1, "");
        let line = format!("### T001: x {}", "[".repeat(1 << 20));
        assert!(read(&line).is_some());
        let line = format!("### T001: x {}]", "[a".repeat(1 << 19));
        assert!(read(&line).is_some());
    }
}
