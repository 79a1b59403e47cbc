//! Import statements of a file, by its syntax tree; in C and Ruby by its lines.

use crate::syntax::{GrammarId, ancestors, children, descendants, node_text, parse};
use tree_sitter::Node;

/// Import of one statement, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Imported {
    /// A path from the importing file: `./a`, `../b.h`.
    Relative(String),
    /// A Go package.
    Package(String),
    /// A Java type.
    Type(Vec<String>),
    /// A Python module, from the package that many dots up, and the names taken from it.
    Module { dots: usize, module: Vec<String>, names: Vec<String> },
    /// A Rust path.
    Path(Vec<String>),
    /// `mod name;` in Rust.
    Child(String),
}

/// Imports of a text, in order.
pub(super) fn imported(path: &str, text: &str) -> Vec<Imported> {
    let Some(parsed) = parse(path, text) else { return imported_by_lines(path, text) };
    let read: fn(Node<'_>, &str, &mut Vec<Imported>) = match parsed.grammar {
        GrammarId::Python => python,
        GrammarId::JavaScript | GrammarId::TypeScript | GrammarId::Tsx => javascript,
        GrammarId::Go => go,
        GrammarId::Java => java,
        GrammarId::Rust => rust,
    };
    let mut all = Vec::new();
    for node in descendants(parsed.tree.root_node()) {
        read(node, text, &mut all);
    }
    all
}

fn python(node: Node<'_>, text: &str, all: &mut Vec<Imported>) {
    let dotted = |node: Node<'_>| -> Vec<String> {
        let name =
            if node.kind() == "aliased_import" { node.child_by_field_name("name") } else { Some(node) };
        let name = name.map_or("", |name| node_text(name, text));
        name.split('.').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
    };
    match node.kind() {
        "import_statement" => {
            let modules = children(node).into_iter().map(dotted);
            all.extend(modules.map(|module| Imported::Module { dots: 0, module, names: Vec::new() }));
        }
        "import_from_statement" => {
            let Some(from) = node.child_by_field_name("module_name") else { return };
            let written = node_text(from, text);
            let dots = written.bytes().take_while(|b| *b == b'.').count();
            let module = written[dots..].split('.').map(str::trim).filter(|part| !part.is_empty());
            let names = children(node).into_iter().filter(|child| child.id() != from.id());
            let names = names.filter_map(|name| dotted(name).into_iter().next()).collect();
            all.push(Imported::Module { dots, module: module.map(str::to_owned).collect(), names });
        }
        _ => {}
    }
}

fn javascript(node: Node<'_>, text: &str, all: &mut Vec<Imported>) {
    let source = match node.kind() {
        "import_statement" | "export_statement" => node.child_by_field_name("source"),
        "call_expression" => {
            let called = node.child_by_field_name("function").map_or("", |called| node_text(called, text));
            let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
            arguments.first().copied().filter(|_| matches!(called, "require" | "import"))
        }
        _ => None,
    };
    let Some(source) = source.filter(|source| source.kind() == "string") else { return };
    let name = node_text(source, text).trim_matches(['"', '\'']);
    if name.starts_with('.') {
        all.push(Imported::Relative(name.to_owned()));
    }
}

fn go(node: Node<'_>, text: &str, all: &mut Vec<Imported>) {
    if node.kind() == "import_spec"
        && let Some(path) = node.child_by_field_name("path")
    {
        all.push(Imported::Package(node_text(path, text).trim_matches(['"', '`']).to_owned()));
    }
}

fn java(node: Node<'_>, text: &str, all: &mut Vec<Imported>) {
    if node.kind() != "import_declaration" {
        return;
    }
    let written = node_text(node, text).trim_end_matches(';').trim();
    let written = written.strip_prefix("import").unwrap_or(written).trim();
    let name = written.strip_prefix("static ").unwrap_or(written);
    if !name.ends_with('*') {
        all.push(Imported::Type(name.split('.').map(|part| part.trim().to_owned()).collect()));
    }
}

fn rust(node: Node<'_>, text: &str, all: &mut Vec<Imported>) {
    // Paths inside inline modules begin elsewhere.
    let inline = || ancestors(node).any(|node| node.kind() == "mod_item");
    match node.kind() {
        "use_declaration" if !inline() => {
            if let Some(argument) = node.child_by_field_name("argument") {
                all.extend(use_paths(node_text(argument, text)).into_iter().map(Imported::Path));
            }
        }
        "mod_item" if node.child_by_field_name("body").is_none() && !inline() => {
            let moved = node.prev_named_sibling().is_some_and(|before| {
                before.kind() == "attribute_item" && node_text(before, text).contains("path")
            });
            if let Some(name) = node.child_by_field_name("name").filter(|_| !moved) {
                all.push(Imported::Child(node_text(name, text).to_owned()));
            }
        }
        _ => {}
    }
}

/// Paths of a `use` tree: `a::{b, c::D}` has `a::b` and `a::c::D`.
fn use_paths(tree: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    // Prefixes of the lists that are open, and the path being read.
    let mut prefixes: Vec<Vec<String>> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut renamed = false;
    // False after a comma at the end of a list.
    let mut has_item = false;
    let flush = |word: &mut String, path: &mut Vec<String>, renamed: &mut bool| {
        let name = std::mem::take(word);
        let any = !name.is_empty();
        if !name.is_empty() && (name != "self" || path.is_empty()) && !*renamed {
            path.push(name);
        }
        any
    };
    for c in tree.chars() {
        match c {
            '{' => {
                flush(&mut word, &mut path, &mut renamed);
                has_item = false;
                prefixes.push(path.clone());
            }
            ',' | '}' => {
                has_item |= flush(&mut word, &mut path, &mut renamed);
                renamed = false;
                if std::mem::take(&mut has_item) && !path.is_empty() && !all.contains(&path) {
                    all.push(path.clone());
                }
                path.clear();
                if c == '}' {
                    prefixes.pop();
                } else {
                    path.extend(prefixes.last().into_iter().flatten().cloned());
                }
            }
            ':' => has_item |= flush(&mut word, &mut path, &mut renamed),
            c if c.is_whitespace() => {
                let is_as = word == "as";
                if is_as {
                    word.clear();
                    renamed = true;
                } else {
                    has_item |= flush(&mut word, &mut path, &mut renamed);
                }
            }
            '*' => {}
            c => word.push(c),
        }
    }
    flush(&mut word, &mut path, &mut renamed);
    if !path.is_empty() && prefixes.is_empty() && !all.contains(&path) {
        all.push(path);
    }
    all
}

/// `#include "x.h"` and `require_relative "x"`.
fn imported_by_lines(path: &str, text: &str) -> Vec<Imported> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let keyword = match extension {
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" => "#include \"",
        "rb" => "require_relative ",
        _ => return Vec::new(),
    };
    let names = text.lines().filter_map(|line| line.trim_start().strip_prefix(keyword));
    let names = names.filter_map(|rest| rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next());
    names.map(|name| Imported::Relative(format!("./{name}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_trees_are_expanded() {
        for (tree, expected) in [
            ("a::b", vec!["a::b"]),
            ("a::{b, c::D}", vec!["a::b", "a::c::D"]),
            ("crate::a::{self, b as c, d::*}", vec!["crate::a", "crate::a::b", "crate::a::d"]),
            ("self::a::B", vec!["self::a::B"]),
            ("a::{\n    b,\n    c::{D,},\n}", vec!["a::b", "a::c::D"]),
            ("a::{b::{C, D}, e}", vec!["a::b::C", "a::b::D", "a::e"]),
        ] {
            let found: Vec<String> = use_paths(tree).iter().map(|path| path.join("::")).collect();
            assert_eq!(found, expected, "{tree}");
        }
    }
}
