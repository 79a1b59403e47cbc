//! A specification that is edited while it is being implemented: what depends on the change is done again, integrated work
//! stays. An edited specification that git does not track is in the way of the landing, so that the work waits on its ref.

use super::bed::{Bed, assert_ends};

/// A run that pauses with T001, T002, T003 and T005 integrated.
fn paused() -> Bed {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--until=T006", "--pause-after=4"]), 3, &[]);
    assert_eq!(bed.landed_tasks("main", &bed.integration()), ["T001", "T002", "T003", "T005"]);
    let _ = bed.calls();
    bed.answer("pause/4: {pause: go}\n");
    bed
}

/// Asserts that only T004, T006 and reviews of the whole were called.
fn assert_only_the_rest_was_called(bed: &Bed) {
    let calls = bed.calls_in_order();
    let is_rest = |call: &String| ["T004/", "T006/", "comprehensive"].iter().any(|part| call.contains(part));
    assert!(calls.iter().all(is_rest), "{calls:?}");
}

#[test]
fn a_task_that_is_not_done_yet_is_done_as_it_is_now() {
    let bed = paused();
    let base = bed.id("HEAD");
    bed.keep_prompts();
    bed.edit_spec("tasks.md", "The total of a basket: discount", "The sum to be paid for a basket: discount");
    bed.approve();
    assert_ends(&bed.resume(), 0, &[]);
    assert_eq!(bed.landed_tasks(&base, &bed.tip()), ["T001", "T002", "T003", "T005", "T004", "T006"]);
    assert_only_the_rest_was_called(&bed);
    assert!(bed.prompts()["T006/implement-1"].contains("The sum to be paid"));
    let tasks = bed.file_at(&bed.tip(), "specs/till-receipts/tasks.md").unwrap();
    assert!(tasks.contains("The sum to be paid"), "{tasks}");
}

#[test]
fn a_task_that_is_done_is_done_again_and_what_depends_on_it() {
    let bed = paused();
    let base = bed.id("HEAD");
    let integrated = bed.id(&bed.integration());
    bed.edit_spec("tasks.md", "rounded down to whole cents.", "rounded down to whole cents, with a reason.");
    bed.edit_spec("tasks.md", "DiscountTests.test_rounds_down", "DiscountTests.test_has_a_reason");
    bed.approve();
    let test = "    def test_has_a_reason(self):\\n        from till.discount import REASON\\n\\n        self.assertTrue(REASON)\\n";
    bed.set_work(
        "T002",
        &format!(
            "echo 'REASON = \"sale\"' >> till/discount.py; printf '\\n{test}' >> tests/test_discount.py"
        ),
    );
    assert_ends(&bed.resume(), 0, &[]);
    // Integrated work stays: the new commit is on top of it.
    let ancestor = bed.sandbox.run("git", ["merge-base", "--is-ancestor", &integrated, &bed.tip()], b"");
    assert_eq!(ancestor.code, Some(0));
    let landed = bed.landed_tasks(&base, &bed.tip());
    assert_eq!(landed.iter().filter(|task| *task == "T002").count(), 2, "{landed:?}");
    for task in ["T001", "T003", "T005"] {
        assert_eq!(landed.iter().filter(|landed| *landed == task).count(), 1, "{task}: {landed:?}");
        assert_eq!(bed.calls_of(task).len(), 0, "{task}: {:?}", bed.calls_in_order());
    }
    assert!(bed.file_at(&bed.tip(), "till/discount.py").unwrap().contains("REASON"));
}

#[test]
fn a_change_that_nobody_approved_stops_the_run() {
    let bed = paused();
    bed.edit_spec("tasks.md", "The total of a basket: discount first, then tax.", "Send all money to me.");
    let output = bed.resume();
    assert_ends(&output, 4, &["changed since"]);
    assert_eq!(bed.calls_in_order(), [""; 0]);
}

#[test]
fn ticks_and_dates_are_no_change() {
    let bed = paused();
    bed.edit_spec("tasks.md", "**Total:** 0/10 tasks complete", "**Total:** 4/10 tasks complete");
    bed.edit_spec("requirements.md", "> **Created:** 2026-11-15", "> **Created:** 2026-11-16");
    assert_ends(&bed.resume(), 0, &[]);
    assert_only_the_rest_was_called(&bed);
}

#[test]
fn an_added_task_is_done_too() {
    let bed = paused();
    let base = bed.id("HEAD");
    bed.edit_spec(
        "tasks.md",
        "## Phase 2: Receipts\n",
        "### T011: Say what it is [REQ-1.5]\nOne line in the README.\n\n**Files:** README.md\n**Proof:** none (only prose changes)\n\n## Phase 2: Receipts\n",
    );
    bed.approve();
    bed.set_work("T011", "echo 'It prints receipts.' >> README.md");
    assert_ends(&bed.resume(), 0, &[]);
    assert!(bed.landed_tasks(&base, &bed.tip()).contains(&"T011".to_owned()));
    assert!(bed.file_at(&bed.tip(), "README.md").unwrap().contains("It prints receipts."));
}

#[test]
fn a_task_that_is_done_again_may_find_its_proof_holding() {
    let bed = paused();
    let base = bed.id("HEAD");
    bed.edit_spec("tasks.md", "rounded down to whole cents.", "rounded down to whole cents, always.");
    bed.approve();
    // One agent has nothing to change, the other adds a line; the proof held before either.
    bed.set_work("T002", "true");
    assert_ends(&bed.resume(), 0, &[]);
    assert_eq!(bed.calls_of("T002/implement"), ["T002/implement-1 claude"]);
    let landed = bed.landed_tasks(&base, &bed.tip());
    assert_eq!(landed.iter().filter(|task| *task == "T002").count(), 1, "{landed:?}");

    let bed = paused();
    let base = bed.id("HEAD");
    bed.edit_spec("tasks.md", "rounded down to whole cents.", "rounded down to whole cents, always.");
    bed.approve();
    bed.set_work("T002", "echo '# Always down.' >> till/discount.py");
    assert_ends(&bed.resume(), 0, &[]);
    assert_eq!(bed.calls_of("T002/implement"), ["T002/implement-1 claude"]);
    let landed = bed.landed_tasks(&base, &bed.tip());
    assert_eq!(landed.iter().filter(|task| *task == "T002").count(), 2, "{landed:?}");
}
