//! Verify commands that misbehave: they hang, flood, fail at random, want a terminal, are red before the work, or fail to set
//! up.

use super::bed::{Bed, assert_ends};
use charrette_testkit::Pty;
use charrette_testkit::till::leftovers;

/// A test command that does this once there is work, and is green before.
fn with_command(then: &str, timeout: u32) -> Bed {
    let bed = Bed::new();
    bed.write_settings(&format!(
        "[verify]\ntimeout = {timeout}\ntest = '''if [ -e till/price.py ]; then {then}; else python3 -m unittest -v; fi'''\n"
    ));
    bed
}

fn assert_parked(bed: &Bed, reason: &str) {
    let head = bed.id("HEAD");
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    let page = bed.gate_page("task/T001-1");
    assert!(page.contains(reason), "{page}");
    assert_eq!(bed.landed_tasks(&head, &bed.integration()), [""; 0]);
    assert_eq!(leftovers::processes(&bed.sandbox), [""; 0]);
}

#[test]
fn a_command_that_hangs_is_ended() {
    assert_parked(&with_command("(setsid sleep 600 &); sleep 600", 10), "time limit");
}

#[test]
fn a_command_that_floods_is_ended() {
    assert_parked(&with_command("yes flood", 300), "its output exceeded the limit");
}

#[test]
fn a_command_that_wants_a_terminal_is_red() {
    assert_parked(&with_command("read answer < /dev/tty || exit 9", 60), "test is red");
}

#[test]
fn a_command_that_reads_its_input_does_not_wait() {
    assert_parked(&with_command("read answer || exit 9", 60), "exit code 9");
}

#[test]
fn a_command_that_fails_at_random_is_asked_again() {
    let bed = Bed::new();
    let mark = bed.sandbox.outside("mark");
    bed.write_settings(&format!(
        "[verify]\ntest = '''[ ! -e till/price.py ] || [ -e \"{0}\" ] || {{ touch \"{0}\"; exit 1; }}; python3 -m unittest -v'''\n",
        mark.display()
    ));
    let base = bed.id("HEAD");
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001"]);
    bed.assert_clean();
}

#[test]
fn a_command_that_changes_files_changes_nothing_that_lands() {
    let bed = Bed::new();
    bed.write_settings(
        "[verify]\ntest = \"echo '# formatted' >> till/basket.py; echo x > till/made.txt; python3 -m unittest -v\"\n",
    );
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert!(!bed.sandbox.path("till/made.txt").exists());
    assert!(!bed.sandbox.read("till/basket.py").contains("formatted"));
    assert_eq!(bed.status(), [""; 0]);
    bed.assert_clean();
}

#[test]
fn a_red_baseline_is_a_gate() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    bed.write_settings("[verify]\nlint = \"echo a lint; exit 1\"\n");
    assert_ends(&bed.implement(&["--task=T001"]), 3, &["baseline"]);
    assert_eq!(bed.calls_in_order(), [""; 0]);
    assert!(bed.read("baseline.md").contains("a lint"));
    bed.answer("baseline: {baseline: continue}\n");
    let output = bed.resume();
    assert_ends(&output, 0, &["lint"]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001"]);
    bed.assert_clean();
}

#[test]
fn a_red_baseline_may_end_the_run() {
    let bed = Bed::new();
    bed.write_settings("[verify]\nlint = \"exit 1\"\n");
    assert_ends(&bed.implement(&["--task=T001"]), 3, &[]);
    bed.answer("baseline: {baseline: abort}\n");
    assert_ends(&bed.resume(), 4, &["lint"]);
    assert_eq!(bed.calls_in_order(), [""; 0]);
}

#[test]
fn a_setup_that_fails_is_told_before_an_agent_is_asked() {
    let bed = Bed::new();
    bed.write_settings("[verify]\nsetup = \"echo no network; exit 3\"\n");
    let output = bed.implement(&["--task=T001"]);
    assert!(matches!(output.code, Some(1 | 4)), "{output:?}");
    assert_ends(&output, output.code.unwrap(), &["setup", "no network"]);
    assert_eq!(bed.calls_in_order(), [""; 0]);
}

#[test]
fn setup_and_included_files_make_a_worktree_usable() {
    let bed = Bed::new();
    bed.sandbox.write("key.local", "for tests\n");
    bed.sandbox.write(".worktreeinclude", "*.local\n");
    bed.sandbox.git(["add", ".worktreeinclude"]);
    bed.sandbox.commit("include");
    bed.write_settings(
        "[verify]\nsetup = \"mkdir -p __pycache__ && cp key.local __pycache__/installed\"\ntest = \"grep -q tests __pycache__/installed && python3 -m unittest -v\"\n",
    );
    let check = "test -e __pycache__/installed && test -e key.local || rm till/price.py";
    bed.set_part("implementer", &bed.working_part(check));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    assert_eq!(bed.file_at("main", "key.local"), None);
    bed.assert_clean();
}

#[test]
fn commands_are_on_record_with_code_and_time() {
    let bed = Bed::new();
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    let report = bed.read("implementation-report.md");
    assert!(report.contains("| test: `python3 -m unittest -v` | green | exit code 0 | "), "{report}");
    assert!(bed.read("final-verification.md").contains("green"));
}

#[test]
fn commands_that_the_repository_suggests_are_proposed_at_a_terminal() {
    let bed = Bed::new();
    bed.sandbox.write("charrette.toml", "");
    bed.sandbox.write("Makefile", "test:\n\tpython3 -m unittest -v\n");
    bed.sandbox.git(["add", "charrette.toml", "Makefile"]);
    bed.sandbox.git(["commit", "-qm", "No commands"]);
    let preview = bed.implement(&["--dry-run"]);
    assert_ends(&preview, 0, &["Proposed test: make test", "Not ready"]);
    let refused = bed.implement(&["--task=T001", "--yes"]);
    assert_ends(&refused, 4, &["no verify commands are configured", "charrette verify init"]);

    let start = |answer: &str| {
        let mut command = bed.command(&["--task=T001", "--yes"]);
        command.env("TERM", "xterm");
        let mut pty = Pty::start(command, 100);
        pty.wait_for("This repository suggests:");
        pty.wait_for("make test");
        pty.answer("[Yes / No]", answer);
        (pty.wait_for_exit(), pty.screen())
    };
    let (code, screen) = start("n\r");
    assert_eq!(code, Some(4), "{screen}");
    assert_eq!(bed.sandbox.read("charrette.toml"), "");
    let (code, screen) = start("y\r");
    assert_eq!(code, Some(0), "{screen}");
    assert!(bed.sandbox.read("charrette.toml").contains("make test"));
    assert!(bed.sandbox.path("till/price.py").exists(), "{screen}");
}
