//! Risks in a source file: open notes, panics, unsafe code, dropped errors, shell calls, deprecations, size.

use super::dropped_errors::dropped_errors;
use super::open_notes::open_notes;
use crate::report::{LineRange, Risk};
use crate::syntax::parse;
use crate::tree::kind::language;

/// Maximum number of risks per file, the nearest to the request first.
const MAX_PER_FILE: usize = 4;
/// Files with more lines than this are reported as large.
const LARGE_FILE_LINES: usize = 900;

/// Finds the risks of a source file. `near` is the passage that matches the request.
pub(crate) fn find_risks(path: &str, text: &str, near: Option<LineRange>) -> Vec<Risk> {
    let Some(language) = language(path).filter(|language| language.is_code()) else { return Vec::new() };
    let end = end_of_code(path, text);
    let parsed = parse(path, text);
    let notes = open_notes(path, language.name, parsed.as_deref(), text);
    let dropped = parsed.as_ref().map(|parsed| dropped_errors(parsed, text)).unwrap_or_default();
    let mut found: Vec<(usize, Risk)> = Vec::new();
    for (n, line) in text.lines().enumerate().take(end) {
        let kind = if notes.contains(&(n + 1)) {
            Some("todo")
        } else if dropped.contains(&(n + 1)) {
            Some("swallowed")
        } else {
            risk_kind(language.name, line.trim())
        };
        if let Some(kind) = kind {
            let risk =
                Risk { path: path.to_owned(), line: n + 1, kind: kind.to_owned(), text: excerpt(line) };
            found.push((distance(n + 1, near), risk));
        }
    }
    found.sort_by_key(|(distance, risk)| (kind_priority(&risk.kind), *distance, risk.line));
    // Report at most two of a kind.
    let mut kept: Vec<Risk> = Vec::new();
    for (_, risk) in found {
        if kept.len() < MAX_PER_FILE && kept.iter().filter(|known| known.kind == risk.kind).count() < 2 {
            kept.push(risk);
        }
    }
    kept.sort_by_key(|risk| risk.line);
    let lines = text.lines().count();
    if lines > LARGE_FILE_LINES {
        let text = format!("{lines} lines: a change here is easy to get wrong and hard to review");
        kept.push(Risk { path: path.to_owned(), line: 1, kind: "large".to_owned(), text });
    }
    kept
}

/// Number of lines before the inline tests.
pub(crate) fn end_of_code(path: &str, text: &str) -> usize {
    let tests = path.ends_with(".rs").then(|| text.lines().position(|line| line.trim() == "#[cfg(test)]"));
    tests.flatten().unwrap_or(usize::MAX)
}

fn distance(line: usize, near: Option<LineRange>) -> usize {
    near.map_or(0, |near| if line < near.first { near.first - line } else { line.saturating_sub(near.last) })
}

/// Priority of a kind: notes written by people come first.
fn kind_priority(kind: &str) -> usize {
    ["todo", "deprecated", "swallowed", "unsafe", "shell", "panic"]
        .iter()
        .position(|known| *known == kind)
        .unwrap_or(9)
}

/// Kind of risk on a trimmed line.
fn risk_kind(language: &str, line: &str) -> Option<&'static str> {
    if is_comment(language, line) {
        return None;
    }
    let has = |wanted: &[&str]| wanted.iter().any(|text| line.contains(text));
    if has(&["@deprecated", "@Deprecated", "#[deprecated"]) {
        return Some("deprecated");
    }
    match language {
        "Rust"
            if has(&[".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unreachable!("]) =>
        {
            Some("panic")
        }
        "Rust" if line.starts_with("unsafe ") || has(&[" unsafe {", "unsafe fn ", "unsafe impl "]) => {
            Some("unsafe")
        }
        "Python" if has(&["shell=True", "os.system("]) || calls(line, &["eval(", "exec("]) => Some("shell"),
        "JavaScript" | "TypeScript"
            if has(&["child_process.exec(", "execSync(", "eval(", "dangerouslySetInnerHTML"]) =>
        {
            Some("shell")
        }
        "TypeScript" if has(&["@ts-ignore", "as any"]) => Some("unsafe"),
        "Go" if has(&["panic("]) => Some("panic"),
        "Go" if has(&["unsafe.Pointer", "exec.Command(\"sh\""]) => Some("unsafe"),
        "C" | "C++" if has(&["strcpy(", "sprintf(", "gets(", "system("]) => Some("unsafe"),
        "Shell" if has(&["eval "]) => Some("shell"),
        _ => None,
    }
}

/// True if a line calls one of the functions, and not a method or a function whose name ends like it.
fn calls(line: &str, functions: &[&str]) -> bool {
    functions.iter().any(|function| {
        line.match_indices(function).any(|(at, _)| {
            !line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '\''))
        })
    })
}

/// True for a line that is only a comment.
fn is_comment(language: &str, line: &str) -> bool {
    let marks: &[&str] = match language {
        "Python" | "Ruby" | "Shell" | "Make" | "Elixir" | "R" | "Perl" => &["#"],
        "SQL" | "Lua" | "Haskell" => &["--"],
        _ => &["//", "/*", "*"],
    };
    marks.iter().any(|mark| line.starts_with(mark))
}

/// A line to be quoted: trimmed, cut if long.
fn excerpt(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(160) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risks_are_found_by_language() {
        for (path, line, expected) in [
            ("a.rs", "    // TODO: retry", Some("todo")),
            ("a.rs", "let x = y.unwrap();", Some("panic")),
            ("a.rs", "/// Call `x.unwrap()` here", None),
            ("a.rs", "unsafe { x }", Some("unsafe")),
            ("a.rs", "let _ = send();", None),
            ("a.rs", "let todos = 1;", None),
            ("a.py", "try:\n    f()\nexcept:\n    pass", Some("swallowed")),
            ("a.py", "try:\n    f()\nexcept Exception:\n    raise", None),
            ("a.py", "subprocess.run(x, shell=True)", Some("shell")),
            ("a.py", "x = eval(y)", Some("shell")),
            ("a.py", "x = ast.literal_eval(y)", None),
            ("a.py", "# FIXME broken", Some("todo")),
            ("a.ts", "const x = y as any;", Some("unsafe")),
            ("a.js", "x(); // TODO later", Some("todo")),
            ("a.go", "panic(err)", Some("panic")),
            ("A.java", "e.printStackTrace();", None),
            ("a.md", "TODO", None),
            ("a.toml", "# TODO", None),
        ] {
            let found = find_risks(path, line, None);
            assert_eq!(found.first().map(|risk| risk.kind.as_str()), expected, "{path}: {line}");
        }
    }

    #[test]
    fn tests_inside_a_file_are_no_risk_and_the_nearest_come_first() {
        let text =
            format!("{}x.unwrap();\n#[cfg(test)]\nmod tests {{ y.unwrap(); }}\n", "a.unwrap();\n".repeat(10));
        let lines: Vec<usize> = find_risks("a.rs", &text, Some(LineRange { first: 9, last: 11 }))
            .into_iter()
            .map(|risk| risk.line)
            .collect();
        assert_eq!(lines, [9, 10]);
    }

    #[test]
    fn a_large_file_is_a_risk_of_its_own() {
        let risks = find_risks("a.rs", &"x\n".repeat(1000), None);
        assert_eq!((risks[0].kind.as_str(), risks[0].line), ("large", 1));
    }
}
