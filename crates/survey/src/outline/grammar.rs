//! Outlines by tree-sitter: each language has a grammar and a query file.

use super::Definition;
use super::tree_pattern::{Match, Patterns};
use crate::syntax::{GrammarId, ancestors, descendants, grammar_of, node_text, parse};
use std::sync::OnceLock;
use tree_sitter::Node;

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

static PATTERNS: [OnceLock<Option<Patterns>>; GRAMMARS] = [const { OnceLock::new() }; GRAMMARS];

/// Outline of a file in a language with a grammar.
pub(super) fn outline(path: &str, text: &str) -> Option<Vec<Definition>> {
    let grammar = grammar_of(path)?;
    let parsed = parse(path, text)?;
    let patterns = PATTERNS[grammar.id as usize]
        .get_or_init(|| Patterns::read(query_text(grammar.id), &(grammar.language)()))
        .as_ref()?;
    let mut matches = patterns.matches(parsed.tree.root_node());
    matches.sort_by_key(|found| found.pattern);
    Some(matches.into_iter().filter_map(|found| definition(found, text)).collect())
}

fn definition(found: Match<'_, '_>, text: &str) -> Option<Definition> {
    let name = found.name.utf8_text(text.as_bytes()).ok()?.to_owned();
    let last = found.whole.end_position();
    let line = found.name.start_position().row + 1;
    // A node that ends with its newline ends on the line before.
    let last = if last.column == 0 { last.row } else { last.row + 1 };
    let kind = kind(found.kind);
    let owner = owner(found.name, text);
    Some(Definition { name, kind, owner, line, last: if kind == "constant" { line } else { last.max(line) } })
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
    use crate::syntax::SyntaxTree;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::sync::LazyLock;
    use tree_sitter::{Query, QueryCursor, StreamingIterator as _};

    const PATHS: [&str; 7] = ["a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java"];

    /// The same patterns as queries of tree-sitter, by path.
    static QUERIES: LazyLock<HashMap<&str, Query>> = LazyLock::new(|| {
        let query = |path: &str| {
            let grammar = grammar_of(path).unwrap();
            let query = Query::new(&(grammar.language)(), query_text(grammar.id));
            query.unwrap_or_else(|error| panic!("{path}: {error}"))
        };
        PATHS.into_iter().map(|path| (path, query(path))).collect()
    });

    #[test]
    fn every_query_fits_its_grammar_and_names_known_kinds() {
        for path in PATHS {
            for name in QUERIES[path].capture_names() {
                assert!(*name == "name" || kind(name) == *name, "{name}");
            }
        }
    }

    /// Pattern, capture and range of both nodes of every match, sorted.
    type Found = Vec<(usize, String, std::ops::Range<usize>, std::ops::Range<usize>)>;

    fn found_by_tree_sitter(query: &Query, parsed: &SyntaxTree, text: &str) -> Found {
        let names = query.capture_names();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, parsed.tree.root_node(), text.as_bytes());
        let mut all = Vec::new();
        while let Some(found) = matches.next() {
            let capture =
                |is_name| found.captures().iter().find(|c| (names[c.index as usize] == "name") == is_name);
            let (name, whole) = (capture(true).unwrap(), capture(false).unwrap());
            let kind = names[whole.index as usize].to_owned();
            all.push((found.pattern_index, kind, name.node.byte_range(), whole.node.byte_range()));
        }
        all.sort_by_key(|found| (found.0, found.2.start, found.3.start));
        all
    }

    fn found_here(path: &str, parsed: &SyntaxTree) -> Found {
        let grammar = grammar_of(path).unwrap();
        let patterns = Patterns::read(query_text(grammar.id), &(grammar.language)()).unwrap();
        let matches = patterns.matches(parsed.tree.root_node());
        let mut all: Found = matches
            .into_iter()
            .map(|found| {
                (found.pattern, found.kind.to_owned(), found.name.byte_range(), found.whole.byte_range())
            })
            .collect();
        all.sort_by_key(|found| (found.0, found.2.start, found.3.start));
        all
    }

    const SAMPLES: [&str; 8] = [
        "const A: u8 = 1;\nimpl T { fn a() { fn b() {} } }\nmacro_rules! m { () => {} }\nunion U { a: u8 }\nstatic S: u8 = 2;\n",
        "A = B = 1\nclass C:\n    D = 2\n    def e(self):\n        def f(): pass\n",
        "export const a = () => 1, b = 2;\nconst c = function () {};\nlet d;\nfunction* g() {}\nclass E { f() {} static g() {} }\n",
        "package a\ntype (\n\tA struct{}\n\tB interface{}\n\tC int\n)\nvar d, e = 1, 2\nconst (\n\tF = 1\n\tG\n)\nfunc (x *A) H() {}\n",
        "record R(int a) { R {} }\n@interface N {}\nenum E { A; void b() {} }\n",
        "export abstract class A<T> { b(): void }\ntype C = {};\nenum D {}\ninterface E {}\nexport default function f() {}\n",
        "fn (\nclass\nfunc A(",
        "",
    ];

    #[test]
    fn patterns_find_what_queries_find() {
        for path in PATHS {
            for text in SAMPLES {
                let parsed = parse(path, text).unwrap();
                let expected = found_by_tree_sitter(&QUERIES[path], &parsed, text);
                assert_eq!(found_here(path, &parsed), expected, "{path}: {text}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn patterns_find_what_queries_find_in_broken_code(
            words in proptest::collection::vec(
                prop_oneof![
                    "[a-c]", Just("fn".to_owned()), Just("def".to_owned()), Just("class".to_owned()),
                    Just("func".to_owned()), Just("function".to_owned()), Just("const".to_owned()),
                    Just("type".to_owned()), Just("struct".to_owned()), Just("=>".to_owned()),
                    Just("export".to_owned()), Just("interface".to_owned()), Just("impl".to_owned()),
                    "[(){}=:;,]", Just("\n".to_owned()), Just("\n    ".to_owned()),
                ],
                0..40,
            )
        ) {
            let text = words.join(" ");
            for path in PATHS {
                let Some(parsed) = parse(path, &text) else { continue };
                let mut found = found_here(path, &parsed);
                let expected = found_by_tree_sitter(&QUERIES[path], &parsed, &text);
                // Behind an error in a node tree-sitter may not look for the rest of its names.
                let root = parsed.tree.root_node();
                found.retain(|here| {
                    let whole = root.named_descendant_for_byte_range(here.3.start, here.3.end);
                    expected.contains(here) || !whole.is_some_and(|node| node.has_error())
                });
                prop_assert_eq!(found, expected, "{}: {}", path, text);
            }
        }
    }
}
