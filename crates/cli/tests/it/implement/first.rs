//! `charrette implement` from an approved specification to landed commits, with scripted agents that make real edits.

use crate::BINARY;
use crate::workshop::FAKE_AGENT;
use charrette_model::spec::approval::approved_text;
use charrette_testkit::Output;
use charrette_testkit::panel::Panel;
use charrette_testkit::tally::{self, FEATURE, TASKS, TallyTask};
use serde_json::Value;

/// The library with an approved specification of these tasks, and agents for them.
pub(crate) fn bench(all: &[TallyTask]) -> Panel {
    let panel = tally::scripted(&*FAKE_AGENT, all);
    tally::write_spec(&panel.sandbox, all, approved);
    panel
}

fn approved(requirements: &str, design: &str, tasks: &str) -> String {
    charrette_store::workspace::sha256(approved_text(requirements, design, tasks).as_bytes())
}

pub(crate) fn implement(panel: &Panel, more: &[&str]) -> Output {
    panel.run(BINARY, ["implement", FEATURE, "--yes"].iter().chain(more))
}

fn document(panel: &Panel) -> Value {
    let text = panel.sandbox.read(&format!(".claude/state/implement-{FEATURE}.json"));
    serde_json::from_str(&text).unwrap()
}

/// The library's own tests, in the user's checkout.
pub(crate) fn tests_pass(panel: &Panel) -> bool {
    let mut command = panel.sandbox.command("python3");
    command
        .args(["-m", "unittest", "discover", "-s", "tests", "-t", "."])
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command.output().unwrap().status.success()
}

/// Subjects of the commits since the first one, oldest first.
fn subjects(panel: &Panel, range: &str) -> Vec<String> {
    let log = panel.sandbox.git(["log", "--reverse", "--format=%s", range]);
    log.lines().map(str::to_owned).collect()
}

/// Nothing is left of a finished run: no worktree, no ref, no folder of worktrees.
fn nothing_is_left(panel: &Panel) {
    let worktrees = panel.sandbox.git(["worktree", "list", "--porcelain"]);
    assert_eq!(worktrees.matches("worktree ").count(), 1, "{worktrees}");
    assert_eq!(panel.sandbox.git(["for-each-ref", "refs/charrette"]), "");
    let folder = panel.sandbox.home().join(".local/state/charrette/worktrees");
    let left: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn ten_tasks_in_a_diamond_become_ten_proven_commits() {
    let panel = bench(&TASKS);
    let before = panel.sandbox.git(["rev-parse", "HEAD"]);
    let output = implement(&panel, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    for line in [
        "Wave 1: T001",
        "Wave 2: T002, T003, T005",
        "Wave 3: T004, T006, T008, T009",
        "Wave 4: T007",
        "Wave 5: T010",
    ] {
        assert!(output.stdout.contains(line), "{line}: {}", output.stdout);
    }
    let subjects = subjects(&panel, &format!("{before}..HEAD"));
    assert_eq!(subjects.len(), 12, "the specification, ten tasks, the progress: {subjects:?}");
    let tasks = panel.sandbox.git([
        "log",
        "--format=%(trailers:key=Charrette-Task,valueonly,separator=%x2C)",
        &format!("{before}..HEAD"),
    ]);
    let mut tasks: Vec<&str> = tasks.lines().filter(|line| !line.is_empty()).collect();
    tasks.sort_unstable();
    assert_eq!(tasks, TASKS.map(|task| task.id));
    let authors = panel.sandbox.git(["log", "--format=%an", &format!("{before}..HEAD")]);
    assert!(authors.lines().all(|author| author == "Ada L"), "{authors}");
    assert!(tests_pass(&panel));
    assert_eq!(panel.sandbox.git(["status", "--porcelain"]), "");
    assert_eq!(panel.sandbox.git(["branch", "--show-current"]), "main");
    let list = panel.sandbox.read(&format!("specs/{FEATURE}/tasks.md"));
    assert_eq!(list.matches("[x]").count(), 10, "{list}");
    let record: Value =
        serde_json::from_str(&panel.sandbox.read(&format!("specs/{FEATURE}/spec.json"))).unwrap();
    assert_eq!(record["status"], "implemented");
    assert_eq!(
        document(&panel)["state"]["completed_phases"],
        serde_json::json!(["implementation", "validation"])
    );
    let calls = panel.calls();
    assert_eq!(calls.iter().filter(|call| call.contains("/implement-1 claude")).count(), 10, "{calls:?}");
    assert_eq!(calls.iter().filter(|call| call.contains("/review-1 codex")).count(), 10, "{calls:?}");
    nothing_is_left(&panel);
    let again = implement(&panel, &["--resume"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(panel.calls(), [""; 0], "the ticks of the run itself change nothing");
    assert_eq!(panel.sandbox.git(["status", "--porcelain"]), "");
}

#[test]
fn a_dirty_checkout_is_left_alone_and_told_how_to_take_the_work() {
    let panel = bench(&TASKS[..1]);
    let before = panel.sandbox.git(["rev-parse", "HEAD"]);
    panel.sandbox.write("tally/registry.py", "my own\n");
    let output = implement(&panel, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(panel.sandbox.git(["rev-parse", "HEAD"]), before);
    assert_eq!(panel.sandbox.read("tally/registry.py"), "my own\n");
    let waiting = panel.sandbox.git(["for-each-ref", "--format=%(refname)", "refs/charrette"]);
    assert_eq!(waiting.lines().count(), 1, "{waiting}");
    assert!(output.stdout.contains(&format!("git merge --ff-only {waiting}")), "{waiting} {}", output.stdout);
}

#[test]
fn what_cannot_start_says_so_before_anything_is_spent() {
    let cycle =
        [TallyTask { depends_on: &["T002"], ..TASKS[0] }, TallyTask { depends_on: &["T001"], ..TASKS[1] }];
    let panel = bench(&cycle);
    let refused = implement(&panel, &[]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("Dependency cycle detected: T001 -> T002 -> T001"), "{refused:?}");

    let panel = bench(&TASKS[..2]);
    let unknown = implement(&panel, &["--task", "T009"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("T009") && unknown.stderr.contains("T001"), "{unknown:?}");
    let list = panel.sandbox.read(&format!("specs/{FEATURE}/tasks.md"));
    panel.sandbox.write(&format!("specs/{FEATURE}/tasks.md"), list.replace("Add addition.", "Add anything."));
    let changed = implement(&panel, &[]);
    assert_eq!(changed.code, Some(4), "{changed:?}");
    assert!(changed.stderr.contains("was changed since Ada L approved it"), "{changed:?}");
    let preview = implement(&panel, &["--dry-run"]);
    assert_eq!(preview.code, Some(0), "{preview:?}");
    assert!(preview.stdout.contains("Not ready"), "{preview:?}");
    panel.write_settings("");
    let unverified = implement(&panel, &["--force"]);
    assert_eq!(unverified.code, Some(4), "{unverified:?}");
    assert!(unverified.stderr.contains("charrette verify init"), "{unverified:?}");
    assert_eq!(panel.calls(), [""; 0]);
    assert!(!panel.sandbox.path(&format!(".claude/state/implement-{FEATURE}.json")).exists());
}

#[test]
fn a_red_round_goes_back_with_the_evidence_and_is_mended() {
    let panel = bench(&TASKS[..1]);
    panel.keep_prompts();
    let wrong = TASKS[0].work.replace("OPERATIONS[name] = function", "pass");
    panel.set_part("T001/implement-1", &tally::work(&wrong));
    panel.set_part("T001/implement-2", &tally::work(TASKS[0].work));
    panel.set_answer("T001/review-2", "Verdict: PASS\n");
    let output = implement(&panel, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let calls = panel.calls();
    assert!(
        !calls.iter().any(|call| call.starts_with("T001/review-1")),
        "a red change is not reviewed: {calls:?}"
    );
    let prompt = &panel.prompts()["T001/implement-2"];
    assert!(prompt.contains("KeyError") && prompt.contains("is red"), "{prompt}");
    assert!(tests_pass(&panel));
}

#[test]
fn a_parked_task_waits_for_a_person_and_goes_on_with_a_hint() {
    let panel = bench(&TASKS[..2]);
    panel.keep_prompts();
    for round in 1..=4 {
        panel.set_part(
            &format!("T001/implement-{round}"),
            &serde_json::json!({"answer": tally::done("I did nothing.")}),
        );
    }
    let waiting = implement(&panel, &[]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    assert!(waiting.stderr.contains("Waiting at task/T001-1: decision"), "{waiting:?}");
    assert!(
        panel.calls().iter().any(|call| call.ends_with("codex") || call.ends_with("cursor")),
        "another agent tried"
    );
    panel.set_part("T001-2/implement-1", &tally::work(TASKS[0].work));
    panel.set_answer("T001-2/review-1", "Verdict: PASS\n");
    let answers = panel.sandbox.outside("answers.yaml");
    std::fs::write(&answers, "task/T001-1: {decision: \"retry: use a dictionary\"}\n").unwrap();
    let answered = panel.run(BINARY, ["answer", FEATURE, "--file", answers.to_str().unwrap()]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    let done = panel.run(BINARY, ["resume", FEATURE]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(panel.prompts()["T001-2/implement-1"].contains("use a dictionary"));
    let calls = panel.calls();
    assert!(!calls.iter().any(|call| call.starts_with("T001/")), "nobody is asked again: {calls:?}");
    assert!(tests_pass(&panel));
    nothing_is_left(&panel);
}

#[test]
fn a_killed_run_resumes_to_the_same_tree() {
    let straight = bench(&TASKS[..3]);
    assert_eq!(implement(&straight, &[]).code, Some(0));
    let panel = bench(&TASKS[..3]);
    panel.set_part(
        "T002/implement-1",
        &serde_json::json!({"shell": "kill -KILL $(ps -o ppid= -p $PPID); sleep 1", "answer": ""}),
    );
    let killed = implement(&panel, &[]);
    assert_ne!(killed.code, Some(0), "{killed:?}");
    panel.set_part("T002/implement-1", &tally::work(TASKS[1].work));
    panel.calls();
    let resumed = implement(&panel, &["--resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let calls = panel.calls();
    assert!(!calls.iter().any(|call| call.starts_with("T001/")), "{calls:?}");
    let tree = |panel: &Panel| panel.sandbox.git(["rev-parse", "HEAD^{tree}"]);
    assert_eq!(tree(&panel), tree(&straight));
    nothing_is_left(&panel);
}
