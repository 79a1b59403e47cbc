//! Name of a dependency where it is imported, and whether a file imports it.

/// Name of a dependency in the code of its language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ImportName {
    /// `name::` in Rust.
    Crate(String),
    /// `"name"` or `"name/…"` in Go, and in JavaScript with either quote.
    Quoted(String),
    /// `import name` or `from name.x import y` in Python.
    Module(String),
    /// `import name.x.Y` in Java and its relatives.
    Package(String),
}

impl ImportName {
    /// True if the text of a file imports this name.
    pub(super) fn is_imported(&self, path: &str, text: &str) -> bool {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match self {
            ImportName::Crate(name) => extension == "rs" && has_path(text, name),
            ImportName::Quoted(name) => {
                matches!(
                    extension,
                    "go" | "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte"
                ) && has_quoted(text, name)
            }
            ImportName::Module(name) => {
                matches!(extension, "py" | "pyi") && text.lines().any(|line| imports_module(line, name))
            }
            ImportName::Package(name) => {
                matches!(extension, "java" | "kt" | "kts" | "scala" | "groovy")
                    && text.lines().any(|line| imports_package(line, name))
            }
        }
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// `name::` that is not the end of a longer name or path.
fn has_path(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.as_bytes()[..at].last().copied().unwrap_or(b' ');
        let after = &text[at + name.len()..];
        let imported = after.starts_with("::") || after.starts_with(';') && text[..at].ends_with("use ");
        !is_word(before) && before != b':' && imported
    })
}

/// The name in quotes, alone or followed by a path.
fn has_quoted(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.as_bytes()[..at].last().copied().unwrap_or(b' ');
        let after = text.as_bytes().get(at + name.len()).copied().unwrap_or(b' ');
        matches!(before, b'"' | b'\'' | b'`') && (after == before || after == b'/')
    })
}

fn imports_module(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let is_named = |module: &str| {
        let module = module.trim();
        module.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ' ']))
    };
    match line.split_once(' ') {
        Some(("from", rest)) => is_named(rest),
        Some(("import", rest)) => rest.split(',').any(is_named),
        _ => false,
    }
}

fn imports_package(line: &str, name: &str) -> bool {
    let imported = line.trim_start().strip_prefix("import ").map(str::trim_start);
    let imported = imported.map(|rest| rest.strip_prefix("static ").unwrap_or(rest));
    imported.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_seen() {
        use ImportName::{Crate, Module, Package, Quoted};
        for (name, path, text, expected) in [
            (Crate("serde_json".into()), "a.rs", "use serde_json::Value;", true),
            (Crate("serde".into()), "a.rs", "let x: serde::de::Error = y;", true),
            (Crate("serde".into()), "a.rs", "use serde;", true),
            (Crate("serde".into()), "a.rs", "use serde_json::Value;", false),
            (Crate("error".into()), "a.rs", "use crate::error::Error;", false),
            (Crate("serde".into()), "a.md", "serde::de", false),
            (Quoted("golang.org/x/net".into()), "a.go", "import \"golang.org/x/net/http2\"", true),
            (Quoted("golang.org/x/net".into()), "a.go", "import \"golang.org/x/network\"", false),
            (Quoted("react".into()), "a.tsx", "import { x } from 'react';", true),
            (Quoted("@a/b".into()), "a.js", "require(\"@a/b/c\")", true),
            (Quoted("react".into()), "a.js", "from 'react-dom'", false),
            (Module("yaml".into()), "a.py", "import os, yaml", true),
            (Module("yaml".into()), "a.py", "from yaml.nodes import Node", true),
            (Module("yaml".into()), "a.py", "import yamllint", false),
            (Module("yaml".into()), "a.py", "# from here import yaml is slow", false),
            (Package("org.slf4j".into()), "A.java", "import static org.slf4j.X.y;", true),
            (Package("org.slf4j".into()), "A.java", "import org.slf4jx.Y;", false),
        ] {
            assert_eq!(name.is_imported(path, text), expected, "{name:?} in {path}: {text}");
        }
    }
}
