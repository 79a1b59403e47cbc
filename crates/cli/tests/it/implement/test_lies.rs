//! Agents that claim to be done and are not: the engine runs the tests, not the agent.

use super::bed::{Bed, assert_ends};

/// Has the agent of T001 do its task and this, and asserts that nothing of it lands, for this reason.
fn assert_refused(bed: &Bed, shell: &str, reason: &str) {
    bed.set_part("implementer", &bed.working_part(shell));
    assert_work_is_refused(bed, reason);
}

/// Asserts that what the agents do about T001 is refused for this reason, and that nothing of it lands.
pub(super) fn assert_work_is_refused(bed: &Bed, reason: &str) {
    let head = bed.id("HEAD");
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 3, &[]);
    assert_eq!(bed.gate("task/T001-1"), "pending");
    let page = bed.gate_page("task/T001-1");
    assert!(page.contains(reason), "{reason:?} is not in:\n{page}");
    // Nobody reviewed it, and nothing was committed but the specification.
    assert_eq!(bed.calls_of("T001/review").len(), 0);
    assert_eq!(bed.landed_tasks(&head, &bed.integration()), [""; 0]);
    assert_eq!(bed.id("HEAD"), head);
    assert_eq!(bed.status().iter().filter(|line| !line.contains("specs/")).count(), 0);
    let output = bed.decide("task/T001-1", "skip");
    assert_ends(&output, 0, &[]);
    assert!(!bed.sandbox.path("till/price.py").exists());
    bed.assert_clean();
}

#[test]
fn green_is_what_the_engine_sees() {
    let bed = Bed::new();
    assert_refused(&bed, "sed -i 's/ \\* 100//' till/price.py", "test is red");
    let evidence = bed.read("tasks/T001/evidence-1.md");
    assert!(evidence.contains("AssertionError"), "{evidence}");
}

#[test]
fn a_deleted_test_is_seen() {
    assert_refused(&Bed::lenient(), "rm tests/test_basket.py", "tests/test_basket.py");
}

#[test]
fn a_deleted_test_case_is_seen() {
    let script = "sed -i '/def test_refuses_nothing/,$d' tests/test_basket.py";
    assert_refused(&Bed::lenient(), script, "test_refuses_nothing");
}

#[test]
fn a_skipped_test_is_seen() {
    let script = "sed -i 's/    def test_adds_up/    @unittest.skip(\"later\")\\n    def test_adds_up/' tests/test_basket.py";
    assert_refused(&Bed::lenient(), script, "tests/test_basket.py");
}

#[test]
fn a_weakened_test_is_seen() {
    let script = "sed -i '/assertEqual(basket.cents/d' tests/test_basket.py";
    assert_refused(&Bed::lenient(), script, "tests/test_basket.py");
}

#[test]
fn a_test_that_passes_without_the_work_proves_nothing() {
    let script = "printf 'import unittest\\n\\n\\nclass PriceTests(unittest.TestCase):\\n    def test_reads_euros_and_cents(self):\\n        self.assertEqual(1 + 1, 2)\\n' > tests/test_price.py";
    assert_refused(&Bed::new(), script, "the proof does not hold");
}

#[test]
fn a_test_that_is_not_there_proves_nothing() {
    assert_refused(&Bed::new(), "rm tests/test_price.py", "the proof does not hold");
}

#[test]
fn a_test_that_is_skipped_proves_nothing() {
    let script = "sed -i 's/    def test_reads/    @unittest.skip(\"later\")\\n    def test_reads/' tests/test_price.py";
    assert_refused(&Bed::new(), script, "the proof does not hold");
}

#[test]
fn a_test_of_another_name_proves_nothing() {
    assert_refused(
        &Bed::new(),
        "sed -i 's/test_reads_euros_and_cents/test_reads/' tests/test_price.py",
        "the proof does not hold",
    );
}

#[test]
fn ignored_files_of_an_agent_prove_nothing() {
    // Without the ignored module the tests fail; the engine runs them where no agent has worked.
    let script = "mv till/price.py code.local; printf 'exec(open(\"code.local\").read())\\n' > till/price.py; python3 -m unittest";
    assert_refused(&Bed::new(), script, "test is red");
}

#[test]
fn nothing_changed_is_nothing_done() {
    let bed = Bed::new();
    bed.set_part("implementer", &bed.claiming_part("true"));
    assert_work_is_refused(&bed, "nothing was changed");
}

#[test]
fn a_runner_that_is_replaced_is_seen() {
    // A module beside the tests shadows the one of the standard library.
    let script = "printf 'import sys\\nprint(\"test_reads_euros_and_cents (tests.test_price.PriceTests.test_reads_euros_and_cents) ... ok\\\\n\\\\nRan 1 test in 0.001s\\\\n\\\\nOK\")\\n' > unittest.py; \
        sed -i 's/ \\* 100//' till/price.py";
    assert_refused(&Bed::lenient(), script, "unittest.py");
}
