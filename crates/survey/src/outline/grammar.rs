//! Outlines by tree-sitter: each language has a grammar and a query file.

use super::Definition;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use tree_sitter::{Language, ParseOptions, Parser, Query, QueryCursor, StreamingIterator as _};

/// Parser and query of a language.
struct Grammar {
    extensions: &'static [&'static str],
    language: fn() -> Language,
    query: &'static str,
}

const GRAMMARS: [Grammar; 7] = [
    Grammar {
        extensions: &["rs"],
        language: || tree_sitter_rust::LANGUAGE.into(),
        query: include_str!("../../../../assets/outlines/rust.scm"),
    },
    Grammar {
        extensions: &["py", "pyi"],
        language: || tree_sitter_python::LANGUAGE.into(),
        query: include_str!("../../../../assets/outlines/python.scm"),
    },
    Grammar {
        extensions: &["ts", "mts", "cts"],
        language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        query: include_str!("../../../../assets/outlines/typescript.scm"),
    },
    Grammar {
        extensions: &["tsx"],
        language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
        query: include_str!("../../../../assets/outlines/typescript.scm"),
    },
    Grammar {
        extensions: &["js", "jsx", "mjs", "cjs"],
        language: || tree_sitter_javascript::LANGUAGE.into(),
        query: include_str!("../../../../assets/outlines/javascript.scm"),
    },
    Grammar {
        extensions: &["go"],
        language: || tree_sitter_go::LANGUAGE.into(),
        query: include_str!("../../../../assets/outlines/go.scm"),
    },
    Grammar {
        extensions: &["java"],
        language: || tree_sitter_java::LANGUAGE.into(),
        query: include_str!("../../../../assets/outlines/java.scm"),
    },
];

/// Maximum size of a text to parse; longer ones are outlined line by line.
const MAX_BYTES: usize = 400_000;
/// Parse steps before giving up, for an empty text. Counted in steps, not in time: the
/// same text has the same outline on every machine.
const BASE_PARSE_STEPS: usize = 200;
/// One more parse step per so many bytes; code takes far fewer.
const BYTES_PER_PARSE_STEP: usize = 40;

/// Prepared queries: preparing one takes longer than parsing most files.
static QUERIES: [OnceLock<Option<Query>>; GRAMMARS.len()] = [const { OnceLock::new() }; GRAMMARS.len()];

/// Outline of a file in a language with a grammar.
pub(super) fn outline(path: &str, text: &str) -> Option<Vec<Definition>> {
    let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
    let nth = GRAMMARS.iter().position(|grammar| grammar.extensions.contains(&extension.as_str()))?;
    if text.len() > MAX_BYTES {
        return None;
    }
    let language = (GRAMMARS[nth].language)();
    let query = QUERIES[nth].get_or_init(|| Query::new(&language, GRAMMARS[nth].query).ok());
    parse_definitions(&language, query.as_ref()?, text)
}

fn parse_definitions(language: &Language, query: &Query, text: &str) -> Option<Vec<Definition>> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let mut calls = 0;
    let max_calls = BASE_PARSE_STEPS + text.len() / BYTES_PER_PARSE_STEP;
    let mut give_up = |_: &tree_sitter::ParseState| {
        calls += 1;
        if calls > max_calls { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut chunks = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut give_up);
    let tree = parser.parse_with_options(&mut chunks, None, Some(options))?;
    let names = query.capture_names();
    let mut all = Vec::new();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), bytes);
    while let Some(found) = matches.next() {
        let name = found.captures().iter().find(|capture| names[capture.index as usize] == "name");
        let whole = found.captures().iter().find(|capture| names[capture.index as usize] != "name");
        let (Some(name), Some(whole)) = (name, whole) else { continue };
        let Ok(text) = name.node.utf8_text(bytes) else { continue };
        let last = whole.node.end_position();
        let line = name.node.start_position().row + 1;
        // A node that ends with its newline ends on the line before.
        let last = if last.column == 0 { last.row } else { last.row + 1 };
        let one_line = kind(names[whole.index as usize]) == "constant";
        let definition = Definition {
            name: text.to_owned(),
            kind: kind(names[whole.index as usize]),
            line,
            last: if one_line { line } else { last.max(line) },
        };
        all.push((found.pattern_index, definition));
    }
    all.sort_by_key(|(pattern, _)| *pattern);
    Some(all.into_iter().map(|(_, definition)| definition).collect())
}

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
        for grammar in &GRAMMARS {
            let query = Query::new(&(grammar.language)(), grammar.query);
            let query = query.unwrap_or_else(|error| panic!("{:?}: {error}", grammar.extensions));
            for name in query.capture_names() {
                assert!(*name == "name" || kind(name) == *name, "{name}");
            }
        }
    }
}
