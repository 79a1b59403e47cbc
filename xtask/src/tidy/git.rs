//! Checks that only `crates/git` starts git, and `crates/testkit` in tests. Elsewhere it would run in an environment in
//! which a repository may start programs of its own.

use super::source::project_files;
use crate::TaskResult;
use std::path::Path;

/// Crates that may start git.
const ALLOWED_CRATES: [&str; 2] = ["crates/git", "crates/testkit"];

pub(super) fn problems(root: &Path) -> TaskResult<Vec<String>> {
    let mut problems = Vec::new();
    for path in project_files(root)?.iter().filter(|path| is_product_code(path)) {
        let text = fs_err::read_to_string(root.join(path))?;
        problems.extend(
            lines_starting_git(&text)
                .iter()
                .map(|line| format!("{}:{line}: only crates/git may start git", path.display())),
        );
    }
    Ok(problems)
}

fn is_product_code(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
        && path.starts_with("crates")
        && path.components().nth(2).is_some_and(|part| part.as_os_str() == "src")
        && !ALLOWED_CRATES.iter().any(|folder| path.starts_with(folder))
}

/// Lines with a string literal that could start git: its name or a command line in a file that starts programs, or its
/// name in a constant that another file could use.
fn lines_starting_git(text: &str) -> Vec<usize> {
    let source = Source::parse(text);
    let starts_programs = ["process::Command", "Command::new", ".exec(", "execv", "posix_spawn"]
        .iter()
        .any(|word| source.code.contains(word));
    let is_start = |literal: &&Literal| {
        let name = literal.text.trim();
        let is_program = name == "git" || name.ends_with("/git");
        let is_command_line = name.starts_with("git ") || name.contains("/git ");
        (starts_programs && (is_program || is_command_line)) || (literal.is_constant && is_program)
    };
    source.literals.iter().filter(is_start).map(|literal| literal.line).collect()
}

/// A Rust file, split into code without comments and strings, and string literals.
#[derive(Debug, Default)]
struct Source {
    code: String,
    literals: Vec<Literal>,
}

#[derive(Debug)]
struct Literal {
    text: String,
    line: usize,
    /// True inside a `const` or `static` item.
    is_constant: bool,
}

impl Source {
    fn parse(text: &str) -> Source {
        let mut source = Source::default();
        let (mut rest, mut line) = (text, 1);
        while let Some(c) = rest.chars().next() {
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if let Some((length, inside)) = parse_raw_string(rest).or_else(|| parse_string(rest)) {
                let item = source.code.rsplit(";\n").next().unwrap_or_default();
                let item = item.rsplit(['{', '}']).next().unwrap_or_default();
                let is_constant = ["const ", "static "].iter().any(|word| item.contains(word));
                source.literals.push(Literal { text: inside.to_owned(), line, is_constant });
                length
            } else if let Some(length) = character_length(rest) {
                length
            } else {
                source.code.push(c);
                c.len_utf8()
            };
            line += rest[..length].matches('\n').count();
            rest = &rest[length..];
        }
        source
    }
}

/// Parses a string literal at the start of a text. Returns its length and content.
fn parse_string(text: &str) -> Option<(usize, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inside.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    Some((end + 2, &inside[..end]))
}

/// Parses `r"…"` or `r#"…"#`, like [`parse_string`].
fn parse_raw_string(text: &str) -> Option<(usize, &str)> {
    let after = text.strip_prefix('r')?;
    let inside = after.trim_start_matches('#');
    let hashes = &after[..after.len() - inside.len()];
    let inside = inside.strip_prefix('"')?;
    let end = inside.find(&format!("\"{hashes}"))?;
    Some((1 + hashes.len() + 1 + end + 1 + hashes.len(), &inside[..end]))
}

/// Length of a character literal at the start of a text. A lifetime is not one.
fn character_length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let after = match inside.strip_prefix('\\') {
        Some(escaped) => escaped.get(1..)?,
        None => inside.get(inside.chars().next()?.len_utf8()..)?,
    };
    let more = after.find('\'').filter(|more| *more == 0 || inside.starts_with('\\'))?;
    Some(text.len() - after.len() + more + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_start_git_is_found() {
        for text in [
            r#"fn f() { Command::new("git"); }"#,
            r#"fn f() { std::process::Command::new(
                "git",
            ); }"#,
            r##"use std::process::Command as P; fn f() { P::new(r#"git"#); }"##,
            r#"fn f() { tokio::process::Command::new("/usr/bin/git"); }"#,
            r#"fn f() { Command::new("env").args(["git", "status"]); }"#,
            r#"fn f() { Command::new("sh").args(["-c", "git status"]); }"#,
            r#"fn f() { let c = '"'; let e = '\''; Command::new("git"); }"#,
            r#"pub(crate) const PROGRAM: &str = "git";"#,
            r#"static PROGRAMS: [&str; 2] = ["sh", "git"];"#,
        ] {
            assert_eq!(lines_starting_git(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn mentions_of_git_are_ignored() {
        for text in [
            r#"fn f() { ok("git", version) }"#,
            r#"fn f() { "git init, or run charrette in a repository" }"#,
            r#"// Command::new("git")
               fn f() { Command::new("sh"); }"#,
            r#"/* "git" */ fn f<'a>(x: &'a str) { Command::new(x).arg("a \" git"); }"#,
            r#"fn f() { Command::new("sh"); say("no git here") }"#,
        ] {
            assert_eq!(lines_starting_git(text), [0_usize; 0], "{text}");
        }
    }
}
