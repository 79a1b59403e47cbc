//! Decisions of a person about a task: retry with a hint, take it, do it by hand, skip it, stop.

use super::bed::{Bed, assert_ends, printed};
use charrette_testkit::till::Till;
use std::path::PathBuf;

/// Spoils the work of T001, so that its test fails.
const SPOILT: &str = "sed -i 's/ \\* 100//' till/price.py";

/// A run whose first task waits for a person because its test is red; T005 depends on it.
fn parked() -> Bed {
    let bed = Bed::new();
    bed.keep_prompts();
    bed.set_part("implementer", &bed.working_part(SPOILT));
    assert_ends(&bed.implement(&["--task=T001,T005"]), 3, &["task/T001-1"]);
    assert_eq!(bed.gate("task/T001-1"), "pending");
    bed
}

/// Folder of the worktree that a gate names.
fn worktree(bed: &Bed, gate: &str) -> PathBuf {
    let page = bed.gate_page(gate);
    let folder = page.lines().find_map(|line| {
        line.strip_prefix("Work in this folder: ").or_else(|| line.strip_prefix("Its worktree: "))
    });
    PathBuf::from(folder.unwrap_or_else(|| panic!("no folder in {page}")).trim())
}

#[test]
fn another_attempt_gets_the_hint() {
    let bed = parked();
    bed.set_part("implementer", &bed.working_part(""));
    assert_ends(&bed.decide("task/T001-1", "retry: multiply the euros by one hundred"), 0, &[]);
    let prompt = &bed.prompts()["T001-2/implement-1"];
    assert!(
        prompt.contains("multiply the euros by one hundred") && prompt.contains("test is red"),
        "{prompt}"
    );
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

#[test]
fn a_person_may_take_it_as_it_is() {
    let bed = parked();
    let base = bed.id("HEAD");
    bed.set_part("implementer", &bed.working_part(""));
    let output = bed.decide("task/T001-1", "take");
    assert!(printed(&output).contains("taken as it is by a person"), "{output:?}");
    let tip = if bed.integration().is_empty() { "main".to_owned() } else { bed.integration() };
    assert!(bed.landed_tasks(&base, &tip).contains(&"T001".to_owned()), "{output:?}");
}

#[test]
fn what_is_refused_cannot_be_taken() {
    let bed = Bed::lenient();
    let head = bed.id("HEAD");
    bed.set_part("implementer", &bed.working_part("ln -s /etc/passwd till/passwd"));
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    let page = bed.gate_page("task/T001-1");
    assert!(!page.contains("take (as it is)"), "{page}");
    let output = bed.decide("task/T001-1", "take");
    assert_ends(&output, 3, &[]);
    assert_eq!(bed.landed_tasks(&head, &bed.integration()), [""; 0]);
}

#[test]
fn a_person_may_do_it_by_hand() {
    let bed = parked();
    let base = bed.id("HEAD");
    let output = bed.decide("task/T001-1", "hand");
    assert_ends(&output, 3, &["task/T001-2"]);
    let price = worktree(&bed, "task/T001-2").join("till/price.py");
    let text = std::fs::read_to_string(&price).unwrap();
    std::fs::write(&price, text.replace("int(found[1])", "int(found[1]) * 100")).unwrap();
    bed.set_part("implementer", &bed.working_part(""));
    let calls = bed.calls_of("T001").len();
    let output = bed.decide("task/T001-2", "done");
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.calls_of("T001").len(), calls, "no agent is asked about it again");
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T005"]);
    assert_eq!(bed.commits(&base, "main")[1].assistant, "");
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

#[test]
fn done_by_hand_is_verified_too() {
    let bed = parked();
    let head = bed.id("HEAD");
    assert_ends(&bed.decide("task/T001-1", "hand"), 3, &[]);
    let output = bed.decide("task/T001-2", "done");
    assert_ends(&output, 3, &["task/T001-3"]);
    assert!(bed.gate_page("task/T001-3").contains("test is red"));
    assert_eq!(bed.landed_tasks(&head, &bed.integration()), [""; 0]);
}

#[test]
fn skipping_leaves_out_what_depends_on_it() {
    let bed = parked();
    let head = bed.id("HEAD");
    let output = bed.decide("task/T001-1", "skip");
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.calls_of("T005").len(), 0);
    let report = bed.read("implementation-report.md");
    assert_eq!(report.matches("State: skipped").count(), 2, "{report}");
    assert_eq!(bed.landed_tasks(&head, "main"), [""; 0]);
    bed.assert_clean();
}

#[test]
fn a_person_may_stop() {
    let bed = parked();
    let head = bed.id("HEAD");
    let output = bed.decide("task/T001-1", "stop");
    assert!(matches!(output.code, Some(3 | 4)), "{output:?}");
    assert_eq!(bed.id("HEAD"), head);
    assert!(!bed.sandbox.path("till/price.py").exists());
    assert_eq!(bed.calls_of("T001-2").len(), 0, "stop is no hint");
}

/// A specification whose first task is a person's.
fn human() -> Bed {
    let bed = Bed::new();
    bed.edit_spec(
        "tasks.md",
        "**Files:** till/price.py (new)",
        "**Mode:** human\n**Files:** till/price.py (new)",
    );
    bed.approve();
    bed
}

#[test]
fn a_task_of_a_person_is_a_gate() {
    let bed = human();
    let base = bed.id("HEAD");
    assert_ends(&bed.implement(&["--dry-run"]), 0, &["by a person: T001"]);
    assert_ends(&bed.implement(&["--task=T001,T005"]), 3, &["task/T001-1"]);
    assert_eq!(bed.calls_in_order(), [""; 0]);
    let folder = worktree(&bed, "task/T001-1");
    let output = bed.decide("task/T001-1", "done");
    assert_ends(&output, 3, &[]);
    assert_eq!(bed.landed_tasks(&base, &bed.integration()), [""; 0], "nothing was done");
    let script = bed.script().join("T001.sh");
    let done = bed.sandbox.command("sh").arg("-e").arg(script).current_dir(&folder).status().unwrap();
    assert!(done.success());
    let gate = bed.open_gates().remove(0);
    assert_ends(
        &bed.decide(&gate, if bed.gate_page(&gate).contains("Is it done?") { "done" } else { "hand" }),
        3,
        &[],
    );
    while let Some(gate) = bed.open_gates().first() {
        assert!(matches!(bed.decide(gate, "done").code, Some(0 | 3)));
    }
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T005"]);
    assert_eq!(bed.calls_of("T001").len(), 0);
    bed.assert_clean();
}

#[test]
fn a_task_of_a_person_may_be_skipped() {
    let bed = human();
    assert_ends(&bed.implement(&["--task=T001,T005"]), 3, &[]);
    assert_ends(&bed.decide("task/T001-1", "skip"), 0, &[]);
    assert_eq!(bed.calls_in_order(), [""; 0]);
    assert!(bed.sandbox.read(&Till::spec_path("tasks.md")).contains("0/10"));
    bed.assert_clean();
}

#[test]
fn a_waiting_task_blocks_nothing_else() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    bed.set_work("T002", "exit 1");
    let output = bed.implement(&["--until=T007"]);
    assert_ends(&output, 3, &["task/T002-1"]);
    assert_eq!(bed.landed_tasks(&base, &bed.integration()), ["T001", "T003", "T005", "T004", "T007"]);
    assert_ends(&bed.decide("task/T002-1", "skip"), 0, &[]);
    let report = bed.read("implementation-report.md");
    assert_eq!(report.matches("State: skipped").count(), 2, "{report}");
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

#[test]
fn refused_work_cannot_be_taken_and_the_person_is_asked_again() {
    let bed = Bed::new();
    bed.set_part("implementer", &bed.working_part("rm tests/test_basket.py"));
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    let calls = bed.calls_of("T001/").len();
    assert_ends(&bed.decide("task/T001-1", "take"), 3, &[]);
    assert_eq!(bed.calls_of("T001/").len(), calls, "nobody is called again");
    assert_eq!(bed.open_gates(), ["task/T001-2"]);
    let page = bed.gate_page("task/T001-2");
    assert!(page.contains("it cannot be taken as it is") && page.contains("tests/test_basket.py"), "{page}");
    assert_ends(&bed.decide("task/T001-2", "skip"), 0, &[]);
}
