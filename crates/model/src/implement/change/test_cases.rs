//! Test cases in source text, found by the forms of the common test libraries: names, skip marks, and the number of
//! assertions.
//!
//! This is no parser of any language. A test is a line that begins one, and the lines below that are indented further.

use crate::implement::paths::is_test_path;

/// A test case in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCase {
    pub name: String,
    /// From 1.
    pub line: usize,
    /// Number of assertions that can fail.
    pub assertions: usize,
    /// True if it is marked to be left out.
    pub is_skipped: bool,
}

/// Family of test libraries, by the extension of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Rust,
    Python,
    Script,
    Go,
    Jvm,
    Ruby,
    Php,
}

fn family(path: &str) -> Option<Family> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension.to_lowercase().as_str() {
        "rs" => Family::Rust,
        "py" => Family::Python,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => Family::Script,
        "go" => Family::Go,
        "java" | "kt" | "kts" | "groovy" | "scala" | "cs" | "swift" => Family::Jvm,
        "rb" => Family::Ruby,
        "php" => Family::Php,
        _ => return None,
    })
}

/// The test cases of a file. In Rust they may be in any file, elsewhere only in test files.
pub fn test_cases(path: &str, text: &str) -> Vec<TestCase> {
    let Some(family) = family(path).filter(|family| *family == Family::Rust || is_test_path(path)) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut cases = Vec::new();
    let mut marks: Vec<&str> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if is_comment(trimmed, family) {
            continue;
        }
        if is_mark(trimmed, family) {
            marks.push(trimmed);
            // A mark and its function may share a line.
            let has_function = match family {
                Family::Rust => trimmed.contains("fn "),
                Family::Jvm => trimmed.ends_with('{'),
                _ => false,
            };
            if !has_function {
                continue;
            }
        }
        if let Some(name) = case_name(trimmed, &marks, family) {
            let body = body(&lines, at);
            let assertions = body
                .iter()
                .filter(|line| !is_comment(line.trim(), family))
                .map(|line| assertions(line))
                .sum();
            let is_skipped = marks.iter().chain(&[trimmed]).any(|mark| skips(mark, family))
                || body.iter().any(|line| skips_inside(line.trim(), family));
            cases.push(TestCase { name, line: at + 1, assertions, is_skipped });
        }
        if !trimmed.is_empty() {
            marks.clear();
        }
    }
    cases
}

/// Number of marks in a file that skip tests or narrow a run to some of them, suites and modules included.
pub(super) fn skip_marks(path: &str, text: &str) -> Vec<usize> {
    let Some(family) = family(path).filter(|family| *family == Family::Rust || is_test_path(path)) else {
        return Vec::new();
    };
    let lines = text.lines().enumerate();
    let is_skip =
        |line: &str| !is_comment(line, family) && (skips(line, family) || skips_inside(line, family));
    lines.filter(|(_, line)| is_skip(line.trim())).map(|(at, _)| at + 1).collect()
}

fn is_comment(line: &str, family: Family) -> bool {
    match family {
        Family::Python | Family::Ruby => line.starts_with('#'),
        Family::Php => {
            line.starts_with("//")
                || line.starts_with("/*")
                || line.starts_with("* ") && !line.contains("@test")
        }
        _ => line.starts_with("//") || line.starts_with("/*") || line.starts_with("* "),
    }
}

/// True for a line that describes the function below it.
fn is_mark(line: &str, family: Family) -> bool {
    match family {
        Family::Rust => line.starts_with("#["),
        Family::Python => line.starts_with('@'),
        Family::Jvm => line.starts_with('@') || line.starts_with('['),
        Family::Php => line.starts_with("#[") || line.contains("@test"),
        Family::Script | Family::Go | Family::Ruby => false,
    }
}

fn case_name(line: &str, marks: &[&str], family: Family) -> Option<String> {
    match family {
        Family::Rust => {
            let is_test = marks.iter().any(|mark| {
                let inside = mark.trim_start_matches("#[");
                let name = inside.split(['(', ']', ' ']).next().unwrap_or_default();
                name == "test"
                    || name.ends_with("::test")
                    || name == "rstest"
                    || name == "test_case"
                    || name == "wasm_bindgen_test"
            });
            is_test.then(|| word_after(line, "fn "))?
        }
        Family::Python => {
            let line = line.strip_prefix("async ").unwrap_or(line);
            line.starts_with("def test").then(|| word_after(line, "def "))?
        }
        Family::Script => call_title(line, &["it", "test", "specify", "xit", "xtest", "fit", "Deno.test"]),
        Family::Go => {
            let is_test =
                ["func Test", "func Fuzz", "func Example"].iter().any(|start| line.starts_with(start));
            is_test.then(|| word_after(line, "func "))?
        }
        Family::Jvm => {
            let is_test = marks.iter().any(|mark| {
                let name =
                    mark.trim_start_matches(['@', '[']).split(['(', ']', ' ']).next().unwrap_or_default();
                matches!(
                    name,
                    "Test"
                        | "ParameterizedTest"
                        | "RepeatedTest"
                        | "Fact"
                        | "Theory"
                        | "TestMethod"
                        | "TestCase"
                )
            });
            let before = line.split('(').next().unwrap_or_default();
            let name = before.rsplit([' ', '`']).find(|word| !word.is_empty());
            (is_test && line.contains('(')).then(|| name.map(str::to_owned))?
        }
        Family::Ruby => {
            let block = call_title(line, &["it", "specify", "example", "test", "xit", "xspecify", "fit"]);
            block.or_else(|| line.starts_with("def test_").then(|| word_after(line, "def "))?)
        }
        Family::Php => {
            let is_marked = marks.iter().any(|mark| mark.contains("@test") || mark.starts_with("#[Test"));
            let name = line.contains("function ").then(|| word_after(line, "function "))??;
            (is_marked || name.starts_with("test")).then_some(name)
        }
    }
}

fn word_after(line: &str, before: &str) -> Option<String> {
    let (_, rest) = line.split_once(before)?;
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// Title of a call `it("adds", …)`, `test.skip('adds', …)`, `it 'adds' do`.
fn call_title(line: &str, names: &[&str]) -> Option<String> {
    let rest = names
        .iter()
        .find_map(|name| line.strip_prefix(name).filter(|rest| rest.starts_with(['(', '.', ' '])))?;
    let quote = rest.find(['\'', '"', '`'])?;
    if rest[..quote].contains(['{', '=', ';']) {
        return None;
    }
    let mark = rest[quote..].chars().next()?;
    let inside = &rest[quote + 1..];
    let title = inside.split(mark).next()?;
    (!title.trim().is_empty()).then(|| title.to_owned())
}

/// Lines of a test: the first one, and those below that are indented further or only close it.
fn body<'a>(lines: &[&'a str], at: usize) -> Vec<&'a str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines[at]);
    let below = lines[at + 1..].iter().take_while(|line| {
        let trimmed = line.trim_start();
        trimmed.is_empty() || indent(line) > own || trimmed.starts_with([')', '}', ']', '{'])
    });
    [lines[at]].into_iter().chain(below.copied()).collect()
}

/// Words that begin an assertion, in lower case.
const ASSERTIONS: [&str; 21] = [
    "assert",
    "expect(",
    "expect {",
    "expect_",
    "should.",
    ".should",
    "require.",
    "t.error",
    "t.fatal",
    "t.fail",
    "t.is(",
    "t.deepequal(",
    "t.true(",
    "refute",
    "must_",
    "wont_",
    "pytest.raises",
    "pytest.fail",
    "panic!(",
    "verify(",
    "xctassert",
];

/// Assertions that cannot fail, in lower case.
const EMPTY_ASSERTIONS: [&str; 7] = [
    "assert!(true)",
    "assert true",
    "asserttrue(true",
    "expect(true).tobe(true)",
    "assert 1 == 1",
    "assert_eq!(1, 1)",
    "expect(1).tobe(1)",
];

/// Number of assertions of a line that can fail.
fn assertions(line: &str) -> usize {
    let lower = line.to_lowercase();
    if EMPTY_ASSERTIONS.iter().any(|empty| lower.contains(empty)) {
        return 0;
    }
    let mut rest = lower.as_str();
    let mut count = 0;
    while !rest.is_empty() {
        let word = ASSERTIONS.iter().find_map(|word| rest.strip_prefix(word));
        let after = word.map_or(rest, |after| {
            count += 1;
            // The rest of the word belongs to the same call: assert_eq!, assertEquals, assert.equal.
            after.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '!'))
        });
        let mut chars = after.chars();
        if word.is_none() {
            chars.next();
        }
        rest = chars.as_str();
    }
    count
}

/// True if a line leaves out the test or suite it stands before, or narrows the run to it.
fn skips(line: &str, family: Family) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    match family {
        Family::Rust => {
            begins(&["#[ignore", "#[cfg(any())]", "#[cfg(never"])
                || line.starts_with("#[cfg_attr(") && line.contains("ignore")
        }
        Family::Python => {
            has(&["pytest.mark.skip", "pytest.mark.xfail", "unittest.skip", "unittest.expectedFailure"])
                || begins(&["@skip", "@expectedFailure"])
        }
        Family::Script => {
            begins(&["xit(", "xtest(", "xdescribe(", "fit(", "fdescribe(", "xit.", "xtest."])
                || ["it", "test", "describe", "suite", "context"].iter().any(|call| {
                    line.strip_prefix(call).is_some_and(|rest| {
                        [".skip", ".only", ".todo", ".failing", ".fails", ".fixme"]
                            .iter()
                            .any(|end| rest.starts_with(end))
                    })
                })
                || has(&["skip: true", "todo: true", "only: true"])
        }
        Family::Go => false,
        Family::Jvm => begins(&["@Disabled", "@Ignore", "[Ignore", "[Skip"]) || line.contains("Skip ="),
        Family::Ruby => {
            begins(&["xit ", "xdescribe ", "xcontext ", "xspecify ", "fit ", "fdescribe "])
                || has(&[", :skip", "skip: true", ", pending:"])
        }
        Family::Php => has(&["@group skip", "#[Ignore"]),
    }
}

/// True if a line inside a test ends it early.
fn skips_inside(line: &str, family: Family) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    match family {
        Family::Python => begins(&[
            "pytest.skip(",
            "pytest.xfail(",
            "self.skipTest(",
            "raise unittest.SkipTest",
            "pytest.importorskip(",
        ]),
        Family::Go => begins(&["t.Skip(", "t.SkipNow(", "t.Skipf("]),
        Family::Script => begins(&["this.skip(", "t.skip(", "ctx.skip("]),
        Family::Ruby => {
            line == "skip" || line == "pending" || begins(&["skip ", "skip(", "pending ", "pending("])
        }
        Family::Php => line.contains("markTestSkipped(") || line.contains("markTestIncomplete("),
        Family::Jvm => {
            begins(&["assumeTrue(false", "Assumptions.assumeTrue(false", "assumeFalse(true", "throw XCTSkip"])
        }
        Family::Rust => false,
    }
}
