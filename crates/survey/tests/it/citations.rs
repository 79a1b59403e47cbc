//! Every path and every line a survey cites exists and contains the cited text.

use crate::{commit, run_survey};
use charrette_survey::Survey;
use charrette_survey::citations::check_citations;
use charrette_testkit::Sandbox;
use proptest::prelude::*;
use std::path::Path;

/// Asserts that every citation exists.
pub(crate) fn assert_all_exist(root: &Path, survey: &Survey) {
    assert_eq!(check_citations(root, survey).errors, [""; 0], "{:?}", survey.request);
}

/// Puts a wrong citation into a survey.
type Spoil = fn(&mut Survey);

#[test]
fn wrong_citations_are_found() {
    let sandbox = Sandbox::repository();
    sandbox.write("Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nserde = \"1\"\n");
    sandbox.write("src/limiter.rs", "struct RateLimiter;\nfn rate() { x.unwrap(); }\n");
    commit(&sandbox, "rate limiter");
    let right = run_survey(&sandbox.work(), "rate limiter");
    assert!(check_citations(&sandbox.work(), &right).checked > 8, "{right:?}");
    let spoilt: [(Spoil, &str); 8] = [
        (|survey| survey.files[0].path.push('x'), "does not exist"),
        (|survey| survey.files[0].lines.as_mut().unwrap().last = 99, "has 2 lines, not 99"),
        (|survey| survey.symbols[0].line += 1, "line 2 does not have [\"RateLimiter\"]"),
        (|survey| survey.risks[0].line = 0, "lines, not 0"),
        (|survey| survey.risks[0].text = "y.unwrap()".to_owned(), "does not have [\"y.unwrap()\"]"),
        (|survey| survey.dependencies[0].name = "tokio".to_owned(), "does not have [\"tokio\"]"),
        (|survey| survey.changes[0].path.push('y'), "does not exist"),
        (|survey| survey.similar_commits[0].files.push("gone.rs".to_owned()), "\"gone.rs\" does not exist"),
    ];
    for (spoil, expected) in spoilt {
        let mut survey = right.clone();
        spoil(&mut survey);
        let wrong = check_citations(&sandbox.work(), &survey).errors;
        assert!(wrong.iter().any(|wrong| wrong.contains(expected)), "{expected}: {wrong:?}");
    }
}

#[test]
fn nothing_is_invented_in_any_language() {
    let sandbox = Sandbox::repository();
    for (path, text) in TREE {
        sandbox.write(path, text);
    }
    commit(&sandbox, "rate limiter in five languages");
    for request in [
        "rate limiter",
        "Add a burst allowance to the rate limiter so that clients which were idle for a while may send more requests at once, and report how much of it is left",
        "Show \"rate exceeded\" instead of 'limit'",
        "zzqx frobnicate wibble",
        "レート制限を追加する",
        "src/limiter.py:3",
        "",
    ] {
        let survey = run_survey(&sandbox.work(), request);
        let fits = !request.starts_with("zzqx") && !request.is_empty() && !request.starts_with('レ');
        assert_eq!(!survey.files.is_empty(), fits, "{request:?}: {:?}", survey.files);
    }
}

/// The same small thing in five languages, with the files that go with each.
const TREE: [(&str, &str); 16] = [
    ("Cargo.toml", "[package]\nname = \"limits\"\n\n[dependencies]\nrate-tables = \"1\"\n"),
    (
        "src/limiter.rs",
        "//! Limits a rate.\n\npub struct RateLimiter {\n    rate: u32,\n}\n\nimpl RateLimiter {\n    // TODO: bursts\n    pub fn allow(&mut self) -> bool {\n        self.rate.checked_sub(1).unwrap() > 0\n    }\n}\n",
    ),
    (
        "src/limiter.py",
        "\u{feff}\"\"\"Limits a rate.\"\"\"\n\nclass RateLimiter:\n    def allow(self):\n        try:\n            return self.rate > 0\n        except:\n            pass\n",
    ),
    (
        "tests/test_limiter.py",
        "from src.limiter import RateLimiter\n\ndef test_allow():\n    assert RateLimiter\n",
    ),
    (
        "web/limiter.ts",
        "export class RateLimiter {\n  allow(): boolean {\n    return (this as any).rate > 0;\n  }\n}\n",
    ),
    (
        "web/limiter.test.ts",
        "import { RateLimiter } from './limiter';\ntest('rate', () => new RateLimiter());\n",
    ),
    ("web/legacy.js", "const { RateLimiter } = require('./limiter');\nfunction limitRate() { eval('1'); }\n"),
    ("go.mod", "module example.com/limits\n\ngo 1.22\n\nrequire example.com/rate v1.0.0\n"),
    (
        "limits/limiter.go",
        "package limits\r\n\r\n// RateLimiter limits.\r\ntype RateLimiter struct{ rate int }\r\n\r\nfunc (l *RateLimiter) Allow() bool {\r\n\tif l.rate < 0 {\r\n\t\tpanic(\"rate\")\r\n\t}\r\n\treturn true\r\n}\r\n",
    ),
    ("limits/limiter_test.go", "package limits\n\nimport \"testing\"\n\nfunc TestAllow(t *testing.T) {}\n"),
    (
        "pom.xml",
        "<project>\n  <dependencies>\n    <dependency>\n      <artifactId>junit</artifactId>\n    </dependency>\n  </dependencies>\n</project>\n",
    ),
    (
        "java/src/main/java/RateLimiter.java",
        "package limits;\n\npublic class RateLimiter {\n    public boolean allow() {\n        try { return rate > 0; } catch (Exception e) { e.printStackTrace(); }\n        return false;\n    }\n}\n",
    ),
    (
        "java/src/test/java/RateLimiterTest.java",
        "package limits;\n\npublic class RateLimiterTest {\n    @Test void allows() { new RateLimiter().allow(); }\n}\n",
    ),
    (
        "package.json",
        "{\n  \"scripts\": {\n    \"test\": \"vitest\",\n    \"lint\": \"eslint .\"\n  },\n  \"devDependencies\": {\n    \"vitest\": \"1\"\n  }\n}\n",
    ),
    (
        ".github/workflows/ci.yml",
        "jobs:\n  test:\n    steps:\n      - run: >\n          cargo test\n          --workspace\n      - run: |\n          go vet ./...\n          go test ./...\n",
    ),
    ("CHANGELOG.md", "# Changelog\n\n## Rate limiter\n"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The tree is this repository's own, whatever state it is in.
    #[test]
    fn nothing_is_invented_about_a_real_tree(words in prop::collection::vec(
        prop::sample::select(vec!["gate", "checkpoint", "atomic", "verdict", "parse", "agent", "retry", "lock", "RunLease", "survey.rs", "--json", "diagram"]), 1..6)) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let survey = run_survey(&root, &words.join(" "));
        prop_assert!(!survey.files.is_empty());
    }
}
