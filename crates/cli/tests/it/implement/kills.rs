//! The driver killed in the middle: the resumed run ends with the same tree, integrates nothing twice, asks nobody again who
//! has answered, and leaves nothing behind. `cargo xtask crash` kills at every durable write.

use super::bed::{Bed, assert_ends, wait_for};
use charrette_testkit::till::{FEATURE, Till, leftovers};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Tasks of the runs: one, and three beside each other.
const SELECTED: &str = "--task=T001,T002,T003,T005";

/// Tree of an undisturbed run.
static TREE: LazyLock<String> = LazyLock::new(|| {
    let bed = Bed::new();
    assert_ends(&bed.implement(&[SELECTED]), 0, &[]);
    bed.id("main^{tree}")
});

/// Starts a run, kills its driver when `mark` appears, and resumes it.
fn kill_at_mark(bed: &Bed, mark: &Path) {
    let base = bed.id("HEAD");
    kill_driver(bed, mark);
    let answered = answered_steps(bed);
    let _ = bed.calls();
    std::fs::write(bed.sandbox.outside("go"), "").unwrap();
    assert_ends(&bed.resume(), 0, &[]);
    for call in bed.calls_in_order() {
        let step = call.split(' ').next().unwrap();
        assert!(!answered.contains(&step.to_owned()), "{step} had answered, and was asked again");
    }
    assert_same_result(bed, &base);
}

fn kill_driver(bed: &Bed, mark: &Path) {
    let mut child = bed.command(&[SELECTED]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(mark);
    child.kill().unwrap();
    child.wait().unwrap();
}

fn assert_same_result(bed: &Bed, base: &str) {
    assert_eq!(bed.landed_tasks(base, "main"), ["T001", "T002", "T003", "T005"]);
    assert_eq!(bed.id("main^{tree}"), *TREE);
    bed.assert_clean();
}

/// Steps with an accepted answer of an agent.
fn answered_steps(bed: &Bed) -> Vec<String> {
    let Some(document) = bed.state() else { return Vec::new() };
    let phases = document["phases"].as_object().unwrap().values();
    let steps = phases.flat_map(|phase| phase["steps"].as_object().into_iter().flatten());
    let is_answered = |step: &serde_json::Value| step["status"] == "done" && step["agent"].is_string();
    steps.filter(|(_, step)| is_answered(step)).map(|(id, _)| id.clone()).collect()
}

/// Shell commands that leave a mark and wait until the driver has been killed.
fn stop_here(bed: &Bed) -> (String, PathBuf) {
    let (mark, go) = (bed.sandbox.outside("mark"), bed.sandbox.outside("go"));
    let wait = format!("while [ ! -e \"{}\" ]; do sleep 0.05; done", go.display());
    (format!("touch \"{}\"; {wait}", mark.display()), mark)
}

#[test]
fn killed_while_an_agent_works() {
    let bed = Bed::new();
    let (stop, mark) = stop_here(&bed);
    bed.set_part("T003/implement-1", &bed.working_part(&stop));
    kill_at_mark(&bed, &mark);
}

#[test]
fn killed_while_a_reviewer_works() {
    let bed = Bed::new();
    let (stop, mark) = stop_here(&bed);
    let part = serde_json::json!({"shell": stop, "answer": "Verdict: PASS\n\nNO_ISSUES_FOUND\n"});
    bed.set_part("T002/review-1", &part);
    kill_at_mark(&bed, &mark);
}

#[test]
fn killed_while_verify_works() {
    let bed = Bed::new();
    let (stop, mark) = stop_here(&bed);
    bed.write_settings(&format!(
        "[verify]\ntest = '''if [ -e till/tax.py ]; then {stop}; fi; python3 -m unittest -v'''\n"
    ));
    kill_at_mark(&bed, &mark);
}

#[test]
fn killed_while_the_baseline_is_taken() {
    let bed = Bed::new();
    let (stop, mark) = stop_here(&bed);
    bed.write_settings(&format!("[verify]\ntest = '''{stop}; python3 -m unittest -v'''\n"));
    kill_at_mark(&bed, &mark);
}

#[test]
fn killed_with_everything_that_it_started() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    let (stop, mark) = stop_here(&bed);
    let half = format!("echo '# half' >> till/basket.py; {stop}");
    bed.set_part("T005/implement-1", &bed.working_part(&half));
    kill_driver(&bed, &mark);
    for line in leftovers::processes(&bed.sandbox) {
        let id = line.split(' ').nth(1).unwrap().to_owned();
        let _ = Command::new("kill").args(["-9", &id]).status();
    }
    bed.set_part("T005/implement-1", &bed.working_part(""));
    assert_ends(&bed.resume(), 0, &[]);
    assert_same_result(&bed, &base);
}

/// Folder with a `git` that does a part of the first `git merge`, then runs `kill`.
fn killing_git(bed: &Bed, kill: &str) -> String {
    let folder = bed.sandbox.outside("programs");
    std::fs::create_dir_all(&folder).unwrap();
    let real = bed.sandbox.run("sh", ["-c", "command -v git"], b"").stdout;
    let script = format!(
        "#!/bin/sh\nfor word in \"$@\"; do if [ \"$word\" = merge ] && [ ! -e '{once}' ]; then\n  touch '{once}'\n  \
         : > till/price.py; echo torn > .git/index.lock\n  {kill}\nfi; done\nexec {} \"$@\"\n",
        real.trim(),
        once = bed.sandbox.outside("once").display()
    );
    std::fs::write(folder.join("git"), script).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("git"), mode).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

#[test]
fn killed_with_git_while_it_lands() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    let files = ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];
    let path = killing_git(&bed, "kill -9 $PPID $$");
    let output = bed.command(&[SELECTED]).env("PATH", path).output().unwrap();
    assert_eq!(output.status.code(), None, "{output:?}");
    for file in files {
        assert!(bed.sandbox.path(&Till::spec_path(file)).exists(), "{file} is gone");
    }
    let resumed = bed.run(crate::BINARY, ["resume", FEATURE]);
    assert_ends(&resumed, 0, &["it is on branch main"]);
    assert_same_result(&bed, &base);
    assert_eq!(bed.status(), [""; 0]);
}

#[test]
fn a_git_that_is_killed_alone_while_it_lands_is_started_again() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    let path = killing_git(&bed, "kill -9 $$");
    let output = charrette_testkit::Output::capture(
        {
            let mut command = bed.command(&[SELECTED]);
            command.env("PATH", path);
            command
        },
        b"",
    );
    assert_ends(&output, 0, &["it is on branch main"]);
    assert_same_result(&bed, &base);
    assert_eq!(bed.status(), [""; 0]);
}

#[test]
fn stopped_politely() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    let (stop, mark) = stop_here(&bed);
    bed.set_part("T003/implement-1", &bed.working_part(&stop));
    let child = bed.command(&[SELECTED]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(&mark);
    let ended = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(ended.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(leftovers::processes(&bed.sandbox), [""; 0]);
    std::fs::write(bed.sandbox.outside("go"), "").unwrap();
    assert_ends(&bed.resume(), 0, &[]);
    assert_same_result(&bed, &base);
}

#[test]
fn abandoned_in_the_middle() {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--until=T005", "--pause-after=1"]), 3, &[]);
    assert_ends(&bed.run(crate::BINARY, ["abandon", FEATURE]), 0, &[]);
    // Work that has not landed is kept on its ref.
    let left = || bed.leftovers().into_iter().filter(|line| !line.starts_with("ref ")).collect::<Vec<_>>();
    assert_eq!(left(), [""; 0]);
    // The clock stands still here, so a new run would get the id of the old one: its ref is deleted first.
    for name in bed.sandbox.git(["for-each-ref", "--format=%(refname)", "refs/charrette"]).lines() {
        bed.sandbox.git(["update-ref", "-d", name]);
    }
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(left(), [""; 0]);
}

#[test]
fn a_worktree_that_somebody_removed_is_made_again() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    // It is gone when the answer of the agent is there and its work is not captured yet.
    let worktrees = bed.sandbox.home().join(".local/state/charrette/worktrees");
    let remove = format!("rm -rf {}/*/T001", worktrees.display());
    bed.set_part("T001/implement-1", &bed.working_part(&remove));
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 0, &[]);
    assert_eq!(
        bed.calls_of("T001/"),
        ["T001/implement-1 claude", "T001/implement-2 claude", "T001/review-2 codex"]
    );
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001"]);
    assert!(bed.read("implementation-report.md").contains("the folder of the worktree was removed"));
    bed.assert_clean();
}

#[test]
fn the_whole_is_reviewed_although_its_worktree_was_removed() {
    let bed = Bed::new();
    let worktrees = bed.sandbox.home().join(".local/state/charrette/worktrees");
    let remove = format!("rm -rf {}/*/reviewed", worktrees.display());
    bed.set_part("comprehensive-reviewer-1", &serde_json::json!({"shell": remove, "exit": 1}));
    bed.set_part("comprehensive-reviewer-2", &serde_json::json!({"shell": "sleep 2", "exit": 1}));
    bed.set_answer("comprehensive-reviewer-1@cursor", "NO_ISSUES_FOUND\n");
    bed.set_answer("comprehensive-reviewer-2@claude", "NO_ISSUES_FOUND\n");
    assert_ends(&bed.implement(&["--task=T001"]), 0, &["no findings"]);
    bed.assert_clean();
}
