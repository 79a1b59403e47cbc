//! File references of plans and tasks: `src/limit.rs (new)`, `` `src/http/mod.rs`: one more layer``,
//! `src/limit.rs:12-20`.

use crate::markdown::is_decoration;
use crate::panel::cite::SourceFacts;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Facts about the files of a repository.
pub trait FileFacts {
    /// True if there is a file or folder at this path, relative to the root of the repository.
    fn exists(&self, path: &str) -> bool;

    /// Facts about the lines of files, for cited places; none if places are not checked.
    fn sources(&self) -> Option<Arc<dyn SourceFacts>> {
        None
    }
}

impl<F: Fn(&str) -> bool> FileFacts for F {
    fn exists(&self, path: &str) -> bool {
        self(path)
    }
}

/// Parsed file reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRef {
    /// Path without line numbers and decoration.
    pub path: String,
    /// Declared as a file to be created.
    pub is_new: bool,
}

/// Maximum length of a path that is looked up.
const MAX_PATH_BYTES: usize = 4096;
/// Maximum number of parent folders that are looked up.
const MAX_PARENT_FOLDERS: usize = 40;

impl FileRef {
    /// Parses an entry of a file list; none if it names no file.
    pub fn parse(entry: &str) -> Option<FileRef> {
        let entry = strip_emphasis(entry);
        let (has_new_prefix, entry) = strip_new_prefix(entry);
        let (path, rest) = match entry.strip_prefix('`').and_then(|open| open.split_once('`')) {
            Some((path, rest)) => (path, rest),
            None => entry.split_once(char::is_whitespace).unwrap_or((entry, "")),
        };
        let path = clean_path(path);
        (!path.is_empty() && !says_none(entry))
            .then(|| FileRef { path: path.to_owned(), is_new: has_new_prefix || says_new(rest) })
    }

    /// True if it has the form of a path.
    pub fn is_path(&self) -> bool {
        self.path.contains('/')
            || self.path.rsplit_once('.').is_some_and(|(_, extension)| {
                !extension.is_empty() && extension.bytes().all(|b| b.is_ascii_alphanumeric())
            })
            || ["Makefile", "Dockerfile", "LICENSE", "Justfile", "Rakefile", "Gemfile"]
                .contains(&self.path.as_str())
    }
}

/// True if an entry says that there are no files.
pub(super) fn says_none(entry: &str) -> bool {
    let word = entry.trim_matches(is_decoration);
    let word = word.split([' ', '(', ',', ':', ';']).next().unwrap_or_default();
    word.is_empty()
        || ["none", "none.", "n/a", "nothing", "-", "–", "—"]
            .iter()
            .any(|none| none.eq_ignore_ascii_case(word))
}

/// Strips "new" or "create" from the start of an entry; true if it was there.
fn strip_new_prefix(entry: &str) -> (bool, &str) {
    for word in ["new file:", "new file", "new:", "new", "create:", "create", "add:", "added:"] {
        if let Some((start, rest)) = entry.split_at_checked(word.len())
            && start.eq_ignore_ascii_case(word)
            && rest.starts_with([' ', '\t', '*'])
        {
            return (true, rest.trim_start_matches(|c: char| c.is_whitespace() || c == '*'));
        }
    }
    (false, entry)
}

/// True if the text after a path declares it new.
fn says_new(rest: &str) -> bool {
    let rest =
        rest.trim_start_matches(|c: char| is_decoration(c) || matches!(c, ':' | '-' | '–' | '—' | ',' | '|'));
    let inside = rest.strip_prefix(['(', '[']).unwrap_or(rest).trim_start_matches(is_decoration);
    let word = inside.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let open = ["(new", "[new", "(to be created", "(created"];
    ["new", "create", "created"].iter().any(|new| new.eq_ignore_ascii_case(word))
        || open.iter().any(|mark| contains_ignoring_case(rest, mark))
}

fn contains_ignoring_case(text: &str, wanted: &str) -> bool {
    text.as_bytes().windows(wanted.len()).any(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

/// Strips emphasis around an entry. A star of a glob is none: `**/*.md`, `src/*`.
pub(in crate::spec) fn strip_emphasis(text: &str) -> &str {
    let text = text.trim();
    for mark in ["**", "*"] {
        let inside = text.strip_prefix(mark).and_then(|open| open.strip_suffix(mark));
        if let Some(inside) =
            inside.filter(|inside| !inside.is_empty() && !inside.starts_with(['/', '*', '.']))
        {
            return inside.trim();
        }
    }
    text
}

/// Strips decoration, line numbers and a trailing slash from a path.
fn clean_path(path: &str) -> &str {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '`' | '\\' | '"' | '\'' | '(' | ')' | '|');
    let path = strip_emphasis(path.trim_matches(is_mark)).trim_matches(is_mark);
    let path = path.strip_prefix('[').and_then(|open| open.strip_suffix(']')).unwrap_or(path);
    let path = path.trim_end_matches([':', ',', ';', '.']);
    let path = path.split_once("#L").map_or(path, |(path, _)| path);
    let path = match path.rsplit_once(':') {
        Some((before, lines)) if lines.bytes().all(|b| b.is_ascii_digit() || b == b'-') => before,
        _ => path,
    };
    path.strip_prefix("./").unwrap_or(path).trim_end_matches('/')
}

/// Files that a specification may name.
pub(super) struct KnownFiles<'a> {
    pub(super) facts: &'a dyn FileFacts,
    /// Paths declared new in any file.
    pub(super) new: BTreeSet<String>,
}

impl KnownFiles<'_> {
    /// True if a path exists, or it or a parent folder is declared new.
    pub(super) fn has(&self, path: &str) -> bool {
        if path.len() > MAX_PATH_BYTES
            || path.starts_with(['/', '~'])
            || path.split('/').any(|part| part == "..")
        {
            return false;
        }
        let above = path.match_indices('/').take(MAX_PARENT_FOLDERS).map(|(at, _)| &path[..at]);
        if self.new.contains(path) || above.into_iter().any(|folder| self.new.contains(folder)) {
            return true;
        }
        // For a glob, its fixed folder must exist.
        match path.find(['*', '?', '{']) {
            Some(wild) => path[..wild].rfind('/').is_none_or(|end| self.facts.exists(&path[..end])),
            None => self.facts.exists(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_however_they_are_written() {
        for (entry, path, new) in [
            ("src/a.rs", "src/a.rs", false),
            ("src/a.rs (new)", "src/a.rs", true),
            ("`src/a.rs` (new)", "src/a.rs", true),
            ("`src/a.rs` (new): the table", "src/a.rs", true),
            ("`src/a.rs`: new module", "src/a.rs", true),
            ("`src/a.rs`: one new layer", "src/a.rs", false),
            ("`src/a.rs`: a layer (new file).", "src/a.rs", true),
            ("**src/a.rs** — create", "src/a.rs", true),
            ("New: `src/a.rs`", "src/a.rs", true),
            ("src/a.rs:12-20", "src/a.rs", false),
            ("./src/http/", "src/http", false),
            ("src/a.rs (modify)", "src/a.rs", false),
            ("newer/a.rs", "newer/a.rs", false),
            ("`a b.txt` x", "a b.txt", false),
            ("src/a.rs#L3", "src/a.rs", false),
            ("src/**", "src/**", false),
            ("**/*.md", "**/*.md", false),
            ("*.rs (new)", "*.rs", true),
            ("`src/a[bc].rs`", "src/a[bc].rs", false),
            ("__tests__/a.ts", "__tests__/a.ts", false),
            ("**src/*.rs**", "src/*.rs", false),
        ] {
            assert_eq!(
                FileRef::parse(entry),
                Some(FileRef { path: path.to_owned(), is_new: new }),
                "{entry}"
            );
        }
        for none in ["", "none", "None: no file fits", "n/a", "–", "`"] {
            assert_eq!(FileRef::parse(none), None, "{none}");
        }
        let looks = |entry| FileRef::parse(entry).unwrap().is_path();
        assert!(looks("Cargo.toml") && looks("a/b") && looks("Makefile"));
        assert!(!looks("The") && !looks("etc."));
    }

    #[test]
    fn paths_outside_the_repository_are_unknown() {
        let facts = |path: &str| matches!(path, "src" | "src/a.rs" | "/etc/passwd" | "../x");
        let files = KnownFiles { facts: &facts, new: BTreeSet::from(["src/new".to_owned()]) };
        for (path, known) in [
            ("src/a.rs", true),
            ("src/*.rs", true),
            ("gone/*.rs", false),
            ("*.rs", true),
            ("src/new/deep.rs", true),
            ("src/newer.rs", false),
            ("/etc/passwd", false),
            ("../x", false),
        ] {
            assert_eq!(files.has(path), known, "{path}");
        }
    }
}
