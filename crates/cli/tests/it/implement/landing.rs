//! The user's checkout at the end: moved by a fast-forward where its state allows it, left alone and told how otherwise.

use super::bed::{Bed, assert_ends, printed, wait_for};
use charrette_testkit::Sandbox;
use charrette_testkit::till::{FEATURE, Till, repository};
use std::process::Stdio;

/// Asserts that the work waits on its ref, and that taking it gives a tree that passes its tests.
fn assert_waits(bed: &Bed, head: &str) -> String {
    assert_eq!(bed.id("HEAD"), head);
    let integration = bed.integration();
    assert!(!integration.is_empty(), "there is no ref");
    assert!(bed.landed_tasks(head, &integration).contains(&"T001".to_owned()));
    assert!(!bed.sandbox.path("till/price.py").exists());
    integration
}

#[test]
fn a_dirty_tree_is_left_alone_and_told_how() {
    let bed = Bed::new();
    let head = bed.id("HEAD");
    bed.sandbox.write("till/settings.py", "CURRENCY = \"CHF\"\n");
    let output = bed.implement(&["--task=T001,T003"]);
    let integration = assert_waits(&bed, &head);
    assert_ends(&output, 0, &["till/settings.py", &format!("git merge --ff-only {integration}")]);
    assert_eq!(bed.sandbox.read("till/settings.py"), "CURRENCY = \"CHF\"\n");
    // As told.
    let printed = printed(&output);
    let command = printed.lines().filter_map(|line| line.split_once("git stash push")).next_back().unwrap().1;
    let command = format!("git stash push{command}");
    assert_ends(&bed.sandbox.run("sh", ["-c", &command], b""), 0, &[]);
    assert_ends(&bed.unittest(), 0, &["OK"]);
}

#[test]
fn changes_that_are_not_in_the_way_stay() {
    let bed = Bed::new();
    bed.sandbox.write("README.md", "# Mine\n");
    bed.sandbox.write("notes.txt", "mine\n");
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 0, &[]);
    assert!(bed.sandbox.path("till/price.py").exists(), "{output:?}");
    assert_eq!(bed.status(), [" M README.md", "?? notes.txt"]);
    bed.assert_clean();
}

#[test]
fn an_untracked_file_in_the_way_stays() {
    let bed = Bed::new();
    let head = bed.id("HEAD");
    bed.sandbox.write("tests/test_price.py", "# mine\n");
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 0, &["tests/test_price.py"]);
    assert_waits(&bed, &head);
    assert_eq!(bed.sandbox.read("tests/test_price.py"), "# mine\n");
}

#[test]
fn untracked_files_of_the_specification_are_archived_and_replaced() {
    let bed = Bed::new();
    let design = bed.sandbox.read(&Till::spec_path("design.md"));
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.sandbox.read(&Till::spec_path("design.md")), design);
    assert_eq!(bed.sandbox.git(["ls-files", "specs"]).lines().count(), 6);
    assert_eq!(bed.status(), [""; 0]);
    bed.assert_clean();
}

#[test]
fn a_specification_that_is_committed_already_needs_no_commit() {
    let bed = Bed::new();
    bed.sandbox.git(["add", "specs"]);
    bed.sandbox.commit("spec");
    let base = bed.id("HEAD");
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 0, &[]);
    let titles: Vec<String> = bed.commits(&base, "main").into_iter().map(|commit| commit.task).collect();
    assert_eq!(titles, ["T001", ""]);
    bed.assert_clean();
}

#[test]
fn with_a_detached_head_the_work_waits() {
    let bed = Bed::new();
    bed.sandbox.git(["checkout", "-q", "--detach"]);
    let head = bed.id("HEAD");
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 0, &["detached", "git switch"]);
    assert_waits(&bed, &head);
}

#[test]
fn with_a_branch_that_moved_the_work_waits() {
    let bed = Bed::new();
    let output = bed.implement(&["--until=T002", "--pause-after=1"]);
    assert_ends(&output, 3, &[]);
    bed.sandbox.write("README.md", "# Moved\n");
    bed.sandbox.git(["commit", "-q", "-am", "moved"]);
    let head = bed.id("HEAD");
    bed.answer("pause/1: {pause: go}\n");
    let output = bed.resume();
    let integration = assert_waits(&bed, &head);
    assert_ends(&output, 0, &["main has moved", &format!("git merge {integration}")]);
}

#[test]
fn a_person_may_commit_while_agents_are_at_work() {
    let bed = Bed::new();
    let (begun, go) = (bed.sandbox.outside("begun"), bed.sandbox.outside("go"));
    let wait = format!("touch '{}'; while [ ! -e '{}' ]; do sleep 0.05; done", begun.display(), go.display());
    bed.set_part("T001/implement-1", &bed.working_part(&wait));
    let child = bed.command(&["--task=T001"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&begun);
    bed.sandbox.write("README.md", "# Moved\n");
    bed.sandbox.git(["commit", "-q", "-am", "moved"]);
    let head = bed.id("HEAD");
    std::fs::write(go, "").unwrap();
    let output = child.wait_with_output().unwrap();
    // The change of the checkout is asked about, because an agent might have made it.
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    bed.answer("dirty-tree: keep\n");
    assert_ends(&bed.resume(), 0, &["main has moved"]);
    assert_waits(&bed, &head);
    assert_eq!(bed.calls_of("T001/implement").len(), 1);
}

#[test]
fn another_branch_that_is_checked_out_meanwhile_stays() {
    let bed = Bed::new();
    let output = bed.implement(&["--until=T002", "--pause-after=1"]);
    assert_ends(&output, 3, &[]);
    bed.sandbox.git(["switch", "-q", "-c", "other"]);
    let head = bed.id("HEAD");
    bed.answer("pause/1: {pause: go}\n");
    let output = bed.resume();
    assert_ends(&output, 0, &["the work began on main, and other is checked out now"]);
    assert_eq!((bed.id("main"), bed.id("other")), (head.clone(), head));
}

#[test]
fn a_shallow_clone_will_do() {
    let origin = Sandbox::new();
    repository::create(&origin);
    let sandbox = Sandbox::new();
    let url = format!("file://{}", origin.outside("origin.git").display());
    origin.commit("second");
    origin.git(["push", "-q"]);
    sandbox.git(["clone", "-q", "--depth=1", &url, "."]);
    sandbox.git(["config", "user.name", "Ada L"]);
    sandbox.git(["config", "user.email", "ada@example.com"]);
    let specs = origin.path("specs").display().to_string();
    assert_eq!(sandbox.run("cp", ["-R", &specs, "."], b"").code, Some(0));
    assert_eq!(sandbox.git(["rev-parse", "--is-shallow-repository"]), "true");
    let bed = Bed::with_till(Till::with_sandbox(sandbox, &*crate::workshop::FAKE_AGENT));
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 0, &["shallow"]);
    assert_ends(&bed.unittest(), 0, &["Ran 4 tests", "OK"]);
    bed.assert_clean();
}

#[test]
fn the_result_can_be_taken_later() {
    let bed = Bed::new();
    bed.sandbox.write("till/settings.py", "CURRENCY = \"CHF\"\n");
    let output = bed.implement(&["--task=T001,T003"]);
    assert_ends(&output, 0, &["waits to be taken"]);
    assert!(printed(&output).contains(FEATURE));
    // Worktrees are gone, the ref stays until its work has landed.
    let left: Vec<String> = bed.leftovers().into_iter().filter(|line| !line.starts_with("ref ")).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_selection_is_a_part_and_what_was_not_selected_is_no_drift() {
    let bed = Bed::new();
    let output = bed.implement(&["--task=T001"]);
    assert_ends(
        &output,
        0,
        &["till-receipts is implemented in part: it is on branch main.", "Not done: T002, T003"],
    );
    assert!(!printed(&output).contains("drift:"), "{}", printed(&output));
    assert!(bed.read("drift.md").contains("| REQ-1.2 | T002, T006 | left for another run |"));
    let report = bed.read("implementation-report.md");
    assert!(report.contains("left to tasks that were not selected: REQ-1.2"), "{report}");
    let rest = bed.implement(&["--fresh", "--yes"]);
    assert_ends(&rest, 0, &["till-receipts is implemented: it is on branch main."]);
}

#[test]
fn a_commit_of_the_person_while_agents_work_is_no_incident() {
    let bed = Bed::new();
    bed.set_part("T001/implement-1", &bed.working_part("sleep 4"));
    let mut command = bed.command(&["--task=T001", "--yes"]);
    command.env_remove("CHARRETTE_LANDLOCK").env_remove("FAKE_AGENT_LOG");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = command.spawn().unwrap();
    let worktrees = bed.sandbox.home().join(".local/state/charrette/worktrees");
    let has_work = || {
        let runs = std::fs::read_dir(&worktrees).into_iter().flatten().flatten();
        runs.into_iter().any(|run| run.path().join("T001/till/price.py").exists())
    };
    while !has_work() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    bed.sandbox.write("NOTES.md", "mine\n");
    bed.sandbox.git(["add", "NOTES.md"]);
    bed.sandbox.git(["commit", "-qm", "My own"]);
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("waits to be taken"), "{said}");
    let gates = bed.document()["gates"].as_object().cloned().unwrap_or_default();
    assert!(gates.keys().all(|gate| !gate.starts_with("dirty-tree")), "{gates:?}");
}
