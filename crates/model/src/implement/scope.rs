//! Files that a task may touch: paths, folders and globs, whether they cover a path, and whether two tasks may touch
//! the same file.
//!
//! A pattern covers what it matches and everything below it, so that `src/http` stands for a file and for a folder.
//! Globs know `*`, `?`, `[…]`, `{a,b}` and `**`.

use crate::spec::check::paths::FileRef;
use serde::{Deserialize, Serialize};

/// Files of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileScope {
    pub patterns: Vec<FilePattern>,
    /// True if the task does not say which files it touches, or not in a way that can be read: then it may be any.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
}

/// Path, folder or glob, relative to the root of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FilePattern {
    pub path: String,
    /// True if it is declared new.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_new: bool,
}

impl FileScope {
    /// The scope of a task whose entries are listed; `None` if it lists none and does not say so.
    pub fn parse(entries: Option<&[String]>) -> FileScope {
        let Some(entries) = entries else { return FileScope { patterns: Vec::new(), is_unknown: true } };
        let mut scope = FileScope::default();
        for entry in entries {
            match FileRef::parse(entry).filter(|named| named.is_path() || is_single_word(entry)) {
                Some(named) if is_inside(&named.path) => {
                    scope.patterns.push(FilePattern { path: named.path, is_new: named.is_new });
                }
                _ => scope.is_unknown = true,
            }
        }
        scope.patterns.dedup();
        scope
    }

    /// True if a path belongs to the task. An unknown scope covers everything.
    pub fn covers(&self, path: &str) -> bool {
        self.is_unknown || self.patterns.iter().any(|pattern| pattern.covers(path))
    }

    /// True if both tasks may touch the same file.
    pub fn overlaps(&self, other: &FileScope) -> bool {
        let touches = |scope: &FileScope| scope.is_unknown || !scope.patterns.is_empty();
        if self.is_unknown || other.is_unknown {
            return touches(self) && touches(other);
        }
        self.patterns.iter().any(|one| other.patterns.iter().any(|two| one.overlaps(two)))
    }

    /// The patterns as a list for people.
    pub fn shown(&self) -> String {
        let names = self.patterns.iter().map(|pattern| {
            if pattern.is_new { format!("{} (new)", pattern.path) } else { pattern.path.clone() }
        });
        let names = names.collect::<Vec<_>>().join(", ");
        match (names.is_empty(), self.is_unknown) {
            (true, true) => "not stated".to_owned(),
            (true, false) => "none".to_owned(),
            (false, true) => format!("{names} and others"),
            (false, false) => names,
        }
    }
}

impl FilePattern {
    /// True if it matches a path or a folder above it.
    pub fn covers(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        expand_braces(&self.path).iter().any(|pattern| {
            let mut pattern: Vec<&str> = pattern.split('/').collect();
            // A final `**` stands for what is inside a folder, not for the folder itself.
            if pattern.last() == Some(&"**") {
                pattern.push("*");
            }
            covers_parts(&pattern, &parts)
        })
    }

    /// True if there may be a path that both cover. Case is ignored, because some file systems do.
    pub fn overlaps(&self, other: &FilePattern) -> bool {
        let (ours, theirs) = (self.path.to_lowercase(), other.path.to_lowercase());
        let theirs = expand_braces(&theirs);
        expand_braces(&ours).iter().any(|one| {
            let one: Vec<&str> = one.split('/').collect();
            theirs.iter().any(|two| overlaps_parts(&one, &two.split('/').collect::<Vec<_>>()))
        })
    }
}

/// True if an entry is one word, such as a folder without a slash.
fn is_single_word(entry: &str) -> bool {
    let entry = entry.trim().trim_end_matches("(new)").trim();
    !entry.contains(char::is_whitespace)
}

fn is_inside(path: &str) -> bool {
    !path.starts_with(['/', '~']) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Maximum number of alternatives of one pattern; further ones stay as they are written.
const MAX_ALTERNATIVES: usize = 64;

/// Replaces `{a,b}` by its alternatives.
fn expand_braces(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(text) = open.pop() {
        let inner = text.rfind('{').and_then(|from| Some((from, from + text[from..].find('}')?)));
        match inner {
            Some((from, to)) if done.len() + open.len() < MAX_ALTERNATIVES => {
                let (before, inside, after) = (&text[..from], &text[from + 1..to], &text[to + 1..]);
                open.extend(inside.split(',').map(|choice| format!("{before}{choice}{after}")));
            }
            Some((from, to)) => done.push(format!("{}*{}", &text[..from], &text[to + 1..])),
            None => done.push(text),
        }
    }
    done
}

/// True if the pattern matches the parts or a beginning of them.
fn covers_parts(pattern: &[&str], parts: &[&str]) -> bool {
    // reach[i]: the pattern so far can match the first i parts.
    let mut reach = vec![false; parts.len() + 1];
    reach[0] = true;
    for part in pattern {
        let mut next = vec![false; parts.len() + 1];
        if *part == "**" {
            let mut any = false;
            for (at, reached) in reach.iter().enumerate() {
                any |= *reached;
                next[at] = any;
            }
        } else {
            for (at, name) in parts.iter().enumerate() {
                next[at + 1] = reach[at] && segments_meet(part, name, false);
            }
        }
        reach = next;
    }
    reach.contains(&true)
}

/// True if the patterns can match the same parts, or one of them a folder above the other. Nothing is below a path that
/// is a file by its ending, as far as a glob is concerned.
fn overlaps_parts(one: &[&str], two: &[&str]) -> bool {
    let is_open = |parts: &[&str]| parts.iter().all(|part| *part == "**");
    let (is_below_one, is_below_two) = (!(is_file(one) && is_glob(two)), !(is_file(two) && is_glob(one)));
    // below[j]: the rest of `one` from i and the rest of `two` from j can meet; computed from the end.
    let mut below: Vec<bool> = (0..=two.len()).map(|at| is_below_one || is_open(&two[at..])).collect();
    for (place, part) in one.iter().enumerate().rev() {
        let mut row = vec![is_below_two || is_open(&one[place..]); two.len() + 1];
        for at in (0..two.len()).rev() {
            row[at] = match (*part == "**", two[at] == "**") {
                (true, _) => below[at] || row[at + 1],
                (false, true) => row[at + 1] || below[at],
                (false, false) => segments_meet(part, two[at], true) && below[at + 1],
            };
        }
        below = row;
    }
    below[0]
}

fn is_glob(parts: &[&str]) -> bool {
    parts.iter().any(|part| part.contains(['*', '?', '[']))
}

/// Endings of files; a folder hardly has one.
const FILE_ENDINGS: [&str; 34] = [
    "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "go", "java", "kt", "rb", "php", "c", "h", "cpp", "hpp",
    "cs", "swift", "md", "txt", "json", "toml", "yaml", "yml", "html", "css", "scss", "sql", "sh", "lock",
    "xml", "svg", "rst", "ini",
];

fn is_file(parts: &[&str]) -> bool {
    let ending = parts.last().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    !is_glob(parts) && ending.is_some_and(|ending| FILE_ENDINGS.contains(&ending))
}

/// True if two parts of patterns can match the same name; without `is_pattern` the second one is a name.
fn segments_meet(one: &str, two: &str, is_pattern: bool) -> bool {
    let (one, two) = (tokens(one, true), tokens(two, is_pattern));
    let mut below: Vec<bool> = vec![false; two.len() + 1];
    below[two.len()] = true;
    for at in (0..two.len()).rev() {
        below[at] = two[at] == Token::Many && below[at + 1];
    }
    for first in one.iter().rev() {
        let mut row = vec![false; two.len() + 1];
        row[two.len()] = *first == Token::Many && below[two.len()];
        for at in (0..two.len()).rev() {
            row[at] = match (*first, two[at]) {
                (Token::Many, _) => below[at] || row[at + 1],
                (_, Token::Many) => row[at + 1] || below[at],
                (Token::One, _) | (_, Token::One) => below[at + 1],
                (Token::Char(a), Token::Char(b)) => a == b && below[at + 1],
            };
        }
        below = row;
    }
    below[0]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    /// Any one character. Classes count as this: they may match more here than they say, never less.
    One,
    /// Any number of characters.
    Many,
}

fn tokens(part: &str, is_pattern: bool) -> Vec<Token> {
    if !is_pattern {
        return part.chars().map(Token::Char).collect();
    }
    let mut tokens = Vec::new();
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => Token::Many,
            '?' => Token::One,
            '[' => match chars.as_str().find(']').filter(|end| *end > 0) {
                Some(end) => {
                    chars = chars.as_str()[end + 1..].chars();
                    Token::One
                }
                None => Token::Char('['),
            },
            c => Token::Char(c),
        });
    }
    tokens.dedup_by(|next, last| *next == Token::Many && *last == Token::Many);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scope(entries: &[&str]) -> FileScope {
        FileScope::parse(Some(&entries.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>()))
    }

    #[test]
    fn patterns_cover_files_folders_and_globs() {
        for (pattern, path, covers) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/a.rs.bak", false),
            ("src/http", "src/http/mod.rs", true),
            ("src/http/", "src/http/mod.rs", true),
            ("src/http", "src/https/mod.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/**/*.rs", "src/a.rs", true),
            ("src/**/*.rs", "src/x/y/a.rs", true),
            ("src/**", "src/x/y/a.rs", true),
            ("src/**", "src", false),
            ("src/**", "lib/a", false),
            ("**/test_*.py", "a/b/test_c.py", true),
            ("**/test_*.py", "test_c.py", true),
            ("src/{a,b}.rs", "src/b.rs", true),
            ("src/{a,b}.rs", "src/c.rs", false),
            ("src/a?.rs", "src/ab.rs", true),
            ("src/a[bc].rs", "src/ab.rs", true),
            ("src/*", "src/x/deep.rs", true),
            ("SRC/a.rs", "src/a.rs", false),
        ] {
            assert_eq!(scope(&[pattern]).covers(path), covers, "{pattern} {path}");
        }
    }

    #[test]
    fn overlaps_are_found_between_all_forms() {
        for (one, two, overlaps) in [
            ("src/a.rs", "src/a.rs", true),
            ("src/a.rs", "src/b.rs", false),
            ("src", "src/b.rs", true),
            ("src/a", "src/ab", false),
            ("src/*.rs", "src/b.rs", true),
            ("src/*.rs", "src/b.py", false),
            ("src/*.rs", "src/*_test.rs", true),
            ("src/a*.rs", "src/b*.rs", false),
            ("src/**/*.rs", "src/http", true),
            ("src/**/*.rs", "docs/**", false),
            ("**/*.md", "docs", true),
            ("**/*.md", "src/a.rs", false),
            ("src/{a,b}.rs", "src/{b,c}.rs", true),
            ("src/{a,b}.rs", "src/{c,d}.rs", false),
            ("src/A.rs", "src/a.rs", true),
        ] {
            assert_eq!(scope(&[one]).overlaps(&scope(&[two])), overlaps, "{one} {two}");
            assert_eq!(scope(&[two]).overlaps(&scope(&[one])), overlaps, "{two} {one}");
        }
    }

    #[test]
    fn unknown_files_overlap_everything_but_nothing() {
        let unknown = FileScope::parse(None);
        assert!(unknown.is_unknown && unknown.covers("any/thing") && unknown.overlaps(&unknown));
        assert!(unknown.overlaps(&scope(&["a"])) && !unknown.overlaps(&scope(&[])));
        assert!(!scope(&[]).is_unknown && !scope(&[]).covers("a"));
        for entry in ["the parser and its tests", "/etc/passwd", "../x.rs"] {
            assert!(scope(&[entry]).is_unknown, "{entry}");
        }
        assert!(!scope(&["src"]).is_unknown && !scope(&["`src/a.rs` (new): the table"]).is_unknown);
        assert_eq!(scope(&["src/a.rs (new)", "src"]).shown(), "src/a.rs (new), src");
    }

    proptest! {
        #[test]
        fn patterns_that_cover_a_path_overlap(one in "[ab*?]{1,3}(/([ab*]{1,3}|\\*\\*)){0,2}", two in "[ab*?]{1,3}(/([ab*]{1,3}|\\*\\*)){0,2}", path in "[ab]{1,3}(/[ab]{1,3}){0,3}") {
            let (one, two) = (FilePattern { path: one, is_new: false }, FilePattern { path: two, is_new: false });
            if one.covers(&path) && two.covers(&path) {
                prop_assert!(one.overlaps(&two));
            }
            prop_assert_eq!(one.overlaps(&two), two.overlaps(&one));
        }
    }
}
