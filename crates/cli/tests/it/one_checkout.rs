//! One run at a time moves a checkout: what a second one is told, what it leaves alone, and what happens to locks and
//! branches that disappear.

use crate::workshop::Workshop;
use crate::{BINARY, charrette};
use charrette_testkit::panel::FEATURE;
use charrette_testkit::{Output, Sandbox};
use serde_json::json;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SECOND: &str = "a second thing entirely";

/// A run that is driven by a process of its own until it is dropped; its planner is at work.
struct Driven(Child);

impl Drop for Driven {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a run of another request, and waits until its planner has begun.
fn drive_second(workshop: &Workshop, script: &str) -> Driven {
    drive_second_by(workshop, script, &[])
}

/// The same, started by another program.
fn drive_second_by(workshop: &Workshop, script: &str, by: &[&str]) -> Driven {
    let begun = workshop.sandbox.outside("planner-begun");
    let script = format!("touch '{}'; {script} sleep 30", begun.display());
    workshop.set_part("planner", &json!({"says": "planner.txt", "shell": script}));
    let words = [by, &[BINARY, "design", SECOND, "--auto", "--no-checkpoint"]].concat();
    let mut command = workshop.command(words[0], &words[1..]);
    let driven = Driven(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let until = Instant::now() + Duration::from_mins(1);
    while !begun.exists() {
        assert!(Instant::now() < until, "the planner of the second run does not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    driven
}

fn in_use(output: &Output) {
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("this checkout is in use by process"), "{}", output.stderr);
    assert!(output.stderr.contains("charrette stop a-second-thing-entirely"), "{}", output.stderr);
}

#[test]
fn whoever_is_refused_loses_nothing_and_is_not_told_to_move_head() {
    let workshop = Workshop::regular();
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let path = workshop.sandbox.path(&format!(".claude/state/design-{FEATURE}.json"));
    let before = std::fs::read(&path).unwrap();
    let _driven = drive_second(&workshop, "");
    for args in [&[FEATURE, "--phase=write", "--fresh"][..], &[FEATURE, "--phase=write"]] {
        let refused = workshop.design(args);
        in_use(&refused);
        assert!(!refused.stderr.contains("git switch"), "{}", refused.stderr);
        assert!(std::fs::read(&path).unwrap() == before, "{args:?} changed the document");
    }
    let head = workshop.sandbox.git(["rev-parse", "--abbrev-ref", "HEAD"]);
    in_use(&workshop.run(BINARY, ["branch", "create", "ada-l/other"]));
    assert_eq!(workshop.sandbox.git(["rev-parse", "--abbrev-ref", "HEAD"]), head);
}

#[test]
fn the_named_command_makes_a_tree_in_which_the_refused_run_begins() {
    let workshop = Workshop::regular();
    let _driven = drive_second(&workshop, "");
    begins_in_the_named_tree(&workshop);
    // Now the tree has its folder and its branch, and a folder of branches is in the way.
    workshop.sandbox.git(["branch", "ada-l/a-third-thing-2/part"]);
    begins_in_the_named_tree(&workshop);
}

fn begins_in_the_named_tree(workshop: &Workshop) {
    let refused = workshop.design(&["a third thing", "--auto", "--no-checkpoint"]);
    in_use(&refused);
    let hint = refused.stderr.lines().find_map(|line| line.split_once("tree of its own: ")).unwrap().1;
    let mut shell = workshop.command("sh", ["-c", &format!("{hint} && \"$0\" design 'a third thing' --phase=research --auto --no-checkpoint && git status --porcelain"), BINARY]);
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{hint}: {output:?}");
}

#[test]
fn no_tree_is_named_where_there_is_no_commit_to_begin_it_from() {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "--quiet", "--initial-branch=main"]);
    let locks = sandbox.path(".claude/state/locks");
    std::fs::create_dir_all(&locks).unwrap();
    let lease = std::fs::File::create(locks.join("checkout.lease")).unwrap();
    lease.lock().unwrap();
    let refused = charrette(&sandbox, &["design", "a third thing", "--auto", "--no-checkpoint", "--yes"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("this checkout is in use"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("git worktree add"), "{}", refused.stderr);
}

#[test]
fn locks_that_an_agent_removes_are_taken_again_and_let_nobody_in() {
    let workshop = Workshop::regular();
    let locks = workshop.sandbox.path(".claude/state/locks");
    let driven = drive_second(&workshop, &format!("rm -rf '{}';", locks.display()));
    let until = Instant::now() + Duration::from_secs(10);
    while locks.exists() {
        assert!(Instant::now() < until, "the agent removes no locks");
        std::thread::sleep(Duration::from_millis(20));
    }
    let refused = workshop.design(&["a third thing", "--auto", "--no-checkpoint"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("this checkout is in use by process"), "{}", refused.stderr);
    drop(driven);

    let workshop = Workshop::regular();
    let locks = workshop.sandbox.path(".claude/state/locks");
    let script =
        format!("cd '{}' && cp checkout.lease x && mv x checkout.lease; rm design-*.lease", locks.display());
    workshop.set_part("planner", &json!({"says": "planner.txt", "shell": script}));
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    let gates = workshop.document()["gates"].to_string();
    assert!(
        gates.contains("checkout.lease") && gates.contains(&format!("design-{FEATURE}.lease")),
        "{gates}"
    );
    assert_eq!(workshop.answer("changed-record: continue\n").code, Some(0));
    assert_eq!(workshop.resume(&[]).code, Some(0));
}

/// In a container the driver is process 1, which is the ancestor of every process outside.
#[test]
#[cfg(target_os = "linux")]
fn a_driver_in_a_container_makes_nobody_outside_an_agent() {
    let in_container = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
    let works = Command::new(in_container[0]).args(&in_container[1..]).arg("true").output();
    if !works.is_ok_and(|output| output.status.success()) {
        return;
    }
    let workshop = Workshop::regular();
    let _driven = drive_second_by(&workshop, "", &[&in_container[..], &["--kill-child"]].concat());
    let refused = workshop.design(&["a third thing", "--auto", "--no-checkpoint"]);
    in_use(&refused);
}

#[test]
fn a_run_goes_on_only_on_its_own_branch() {
    let workshop = Workshop::regular();
    workshop.write_gate_answers("clarify: {}\n");
    let answers = workshop.answers();
    assert_eq!(workshop.start(&[]).code, Some(3));
    let branch = workshop.document()["run"]["branch"].as_str().unwrap().to_owned();
    let resume = || workshop.run(BINARY, ["resume", FEATURE]);
    workshop.sandbox.git(["switch", "-q", "main"]);
    let refused = resume();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains(&format!("git switch {branch}")), "{}", refused.stderr);

    // Without its branch it is not continued on another one.
    workshop.sandbox.git(["branch", "-q", "-D", &branch]);
    let refused = resume();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("does not exist any more"), "{}", refused.stderr);
    let hint = refused.stderr.lines().find_map(|line| line.split_once("was saved: ")).unwrap().1;
    let made = Command::new("sh").args(["-c", hint]).current_dir(workshop.sandbox.work()).status().unwrap();
    assert!(made.success(), "{hint}");
    assert_eq!(resume().code, Some(3), "it waits for its answers again");
    drop(answers);
}

#[test]
fn a_complete_run_is_redone_on_its_own_branch_only() {
    let workshop = Workshop::regular();
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    workshop.sandbox.git(["switch", "-q", "main"]);
    let refused = workshop.design(&[FEATURE, "--phase=write", "--fresh"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("git switch"), "{}", refused.stderr);
    // Its closing page is shown anywhere.
    assert_eq!(workshop.run(BINARY, ["resume", FEATURE]).code, Some(0));
}

#[test]
fn a_complete_run_delivers_its_files_on_no_other_branch() {
    let workshop = Workshop::regular();
    let git = |args: &[&str]| workshop.sandbox.git(args.iter().copied());
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let branch = workshop.document()["run"]["branch"].as_str().unwrap().to_owned();
    git(&["add", "specs"]);
    workshop.sandbox.commit("docs: a specification");
    git(&["switch", "-q", "main"]);
    for args in [&["resume", FEATURE][..], &["design", FEATURE, "--approve", "--yes"]] {
        let refused = workshop.run(BINARY, args.iter().copied());
        assert_eq!(refused.code, Some(4), "{refused:?}");
        let says = [&format!("works on branch {branch}, but branch main"), &format!("git switch {branch}")];
        assert!(says.iter().all(|says| refused.stderr.contains(*says)), "{}", refused.stderr);
        assert!(!workshop.spec("design.md").exists(), "{args:?}");
    }
    assert_eq!(git(&["status", "--porcelain"]), "");
    // Merged, its files are all there.
    git(&["merge", "-q", "--ff-only", &branch]);
    let shown = workshop.run(BINARY, ["resume", FEATURE]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    // Nobody is asked there what could not be delivered.
    let before = workshop.document();
    assert_eq!(workshop.design(&[FEATURE, "--approve", "--yes"]).code, Some(4));
    assert_eq!(workshop.document(), before);
    assert_eq!(git(&["status", "--porcelain"]), "");
}
