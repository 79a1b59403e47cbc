//! Runs that are killed while their git moves the checkout, and repositories that git does not find any more: the next
//! command says what to type, that works when it is typed, and nothing is lost.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, REQUEST};
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A repository whose main is behind its remote, and a filter of the user's that waits while a file marks it.
fn behind() -> Workshop {
    let workshop = Workshop::brief();
    let sandbox = &workshop.sandbox;
    let (slow, inside) = (sandbox.outside("slow"), sandbox.outside("inside"));
    let smudge = format!("if [ -e {} ]; then touch {}; sleep 30; fi; cat", slow.display(), inside.display());
    sandbox.git(["config", "--global", "filter.slow.smudge", &smudge]);
    sandbox.git(["config", "--global", "filter.slow.clean", "cat"]);
    sandbox.write(".gitattributes", "*.slow filter=slow\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("filter");
    sandbox.write("0.txt", "theirs\n");
    sandbox.write("a.slow", "theirs\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("theirs");
    sandbox.git(["push", "-q", "origin", "main"]);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    sandbox.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    workshop
}

/// Starts the run and kills it, with its git, while git writes a file.
fn kill_inside_git(workshop: &Workshop) {
    let (slow, inside) = (workshop.sandbox.outside("slow"), workshop.sandbox.outside("inside"));
    fs_err::write(&slow, "").unwrap();
    let mut command = workshop.command(BINARY, ["design", REQUEST, "--auto", "--no-checkpoint"]);
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut driver = command.spawn().unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while !inside.exists() {
        assert!(Instant::now() < until && driver.try_wait().unwrap().is_none(), "git writes no file");
        std::thread::sleep(Duration::from_millis(5));
    }
    let group = format!("-{}", driver.id());
    assert!(workshop.sandbox.command("kill").args(["-9", "--", &group]).status().unwrap().success());
    driver.wait().unwrap();
    fs_err::remove_file(&slow).unwrap();
}

/// Types the command that a message names after these words.
fn type_command(workshop: &Workshop, output: &Output, before: &str) {
    let line = output.stderr.lines().find(|line| line.contains(before));
    let line = line.unwrap_or_else(|| panic!("no '{before}' in {}", output.stderr));
    let command = line.split(before).nth(1).unwrap();
    let mut shell = workshop.sandbox.command("sh");
    let status = shell.args(["-c", command]).current_dir(workshop.sandbox.work()).status().unwrap();
    assert!(status.success(), "{command}");
}

#[test]
fn a_run_that_was_killed_inside_git_goes_on_after_the_lock_is_removed() {
    for (state, has_rebase) in [("behind", false), ("diverged", true), ("off main", false)] {
        let workshop = behind();
        let sandbox = &workshop.sandbox;
        match state {
            "diverged" => sandbox.git(["commit", "-q", "--allow-empty", "-m", "mine"]),
            "off main" => sandbox.git(["switch", "-q", "-c", "ada-l/other"]),
            _ => String::new(),
        };
        kill_inside_git(&workshop);
        assert_eq!(sandbox.path(".git/rebase-merge").exists(), has_rebase, "{state}");
        let doctor = workshop.run(BINARY, ["doctor"]);
        assert_eq!(doctor.stdout.contains("git rebase: not finished"), has_rebase, "{}", doctor.stdout);
        // A new run of the same feature would not know what to take back.
        let again = workshop.start(&["--auto", "--no-checkpoint"]);
        if state != "off main" {
            assert_eq!(again.code, Some(4), "{state}: {again:?}");
            assert!(again.stderr.contains(&format!("charrette resume {FEATURE}")), "{}", again.stderr);
        }
        let refused = workshop.resume(&[]);
        assert_ne!(refused.code, Some(0), "{state}");
        assert!(
            !refused.stderr.contains("stash") && !refused.stderr.contains("charrette answer"),
            "{}",
            refused.stderr
        );
        type_command(&workshop, &refused, "remove it: ");
        let done = workshop.resume(&[]);
        assert_eq!(done.code, Some(0), "{state}: {done:?}");
        assert_eq!(sandbox.read("0.txt") + &sandbox.read("a.slow"), "theirs\ntheirs\n");
        assert_eq!(sandbox.git(["status", "--porcelain", "--", ".", ":!specs"]), "", "{state}");
        assert!(!sandbox.path(".git/rebase-merge").exists());
    }
}

/// A run that waits for a person, in the middle.
fn paused() -> Workshop {
    let workshop = Workshop::brief();
    let output = workshop.start(&["--phase=research", "--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    workshop
}

#[test]
fn where_a_repository_was_no_new_one_is_proposed() {
    let workshop = paused();
    let git = workshop.sandbox.path(".git");
    let aside = workshop.sandbox.outside("aside");
    fs_err::rename(&git, &aside).unwrap();
    for args in [&["resume", FEATURE][..], &["design", REQUEST], &["branch", "check"], &["doctor"], &[]] {
        let output = workshop.run(BINARY, args.iter().copied());
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(!said.contains("git init") && said.contains("its .git is gone"), "{args:?}: {said}");
        assert!(said.contains(&format!("charrette abandon {FEATURE}")), "{args:?}: {said}");
    }
    fs_err::rename(&aside, &git).unwrap();
    // A broken one, with the command that mends it.
    fs_err::remove_file(git.join("HEAD")).unwrap();
    let output = workshop.run(BINARY, ["resume", FEATURE]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.stderr.contains("it has no HEAD") && !output.stderr.contains("git init"),
        "{}",
        output.stderr
    );
    type_command(&workshop, &output, "Put HEAD back: ");
    let done = workshop.resume(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn a_run_without_its_repository_can_be_given_up() {
    let workshop = paused();
    fs_err::remove_dir_all(workshop.sandbox.path(".git")).unwrap();
    let output = workshop.run(BINARY, ["abandon", FEATURE]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!workshop.sandbox.path(&format!(".claude/state/design-{FEATURE}.json")).exists());
}

#[test]
fn a_broken_index_is_made_anew_as_told() {
    let workshop = paused();
    workshop
        .sandbox
        .write(".git/index", "nonsense that is long enough to be read as an index of git, which it is not");
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    type_command(&workshop, &output, "Make it anew: ");
    let done = workshop.resume(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
}
