//! Parsing with a bound on the work, so that the same text has the same tree on every machine.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use tree_sitter::{Language, ParseOptions, Parser, Tree};

/// A language with a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GrammarId {
    Rust,
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Go,
    Java,
}

/// Parser of a language, by the extensions of its files.
pub(crate) struct Grammar {
    pub(crate) id: GrammarId,
    extensions: &'static [&'static str],
    pub(crate) language: fn() -> Language,
}

const GRAMMARS: [Grammar; 7] = [
    Grammar { id: GrammarId::Rust, extensions: &["rs"], language: || tree_sitter_rust::LANGUAGE.into() },
    Grammar {
        id: GrammarId::Python,
        extensions: &["py", "pyi"],
        language: || tree_sitter_python::LANGUAGE.into(),
    },
    Grammar {
        id: GrammarId::TypeScript,
        extensions: &["ts", "mts", "cts"],
        language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    },
    Grammar {
        id: GrammarId::Tsx,
        extensions: &["tsx"],
        language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    },
    Grammar {
        id: GrammarId::JavaScript,
        extensions: &["js", "jsx", "mjs", "cjs"],
        language: || tree_sitter_javascript::LANGUAGE.into(),
    },
    Grammar { id: GrammarId::Go, extensions: &["go"], language: || tree_sitter_go::LANGUAGE.into() },
    Grammar { id: GrammarId::Java, extensions: &["java"], language: || tree_sitter_java::LANGUAGE.into() },
];

/// Maximum size of a text to parse.
const MAX_BYTES: usize = 400_000;
/// Parse steps before giving up, for an empty text. Counted in steps, not in time.
const BASE_PARSE_STEPS: usize = 200;
/// One more parse step per so many bytes; code takes far fewer.
const BYTES_PER_PARSE_STEP: usize = 40;

/// A parsed text.
pub(crate) struct SyntaxTree {
    pub(crate) grammar: GrammarId,
    pub(crate) tree: Tree,
}

/// Grammar of a file, by its extension.
pub(crate) fn grammar_of(path: &str) -> Option<&'static Grammar> {
    let extension = path.rsplit_once('.')?.1.to_ascii_lowercase();
    GRAMMARS.iter().find(|grammar| grammar.extensions.contains(&extension.as_str()))
}

/// Number of texts whose trees are kept. The best files of a survey are looked at several times: for their outline, their
/// imports, their tests and their risks.
const MAX_KEPT: usize = 32;

/// The texts parsed last, with their trees.
static KEPT: Mutex<VecDeque<(Box<str>, Arc<SyntaxTree>)>> = Mutex::new(VecDeque::new());

/// Parses a file, or returns the tree of an equal text that was parsed lately. None without a grammar, and for texts that
/// are too long or take too many steps.
pub(crate) fn parse(path: &str, text: &str) -> Option<Arc<SyntaxTree>> {
    let grammar = grammar_of(path)?;
    if text.len() > MAX_BYTES {
        return None;
    }
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |known: &&(Box<str>, Arc<SyntaxTree>)| known.1.grammar == grammar.id && *known.0 == *text;
    if let Some((_, tree)) = kept().iter().find(is_same) {
        return Some(tree.clone());
    }
    let tree = Arc::new(parse_with(grammar, text)?);
    let mut kept = kept();
    kept.truncate(MAX_KEPT - 1);
    kept.push_front((text.into(), tree.clone()));
    Some(tree)
}

fn parse_with(grammar: &Grammar, text: &str) -> Option<SyntaxTree> {
    let mut parser = Parser::new();
    parser.set_language(&(grammar.language)()).ok()?;
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
    Some(SyntaxTree { grammar: grammar.id, tree })
}
