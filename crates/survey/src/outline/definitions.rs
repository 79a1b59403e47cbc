//! Outline of a file in any language.

use super::{grammar, pattern};

/// A definition in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// `function`, `struct`, `heading`, …
    pub(crate) kind: &'static str,
    /// Type that it is a member of, if the syntax tree shows one.
    pub(crate) owner: Option<String>,
    /// First line, from 1.
    pub(crate) line: usize,
    /// Last line.
    pub(crate) last: usize,
}

/// Maximum length of a name; longer ones are ignored.
const MAX_NAME_BYTES: usize = 120;

/// Definitions of a file, in order of lines.
pub(crate) fn outline(path: &str, text: &str) -> Vec<Definition> {
    let mut all = grammar::outline(path, text).unwrap_or_else(|| pattern::outline(path, text));
    all.retain(|definition| definition.name.len() <= MAX_NAME_BYTES && !definition.name.contains('\n'));
    all.sort_by(|a, b| a.line.cmp(&b.line).then_with(|| a.name.cmp(&b.name)));
    // A name may match two patterns; the first, more exact one counts.
    all.dedup_by(|b, a| a.line == b.line && a.name == b.name);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(path: &str, text: &str) -> Vec<String> {
        let show = |definition: Definition| {
            format!("{} {} {}-{}", definition.kind, definition.name, definition.line, definition.last)
        };
        outline(path, text).into_iter().map(show).collect()
    }

    #[test]
    fn rust_is_outlined() {
        let text = "//! x\npub struct Limit(u8);\n\nimpl Limit {\n    /// a\n    pub const fn new() -> Limit {\n        Limit(1)\n    }\n}\n\
                    trait Clock { fn now(&self); }\nmod inner;\nmacro_rules! m { () => {} }\nconst A: u8 = 1;\nenum E { X }\ntype T = u8;\n";
        assert_eq!(
            seen("a.rs", text),
            [
                "struct Limit 2-2",
                "function new 6-8",
                "trait Clock 10-10",
                "function now 10-10",
                "module inner 11-11",
                "macro m 12-12",
                "constant A 13-13",
                "enum E 14-14",
                "type T 15-15"
            ]
        );
    }

    #[test]
    fn the_other_grammars_work_too() {
        for (path, text, expected) in [
            (
                "a.py",
                "LIMIT = 3\n\nclass Gate:\n    async def open(self):\n        x = 1\n",
                vec!["constant LIMIT 1-1", "class Gate 3-5", "function open 4-5"],
            ),
            (
                "a.ts",
                "export interface Clock { now(): number }\nexport class Gate {\n  open() {}\n}\nexport const go = () => 1;\nenum E { A }\nexport type T = string;\n",
                vec![
                    "interface Clock 1-1",
                    "class Gate 2-4",
                    "method open 3-3",
                    "function go 5-5",
                    "enum E 6-6",
                    "type T 7-7",
                ],
            ),
            ("a.tsx", "export function App() { return <div/>; }\n", vec!["function App 1-1"]),
            (
                "a.mjs",
                "function go() {}\nclass A { b() {} }\nconst x = 1;\n",
                vec!["function go 1-1", "class A 2-2", "method b 2-2", "constant x 3-3"],
            ),
            (
                "a.go",
                "package a\n\ntype Gate struct {\n\tx int\n}\n\nfunc (g *Gate) Open() {}\n\nfunc New() *Gate { return nil }\n\nconst Max = 1\n",
                vec!["struct Gate 3-5", "method Open 7-7", "function New 9-9", "constant Max 11-11"],
            ),
            (
                "A.java",
                "package a;\npublic class Gate {\n  public Gate() {}\n  void open() {}\n}\ninterface Clock {}\n",
                vec!["class Gate 2-5", "method Gate 3-3", "method open 4-4", "interface Clock 6-6"],
            ),
        ] {
            assert_eq!(seen(path, text), expected, "{path}");
        }
    }

    #[test]
    fn other_languages_are_read_line_by_line() {
        for (path, text, expected) in [
            (
                "a.rb",
                "module Gate\n  def open(x)\n  end\nend\n",
                vec!["module Gate 1-1", "function open 2-2"],
            ),
            (
                "a.kt",
                "data class Gate(val x: Int)\nfun open() {}\n",
                vec!["class Gate 1-1", "function open 2-2"],
            ),
            ("a.sh", "go() {\n  x\n}\nfunction stop {\n}\n", vec!["function go 1-1", "function stop 4-4"]),
            (
                "a.md",
                "# Title\n\n```\n# not one\n```\n## Part `two`\n",
                vec!["heading Title 1-1", "heading Part `two` 6-6"],
            ),
            ("a.c", "struct gate {\n};\nint open(int x)\n{\n", vec!["struct gate 1-1"]),
            ("a.unknown", "def x\n", vec![]),
        ] {
            assert_eq!(seen(path, text), expected, "{path}");
        }
    }

    #[test]
    fn enormous_and_broken_texts_do_no_harm() {
        for path in ["a.rs", "a.py", "a.ts", "a.tsx", "a.js", "a.go", "a.java", "a.md", "a.c"] {
            for text in
                ["(".repeat(2_000), "fn ".repeat(2_000), "class A { ".repeat(500), "\u{0}é".repeat(500)]
            {
                outline(path, &text);
            }
        }
    }

    proptest! {
        #[test]
        fn every_line_exists(text in "((fn |struct |class |def |func |function |\\{|\\}|\\(|\\)|:|\n|[a-z]{1,5}|\\PC){0,6}){0,12}", ext in "(rs|py|ts|js|go|java|rb|md)") {
            let lines = text.lines().count().max(1);
            for definition in outline(&format!("a.{ext}"), &text) {
                prop_assert!(definition.line >= 1 && definition.line <= definition.last);
                prop_assert!(definition.last <= lines + 1, "{} of {}", definition.last, lines);
                prop_assert!(text.lines().nth(definition.line - 1).is_some());
            }
        }
    }
}
