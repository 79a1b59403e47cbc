//! Outlines by tree-sitter: each language has a grammar and a query file.

use super::Definition;
use crate::syntax::{GrammarId, ancestors, descendants, grammar_of, node_text, parse};
use std::sync::OnceLock;
use tree_sitter::{Node, Query, QueryCursor, StreamingIterator as _};

/// Query file of a language.
fn query_text(grammar: GrammarId) -> &'static str {
    match grammar {
        GrammarId::Rust => include_str!("../../../../assets/outlines/rust.scm"),
        GrammarId::Python => include_str!("../../../../assets/outlines/python.scm"),
        GrammarId::TypeScript | GrammarId::Tsx => include_str!("../../../../assets/outlines/typescript.scm"),
        GrammarId::JavaScript => include_str!("../../../../assets/outlines/javascript.scm"),
        GrammarId::Go => include_str!("../../../../assets/outlines/go.scm"),
        GrammarId::Java => include_str!("../../../../assets/outlines/java.scm"),
    }
}

const GRAMMARS: usize = GrammarId::Java as usize + 1;

/// Prepared queries: preparing one takes longer than parsing most files.
static QUERIES: [OnceLock<Option<Query>>; GRAMMARS] = [const { OnceLock::new() }; GRAMMARS];

/// Outline of a file in a language with a grammar.
pub(super) fn outline(path: &str, text: &str) -> Option<Vec<Definition>> {
    let grammar = grammar_of(path)?;
    let parsed = parse(path, text)?;
    let query = QUERIES[grammar.id as usize]
        .get_or_init(|| Query::new(&(grammar.language)(), query_text(grammar.id)).ok())
        .as_ref()?;
    let bytes = text.as_bytes();
    let names = query.capture_names();
    let mut all = Vec::new();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, parsed.tree.root_node(), bytes);
    while let Some(found) = matches.next() {
        let name = found.captures().iter().find(|capture| names[capture.index as usize] == "name");
        let whole = found.captures().iter().find(|capture| names[capture.index as usize] != "name");
        let (Some(name), Some(whole)) = (name, whole) else { continue };
        let Ok(named) = name.node.utf8_text(bytes) else { continue };
        let last = whole.node.end_position();
        let line = name.node.start_position().row + 1;
        // A node that ends with its newline ends on the line before.
        let last = if last.column == 0 { last.row } else { last.row + 1 };
        let one_line = kind(names[whole.index as usize]) == "constant";
        let definition = Definition {
            name: named.to_owned(),
            kind: kind(names[whole.index as usize]),
            owner: owner(name.node, text),
            line,
            last: if one_line { line } else { last.max(line) },
        };
        all.push((found.pattern_index, definition));
    }
    all.sort_by_key(|(pattern, _)| *pattern);
    Some(all.into_iter().map(|(_, definition)| definition).collect())
}

/// Type that a definition is a member of.
fn owner(name: Node<'_>, text: &str) -> Option<String> {
    let definition = name.parent()?;
    if let Some(receiver) = definition.child_by_field_name("receiver") {
        let mut types = descendants(receiver).filter(|node| node.kind() == "type_identifier");
        return types.next().map(|node| node_text(node, text).to_owned());
    }
    let around = ancestors(definition).find(|node| OWNERS.contains(&node.kind()))?;
    let field = if around.kind() == "impl_item" { "type" } else { "name" };
    let named = descendants(around.child_by_field_name(field)?)
        .find(|node| matches!(node.kind(), "type_identifier" | "identifier"))?;
    Some(node_text(named, text).to_owned())
}

/// Nodes of types with members.
const OWNERS: [&str; 9] = [
    "impl_item",
    "trait_item",
    "class_definition",
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "class",
];

/// Definition kinds that queries may capture.
const KINDS: [&str; 12] = [
    "class",
    "constant",
    "enum",
    "function",
    "heading",
    "interface",
    "macro",
    "method",
    "module",
    "struct",
    "trait",
    "type",
];

fn kind(capture: &str) -> &'static str {
    KINDS.iter().find(|kind| **kind == capture).copied().unwrap_or("name")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_fits_its_grammar_and_names_known_kinds() {
        for path in ["a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java"] {
            let grammar = grammar_of(path).unwrap();
            let query = Query::new(&(grammar.language)(), query_text(grammar.id));
            let query = query.unwrap_or_else(|error| panic!("{path}: {error}"));
            for name in query.capture_names() {
                assert!(*name == "name" || kind(name) == *name, "{name}");
            }
        }
    }
}
