//! Rounds: what speaks against the work goes back with the evidence; two rounds, another agent, a person.

use super::bed::{Bed, assert_ends};
use charrette_testkit::panel::Seating;

/// Spoils the work of T001, so that its test fails.
const SPOILT: &str = "sed -i 's/ \\* 100//' till/price.py";

/// A review that fails, with its finding.
const FAIL: &str = "Verdict: FAIL\n\n1. [correctness] [major] Spaces are not refused\n   `till/price.py:8` strips the text, so ` 2,50` is read.\n   Suggested revision: do not strip.\n";

/// Refuses spaces.
const STRICT: &str = "sed -i 's/text.strip()/text/' till/price.py";

#[test]
fn a_red_round_goes_back_with_the_evidence() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    bed.keep_prompts();
    bed.set_part("T001/implement-1", &bed.working_part(SPOILT));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(
        bed.calls_of("T001/"),
        ["T001/implement-1 claude", "T001/implement-2 claude", "T001/review-2 codex"]
    );
    let prompt = &bed.prompts()["T001/implement-2"];
    for text in ["test is red", "AssertionError: 52 != 250", "tests.test_price"] {
        assert!(prompt.contains(text), "{text}: {prompt}");
    }
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001"]);
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

#[test]
fn two_rounds_then_another_agent_then_a_person() {
    let bed = Bed::new();
    // Each round fails in another way.
    let script = "case ${CHARRETTE_LANE##*/} in *implement-1-*) word=first;; *implement-2-*) word=second;; \
        *implement-3-*) word=third;; *) word=fourth;; esac
        sed -i \"s/raise ValueError(.*/raise KeyError('$word')/\" till/price.py";
    bed.set_part("implementer", &bed.working_part(script));
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    assert_eq!(
        bed.calls_of("T001/"),
        [
            "T001/implement-1 claude",
            "T001/implement-2 claude",
            "T001/implement-3 claude",
            "T001/implement-4 codex"
        ]
    );
    assert_eq!(bed.gate("task/T001-1"), "pending");
}

#[test]
fn the_same_failure_twice_ends_an_agent_s_turn() {
    let bed = Bed::new();
    bed.set_part("implementer", &bed.working_part(SPOILT));
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    assert_eq!(
        bed.calls_of("T001/"),
        ["T001/implement-1 claude", "T001/implement-2 claude", "T001/implement-3 codex"]
    );
    let page = bed.gate_page("task/T001-1");
    assert!(page.contains("Its worktree: "), "{page}");
}

#[test]
fn another_agent_mends_it() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    bed.set_part("implementer@claude", &bed.working_part(SPOILT));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    // The reviewer is of another vendor than the one who wrote it.
    assert_eq!(bed.calls_of("T001/review"), ["T001/review-3 claude"]);
    let commits = bed.commits(&base, "main");
    assert!(commits[1].assistant.starts_with("codex"), "{commits:?}");
}

#[test]
fn a_failed_review_goes_back_with_its_findings() {
    let bed = Bed::new();
    bed.keep_prompts();
    bed.set_answer("T001/review-1", FAIL);
    bed.set_part("T001/implement-2", &bed.working_part(STRICT));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(
        bed.calls_of("T001/"),
        ["T001/implement-1 claude", "T001/review-1 codex", "T001/implement-2 claude", "T001/review-2 codex"]
    );
    let prompts = bed.prompts();
    assert!(prompts["T001/implement-2"].contains("Spaces are not refused"));
    assert!(!bed.sandbox.read("till/price.py").contains("strip()"));
    bed.assert_clean();
}

#[test]
fn a_review_that_fails_again_and_again_goes_to_a_person() {
    let bed = Bed::new();
    let head = bed.id("HEAD");
    bed.set_answer("task-reviewer", FAIL);
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    assert!(bed.gate_page("task/T001-1").contains("the review says FAIL"));
    assert_eq!(bed.landed_tasks(&head, &bed.integration()), [""; 0]);
}

#[test]
fn notes_pass() {
    let bed = Bed::new();
    let notes = FAIL.replace("FAIL", "PASS_WITH_NOTES").replace("[major]", "[minor]");
    bed.set_answer("T001/review-1", &notes);
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(bed.calls_of("T001/implement").len(), 1);
    assert!(bed.read("implementation-report.md").contains("PASS_WITH_NOTES"));
}

#[test]
fn a_review_that_contradicts_itself_does_not_count() {
    let bed = Bed::new();
    bed.set_answer("T001/review-1@codex", &FAIL.replace("FAIL", "PASS"));
    bed.set_answer("T001/review-1@codex.2", FAIL);
    bed.set_part("T001/implement-2", &bed.working_part(STRICT));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(bed.calls_of("T001/review-1 codex").len(), 2, "{:?}", bed.calls_in_order());
    assert_eq!(bed.calls_of("T001/implement").len(), 2, "{:?}", bed.calls_in_order());
}

#[test]
fn without_reviews_nobody_reviews() {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--task=T001", "--no-review"]), 0, &[]);
    assert_eq!(bed.calls_in_order(), ["T001/implement-1 claude"]);
    bed.assert_clean();
}

#[test]
fn a_lone_vendor_reviews_itself_afresh_and_it_is_on_record() {
    let bed = Bed::new();
    bed.seat_agents(&Seating { absent: &["codex", "cursor"], undebated: &[], probes: false });
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(bed.calls_of("T001/"), ["T001/implement-1 claude", "T001/review-1 claude"]);
    assert!(bed.read("implementation-report.md").contains("reviewed by claude"));
}

#[test]
fn an_agent_that_never_answers_is_followed_by_another() {
    let bed = Bed::new();
    bed.set_part("implementer@claude", &serde_json::json!({"exit": 1}));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    let calls = bed.calls_of("T001/implement");
    assert_eq!(calls.last().map(String::as_str), Some("T001/implement-1 codex"), "{calls:?}");
    assert_ends(&bed.unittest(), 0, &["OK"]);
}

#[test]
fn half_done_work_of_a_failed_agent_is_not_the_start_of_the_next() {
    let bed = Bed::new();
    let part = serde_json::json!({"shell": "echo 'half = 1' > till/half.py; rm till/basket.py", "exit": 1});
    bed.set_part("implementer@claude", &part);
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert!(!bed.sandbox.path("till/half.py").exists());
    assert_ends(&bed.unittest(), 0, &["Ran 4 tests", "OK"]);
}
