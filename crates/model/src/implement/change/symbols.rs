//! New public symbols, and those that nothing but their tests uses.

use super::{ChangeIssue, ChangeIssueKind, FileChange};
use crate::implement::paths::is_test_path;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A new public symbol and the files that mention it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolUse {
    pub symbol: String,
    /// File that defines it, and the line.
    pub path: String,
    pub line: usize,
    /// Paths of the files that mention it as a word, the defining one included; each mention is one entry.
    pub uses: Vec<String>,
}

/// Findings for symbols that nothing but their tests uses.
pub fn unused_symbols(symbols: &[SymbolUse]) -> Vec<ChangeIssue> {
    let is_unused = |symbol: &&SymbolUse| {
        // Its definition is one mention; a second one in the same file is a use.
        let own = symbol.uses.iter().filter(|path| **path == symbol.path).count();
        let others = symbol.uses.iter().filter(|path| **path != symbol.path && !is_test_path(path)).count();
        own <= 1 && others == 0
    };
    let unused = symbols.iter().filter(is_unused);
    unused
        .map(|symbol| {
            let by_tests = symbol.uses.iter().any(|path| *path != symbol.path);
            let who = if by_tests { "nothing but tests uses it" } else { "nothing uses it" };
            let message = format!("{} is new and public, and {who}", symbol.symbol);
            ChangeIssue::finding(&symbol.path, symbol.line, ChangeIssueKind::Unused, message)
        })
        .collect()
}

/// Public symbols that the new text of a file defines and the old one does not, with their lines.
pub fn new_public_symbols(file: &FileChange) -> Vec<(String, usize)> {
    if is_test_path(&file.path) {
        return Vec::new();
    }
    let old: BTreeSet<String> = symbols(&file.path, file.old_text.as_deref().unwrap_or_default())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let new = symbols(&file.path, file.text.as_deref().unwrap_or_default());
    new.into_iter().filter(|(name, _)| !old.contains(name)).collect()
}

fn symbols(path: &str, text: &str) -> Vec<(String, usize)> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let lines = text.lines().enumerate();
    lines.filter_map(|(at, line)| Some((symbol(extension, line)?, at + 1))).collect()
}

/// The public symbol that a line defines.
fn symbol(extension: &str, line: &str) -> Option<String> {
    match extension {
        "rs" => {
            let mut rest = line.trim_start().strip_prefix("pub ")?;
            for word in ["default ", "const fn ", "async ", "unsafe ", "extern \"C\" "] {
                let keep = if word == "const fn " { "const ".len() } else { word.len() };
                rest = if rest.starts_with(word) { &rest[keep..] } else { rest };
            }
            let kinds = ["fn ", "struct ", "enum ", "trait ", "type ", "union ", "static ", "const "];
            word(kinds.iter().find_map(|kind| rest.strip_prefix(kind))?)
        }
        "py" => {
            let line = line.strip_prefix("async ").unwrap_or(line);
            let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("class "))?;
            word(rest).filter(|name| !name.starts_with('_'))
        }
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "mts" => {
            let rest = line.strip_prefix("export ")?;
            let rest = rest.strip_prefix("default ").unwrap_or(rest);
            let rest = rest.strip_prefix("async ").unwrap_or(rest);
            let kinds = [
                "function* ",
                "function ",
                "class ",
                "const ",
                "let ",
                "interface ",
                "type ",
                "enum ",
                "abstract class ",
            ];
            word(kinds.iter().find_map(|kind| rest.strip_prefix(kind))?)
        }
        "go" => {
            let rest =
                ["func ", "type ", "var ", "const "].iter().find_map(|kind| line.strip_prefix(kind))?;
            let rest = if rest.starts_with('(') { rest.split_once(')')?.1.trim_start() } else { rest };
            word(rest).filter(|name| name.starts_with(char::is_uppercase))
        }
        _ => None,
    }
}

fn word(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
    (!name.is_empty()).then_some(name)
}
