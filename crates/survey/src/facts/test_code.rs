//! Detection of test code: files with test cases in them, not data and support beside them.

use crate::syntax::{descendants, node_text, parse};
use crate::tree::kind::{self, file_name};
use std::collections::HashSet;

/// True if a text has test cases, in the way of its language.
pub(super) fn has_tests(path: &str, text: &str) -> bool {
    let starts = |wanted: &[&str]| {
        text.lines().any(|line| wanted.iter().any(|start| line.trim_start().starts_with(start)))
    };
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "py" => starts(&["def test", "async def test", "class Test"]) || text.contains("TestCase)"),
        "go" => {
            path.ends_with("_test.go")
                && starts(&["func Test", "func Benchmark", "func Fuzz", "func Example"])
        }
        "rs" => has_inline_tests(text),
        "java" | "kt" | "scala" => {
            text.contains("@Test") || text.contains("@ParameterizedTest") || text.contains("extends TestCase")
        }
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            starts(&["it(", "test(", "describe(", "it.", "test.", "describe.", "suite(", "Deno.test("])
        }
        _ => false,
    }
}

/// True if a Rust text has test functions.
pub(super) fn has_inline_tests(text: &str) -> bool {
    let marks = [
        "#[test]",
        "#[tokio::test",
        "#[rstest",
        "#[test_case",
        "#[async_std::test",
        "#[actix_rt::test",
        "#[actix_web::test",
        "proptest! {",
        "quickcheck! {",
    ];
    text.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
}

/// True for data and shared support of tests: neither a test nor a place for one.
pub(super) fn is_test_data(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    kind::is_test_data(&lower) || file_name(&lower).starts_with("conftest.")
}

/// Names that a text uses in code: not those in comments and strings. All words, where there is no grammar.
pub(super) fn used_names(path: &str, text: &str) -> HashSet<String> {
    let Some(parsed) = parse(path, text) else {
        return text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect();
    };
    let go = path.ends_with(".go");
    let is_use = |node: &tree_sitter::Node<'_>| match node.kind() {
        "type_identifier" => true,
        // A variable may be called like a function of the package; a call says which.
        "identifier" | "field_identifier" if go => node.parent().is_some_and(|parent| match parent.kind() {
            "call_expression" => {
                parent.child_by_field_name("function").is_some_and(|called| called.id() == node.id())
            }
            "selector_expression" => node.kind() == "field_identifier",
            _ => false,
        }),
        kind => kind.ends_with("identifier") || kind == "token_tree",
    };
    let mut all = HashSet::new();
    for node in descendants(parsed.tree.root_node()).filter(is_use) {
        let used = node_text(node, text);
        // Macros are not parsed further.
        if node.kind() == "token_tree" {
            all.extend(used.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned));
        } else {
            all.insert(used.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_cases_make_a_test() {
        for (path, text, expected) in [
            ("tests/test_a.py", "def test_a():\n    pass\n", true),
            ("tests/test_apps/cliapp/app.py", "testapp = Flask('testapp')\n", false),
            ("tests/helper.py", "def make():\n    pass\n", false),
            ("a_test.go", "package a\nfunc TestA(t *testing.T) {}\n", true),
            ("a_test.go", "package a\nfunc helper() {}\n", false),
            ("testing.go", "package a\nfunc TestServer() {}\n", false),
            ("tests/it.rs", "#[test]\nfn a() {}\n", true),
            ("tests/common/mod.rs", "pub fn a() {}\n", false),
            ("ATest.java", "class ATest { @Test public void a() {} }", true),
            ("test/a.js", "describe('a', function () {\n  it('b', f)\n})", true),
            ("test/support/env.js", "process.env.NODE_ENV = 'test'", false),
        ] {
            assert_eq!(has_tests(path, text), expected, "{path}");
        }
    }

    #[test]
    fn data_of_tests_is_no_test() {
        for (path, expected) in [
            ("tests/test_apps/cliapp/app.py", true),
            ("tests/fixtures/a_test.py", true),
            ("pkg/testdata/a_test.go", true),
            ("tests/conftest.py", true),
            ("tests/test_app.py", false),
        ] {
            assert_eq!(is_test_data(path), expected, "{path}");
        }
    }

    #[test]
    fn names_are_used_in_code_only() {
        let go = used_names(
            "a_test.go",
            "package a\nfunc TestA(t *testing.T) {\n\tnode := walk(New())\n\t// parse\n\tuse(node, \"lex\")\n}\n",
        );
        assert!(go.contains("walk") && go.contains("New"));
        assert!(!go.contains("node") && !go.contains("parse") && !go.contains("lex"));
        let python = used_names("a.py", "from a import b\nb.run('text')  # note\n");
        assert!(python.contains("run") && !python.contains("text") && !python.contains("note"));
    }
}
