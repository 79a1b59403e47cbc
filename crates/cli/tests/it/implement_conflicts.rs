//! Tasks that are green alone and do not fit together: the one that owns the trouble is re-opened.

use crate::implement::{bench, implement, tests_pass};
use charrette_testkit::tally::{self, TASKS, TallyTask};

const CHANGES_HEADER: TallyTask = TallyTask {
    id: "T001",
    title: "Capitalise the header",
    depends_on: &[],
    files: &["tally/report.py", "tests/test_report.py"],
    requirement: "REQ-1.1",
    proof: "test tests.test_report.ReportTest.test_header",
    work: "sed -i 's/\"report\"/\"Report\"/' tally/report.py tests/test_report.py",
};

const USES_HEADER: TallyTask = TallyTask {
    id: "T002",
    title: "Add a title",
    depends_on: &[],
    files: &["tally/title.py (new)", "tests/test_title.py (new)"],
    requirement: "REQ-1.2",
    proof: "test tests.test_title.TitleTest.test_title",
    work: r#"printf 'from tally.report import header\n\n\ndef title():\n    return header() + "!"\n' > tally/title.py
printf 'import unittest\nfrom tally.title import title\n\n\nclass TitleTest(unittest.TestCase):\n    def test_title(self):\n        self.assertEqual(title(), "report!")\n' > tests/test_title.py"#,
};

#[test]
fn a_semantic_conflict_reopens_the_task_that_came_second() {
    let panel = bench(&[CHANGES_HEADER, USES_HEADER]);
    panel.keep_prompts();
    panel.set_part("T002-2/implement-1", &tally::work("sed -i 's/report!/Report!/' tests/test_title.py"));
    panel.set_answer("T002-2/review-1", "Verdict: PASS\n");
    let output = implement(&panel, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(
        output.stdout.contains("T002: re-opened: test is red together with integrated work"),
        "{}",
        output.stdout
    );
    let prompt = &panel.prompts()["T002-2/implement-1"];
    assert!(prompt.contains("'Report!' != 'report!'"), "{prompt}");
    let calls = panel.calls();
    assert!(!calls.iter().any(|call| call.starts_with("T001-2/")), "{calls:?}");
    assert!(tests_pass(&panel));
}

#[test]
fn a_person_does_a_task_by_hand() {
    let panel = bench(&TASKS[..1]);
    panel.set_part("T001/implement-1", &serde_json::json!({"answer": tally::done("Nothing.")}));
    panel.write_settings(&format!(
        "{}[implement]\nrounds = 0\n[seats]\nimplementer = [\"claude\"]\n",
        tally::SETTINGS
    ));
    assert_eq!(implement(&panel, &[]).code, Some(3));
    let answers = panel.sandbox.outside("answers.yaml");
    let answer = |text: &str| {
        std::fs::write(&answers, text).unwrap();
        let recorded =
            panel.run(crate::BINARY, ["answer", tally::FEATURE, "--file", answers.to_str().unwrap()]);
        assert_eq!(recorded.code, Some(0), "{recorded:?}");
        panel.run(crate::BINARY, ["resume", tally::FEATURE])
    };
    let waiting = answer("task/T001-1: {decision: hand}\n");
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let page = std::fs::read_dir(panel.sandbox.path(".specs")).unwrap().flatten().next().unwrap().path();
    let page = std::fs::read_to_string(page.join("gates/task-T001-2-1.md")).unwrap();
    let folder = page.lines().find_map(|line| line.strip_prefix("Work in this folder: ")).unwrap().to_owned();
    let mut by_hand = panel.sandbox.command("sh");
    by_hand.args(["-c", TASKS[0].work]).current_dir(&folder);
    assert!(by_hand.status().unwrap().success());
    let done = answer("task/T001-2: {decision: done}\n");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(tests_pass(&panel));
    let assisted = panel.sandbox.git(["log", "--format=%(trailers:key=Assisted-by,valueonly)", "-5"]);
    assert_eq!(assisted.trim(), "", "no agent did it");
}
