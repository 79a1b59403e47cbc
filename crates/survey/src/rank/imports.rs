//! Imports between files: import lines resolved to paths of the repository.

use crate::tree::kind::{FileKind, folder};
use std::collections::HashMap;

/// Resolves imported names to files.
#[derive(Debug)]
pub(crate) struct Modules<'a> {
    /// Files by the last segment of their module name.
    by_name: HashMap<&'a str, Vec<usize>>,
    paths: Vec<&'a str>,
}

impl<'a> Modules<'a> {
    pub(crate) fn new(files: impl Iterator<Item = (&'a str, FileKind)>) -> Modules<'a> {
        let mut modules = Modules { by_name: HashMap::new(), paths: Vec::new() };
        for (n, (path, kind)) in files.enumerate() {
            modules.paths.push(path);
            if let Some(name) =
                segments(path).last().filter(|_| matches!(kind, FileKind::Source | FileKind::Test))
            {
                modules.by_name.entry(*name).or_default().push(n);
            }
        }
        modules
    }

    /// Files imported by `text`, the content of `path`; each once, in order.
    pub(crate) fn resolve_imports(&self, path: &str, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let lines = text.lines().take(MAX_LINES).map(str::trim).filter(|line| !is_comment(line));
        for name in lines.filter_map(import) {
            let names: Vec<&str> = name
                .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
                .filter(|part| !part.is_empty() && !is_relative(part))
                .take(MAX_SEGMENTS)
                .collect();
            let resolved =
                self.resolve(path, &names).filter(|file| self.can_resolve_to(path, name, &names, *file));
            if let Some(file) = resolved.filter(|file| !found.contains(file)) {
                found.push(file);
            }
            if found.len() == MAX_IMPORTS {
                break;
            }
        }
        found
    }

    /// False for a lone name without leading dots, such as `require('http')` and `import logging`: it is a package,
    /// whatever the repository calls its files; in Python it may be a module at the top.
    fn can_resolve_to(&self, path: &str, name: &str, names: &[&str], file: usize) -> bool {
        let lone = names.len() == 1 && !name.starts_with(['.', '/']);
        match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "go" => !lone,
            "py" | "pyi" => {
                let beside = folder(path) == folder(self.paths[file]) && !folder(path).is_empty();
                !lone || beside || segments(self.paths[file]).len() == 1
            }
            _ => true,
        }
    }

    /// Resolves a name to a file: all of it, or without its last segments, which are items inside.
    fn resolve(&self, path: &str, names: &[&str]) -> Option<usize> {
        for end in (1..=names.len()).rev() {
            let wanted = &names[..end];
            let Some(candidates) = self.by_name.get(wanted[end - 1]) else { continue };
            let ends = |n: &&usize| {
                let segments = segments(self.paths[**n]);
                let shared =
                    segments.iter().rev().zip(wanted.iter().rev()).take_while(|(a, b)| a == b).count();
                shared >= wanted.len().min(2) && self.paths[**n] != path
            };
            let matching: Vec<usize> = candidates.iter().filter(ends).copied().collect();
            let near = |n: usize| {
                folder(self.paths[n]).bytes().zip(folder(path).bytes()).take_while(|(a, b)| a == b).count()
            };
            let best = matching.iter().copied().max_by_key(|n| (near(*n), std::cmp::Reverse(*n)));
            if best.is_some() && matching.len() <= MAX_CANDIDATES {
                return best;
            }
        }
        None
    }
}

const MAX_LINES: usize = 400;
const MAX_SEGMENTS: usize = 12;
const MAX_IMPORTS: usize = 40;
/// A name that more files have is ambiguous.
const MAX_CANDIDATES: usize = 12;

/// Comments may mention imports.
fn is_comment(line: &str) -> bool {
    line.starts_with("//") || line.starts_with('*') || line.starts_with("/*") || line.starts_with("# ")
}

/// Imported name of an import line; none for other lines.
fn import(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")).unwrap_or(line);
    for word in
        ["use ", "mod ", "from ", "import ", "require ", "export * from ", "export {", "#include ", "using "]
    {
        let Some(rest) = line.strip_prefix(word) else { continue };
        if word == "mod " {
            return rest.strip_suffix(';');
        }
        // `import { a } from './b'`: the quoted text is the name.
        return Some(parse_quoted(rest).unwrap_or_else(|| import_name(rest)));
    }
    if line.contains("require(") || line.contains("import(") {
        return parse_quoted(line);
    }
    // A line of Go's import block.
    (line.starts_with('"') && line.ends_with('"')).then_some(line)
}

fn parse_quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\'', '<'])?;
    let rest = &text[start + 1..];
    rest.find(['"', '\'', '>']).map(|end| &rest[..end])
}

/// `a::b::{c, d}` names `a::b`; `a.b import c` names `a.b`.
fn import_name(text: &str) -> &str {
    let end = text.find(['{', ';', ',']).unwrap_or(text.len());
    text[..end].split(" import ").next().unwrap_or_default().split(" as ").next().unwrap_or_default()
}

fn is_relative(part: &str) -> bool {
    matches!(part, "crate" | "self" | "super" | "static" | "type")
}

/// Segments of a module's name: `src/words/mod.rs` is `words`, in whatever package.
fn segments(path: &str) -> Vec<&str> {
    let bare = path.rsplit_once('.').map_or(path, |(bare, _)| bare);
    let mut parts: Vec<&str> =
        bare.split('/').filter(|part| !matches!(*part, "src" | "lib" | "main" | "java")).collect();
    let entry = parts.last().is_some_and(|last| matches!(*last, "mod" | "index" | "__init__"));
    // In Go the folder is imported.
    if parts.len() > 1 && (entry || path.ends_with(".go")) {
        parts.pop();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::kind::file_kind;

    const PATHS: [&str; 12] = [
        "src/words/mod.rs",
        "src/words/split.rs",
        "src/look.rs",
        "web/app.ts",
        "web/util/dates.ts",
        "pkg/server/server.py",
        "pkg/store/__init__.py",
        "internal/cache/cache.go",
        "cmd/main.go",
        "src/main/java/org/acme/Parser.java",
        "src/main/java/org/acme/Lexer.java",
        "README.md",
    ];

    fn resolve_imports(path: &str, text: &str) -> Vec<&'static str> {
        let modules = Modules::new(PATHS.iter().map(|path| (*path, file_kind(path).unwrap())));
        modules.resolve_imports(path, text).into_iter().map(|n| PATHS[n]).collect()
    }

    #[test]
    fn imports_lead_to_files() {
        for (path, text, expected) in [
            ("src/look.rs", "use crate::words::split::{terms, words};", vec!["src/words/split.rs"]),
            ("src/words/mod.rs", "pub(crate) mod split;\nuse std::fmt;", vec!["src/words/split.rs"]),
            ("src/words/split.rs", "pub use super::look::look;", vec!["src/look.rs"]),
            (
                "web/app.ts",
                "import { day } from './util/dates';\nimport x from 'react';",
                vec!["web/util/dates.ts"],
            ),
            ("web/app.ts", "const d = require(\"./util/dates\");", vec!["web/util/dates.ts"]),
            ("pkg/server/server.py", "from pkg.store import Store\nimport os", vec!["pkg/store/__init__.py"]),
            (
                "cmd/main.go",
                "import (\n\t\"fmt\"\n\t\"acme/internal/cache\"\n)",
                vec!["internal/cache/cache.go"],
            ),
            (
                "src/main/java/org/acme/Parser.java",
                "import org.acme.Lexer;",
                vec!["src/main/java/org/acme/Lexer.java"],
            ),
            ("src/look.rs", "// use words::split\nlet x = 1;", vec![]),
            ("web/app.ts", " * @param {import('./util/dates').Day} day", vec![]),
            ("web/app.ts", "import x from 'dates';", vec![]),
            ("pkg/app.py", "import server", vec![]),
        ] {
            assert_eq!(resolve_imports(path, text), expected, "{path}: {text}");
        }
    }
}
