//! Files to be created: marked `(new)`, or named in a sentence that says that they do not exist yet.

use super::mention::{Mention, mentions_on};
use super::zone::Zone;
use crate::markdown::Line;
use std::collections::BTreeSet;

/// The paths that a text declares new: marked `(new)` behind the path, or `New: path`.
pub fn declared_new(text: &str) -> BTreeSet<String> {
    let mut new = BTreeSet::new();
    // Looking for mentions takes much longer.
    if !text.lines().any(may_mark_new) {
        return new;
    }
    let (found, lines) = mentions_on(text, may_mark_new);
    for mention in found.iter().filter(|mention| is_marked_new(mention, &lines)) {
        new.extend(mention.readings.iter().map(|reading| reading.path.trim_end_matches('/').to_owned()));
    }
    new
}

/// Marks behind a path.
const BEHIND: [&str; 7] = ["(new", "[new", "new file", "new module", "(to be created", "(created", "(neu"];
/// Marks before a path that is the first on its line.
const AHEAD: [&str; 5] = ["new", "new file", "create", "add", "added"];

/// False if a line has no mark of a new file.
fn may_mark_new(line: &str) -> bool {
    let start = line.trim_start_matches(|c: char| c.is_whitespace() || "-*+|`_\"".contains(c));
    let begins = |text: &[u8], mark: &str| {
        text.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark.as_bytes()))
    };
    // Most lines have a few of these letters and no mark.
    let may_begin =
        |rest: &[u8]| matches!(rest, [b'(' | b'[', ..] | [b'n' | b'N', b'e' | b'E', b'w' | b'W', b' ', ..]);
    AHEAD.iter().any(|mark| begins(start.as_bytes(), mark))
        || (0..line.len())
            .map(|at| &line.as_bytes()[at..])
            .any(|rest| may_begin(rest) && BEHIND.iter().any(|mark| begins(rest, mark)))
}

/// True if a mention is marked as a new file.
pub(super) fn is_marked_new(mention: &Mention, lines: &[(Line<'_>, Zone)]) -> bool {
    let Some((line, _)) = lines.get(mention.index) else { return false };
    let after = line.text[mention.on_line.end..]
        .trim_start_matches(['`', '*', '_', '/', '"', ' ', ':', '—', '–', '-', ',']);
    let before =
        line.text[..mention.on_line.start].trim_end_matches(['`', '*', '_', '"', ' ', ':']).trim_start();
    let before = before.trim_start_matches(['-', '*', '+', '|', ' ', '`', '_']);
    BEHIND.iter().any(|mark| starts_with(after, mark))
        || AHEAD.iter().any(|mark| before.eq_ignore_ascii_case(mark))
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
        && !text[start.len()..].starts_with(|c: char| c.is_alphanumeric())
}

/// True if one of the paths, or a folder above, is among the new ones.
pub(super) fn is_new(path: &str, new: &BTreeSet<String>) -> bool {
    new.contains(path) || path.match_indices('/').any(|(at, _)| new.contains(&path[..at]))
}

/// Words that say that a file shall be there, or is not: then its absence is no error.
const WORDS: &str = "new create creates created creating add adds added adding introduce introduces introduced generate \
    generates generated write writes wrote written emit emits produce produces move moves moved rename renames renamed split \
    splits extract extracts extracted would propose proposes proposed should could missing absent deleted removed former \
    formerly nonexistent exist exists no nowhere never without lacks lack example instance place put becomes become \
    neu neue neuen neuer neues anlegen angelegt erstellen erstellt kein keine keinen fehlt existiert nouveau nouvelle \
    créer crée aucun aucune nuevo nueva crear ningún";

/// Signs of the same in scripts without blanks.
const SIGNS: [&str; 8] = ["新", "作成", "追加", "存在しない", "不存在", "创建", "没有", "e.g."];

/// True if a line speaks of files that do not exist.
pub(super) fn speaks_of_absence(line: &str) -> bool {
    let is_word = |word: &str| WORDS.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word));
    line.split(|c: char| !c.is_alphanumeric()).any(is_word) || SIGNS.iter().any(|sign| line.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::cite::mention::mentions;
    use proptest::prelude::*;

    proptest! {
        /// No mark is missed because a line was not looked at.
        #[test]
        fn lines_without_a_mark_are_skipped_rightly(words in prop::collection::vec(prop::sample::select(vec![
            "src/a.rs", "`b/c.py`", "(new)", "[New]", "new", "NEW:", "New file", "— new module", "(to be created)", "(Created", "(neu)",
            "create", "Add", "added", "\n", "- ", "* **", "| ", "1. ", "> ", "\"", ":", "newer", "d/e.rs:3", "```\n", "\t", "é",
        ]), 0..12)) {
            let text = words.join(" ");
            let (found, lines) = mentions(&text);
            let marked = found.iter().filter(|mention| is_marked_new(mention, &lines));
            let paths = marked.flat_map(|mention| &mention.readings).map(|reading| reading.path.trim_end_matches('/').to_owned());
            prop_assert_eq!(declared_new(&text), paths.collect::<BTreeSet<_>>());
        }
    }

    #[test]
    fn new_files_are_marked() {
        let text = "- `src/limit.rs` (new): the table\n- src/http/ (new)\n- New: `src/a.rs`\n- src/b.rs — new file\n\
                    - src/c.rs: one new layer\n- `src/d.rs` (newer)\n- src/e.rs:3 (new)";
        let new = declared_new(text);
        for (path, expected) in [
            ("src/limit.rs", true),
            ("src/http/mod.rs", true),
            ("src/a.rs", true),
            ("src/b.rs", true),
            ("src/c.rs", false),
            ("src/d.rs", false),
            ("src/e.rs", true),
        ] {
            assert_eq!(is_new(path, &new), expected, "{path}");
        }
    }

    #[test]
    fn a_sentence_may_say_that_a_file_is_missing() {
        assert!(speaks_of_absence("There is no src/a.rs"));
        assert!(speaks_of_absence("Eine neue Datei src/a.rs"));
        assert!(!speaks_of_absence("The parser in src/a.rs reads it"));
    }
}
