//! `charrette next`, `charrette done` and `charrette check --proofs`: tasks that a person does in the checkout.

use super::bed::{Bed, assert_ends, printed};
use crate::BINARY;
use charrette_testkit::Output;
use charrette_testkit::till::FEATURE;
use serde_json::Value;

/// Runs a command of charrette in the repository of the bed.
fn run(bed: &Bed, args: &[&str]) -> Output {
    Output::capture(
        bed.command_for(BINARY, &args.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()),
        b"",
    )
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Does a task as a person would: its script, in the checkout.
fn work(bed: &Bed, task: &str) {
    let script = bed.work(task);
    let output = bed.sandbox.run("sh", ["-e", "-c", &script], b"");
    assert_eq!(output.code, Some(0), "{output:?}");
}

fn tasks_md(bed: &Bed) -> String {
    bed.sandbox.read(&format!("specs/{FEATURE}/tasks.md"))
}

fn ids(tasks: &Value) -> Vec<&str> {
    tasks.as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap()).collect()
}

#[test]
fn a_person_goes_from_task_to_task() {
    let bed = Bed::new();
    let first = json(&run(&bed, &["next", "--json"]));
    assert_eq!(ids(&first["next"]), ["T001"]);
    assert_eq!((&first["done"], &first["total"]), (&0.into(), &10.into()));
    assert_eq!(first["next"][0]["files"], serde_json::json!(["till/price.py", "tests/test_price.py"]));
    assert_eq!(first["next"][0]["proof"], "test `tests.test_price.PriceTests.test_reads_euros_and_cents`");
    assert_eq!(first["waiting"][0]["waits_for"], serde_json::json!(["T001"]));
    let page = run(&bed, &["next", FEATURE]);
    assert_ends(&page, 0, &["### T001: Read prices", "Requirements: REQ-1.1", "charrette done T001"]);

    work(&bed, "T001");
    let done = run(&bed, &["done", "t1"]);
    assert_ends(
        &done,
        0,
        &["test   ok", "green; did not build before", "T001 is done: Read prices (1 of 10)"],
    );
    assert_eq!(tasks_md(&bed).matches("[x]").count(), 1, "{}", tasks_md(&bed));
    let record: Value =
        serde_json::from_str(&bed.sandbox.read(&format!("specs/{FEATURE}/spec.json"))).unwrap();
    assert_eq!(record["tasks"][0]["status"], "complete");
    let second = json(&run(&bed, &["next", "--json"]));
    assert_eq!(ids(&second["next"]), ["T002", "T003", "T004", "T005"]);
    assert_eq!(second["next"][0]["depends_on"], serde_json::json!(["T001"]));
    assert_ends(&run(&bed, &["done", "T001"]), 0, &["ticked already"]);
    bed.assert_clean();

    // What is ticked is approved as before, and agents go on from there.
    bed.sandbox.git(["add", "-A"]);
    bed.sandbox.git(["commit", "-qm", "Prices"]);
    assert_ends(&bed.implement(&["--task=T002"]), 0, &[]);
    assert_eq!(bed.calls_of("T001/"), [""; 0]);
}

#[test]
fn what_is_missing_is_said_and_nothing_is_ticked() {
    let bed = Bed::new();
    let before = tasks_md(&bed);
    let nothing = run(&bed, &["done", "T001"]);
    assert_ends(&nothing, 1, &["T001 is not ticked: its proof does not hold"]);
    assert_ends(
        &run(&bed, &["done", "T002"]),
        4,
        &["T002 depends on T001, which is not done", "charrette next"],
    );
    assert_ends(&run(&bed, &["done", "T099"]), 2, &["Task 'T099' not found", "T001"]);

    work(&bed, "T001");
    bed.sandbox.run("sed", ["-i", "s/ \\* 100//", "till/price.py"], b"");
    let red = run(&bed, &["done", "T001", "--json"]);
    assert_eq!(red.code, Some(1), "{red:?}");
    let report = json(&red);
    assert_eq!((&report["done"], &report["proof"]["verdict"]["green"]), (&false.into(), &"failed".into()));
    assert!(report["commands"][0]["output"].as_str().unwrap().contains("AssertionError"), "{report}");

    work(&bed, "T001");
    bed.sandbox.write("till/extra.py", "EXTRA = 1\n");
    let outside = run(&bed, &["done", "T001"]);
    assert_ends(&outside, 4, &["till/extra.py: not among the files of T001", "--outside"]);
    bed.sandbox.run("rm", ["till/extra.py", "tests/test_basket.py"], b"");
    assert_ends(&run(&bed, &["done", "T001", "--outside"]), 4, &["tests/test_basket.py"]);
    bed.sandbox.git(["checkout", "-q", "tests/test_basket.py"]);

    bed.edit_spec("tasks.md", "refuses everything else", "takes everything else");
    assert_ends(&run(&bed, &["done", "T001"]), 4, &["till-receipts: the specification was changed since"]);
    bed.edit_spec("tasks.md", "takes everything else", "refuses everything else");
    assert_eq!(tasks_md(&bed), before);
    bed.assert_clean();
}

#[test]
fn a_test_that_passes_without_the_work_proves_nothing() {
    let bed = Bed::new();
    bed.sandbox.write(
        "tests/test_price.py",
        "import unittest\n\n\nclass PriceTests(unittest.TestCase):\n    def test_reads_euros_and_cents(self):\n        self.assertTrue(True)\n",
    );
    bed.sandbox.write("till/price.py", "");
    let hollow = run(&bed, &["done", "T001"]);
    assert_ends(&hollow, 1, &["green without the work", "T001 is not ticked: its proof does not hold."]);
    assert!(!printed(&hollow).contains("is done"));

    // Committed work is compared with the commit that is named.
    let before = bed.id("HEAD");
    work(&bed, "T001");
    bed.sandbox.git(["add", "till", "tests"]);
    bed.sandbox.git(["commit", "-qm", "Prices"]);
    assert_ends(&run(&bed, &["done", "T001", "--since", "no-such-commit"]), 2, &["is not a commit here"]);
    assert_ends(
        &run(&bed, &["done", "T001", "--since", &before]),
        0,
        &["did not build before", "T001 is done"],
    );
    bed.assert_clean();
}

#[test]
fn an_agent_ticks_nothing() {
    let bed = Bed::new();
    let said = bed.sandbox.home().join("said");
    let (work, said_path) = (bed.sandbox.work(), said.display());
    let shell = format!("{BINARY} -C {} --trust done T001 > {said_path} 2>&1; true", work.display());
    bed.set_part("T001/implement-1", &bed.working_part(&shell));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    let said = std::fs::read_to_string(said).unwrap();
    assert!(said.contains("an agent cannot tick a task"), "{said}");
    assert_eq!(bed.calls_of("T001/review"), ["T001/review-1 codex"]);
}

#[test]
fn a_pipeline_checks_proofs_without_a_model() {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--until=T002"]), 0, &[]);
    let check = run(&bed, &["check", "--proofs", "--json"]);
    let report = json(&check);
    let states: Vec<&str> = report["specs"][0]["proofs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|proof| proof["state"].as_str().unwrap())
        .collect();
    assert_eq!(states[..3], ["holds", "holds", "open"], "{report}");
    let page = run(&bed, &["check", FEATURE, "--proofs"]);
    assert!(page.stdout.contains("T001 holds      test `tests.test_price.PriceTests"), "{page:?}");
    assert_eq!(page.code, check.code, "{page:?}");

    bed.sandbox.run("sed", ["-i", "s/ \\* 100//", "till/price.py"], b"");
    let broken = run(&bed, &["check", FEATURE, "--proofs"]);
    assert_ends(&broken, 1, &["T001 fails", "AssertionError"]);
    bed.sandbox.git(["checkout", "-q", "till/price.py"]);

    bed.edit_spec("tasks.md", "Cash is rounded", "Cash is not rounded");
    assert_ends(&run(&bed, &["check", FEATURE, "--proofs"]), 4, &["was changed since"]);
    bed.edit_spec("tasks.md", "Cash is not rounded", "Cash is rounded");
    bed.edit_spec(
        "tasks.md",
        "test `tests.test_rounding.RoundingTests.test_rounds_to_five`",
        "command `no-such-program x`",
    );
    bed.approve();
    let missing = run(&bed, &["check", FEATURE, "--proofs"]);
    assert_ends(&missing, 1, &["T004 cannot run", "its program is not installed: no-such-program"]);
}
