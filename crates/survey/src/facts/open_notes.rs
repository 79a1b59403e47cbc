//! Open notes: comments that begin with TODO or FIXME.
//!
//! Comments come from the syntax tree where there is a grammar. In other languages only lines that begin with a comment
//! are read. Templates, whose notes are for those who fill them in, have none.

use crate::syntax::{SyntaxTree, descendants, node_text};
use crate::tree::kind::folder;

/// Lines, from 1, with an open note.
pub(crate) fn open_notes(path: &str, language: &str, parsed: Option<&SyntaxTree>, text: &str) -> Vec<usize> {
    if is_template(path) {
        return Vec::new();
    }
    let Some(parsed) = parsed else {
        let marks = comment_marks(language);
        let is_comment = |line: &str| marks.iter().any(|mark| line.starts_with(mark));
        let lines = text.lines().enumerate().filter(|(_, line)| is_comment(line.trim_start()));
        return lines.filter(|(_, line)| is_note(line)).map(|(n, _)| n + 1).collect();
    };
    let mut found = Vec::new();
    for node in descendants(parsed.tree.root_node())
        .filter(|node| matches!(node.kind(), "comment" | "line_comment" | "block_comment"))
    {
        let lines = node_text(node, text).lines().enumerate().filter(|(_, line)| is_note(line));
        found.extend(lines.map(|(n, _)| node.start_position().row + 1 + n));
    }
    found
}

/// Words after TODO that make it a thing of the program.
const THINGS: [&str; 16] = [
    "and",
    "app",
    "application",
    "are",
    "comment",
    "comments",
    "entries",
    "entry",
    "is",
    "item",
    "items",
    "list",
    "lists",
    "note",
    "notes",
    "or",
];

/// True for a line of a comment that begins with a mark.
fn is_note(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['/', '*', '!', '#', '-', '%', ';']).trim_start();
    // What is quoted or an example in a comment is no note.
    let Some((mark, rest)) =
        text.split_at_checked(text.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(text.len()))
    else {
        return false;
    };
    let next = rest.trim_start_matches(' ').split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match mark {
        "TODO" | "FIXME" => {
            (rest.is_empty() || rest.starts_with([':', '(', ' ', ',', '-', '!', '?', '.', '[']))
                && !THINGS.contains(&next)
        }
        _ => false,
    }
}

fn is_template(path: &str) -> bool {
    folder(path).split('/').any(|part| {
        ["template", "scaffold", "boilerplate", "cookiecutter", "skeleton"]
            .iter()
            .any(|word| part.to_ascii_lowercase().contains(word))
    })
}

/// Beginnings of a line that is a comment.
fn comment_marks(language: &str) -> &'static [&'static str] {
    match language {
        "Ruby" | "Shell" | "Make" | "Elixir" | "R" | "Perl" | "Dockerfile" | "Python" => &["# ", "#T", "#F"],
        "SQL" | "Lua" | "Haskell" => &["--"],
        "Erlang" => &["%"],
        "Clojure" => &[";"],
        "C" | "C++" | "C#" | "Kotlin" | "PHP" | "Swift" | "Scala" | "Objective-C" | "Dart" | "Zig"
        | "Rust" | "Go" | "Java" | "JavaScript" | "TypeScript" | "Protocol Buffers" => &["//", "/*", "* "],
        "CSS" => &["/*", "* "],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;
    use crate::tree::kind::language;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        open_notes(path, language(path).unwrap().name, parse(path, text).as_deref(), text)
    }

    #[test]
    fn notes_are_comments_that_begin_with_a_mark() {
        for (path, text, expected) in [
            ("a.rs", "// TODO: retry", vec![1]),
            ("a.rs", "/// TODO retry\nfn a() {}", vec![1]),
            ("a.rs", "/* x\n * FIXME(ann): y\n */", vec![2]),
            ("a.rs", "let todos = 1; // see the TODO list", vec![]),
            ("a.rs", "let x = \"// TODO: no\";", vec![]),
            ("a.rs", "/// // TODO: your code here\nfn a() {}", vec![]),
            ("a.rs", "fn a() { todo!() }", vec![]),
            ("a.py", "x = 1  # TODO later", vec![1]),
            ("a.py", "#FIXME broken", vec![1]),
            ("a.py", "# TODO list of the user", vec![]),
            ("a.py", "TODO = 'todo'", vec![]),
            ("a.py", "'''\n# TODO: in a docstring\n'''", vec![]),
            ("a.py", "# XXX The default has two meanings", vec![]),
            ("a.js", "x(); // TODO later", vec![1]),
            ("a.ts", "const t = `\n// TODO: generated\n`;", vec![]),
            ("a.go", "package a\n\n// TODO(ann): y\n", vec![3]),
            ("a.go", "package a\n\nvar s = `\n// TODO: y\n`\n", vec![]),
            ("A.java", "/**\n * TODO: y\n */\nclass A {}", vec![2]),
            ("A.java", "// TODOs are listed elsewhere", vec![]),
            ("a.c", "// FIXME: y", vec![1]),
            ("a.c", "puts(\"// TODO: y\");", vec![]),
            ("a.sh", "# TODO: y", vec![1]),
            ("a.sh", "#!/bin/sh\necho '# TODO'", vec![]),
            ("templates/app.py", "# TODO: fill in", vec![]),
        ] {
            assert_eq!(lines(path, text), expected, "{path}: {text}");
        }
    }
}
