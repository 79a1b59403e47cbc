//! A small library in Python with its tests, an approved specification of ten tasks, and what scripted agents do for each.
//!
//! The tasks form a diamond with two overlaps: T003 and T004 touch `tally/names.py`, T006 and T007 `tally/report.py`.
//!
//! ```text
//! T001 ─┬─ T002 ─┬─ T006 ─┬─ T010
//!       ├─ T003 ─┘        │
//!       ├─ T004 ─┬─ T007 ─┤
//!       ├─ T005 ─┴─ T009 ─┤
//!       └─ (T002) ─ T008 ─┘
//! ```

use crate::Sandbox;
use crate::panel::Panel;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Name of the specification.
pub const FEATURE: &str = "tally-more";

/// Verify commands of the library: nothing has to be installed but Python.
pub const SETTINGS: &str = "[verify]\n\
    test = [\"python3\", \"-m\", \"unittest\", \"discover\", \"-v\", \"-s\", \"tests\", \"-t\", \".\"]\n\
    test_one = [\"python3\", \"-m\", \"unittest\", \"-v\", \"{test}\"]\n\
    timeout = 60\n";

/// A task of the specification.
#[derive(Debug, Clone, Copy)]
pub struct TallyTask {
    pub id: &'static str,
    pub title: &'static str,
    pub depends_on: &'static [&'static str],
    pub files: &'static [&'static str],
    pub requirement: &'static str,
    /// As after `**Proof:**`.
    pub proof: &'static str,
    /// What its implementer does, as a line for `sh`.
    pub work: &'static str,
}

/// The tasks, in order.
pub const TASKS: [TallyTask; 10] = [
    TallyTask {
        id: "T001",
        title: "Add a registry of operations",
        depends_on: &[],
        files: &["tally/registry.py (new)", "tests/test_registry.py (new)"],
        requirement: "REQ-1.1",
        proof: "test tests.test_registry.RegistryTest.test_register",
        work: r#"cat > tally/registry.py <<'X'
OPERATIONS = {}


def register(name, function):
    OPERATIONS[name] = function
    return function
X
cat > tests/test_registry.py <<'X'
import unittest
from tally.registry import OPERATIONS, register


class RegistryTest(unittest.TestCase):
    def test_register(self):
        register("same", lambda value: value)
        self.assertEqual(OPERATIONS["same"](3), 3)
X"#,
    },
    operation("T002", "Add addition", "add", "REQ-1.2"),
    TallyTask {
        files: &["tally/sub.py (new)", "tests/test_sub.py (new)", "tally/names.py"],
        work: r#"printf 'from tally.registry import register\n\n\ndef sub(a, b):\n    return a - b\n\n\nregister("sub", sub)\n' > tally/sub.py
printf 'import unittest\nfrom tally.sub import sub\n\n\nclass SubTest(unittest.TestCase):\n    def test_sub(self):\n        self.assertEqual(sub(6, 2), 4)\n' > tests/test_sub.py
printf 'NAMES.append("sub")\n' >> tally/names.py"#,
        ..operation("T003", "Add subtraction", "sub", "REQ-1.3")
    },
    TallyTask {
        files: &["tally/mul.py (new)", "tests/test_mul.py (new)", "tally/names.py"],
        work: r#"printf 'from tally.registry import register\n\n\ndef mul(a, b):\n    return a * b\n\n\nregister("mul", mul)\n' > tally/mul.py
printf 'import unittest\nfrom tally.mul import mul\n\n\nclass MulTest(unittest.TestCase):\n    def test_mul(self):\n        self.assertEqual(mul(6, 2), 12)\n' > tests/test_mul.py
printf 'NAMES.append("mul")\n' >> tally/names.py"#,
        ..operation("T004", "Add multiplication", "mul", "REQ-1.4")
    },
    operation("T005", "Add division", "div", "REQ-1.5"),
    TallyTask {
        id: "T006",
        title: "Report sums",
        depends_on: &["T002", "T003"],
        files: &["tally/report.py", "tests/test_report_sums.py (new)"],
        requirement: "REQ-2.1",
        proof: "test tests.test_report_sums.SumsTest.test_sums",
        work: r"printf '\n\ndef sums(a, b):\n    from tally.add import add\n    from tally.sub import sub\n\n    return [add(a, b), sub(a, b)]\n' >> tally/report.py
printf 'import unittest\nfrom tally.report import sums\n\n\nclass SumsTest(unittest.TestCase):\n    def test_sums(self):\n        self.assertEqual(sums(6, 2), [8, 4])\n' > tests/test_report_sums.py",
    },
    TallyTask {
        id: "T007",
        title: "Report products",
        depends_on: &["T004", "T005"],
        files: &["tally/report.py", "tests/test_report_products.py (new)"],
        requirement: "REQ-2.2",
        proof: "test tests.test_report_products.ProductsTest.test_products",
        work: r"printf '\n\ndef products(a, b):\n    from tally.div import div\n    from tally.mul import mul\n\n    return [mul(a, b), div(a, b)]\n' >> tally/report.py
printf 'import unittest\nfrom tally.report import products\n\n\nclass ProductsTest(unittest.TestCase):\n    def test_products(self):\n        self.assertEqual(products(6, 2), [12, 3])\n' > tests/test_report_products.py",
    },
    TallyTask {
        id: "T008",
        title: "Add the mean",
        depends_on: &["T002"],
        files: &["tally/mean.py (new)", "tests/test_mean.py (new)"],
        requirement: "REQ-2.3",
        proof: "test tests.test_mean.MeanTest.test_mean",
        work: r"printf 'from tally.add import add\n\n\ndef mean(a, b):\n    return add(a, b) / 2\n' > tally/mean.py
printf 'import unittest\nfrom tally.mean import mean\n\n\nclass MeanTest(unittest.TestCase):\n    def test_mean(self):\n        self.assertEqual(mean(6, 2), 4)\n' > tests/test_mean.py",
    },
    TallyTask {
        id: "T009",
        title: "Document division",
        depends_on: &["T005"],
        files: &["docs/division.md (new)"],
        requirement: "REQ-2.4",
        proof: "none (only prose changes)",
        work: "mkdir -p docs && printf '# Division\\n\\n`div(6, 2)` is 3.\\n' > docs/division.md",
    },
    TallyTask {
        id: "T010",
        title: "List everything",
        depends_on: &["T006", "T007", "T008", "T009"],
        files: &["tally/listing.py (new)", "tests/test_listing.py (new)"],
        requirement: "REQ-3.1",
        proof: "test tests.test_listing.ListingTest.test_listing",
        work: r#"printf 'from tally.names import NAMES\n\n\ndef listing():\n    return sorted(NAMES)\n' > tally/listing.py
printf 'import unittest\nfrom tally.listing import listing\n\n\nclass ListingTest(unittest.TestCase):\n    def test_listing(self):\n        self.assertEqual(listing(), ["mul", "sub"])\n' > tests/test_listing.py"#,
    },
];

/// A task that adds one operation in files of its own.
const fn operation(
    id: &'static str,
    title: &'static str,
    name: &'static str,
    requirement: &'static str,
) -> TallyTask {
    let (files, proof, work): (&[&str], &str, &str) = match name.as_bytes() {
        b"add" => (
            &["tally/add.py (new)", "tests/test_add.py (new)"],
            "test tests.test_add.AddTest.test_add",
            r#"printf 'from tally.registry import register\n\n\ndef add(a, b):\n    return a + b\n\n\nregister("add", add)\n' > tally/add.py
printf 'import unittest\nfrom tally.add import add\n\n\nclass AddTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(6, 2), 8)\n' > tests/test_add.py"#,
        ),
        b"sub" => (&[], "test tests.test_sub.SubTest.test_sub", ""),
        b"mul" => (&[], "test tests.test_mul.MulTest.test_mul", ""),
        _ => (
            &["tally/div.py (new)", "tests/test_div.py (new)"],
            "test tests.test_div.DivTest.test_div",
            r#"printf 'from tally.registry import register\n\n\ndef div(a, b):\n    return a / b\n\n\nregister("div", div)\n' > tally/div.py
printf 'import unittest\nfrom tally.div import div\n\n\nclass DivTest(unittest.TestCase):\n    def test_div(self):\n        self.assertEqual(div(6, 2), 3)\n' > tests/test_div.py"#,
        ),
    };
    TallyTask { id, title, depends_on: &["T001"], files, requirement, proof, work }
}

/// The library in a repository of its own, without a specification.
pub fn tally() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "-b", "main"]);
    sandbox.git(["config", "user.name", "Ada L"]);
    sandbox.git(["config", "user.email", "ada@example.com"]);
    for (path, text) in [
        (".gitignore", "__pycache__/\n.claude/\n.specs/\n"),
        ("tally/__init__.py", ""),
        ("tally/names.py", "NAMES = []\n"),
        ("tally/report.py", "def header():\n    return \"report\"\n"),
        ("tests/__init__.py", ""),
        (
            "tests/test_report.py",
            "import unittest\nfrom tally.report import header\n\n\nclass ReportTest(unittest.TestCase):\n    def test_header(self):\n        self.assertEqual(header(), \"report\")\n",
        ),
    ] {
        sandbox.write(path, text);
    }
    sandbox.git(["add", "-A"]);
    sandbox.commit("A library");
    sandbox
}

/// `requirements.md` of the specification.
pub fn requirements() -> String {
    let mut text = "# Requirements\n\n## Requirements\n\n".to_owned();
    for task in TASKS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- **{}:** THE SYSTEM SHALL {}.", task.requirement, task.title.to_lowercase());
    }
    text
}

/// `design.md` of the specification.
pub const DESIGN: &str =
    "# Design\n\n## Decisions\n\n- D1: every operation is a function in a module of its own.\n";

/// `tasks.md` of the specification, with these tasks.
pub fn tasks(all: &[TallyTask]) -> String {
    let mut text = "# Tasks\n\n## Phase 1: Library\n".to_owned();
    for task in all {
        let _ = write!(
            text,
            "\n### {}: {} [{}]\n\n{}.\n\n- **Files:** {}\n- **Depends on:** {}\n- **Proof:** {}\n",
            task.id,
            task.title,
            task.requirement,
            task.title,
            task.files.join(", "),
            if task.depends_on.is_empty() { "none".to_owned() } else { task.depends_on.join(", ") },
            task.proof,
        );
    }
    text
}

/// Writes the specification with these tasks; `digest` makes the digest of its approval from its three texts.
pub fn write_spec(sandbox: &Sandbox, all: &[TallyTask], digest: impl Fn(&str, &str, &str) -> String) {
    let (requirements, tasks) = (requirements(), tasks(all));
    let records: Vec<Value> = all
        .iter()
        .map(|task| json!({"id": task.id, "title": task.title, "status": "pending", "assignee": null}))
        .collect();
    let record = json!({
        "name": FEATURE, "status": "approved", "created": "2026-11-15", "updated": "2026-11-15",
        "author": "plan-agent", "version": "1.0.0", "phases": ["Library"], "tasks": records,
        "approved": {"digest": digest(&requirements, DESIGN, &tasks), "by": "Ada L", "at": "2026-11-15T11:00:00Z"},
    });
    let folder = format!("specs/{FEATURE}");
    sandbox.write(&format!("{folder}/requirements.md"), &requirements);
    sandbox.write(&format!("{folder}/design.md"), DESIGN);
    sandbox.write(&format!("{folder}/tasks.md"), &tasks);
    let record = serde_json::to_string_pretty(&record).expect("JSON");
    sandbox.write(&format!("{folder}/spec.json"), record + "\n");
    sandbox.write(
        &format!("{folder}/summary.md"),
        "# Tally\n\n## Summary\n\nThe library adds, subtracts, multiplies and divides.\n\n---\n",
    );
}

/// The library with scripted agents for these tasks. Nothing is approved yet: see [`write_spec`].
pub fn scripted(fake_agent: impl AsRef<Path>, all: &[TallyTask]) -> Panel {
    let panel = Panel::with_sandbox(tally(), fake_agent);
    panel.write_settings(SETTINGS);
    for task in all {
        panel.set_part(&format!("{}/implement-1", task.id), &work(task.work));
        panel.set_answer(&format!("{}/review-1", task.id), "Verdict: PASS\n");
    }
    for reviewer in ["1", "2"] {
        panel.set_answer(&format!("review/comprehensive-reviewer-{reviewer}"), "NO_ISSUES_FOUND\n");
    }
    panel
}

/// Part of a script: does this in its worktree, and says that it is done.
pub fn work(shell: &str) -> Value {
    json!({"shell": shell, "answer": done("It is there.")})
}

/// Answer of an agent that changed its worktree.
pub fn done(summary: &str) -> String {
    let response = json!({
        "task_id": "implementer", "phase": "write", "status": "complete", "decision": "PROCEED",
        "findings": {"files_created": [], "files_modified": [], "tests_written": [], "implementation_notes": []},
        "context_summary": summary, "issues": [],
    });
    format!("```json\n{response}\n```\n\nDone.\n")
}
