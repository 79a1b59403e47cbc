//! Citations of files in a text: `crates/model/src/lib.rs:12-20`, `Makefile:3`, `README.md`.
//!
//! Only relative ASCII paths are recognised, by their form; nothing here checks that a file exists.

use memchr::memchr3;
use std::collections::HashSet;

/// True if `text` cites a `file:line`.
pub fn cites_line(text: &str) -> bool {
    Citations::new(text).any(|citation| citation.has_line)
}

/// The cited files, each once, in order, with their line numbers as written.
pub fn paths(text: &str) -> Vec<&str> {
    let mut named = Citations::new(text).map(|citation| citation.path);
    let Some(first) = named.next() else { return Vec::new() };
    let mut seen = HashSet::new();
    let others = named.filter(|path| *path != first && seen.insert(*path));
    std::iter::once(first).chain(others).collect()
}

/// The cited files without line numbers, once for each citation, in order.
pub fn cited_files(text: &str) -> impl Iterator<Item = &str> {
    Citations::new(text).map(|citation| {
        let before_line = citation.path.rsplit_once(':').filter(|_| citation.has_line);
        before_line.map_or(citation.path, |(path, _)| path)
    })
}

/// Cited file in a text.
pub(super) struct Citation<'a> {
    /// Byte offset in the text.
    pub(super) start: usize,
    /// Path with its line number, if it has one.
    pub(super) path: &'a str,
    pub(super) has_line: bool,
}

/// Iterator over the citations of a text; linear, because it jumps between bytes that only paths have.
pub(super) struct Citations<'a> {
    text: &'a str,
    /// Byte offset where the search goes on.
    from: usize,
}

impl<'a> Citations<'a> {
    pub(super) fn new(text: &'a str) -> Citations<'a> {
        Citations { text, from: 0 }
    }
}

impl<'a> Iterator for Citations<'a> {
    type Item = Citation<'a>;

    fn next(&mut self) -> Option<Citation<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            let at = self.from + memchr3(b'.', b'/', b':', &bytes[self.from..])?;
            if !bytes.get(at + 1).copied().is_some_and(is_path_byte) {
                // End of a sentence, or a colon after a word.
                self.from = at + 1;
                continue;
            }
            let start = at - bytes[self.from..at].iter().rev().take_while(|b| is_path_byte(**b)).count();
            let end = at + run(&bytes[at..], is_path_byte);
            let lines = line_range(&bytes[end..]);
            self.from = (end + lines).max(at + 1);
            let name = &self.text[start..end];
            let name = if lines == 0 { name.trim_end_matches(['.', '-', '/']) } else { name };
            if is_path(name, lines > 0) {
                let path = &self.text[start..start + name.len() + lines];
                return Some(Citation { start, path, has_line: lines > 0 });
            }
        }
    }
}

fn run(bytes: &[u8], is_in: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&b| !is_in(b)).unwrap_or(bytes.len())
}

fn is_path_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'-' | b'+' | b'@')
}

/// Length of the line number or range at the start: `:12` or `:12-20`.
fn line_range(bytes: &[u8]) -> usize {
    let Some((b':', after)) = bytes.split_first() else { return 0 };
    let digits = run(after, |b| b.is_ascii_digit());
    if digits == 0 || after[0] == b'0' {
        return 0;
    }
    let to = match after[digits..].split_first() {
        Some((b'-', to)) => run(to, |b| b.is_ascii_digit()),
        _ => 0,
    };
    1 + digits + if to > 0 { 1 + to } else { 0 }
}

/// True if a name has the form of a file path in a repository.
fn is_path(name: &str, has_line: bool) -> bool {
    let (folder, file) = name.rsplit_once('/').map_or((None, name), |(folder, file)| (Some(folder), file));
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let has_extension = !stem.is_empty() && extension.starts_with(|c: char| c.is_ascii_alphabetic());
    match folder {
        Some(folder) if leaves_repository(folder) || file.is_empty() => false,
        Some(_) => has_line || has_extension || PLAIN_NAMES.contains(&file),
        None if has_line => has_extension || PLAIN_NAMES.contains(&file),
        None if SHORT_EXTENSIONS.contains(&extension) => has_extension && stem.contains(['_', '-']),
        None => has_extension && KNOWN_EXTENSIONS.contains(&extension),
    }
}

/// True for an absolute folder, the host part of a URL, and a folder with `..`.
pub(super) fn leaves_repository(folder: &str) -> bool {
    folder.is_empty() || folder.starts_with('/') || folder.split('/').any(|part| part == "..")
}

/// Well-known files without an extension.
const PLAIN_NAMES: [&str; 3] = ["Makefile", "Dockerfile", "GNUmakefile"];

/// Extensions that are also words or fields: without a folder they need `_` or `-` in the stem.
const SHORT_EXTENSIONS: [&str; 7] = ["c", "env", "h", "lock", "m", "r", "txt"];

/// Extensions that make a word without a folder a file name.
const KNOWN_EXTENSIONS: [&str; 56] = [
    "bash", "cc", "cfg", "cjs", "clj", "conf", "cpp", "cs", "css", "csv", "dart", "erl", "ex", "exs", "go",
    "gradle", "graphql", "hpp", "hs", "html", "ini", "java", "jinja", "js", "json", "jsonc", "jsonl", "jsx",
    "kt", "lua", "md", "mdx", "mjs", "ml", "nix", "php", "proto", "ps1", "py", "rb", "rs", "rst", "scala",
    "scss", "sh", "sql", "svelte", "svg", "swift", "tf", "toml", "ts", "tsx", "vue", "yaml", "yml",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_with_their_lines() {
        for (text, expected) in [
            ("", vec![]),
            ("see skills/foo/bar.sh:120-150, please", vec!["skills/foo/bar.sh:120-150"]),
            ("`src/a.rs:12` and (src/b.rs).", vec!["src/a.rs:12", "src/b.rs"]),
            ("src/a.rs:12:5", vec!["src/a.rs:12"]),
            ("src/a.rs:12- and src/a.rs:0 and src/a.rs:x", vec!["src/a.rs:12", "src/a.rs"]),
            ("src/a.rs src/a.rs src/a.rs:1", vec!["src/a.rs", "src/a.rs:1"]),
            ("README.md, lib.rs. main.py-", vec!["README.md", "lib.rs", "main.py"]),
            ("Makefile:3 docker/Dockerfile Dockerfile", vec!["Makefile:3", "docker/Dockerfile"]),
            ("src/bin:7", vec!["src/bin:7"]),
            ("store.weird:7", vec!["store.weird:7"]),
            ("src/store.weird", vec!["src/store.weird"]),
            ("Cargo.lock self.lock my_app.env a-b.txt main.c:1", vec!["my_app.env", "a-b.txt", "main.c:1"]),
            ("src/main.c", vec!["src/main.c"]),
            ("./src/a.rs", vec!["./src/a.rs"]),
            ("src/a.rs—because", vec!["src/a.rs"]),
            ("@scope/pkg/index.ts", vec!["@scope/pkg/index.ts"]),
            (".github/workflows/ci.yml", vec![".github/workflows/ci.yml"]),
        ] {
            assert_eq!(paths(text), expected, "{text}");
        }
    }

    #[test]
    fn other_words_are_no_paths() {
        for text in [
            "and/or, e.g. this, i.e. that... 1.2.3 v1.x a.b.c",
            "https://example.com/a/b.html http://localhost:8080 //host/x.rs",
            "/etc/passwd /a.rs ../secret.rs a/../b.rs",
            "12:30 ratio 3:1 note:5 localhost:8080 x: 1",
            "store.read() self.lock .rs /.rs src/ .",
            "src/.hidden .x:1 c",
        ] {
            assert_eq!(paths(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_citation_is_a_file_with_a_line() {
        assert!(cites_line("as in src/store.rs:12"));
        assert!(cites_line("(lib.rs:1)"));
        for text in
            ["", "src/store.rs", "src/store.rs:", "src/store.rs: 12", "at 12:30", "line 12 of src/store.rs"]
        {
            assert!(!cites_line(text), "{text}");
        }
    }

    #[test]
    fn huge_words_take_linear_time() {
        let words = ["a/".repeat(1 << 19), "a.".repeat(1 << 19), ":1".repeat(1 << 19), "../".repeat(1 << 18)];
        for word in words {
            assert_eq!(paths(&word).len(), 0, "{}", &word[..4]);
        }
        let many: Vec<String> = (0..1 << 16).map(|n| format!("src/{n}.rs")).collect();
        assert_eq!(paths(&many.join(" ")), many);
    }
}
