//! Judgement of changes: what is refused, what is a finding, what is fine.

use charrette_model::implement::change::{
    ChangeIssueKind, FileChange, FileChangeKind, SymbolUse, new_public_symbols, test_cases, test_paths,
    unused_symbols,
};
use charrette_model::implement::{ChangeRules, FileScope, ImplementTask, judge_change};

fn task(files: &[&str], text: &str) -> ImplementTask {
    ImplementTask {
        id: "T001".to_owned(),
        text: text.to_owned(),
        files: FileScope::parse(Some(&files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>())),
        ..ImplementTask::default()
    }
}

fn file(path: &str, old: Option<&str>, new: Option<&str>) -> FileChange {
    let kind = match (old, new) {
        (None, _) => FileChangeKind::Added,
        (_, None) => FileChangeKind::Deleted,
        _ => FileChangeKind::Modified,
    };
    let mode = |text: Option<&str>| text.map_or("", |_| "100644").to_owned();
    FileChange {
        path: path.to_owned(),
        kind,
        old_mode: mode(old),
        mode: mode(new),
        size: new.map_or(0, |text| text.len() as u64),
        is_binary: false,
        old_text: old.map(str::to_owned),
        text: new.map(str::to_owned),
    }
}

/// The issues of a change whose files all belong to the task.
fn issues(change: &[FileChange]) -> Vec<(ChangeIssueKind, bool, String)> {
    issues_of(&task(&["src", "tests", "spec", "docs", "Cargo.toml", "*"], ""), change)
}

fn issues_of(task: &ImplementTask, change: &[FileChange]) -> Vec<(ChangeIssueKind, bool, String)> {
    let report = judge_change(task, change, &ChangeRules::default());
    report.issues.iter().map(|issue| (issue.kind, issue.is_refusal, issue.to_string())).collect()
}

#[test]
fn files_of_others_are_findings() {
    let task = task(&["src/limit.rs", "tests/"], "");
    let change = [
        file("src/limit.rs", None, Some("x")),
        file("tests/a.rs", None, Some("x")),
        file("src/http.rs", Some("a"), Some("b")),
        file("src/gone.rs", Some("a"), None),
    ];
    assert_eq!(
        issues_of(&task, &change),
        [
            (
                ChangeIssueKind::Outside,
                false,
                "src/http.rs: not among the files of T001 (src/limit.rs, tests)".to_owned()
            ),
            (
                ChangeIssueKind::Outside,
                false,
                "src/gone.rs: not among the files of T001 (src/limit.rs, tests)".to_owned()
            ),
        ]
    );
    assert_eq!(test_paths(&change), ["tests/a.rs"]);
}

#[test]
fn what_no_agent_may_leave_is_refused() {
    let with = |path: &str, change: fn(&mut FileChange)| {
        let mut file = file(path, None, Some("x\n"));
        change(&mut file);
        file
    };
    let key = "key = \"AKIAQYLPMN5HXLN4XYZA\"\n";
    for (file, kind, message) in [
        (
            file("src/a.rs", Some("a\n"), Some("a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n")),
            ChangeIssueKind::ConflictMarker,
            "src/a.rs:2: a conflict marker",
        ),
        (
            file("src/a.rs", Some("a\n"), Some(key)),
            ChangeIssueKind::Secret,
            "src/a.rs:1: this line holds a key, password or token",
        ),
        (
            with("src/a.bin", |file| (file.size, file.is_binary, file.text) = (2_000_000, true, None)),
            ChangeIssueKind::TooLarge,
            "src/a.bin: 2000000 bytes, more than 1048576 (implement.max_file_bytes)",
        ),
        (
            with("src/l", |file| {
                (file.mode, file.text) = ("120000".to_owned(), Some("/etc/passwd".to_owned()));
            }),
            ChangeIssueKind::Link,
            "src/l: a symbolic link: its target is absolute or empty",
        ),
        (
            with("src/l", |file| (file.mode, file.text) = ("120000".to_owned(), Some("../../x".to_owned()))),
            ChangeIssueKind::Link,
            "src/l: a symbolic link: its target is outside of the repository",
        ),
        (
            with("src/l", |file| {
                (file.mode, file.text) = ("120000".to_owned(), Some("../.git/config".to_owned()));
            }),
            ChangeIssueKind::Link,
            "src/l: a symbolic link: its target is git's own folder",
        ),
        (
            with("src/sub", |file| file.mode = "160000".to_owned()),
            ChangeIssueKind::Submodule,
            "src/sub: submodules are not changed by agents",
        ),
        (
            with(".gitmodules", |_| ()),
            ChangeIssueKind::Submodule,
            ".gitmodules: submodules are not changed by agents",
        ),
        (
            with("src/a.rs", |file| file.mode = "104755".to_owned()),
            ChangeIssueKind::Mode,
            "src/a.rs: the file mode 104755 is not allowed",
        ),
        (
            with("src/.git/config", |_| ()),
            ChangeIssueKind::GitFile,
            "src/.git/config: the path leaves the work tree or is git's own",
        ),
        (
            file(".gitattributes", Some("*.png binary\n"), Some("*.png binary\n*.rs filter=evil\n")),
            ChangeIssueKind::GitFile,
            ".gitattributes:2: attributes that make git run a filter or driver",
        ),
        (
            with("specs/limits/tasks.md", |_| ()),
            ChangeIssueKind::OwnFile,
            "specs/limits/tasks.md: specs/ is written by charrette only",
        ),
        (
            with(".claude/state/x.json", |_| ()),
            ChangeIssueKind::OwnFile,
            ".claude/state/x.json: .claude/state/ is written by charrette only",
        ),
        (
            with("charrette.toml", |_| ()),
            ChangeIssueKind::OwnFile,
            "charrette.toml: settings of charrette are changed by a person only",
        ),
        (
            with("Cargo.lock", |_| ()),
            ChangeIssueKind::LockFile,
            "Cargo.lock: a lock file changes only together with its manifest",
        ),
    ] {
        assert_eq!(issues(&[file]), [(kind, true, message.to_owned())]);
    }
}

#[test]
fn what_only_looks_wrong_is_fine() {
    for change in [
        vec![file("docs/a.md", Some("a\n"), Some("Title\n=======\n"))],
        vec![file("docs/git.md", Some("<<<<<<< a\n"), Some("<<<<<<< a\nmore\n"))],
        vec![file("Cargo.toml", Some("a"), Some("b")), file("Cargo.lock", Some("a"), Some("b"))],
        vec![file("src/link.rs", None, Some("let key = \"${API_KEY}\";\n"))],
        vec![FileChange { mode: "120000".to_owned(), ..file("src/l", None, Some("../docs/a.md")) }],
        vec![FileChange { mode: "100755".to_owned(), ..file("src/run.sh", None, Some("#!/bin/sh\n")) }],
        vec![file(".gitignore", Some("a\n"), Some("a\nb\n"))],
    ] {
        assert_eq!(issues(&change), [], "{change:?}");
    }
    let executable = FileChange { mode: "100755".to_owned(), ..file("src/a.rs", Some("a"), Some("b")) };
    assert_eq!(issues(&[executable])[0].0, ChangeIssueKind::Mode);
    // The lock file of a manifest is not foreign, even if only the manifest is named.
    let change = [file("Cargo.toml", Some("a"), Some("b")), file("Cargo.lock", Some("a"), Some("b"))];
    assert_eq!(issues_of(&task(&["Cargo.toml"], ""), &change), []);
    let sample = issues(&[file("tests/keys.rs", Some("a\n"), Some("let k = \"AKIAQYLPMN5HXLN4XYZA\";\n"))]);
    assert_eq!(sample.first().map(|issue| (issue.0, issue.1)), Some((ChangeIssueKind::Secret, false)));
}

const RUST: &str = "#[test]\nfn burst() {\n    assert_eq!(take(), 1);\n    assert!(full());\n}\n\n#[test]\nfn sweep() {\n    assert!(empty());\n}\n";

#[test]
fn weakened_tests_are_refused_in_every_language() {
    let python = "import x\n\nclass T(TestCase):\n    def test_a(self):\n        self.assertEqual(1, f())\n        self.assertTrue(g())\n\n    def test_b(self):\n        assert h() == 2\n";
    let script = "describe('Limit', () => {\n  it('adds', () => {\n    expect(add(1)).toBe(2)\n    expect(add(2)).toBe(3)\n  })\n  test(\"drops\", async () => {\n    expect(drop()).toBe(1)\n  })\n})\n";
    let go = "func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n";
    let java = "class LimitTest {\n  @Test\n  void adds() {\n    assertEquals(1, f());\n  }\n  @Test void drops() {\n    assertTrue(g());\n  }\n}\n";
    let ruby = "describe Limit do\n  it 'adds' do\n    expect(add).to eq(1)\n  end\nend\n";
    let php = "class LimitTest extends TestCase {\n    public function testAdds(): void {\n        $this->assertSame(1, f());\n    }\n}\n";
    let skipped = ChangeIssueKind::SkippedTest;
    let weakened = ChangeIssueKind::WeakenedTest;
    let deleted = ChangeIssueKind::DeletedTest;
    for (path, old, from, to, kind) in [
        ("src/limit.rs", RUST, "    assert!(full());\n", "", weakened),
        ("src/limit.rs", RUST, "assert!(full())", "assert!(true)", weakened),
        ("src/limit.rs", RUST, "    assert!(full());", "    // assert!(full());", weakened),
        ("src/limit.rs", RUST, "#[test]\nfn sweep", "#[test]\n#[ignore]\nfn sweep", skipped),
        ("src/limit.rs", RUST, "#[test]\nfn sweep", "fn sweep", deleted),
        ("src/limit.rs", RUST, "fn burst", "fn burst_later", deleted),
        ("tests/test_x.py", python, "        self.assertTrue(g())\n", "", weakened),
        ("tests/test_x.py", python, "    def test_b", "    @pytest.mark.skip\n    def test_b", skipped),
        ("tests/test_x.py", python, "    def test_b", "    @unittest.skip('later')\n    def test_b", skipped),
        (
            "tests/test_x.py",
            python,
            "        assert h() == 2",
            "        pytest.skip()\n        assert h() == 2",
            skipped,
        ),
        ("tests/test_x.py", python, "import x\n", "import x\npytestmark = pytest.mark.skip\n", skipped),
        ("tests/test_x.py", python, "def test_b", "def xtest_b", deleted),
        ("src/a.test.ts", script, "it('adds'", "xit('adds'", skipped),
        ("src/a.test.ts", script, "it('adds'", "it.skip('adds'", skipped),
        ("src/a.test.ts", script, "test(\"drops\"", "test.todo(\"drops\"", skipped),
        ("src/a.test.ts", script, "describe('Limit'", "describe.skip('Limit'", skipped),
        ("src/a.test.ts", script, "it('adds'", "it.only('adds'", skipped),
        ("src/a.test.ts", script, "    expect(add(2)).toBe(3)\n", "", weakened),
        ("src/a.test.ts", script, "it('adds'", "it('adds more'", deleted),
        ("a_test.go", go, "\tif f()", "\tt.Skip(\"later\")\n\tif f()", skipped),
        ("a_test.go", go, "t.Fatal(\"no\")", "t.Log(\"no\")", weakened),
        ("src/test/java/LimitTest.java", java, "  @Test\n", "  @Disabled\n  @Test\n", skipped),
        ("src/test/java/LimitTest.java", java, "    assertEquals(1, f());\n", "", weakened),
        ("src/test/java/LimitTest.java", java, "  @Test void drops", "  void drops", deleted),
        ("spec/limit_spec.rb", ruby, "  it 'adds'", "  xit 'adds'", skipped),
        ("spec/limit_spec.rb", ruby, "    expect(add)", "    skip\n    expect(add)", skipped),
        (
            "tests/LimitTest.php",
            php,
            "        $this->assertSame",
            "        $this->markTestSkipped();\n        $this->assertSame",
            skipped,
        ),
        ("tests/LimitTest.php", php, "testAdds", "adds", deleted),
    ] {
        let new = old.replacen(from, to, 1);
        assert_ne!(old, new, "{path}: {from}");
        let found = issues(&[file(path, Some(old), Some(&new))]);
        let first = found.first().unwrap_or_else(|| panic!("{path}: {from} -> {to}"));
        assert_eq!((first.0, first.1), (kind, true), "{path}: {from} -> {to}: {found:?}");
    }
    for (path, text, count) in [
        ("src/limit.rs", RUST, 2),
        ("tests/test_x.py", python, 2),
        ("src/a.test.ts", script, 2),
        ("a_test.go", go, 1),
        ("src/test/java/LimitTest.java", java, 2),
        ("spec/limit_spec.rb", ruby, 1),
        ("tests/LimitTest.php", php, 1),
        ("src/a.ts", script, 0),
    ] {
        let cases = test_cases(path, text);
        assert_eq!(cases.len(), count, "{path}: {cases:?}");
        assert!(cases.iter().all(|case| case.assertions > 0 && !case.is_skipped), "{path}: {cases:?}");
    }
}

#[test]
fn tests_may_grow_move_and_go_where_the_task_says_so() {
    let more = RUST.to_owned() + "\n#[test]\nfn third() {\n    assert!(x());\n}\n";
    assert_eq!(issues(&[file("src/limit.rs", Some(RUST), Some(&more))]), []);
    // Another helper between tests, and an assertion rewritten, are no weaker.
    let rewritten = RUST
        .replace("assert_eq!(take(), 1)", "assert!(take() == 1)")
        .replace("#[test]\nfn sweep", "fn helper() {}\n\n#[test]\nfn sweep");
    assert_eq!(issues(&[file("src/limit.rs", Some(RUST), Some(&rewritten))]), []);
    let moved = [file("tests/old.rs", Some(RUST), None), file("tests/new.rs", None, Some(RUST))];
    assert_eq!(issues(&moved), []);
    let lost = issues(&[file("tests/old.rs", Some(RUST), None)]);
    assert_eq!(
        lost,
        [(
            ChangeIssueKind::DeletedTest,
            true,
            "tests/old.rs: this test file was deleted: burst, sweep".to_owned()
        )]
    );
    let ordered = task(
        &["tests"],
        "### T001: x\nDelete tests/old.rs, which tests what is gone.\n**Files:** tests/old.rs\n",
    );
    let found = issues_of(&ordered, &[file("tests/old.rs", Some(RUST), None)]);
    assert_eq!(found.iter().map(|issue| issue.1).collect::<Vec<_>>(), [false]);
    // A new test that is skipped takes nothing away.
    let skipped = RUST.replacen("#[test]", "#[test]\n#[ignore]", 1);
    let found = issues(&[file("tests/new.rs", None, Some(&skipped))]);
    assert_eq!(
        found.iter().map(|issue| (issue.0, issue.1)).collect::<Vec<_>>(),
        [(ChangeIssueKind::SkippedTest, false)]
    );
}

#[test]
fn new_public_symbols_must_be_used() {
    let text = "pub fn take() {}\npub(crate) fn inner() {}\npub struct Limiter;\npub const fn zero() -> u8 { 0 }\npub const MAX: u8 = 1;\npub async fn wait() {}\nfn private() {}\n";
    let names =
        |file: &FileChange| new_public_symbols(file).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&file("src/a.rs", None, Some(text))), ["take", "Limiter", "zero", "MAX", "wait"]);
    assert_eq!(
        names(&file("src/a.rs", Some("pub fn take() {}\n"), Some(text))),
        ["Limiter", "zero", "MAX", "wait"]
    );
    assert_eq!(
        names(&file("a.py", None, Some("def f():\n    def inner(): pass\nclass C: pass\ndef _p(): pass\n"))),
        ["f", "C"]
    );
    assert_eq!(
        names(&file(
            "a.ts",
            None,
            Some(
                "export const a = 1\nexport default class B {}\nconst c = 2\nexport async function d() {}\n"
            )
        )),
        ["a", "B", "d"]
    );
    assert_eq!(
        names(&file(
            "a.go",
            None,
            Some("func New() {}\nfunc (l *Limiter) Take() {}\nfunc inner() {}\ntype Limiter struct{}\n")
        )),
        ["New", "Take", "Limiter"]
    );
    assert_eq!(names(&file("tests/a.rs", None, Some(text))), [""; 0]);
    let symbol = |name: &str, uses: &[&str]| SymbolUse {
        symbol: name.to_owned(),
        path: "src/a.rs".to_owned(),
        line: 1,
        uses: uses.iter().map(|path| (*path).to_owned()).collect(),
    };
    let found = unused_symbols(&[
        symbol("used", &["src/a.rs", "src/b.rs"]),
        symbol("inside", &["src/a.rs", "src/a.rs"]),
        symbol("tested", &["src/a.rs", "tests/a.rs"]),
        symbol("alone", &["src/a.rs"]),
    ]);
    let messages: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "src/a.rs:1: tested is new and public, and nothing but tests uses it",
            "src/a.rs:1: alone is new and public, and nothing uses it"
        ]
    );
}
