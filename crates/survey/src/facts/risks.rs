//! What stands in a file that a change should mind: marks people left, and shapes that fail badly.

use crate::report::{Lines, Risk};
use crate::tree::kind::language;

/// So many risks of one file are named, the nearest to the request first.
const MOST_PER_FILE: usize = 4;
/// Files longer than this are hard to change.
const LARGE: usize = 900;

/// The risks of a source file. `near` is where the request's words stand.
pub(crate) fn in_file(path: &str, text: &str, near: Option<Lines>) -> Vec<Risk> {
    let Some(language) = language(path).filter(|language| language.is_code()) else { return Vec::new() };
    let end = end_of_code(path, text);
    let mut found: Vec<(usize, Risk)> = Vec::new();
    for (n, line) in text.lines().enumerate().take(end) {
        if let Some(kind) = kind(language.name, line.trim()) {
            let risk = Risk { path: path.to_owned(), line: n + 1, kind: kind.to_owned(), text: quoted(line) };
            found.push((distance(n + 1, near), risk));
        }
    }
    found.sort_by_key(|(distance, risk)| (rank(&risk.kind), *distance, risk.line));
    // Three lines of one kind tell no more than two.
    let mut kept: Vec<Risk> = Vec::new();
    for (_, risk) in found {
        if kept.len() < MOST_PER_FILE && kept.iter().filter(|known| known.kind == risk.kind).count() < 2 {
            kept.push(risk);
        }
    }
    kept.sort_by_key(|risk| risk.line);
    let lines = text.lines().count();
    if lines > LARGE {
        let text = format!("{lines} lines: a change here is easy to get wrong and hard to review");
        kept.push(Risk { path: path.to_owned(), line: 1, kind: "large".to_owned(), text });
    }
    kept
}

/// After how many lines the code ends and its tests begin.
pub(crate) fn end_of_code(path: &str, text: &str) -> usize {
    let tests = path.ends_with(".rs").then(|| text.lines().position(|line| line.trim() == "#[cfg(test)]"));
    tests.flatten().unwrap_or(usize::MAX)
}

fn distance(line: usize, near: Option<Lines>) -> usize {
    near.map_or(0, |near| if line < near.first { near.first - line } else { line.saturating_sub(near.last) })
}

/// What people wrote down themselves comes first.
fn rank(kind: &str) -> usize {
    ["todo", "deprecated", "swallowed", "unsafe", "shell", "panic"]
        .iter()
        .position(|known| *known == kind)
        .unwrap_or(9)
}

/// The kind of risk on a line without blanks around it.
fn kind(language: &str, line: &str) -> Option<&'static str> {
    let comment = comment(language, line);
    if let Some(comment) = comment {
        let marked = ["TODO", "FIXME", "HACK", "XXX"].iter().any(|mark| has_word(comment, mark));
        return marked.then_some("todo");
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
        "Rust" if line.starts_with("let _ = ") || line.ends_with(".ok();") => Some("swallowed"),
        "Python" if matches!(line, "except:" | "except Exception:" | "except BaseException:") => {
            Some("swallowed")
        }
        "Python" if has(&["shell=True", "os.system(", "eval(", "exec("]) => Some("shell"),
        "JavaScript" | "TypeScript"
            if has(&["catch {}", "catch (e) {}", "catch (err) {}", ".catch(() => {})"]) =>
        {
            Some("swallowed")
        }
        "JavaScript" | "TypeScript"
            if has(&["child_process.exec(", "execSync(", "eval(", "dangerouslySetInnerHTML"]) =>
        {
            Some("shell")
        }
        "TypeScript" if has(&["@ts-ignore", "as any"]) => Some("unsafe"),
        "Go" if has(&["panic("]) => Some("panic"),
        "Go" if line.starts_with("_ = ") || line.starts_with("_, _ = ") => Some("swallowed"),
        "Go" if has(&["unsafe.Pointer", "exec.Command(\"sh\""]) => Some("unsafe"),
        "Java" | "Kotlin" if has(&["printStackTrace()", "catch (Exception ignored)", "catch (Throwable"]) => {
            Some("swallowed")
        }
        "C" | "C++" if has(&["strcpy(", "sprintf(", "gets(", "system("]) => Some("unsafe"),
        "Shell" if has(&["eval "]) => Some("shell"),
        _ => None,
    }
}

/// What a comment on its own line, or at the end of one with a mark in it, says.
fn comment<'a>(language: &str, line: &'a str) -> Option<&'a str> {
    let marks: &[&str] = match language {
        "Python" | "Ruby" | "Shell" | "Make" | "Elixir" | "R" | "Perl" => &["#"],
        "SQL" | "Lua" | "Haskell" => &["--"],
        _ => &["//", "/*", "*"],
    };
    marks.iter().find_map(|mark| line.strip_prefix(mark)).or_else(|| {
        let tail = marks
            .iter()
            .filter(|mark| mark.len() > 1)
            .find_map(|mark| line.split_once(&format!(" {mark}")))?
            .1;
        ["TODO", "FIXME"].iter().any(|word| has_word(tail, word)).then_some(tail)
    })
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word)
}

/// A line to be quoted: its blanks trimmed, cut if long.
fn quoted(line: &str) -> String {
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
            ("a.rs", "let _ = send();", Some("swallowed")),
            ("a.rs", "let todos = 1;", None),
            ("a.py", "except:", Some("swallowed")),
            ("a.py", "subprocess.run(x, shell=True)", Some("shell")),
            ("a.py", "# FIXME broken", Some("todo")),
            ("a.ts", "const x = y as any;", Some("unsafe")),
            ("a.js", "x(); // TODO later", Some("todo")),
            ("a.go", "panic(err)", Some("panic")),
            ("A.java", "e.printStackTrace();", Some("swallowed")),
            ("a.md", "TODO", None),
            ("a.toml", "# TODO", None),
        ] {
            let found = in_file(path, line, None);
            assert_eq!(found.first().map(|risk| risk.kind.as_str()), expected, "{path}: {line}");
        }
    }

    #[test]
    fn tests_inside_a_file_are_no_risk_and_the_nearest_come_first() {
        let text =
            format!("{}x.unwrap();\n#[cfg(test)]\nmod tests {{ y.unwrap(); }}\n", "a.unwrap();\n".repeat(10));
        let lines: Vec<usize> = in_file("a.rs", &text, Some(Lines { first: 9, last: 11 }))
            .into_iter()
            .map(|risk| risk.line)
            .collect();
        assert_eq!(lines, [9, 10]);
    }

    #[test]
    fn a_large_file_is_a_risk_of_its_own() {
        let risks = in_file("a.rs", &"x\n".repeat(1000), None);
        assert_eq!((risks[0].kind.as_str(), risks[0].line), ("large", 1));
    }
}
