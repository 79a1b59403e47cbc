//! Lines of test runners that name a test and state its outcome.

use super::reading::{LineState, TestLine};
use serde_json::Value;

/// All lines of an output that name a test.
pub(super) fn read_lines(text: &str) -> Vec<TestLine<'_>> {
    let mut found = Vec::new();
    let mut suites: Vec<(usize, String)> = Vec::new();
    let mut cases: Option<String> = None;
    let all: Vec<&str> = text.lines().collect();
    for (at, line) in all.iter().enumerate() {
        let mut push = |(name, state): (String, LineState)| found.push(TestLine { name, state, line });
        if let Some(case) = xml_case(line, &mut cases) {
            push(case);
            continue;
        }
        let readers = [
            cargo, nextest, pytest, unittest, go, go_json, gtest, gradle, maven, minitest, php, dotnet, tap,
            rspec,
        ];
        if let Some(one) = readers.iter().find_map(|reader| reader(line)) {
            push(one);
            continue;
        }
        // cargo with --nocapture: the outcome comes after what the test printed.
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| {
            rest.strip_suffix(" ...").or_else(|| rest.split_once(" ... ").map(|(name, _)| name))
        }) && let Some(state) = all[at + 1..]
            .iter()
            .take_while(|next| !next.starts_with("test "))
            .find_map(|next| bare_state(next.trim()))
        {
            push((name.to_owned(), state));
            continue;
        }
        if let Some(one) = tree(line, &mut suites) {
            push(one);
        }
    }
    found
}

fn state_word(word: &str) -> Option<LineState> {
    Some(match word.trim_matches(['.', ',', '!', ':']) {
        "ok" | "OK" | "PASS" | "PASSED" | "Passed" | "XPASS" | "LEAK" => LineState::Passed,
        "FAIL" | "FAILED" | "ERROR" | "Failed" | "SIGABRT" | "SIGSEGV" | "TIMEOUT" | "ABORT" => {
            LineState::Failed
        }
        "ignored" | "skipped" | "SKIP" | "SKIPPED" | "Skipped" | "XFAIL" => LineState::Skipped,
        _ => return None,
    })
}

fn bare_state(line: &str) -> Option<LineState> {
    matches!(line, "ok" | "FAILED" | "ignored").then(|| state_word(line))?
}

/// `test limit::burst ... ok`, also with `- should panic`, a time or a reason.
fn cargo(line: &str) -> Option<(String, LineState)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let state = state_word(rest.split([' ', ',']).next()?)?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    Some((name.to_owned(), state))
}

/// `    PASS [   0.005s] (1/2) crate::bin limit::burst`
fn nextest(line: &str) -> Option<(String, LineState)> {
    let line = line.trim_start();
    let (head, rest) = line.split_once('[')?;
    let mut words = head.split_whitespace();
    let state = match (words.next()?, words.next(), words.next()) {
        // The last try decides; it has a line of its own.
        ("TRY", _, Some(word)) if state_word(word) == Some(LineState::Passed) => LineState::Passed,
        ("FLAKY", _, _) => LineState::Passed,
        ("TRY", _, _) => return None,
        (word, None, None) if word.chars().all(|c| c.is_ascii_uppercase()) => state_word(word)?,
        _ => return None,
    };
    let (time, rest) = rest.split_once(']')?;
    if !time.trim().ends_with('s') || !time.trim().starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((rest.trim().rsplit(' ').next()?.to_owned(), state))
}

/// `tests/test_a.py::test_b PASSED [ 50%]`, `[gw0] [ 50%] PASSED tests/test_a.py::test_b`, `FAILED tests/test_a.py::test_b - why`.
fn pytest(line: &str) -> Option<(String, LineState)> {
    let mut line = line.trim();
    while let Some((_, rest)) = line.strip_prefix('[').and_then(|open| open.split_once(']')) {
        line = rest.trim_start();
    }
    let (first, rest) = line.split_once(' ')?;
    if let Some(state) = state_word(first).filter(|_| first.chars().all(|c| c.is_ascii_uppercase())) {
        let name = rest.split(" - ").next()?.trim();
        return name.contains("::").then(|| (name.to_owned(), state));
    }
    // A parameter may hold blanks, so the word of the outcome is looked for from the end.
    let line =
        line.trim_end_matches(|c: char| c == ']' || c == '%' || c.is_ascii_digit() || c == '[' || c == ' ');
    let (name, word) = line.rsplit_once(' ')?;
    let (name, word) = if word.ends_with(')') {
        name.split_once(" SKIPPED")
            .map(|(name, _)| (name, "SKIPPED"))
            .or_else(|| name.split_once(" XFAIL").map(|(name, _)| (name, "XFAIL")))?
    } else {
        (name, word)
    };
    let state = state_word(word).filter(|_| word.chars().all(|c| c.is_ascii_uppercase()))?;
    (name.contains("::") && name.contains(".py")).then(|| (name.trim().to_owned(), state))
}

/// `test_b (test_a.T.test_b) ... ok`, `test_b (test_a.T) ... FAIL`.
fn unittest(line: &str) -> Option<(String, LineState)> {
    let (head, rest) = line.split_once(" ... ")?;
    let state = state_word(rest.split_whitespace().next()?)?;
    let (name, class) = head.split_once(" (")?;
    let class = class.split(')').next()?;
    if name.contains(' ') || class.contains(' ') {
        return None;
    }
    let full =
        if class.rsplit('.').next() == Some(name) { class.to_owned() } else { format!("{class}.{name}") };
    Some((full, state))
}

/// `    --- PASS: TestA/sub (0.00s)`
fn go(line: &str) -> Option<(String, LineState)> {
    let (word, rest) = line.trim_start().strip_prefix("--- ")?.split_once(": ")?;
    let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
    Some((name.trim().to_owned(), state_word(word)?))
}

/// `{"Action":"pass","Package":"p","Test":"TestA"}`
fn go_json(line: &str) -> Option<(String, LineState)> {
    let value: Value = line.starts_with('{').then(|| serde_json::from_str(line).ok())??;
    let state = match value.get("Action")?.as_str()? {
        "pass" => LineState::Passed,
        "fail" => LineState::Failed,
        "skip" => LineState::Skipped,
        _ => return None,
    };
    Some((value.get("Test")?.as_str()?.to_owned(), state))
}

/// `[       OK ] Limit.Burst (0 ms)`
fn gtest(line: &str) -> Option<(String, LineState)> {
    let (word, rest) = line.strip_prefix('[')?.split_once(']')?;
    let state = state_word(word.trim())?;
    let name = rest.split(" (").next()?.split(',').next()?.trim();
    (name.contains('.') && !name.contains(' ')).then(|| (name.to_owned(), state))
}

/// `LimitTest > adds() PASSED`
fn gradle(line: &str) -> Option<(String, LineState)> {
    let (name, word) = line.trim().rsplit_once(' ')?;
    let state = matches!(word, "PASSED" | "FAILED" | "SKIPPED").then(|| state_word(word))??;
    (name.contains(" > ") && !name.starts_with("Task ") && !name.starts_with("> "))
        .then(|| (name.to_owned(), state))
}

/// `[ERROR] com.x.LimitTest.adds  Time elapsed: 0.01 s  <<< FAILURE!`, `[INFO] com.x.LimitTest.adds -- Time elapsed: 0.01 s`.
fn maven(line: &str) -> Option<(String, LineState)> {
    let rest =
        ["[ERROR]", "[INFO]", "[WARNING]"].iter().find_map(|mark| line.trim().strip_prefix(mark))?.trim();
    let (name, after) = rest.split_once("Time elapsed:")?;
    let name = name.trim_end_matches([' ', '-']);
    if name.is_empty() || name.contains("Tests run:") {
        return None;
    }
    let state = if after.contains("<<< FAIL") || after.contains("<<< ERROR") {
        LineState::Failed
    } else if after.contains("skipped") {
        LineState::Skipped
    } else {
        LineState::Passed
    };
    // `adds(com.x.LimitTest)` is the older form.
    let name = match name.split_once('(') {
        Some((test, class)) if class.ends_with(')') && class.len() > 1 => {
            format!("{}.{test}", &class[..class.len() - 1])
        }
        _ => name.to_owned(),
    };
    (!name.contains(' ')).then_some((name, state))
}

/// `TestA#test_b = 0.00 s = .`
fn minitest(line: &str) -> Option<(String, LineState)> {
    let (head, mark) = line.trim().rsplit_once(" = ")?;
    let (name, time) = head.rsplit_once(" = ")?;
    let state = match mark.trim() {
        "." => LineState::Passed,
        "F" | "E" => LineState::Failed,
        "S" => LineState::Skipped,
        _ => return None,
    };
    (time.trim().ends_with('s') && name.contains('#')).then(|| (name.trim().to_owned(), state))
}

/// `Test Passed (LimitTest::testAdds)` of `PHPUnit` with `--debug`, and `1) LimitTest::testAdds` of its failures.
fn php(line: &str) -> Option<(String, LineState)> {
    let line = line.trim();
    for (start, state) in [
        ("Test Passed (", LineState::Passed),
        ("Test Failed (", LineState::Failed),
        ("Test Errored (", LineState::Failed),
        ("Test Skipped (", LineState::Skipped),
    ] {
        if let Some(rest) = line.strip_prefix(start) {
            return Some((rest.split(')').next()?.to_owned(), state));
        }
    }
    let (number, name) = line.split_once(") ")?;
    let is_failure = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_failure && name.contains("::") && !name.contains(' ')).then(|| (name.to_owned(), LineState::Failed))
}

/// `  Passed Limit.Tests.Adds [1 ms]`
fn dotnet(line: &str) -> Option<(String, LineState)> {
    let (word, rest) = line.trim().split_once(' ')?;
    let state = matches!(word, "Passed" | "Failed" | "Skipped").then(|| state_word(word))??;
    let name = rest.rsplit_once(" [")?.0.trim();
    name.contains('.').then(|| (name.to_owned(), state))
}

/// `ok 1 - adds`, `not ok 2 - fails # TODO later`, indented or not.
fn tap(line: &str) -> Option<(String, LineState)> {
    let line = line.trim_start();
    let (failed, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("ok ")?),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let rest = rest[digits..].trim_start();
    let (name, directive) = rest.split_once(" # ").unwrap_or((rest, ""));
    let directive = directive.to_lowercase();
    let name = name.strip_prefix("- ").unwrap_or(name).trim();
    let state = match failed {
        _ if directive.starts_with("skip") || directive.starts_with("todo") => LineState::Skipped,
        true => LineState::Failed,
        false => LineState::Passed,
    };
    (digits > 0 && !name.is_empty()).then(|| (name.to_owned(), state))
}

/// `rspec ./spec/a_spec.rb:4 # Limit adds two`: a failed example.
fn rspec(line: &str) -> Option<(String, LineState)> {
    let (_, name) = line.strip_prefix("rspec ./")?.split_once(" # ")?;
    Some((name.trim().to_owned(), LineState::Failed))
}

/// `<testcase name="adds" classname="x.LimitTest" …>` with what stands inside it, on one line or several.
fn xml_case(line: &str, open: &mut Option<String>) -> Option<(String, LineState)> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("<testcase ") {
        let value = |name: &str| {
            let (_, after) = rest.split_once(&format!("{name}=\""))?;
            Some(after.split('"').next()?.to_owned())
        };
        let test = value(" name").or_else(|| rest.starts_with("name=").then(|| value("name"))?)?;
        let class = value("classname").unwrap_or_default();
        let name = if class.is_empty() { test } else { format!("{class}.{test}") };
        if rest.contains("<failure") || rest.contains("<error") {
            return Some((name, LineState::Failed));
        }
        if rest.contains("<skipped") {
            return Some((name, LineState::Skipped));
        }
        if rest.ends_with("/>") || rest.contains("</testcase>") {
            return Some((name, LineState::Passed));
        }
        *open = Some(name);
        return None;
    }
    let state = match line {
        line if line.starts_with("<failure") || line.starts_with("<error") => LineState::Failed,
        line if line.starts_with("<skipped") => LineState::Skipped,
        line if line.starts_with("</testcase>") => LineState::Passed,
        _ => return None,
    };
    open.take().map(|name| (name, state))
}

/// Marks of reporters that print a tree: jest, vitest, mocha, node, testdox, the console of `JUnit`.
const MARKS: [(&str, LineState); 14] = [
    ("✓", LineState::Passed),
    ("✔", LineState::Passed),
    ("√", LineState::Passed),
    ("✕", LineState::Failed),
    ("✖", LineState::Failed),
    ("✗", LineState::Failed),
    ("✘", LineState::Failed),
    ("×", LineState::Failed),
    ("○", LineState::Skipped),
    ("﹣", LineState::Skipped),
    ("↓", LineState::Skipped),
    ("↩", LineState::Skipped),
    ("∅", LineState::Skipped),
    ("✎", LineState::Skipped),
];

/// A line of a tree: a marked test, or an unmarked suite above tests.
fn tree(line: &str, suites: &mut Vec<(usize, String)>) -> Option<(String, LineState)> {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || "│├└─╷".contains(c));
    let indent = line.chars().count() - text.chars().count();
    if text.is_empty() {
        return None;
    }
    suites.retain(|(above, _)| *above < indent);
    let full = |name: &str| {
        suites.iter().map(|(_, suite)| suite.as_str()).chain([name]).collect::<Vec<_>>().join(" > ")
    };
    if let Some((rest, state)) =
        MARKS.iter().find_map(|(mark, state)| Some((text.strip_prefix(mark)?, *state)))
    {
        let rest = rest.trim_start().trim_start_matches("skipped ").trim_start_matches("todo ");
        // vitest marks files as well: `✓ src/a.test.ts (2 tests) 4ms`.
        let is_file = rest.contains(" test)") || rest.contains(" tests)") || rest.contains(" tests |");
        let name = without_time(rest);
        if is_file || name.is_empty() {
            return None;
        }
        let state =
            if rest.contains("# SKIP") || rest.contains("# TODO") { LineState::Skipped } else { state };
        return Some((full(name.split(" # ").next().unwrap_or(name).trim()), state));
    }
    // jest names failed tests once more: `● Limit › adds two`.
    if let Some(name) = text.strip_prefix("● ").filter(|name| name.contains(" › ")) {
        return Some((name.trim().to_owned(), LineState::Failed));
    }
    // mocha numbers failed tests: `1) adds`; below the totals they are suites, and their test follows.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0
        && let Some(name) = text[digits..].strip_prefix(") ")
    {
        let name = name.trim().trim_end_matches(':');
        if indent > 2 || !suites.is_empty() {
            return Some((full(name), LineState::Failed));
        }
        suites.push((indent, name.to_owned()));
        return Some((name.to_owned(), LineState::Failed));
    }
    // JUnit's console and RSpec's documentation put the outcome behind the name.
    for (end, state) in [
        (" ✔", LineState::Passed),
        (" [OK]", LineState::Passed),
        (" ✘", LineState::Failed),
        (" [X]", LineState::Failed),
        (" ↷", LineState::Skipped),
        (" [S]", LineState::Skipped),
    ] {
        if let Some(at) = text.find(end).filter(|_| line != text) {
            let name = text[..at].trim();
            suites.push((indent, name.to_owned()));
            return Some((name.to_owned(), state));
        }
    }
    for (mark, state) in [(" (FAILED - ", LineState::Failed), (" (PENDING", LineState::Skipped)] {
        if let Some((name, _)) = text.split_once(mark) {
            return Some((full(name), state));
        }
    }
    let is_suite = text.len() < 200 && !text.ends_with(['.', ';', '{', '}']) && !text.contains("://");
    if is_suite {
        let name = text.trim_start_matches("▶ ").trim_end();
        suites.push((indent, without_time(name).to_owned()));
    }
    None
}

/// A name without the time behind it: `adds (3 ms)`, `adds 3ms`, `adds (0.51ms)`.
fn without_time(text: &str) -> &str {
    let text = text.trim_end();
    let is_time = |word: &str| {
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == 'µ');
        let unit = &word[number.len()..];
        matches!(unit, "ms" | "s" | "m" | "µs") && number.parse::<f64>().is_ok()
    };
    if let Some((before, inside)) = text.strip_suffix(')').and_then(|open| open.rsplit_once(" ("))
        && is_time(&inside.replace(' ', ""))
    {
        return before.trim_end();
    }
    match text.rsplit_once(' ') {
        Some((before, last)) if is_time(last) => before.trim_end(),
        _ => text,
    }
}
