//! Files to be created: marked `(new)`, or named in a sentence that says that they do not exist yet.

use super::mention::{Mention, mentions_on};
use super::zone::Zone;
use crate::markdown::Line;
use std::collections::BTreeSet;

/// The paths that a text declares new: marked `(new)` behind the path, or `New: path`.
pub fn declared_new(text: &str) -> BTreeSet<String> {
    let mut new = BTreeSet::new();
    if !may_mark_new(text) {
        return new;
    }
    let (found, lines) = mentions_on(text, may_mark_new);
    for mention in found.iter().filter(|mention| is_marked_new(mention, &lines)) {
        new.extend(mention.readings.iter().map(|reading| reading.path.trim_end_matches('/').to_owned()));
    }
    new
}

/// False if no mention in a text is marked as a new file. Much faster than to look for mentions.
fn may_mark_new(text: &str) -> bool {
    text.as_bytes().windows(3).any(|bytes| match bytes[0] | 0x20 {
        b'n' => matches!(bytes[1] | 0x20, b'e') && matches!(bytes[2] | 0x20, b'w' | b'u'),
        b'c' => [bytes[1] | 0x20, bytes[2] | 0x20] == *b"re",
        b'a' => [bytes[1] | 0x20, bytes[2] | 0x20] == *b"dd",
        _ => false,
    })
}

/// True if a mention is marked as a new file.
pub(super) fn is_marked_new(mention: &Mention, lines: &[(Line<'_>, Zone)]) -> bool {
    let Some((line, _)) = lines.get(mention.index) else { return false };
    let after = line.text[mention.on_line.end..]
        .trim_start_matches(['`', '*', '_', '/', '"', ' ', ':', '—', '–', '-', ',']);
    let behind = ["(new", "[new", "new file", "new module", "(to be created", "(created", "(neu"];
    let before =
        line.text[..mention.on_line.start].trim_end_matches(['`', '*', '_', '"', ' ', ':']).trim_start();
    let before = before.trim_start_matches(['-', '*', '+', '|', ' ', '`', '_']);
    let ahead = ["new", "new file", "create", "add", "added"];
    behind.iter().any(|mark| starts_with(after, mark))
        || ahead.iter().any(|mark| before.eq_ignore_ascii_case(mark))
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
