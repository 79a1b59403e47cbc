//! Verify commands as real processes, without the sandbox: how they end, what is kept of them, what is left of them.

use crate::launching::{Room, canonical};
use charrette_agents::verify::SandboxVerifier;
use charrette_engine::ports::checkout::PortError;
use charrette_engine::ports::verifier::{
    CommandEnding, CommandOrder, CommandReport, ProofCommand, Verifier as _,
};
use std::path::{Path, PathBuf};

fn worktree(room: &Room) -> PathBuf {
    let folder = room.path("state/worktrees/run/T001");
    fs_err::create_dir_all(&folder).unwrap();
    canonical(&folder)
}

fn order(folder: &Path, command: ProofCommand) -> CommandOrder {
    CommandOrder {
        run: "run".to_owned(),
        lane: "verify-T001-test".to_owned(),
        command,
        folder: folder.display().to_string(),
        timeout: 600,
        network: false,
    }
}

fn run(room: &Room, order: CommandOrder) -> Result<CommandReport, PortError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let pool = room.pool();
    let result = runtime.block_on(SandboxVerifier::new(pool.clone()).run(order));
    // While the driver lives: nothing of the command is left.
    let left = fs_err::read_dir(room.path(&format!("state/drivers/.{}.copies", room.driver())))
        .map_or(0, Iterator::count);
    assert_eq!(left, 0, "a temporary folder is left");
    result
}

/// A line in a fresh worktree, with a time limit.
fn line(text: &str, timeout: u64) -> CommandReport {
    let room = room();
    let folder = worktree(&room);
    let order = CommandOrder { timeout, ..order(&folder, ProofCommand::Line(text.to_owned())) };
    run(&room, order).unwrap()
}

fn argv(words: &[&str]) -> CommandReport {
    let room = room();
    let folder = worktree(&room);
    fs_err::create_dir(folder.join("folder")).unwrap();
    fs_err::write(folder.join("plain"), "echo no\n").unwrap();
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    run(&room, order(&folder, ProofCommand::Argv(words))).unwrap()
}

fn room() -> Room {
    let mut room = Room::new("exit 1");
    "[clocks]\ngrace = 1\n[limits]\noutput_mb = 1\n".clone_into(&mut room.settings);
    room
}

/// True if a process with that argument is alive.
fn is_alive(mark: &str) -> bool {
    let is_marked = |entry: std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
    };
    std::fs::read_dir("/proc").unwrap().flatten().any(is_marked)
}

/// A number that no other process has as an argument.
fn mark(number: u32) -> String {
    format!("{}.{number:03}", 600 + std::process::id())
}

#[test]
fn a_command_is_green_only_if_it_ends_with_zero() {
    let green = line("echo out; echo err >&2; echo out", 60);
    assert!(green.is_green(), "{green:?}");
    assert_eq!((green.output.as_str(), green.output_bytes), ("out\nerr\nout\n", 12));
    assert_eq!(green.command, "echo out; echo err >&2; echo out");
    let red = line("echo no; exit 3", 60);
    assert_eq!((red.is_green(), red.exit, &red.ending), (false, Some(3), &CommandEnding::Exited));
    let killed = line("echo before; kill -SEGV $$", 60);
    assert_eq!(
        (killed.is_green(), killed.exit, &killed.ending),
        (false, None, &CommandEnding::Signalled(11))
    );
    assert_eq!(killed.output, "before\n");
    let line_without_program = line("no-such-program-at-all", 60);
    assert_eq!((line_without_program.exit, line_without_program.is_green()), (Some(127), false));
    assert!(argv(&["printf", "%s|", "a b", "$HOME", "*"]).output.starts_with("a b|$HOME|*|"));
}

#[test]
fn what_cannot_be_started_is_not_red_but_not_started() {
    for (words, reason) in [
        (&[][..], "there is no program to start"),
        (&[""], " cannot be started: "),
        (&["no-such-program-at-all"], "no-such-program-at-all cannot be started: No such file"),
        (&["./nowhere"], "./nowhere cannot be started: No such file"),
        (&["./folder"], "./folder is a folder"),
        (&["./plain"], "./plain cannot be started: Permission denied"),
    ] {
        let report = argv(words);
        let CommandEnding::NotStarted(found) = &report.ending else { panic!("{words:?}: {report:?}") };
        assert!(found.contains(reason), "{words:?}: {found}");
        assert!(!report.is_green() && report.exit.is_none(), "{report:?}");
    }
}

#[test]
fn a_command_that_hangs_is_ended_with_everything_it_started() {
    let (one, two, three) = (mark(1), mark(2), mark(3));
    let text = format!(
        "echo begun; trap 'echo asked to end' TERM; sleep {one} & setsid sleep {two} & (sleep {three} &) ; while :; do sleep 0.1; done"
    );
    let hung = line(&text, 1);
    assert_eq!((hung.exit, &hung.ending, hung.is_green()), (None, &CommandEnding::TimedOut, false));
    assert!(hung.output.starts_with("begun\n") && hung.output.contains("asked to end"), "{}", hung.output);
    assert!(hung.output.contains("[ended after 1 seconds (verify.timeout)]"), "{}", hung.output);
    for mark in [one, two, three] {
        assert!(!is_alive(&mark), "{mark}");
    }
}

#[test]
fn a_command_that_floods_is_ended_and_its_ends_are_kept() {
    let flood = line("echo first; yes flood", 600);
    assert_eq!((flood.exit, &flood.ending), (None, &CommandEnding::Flooded));
    assert!(
        flood.output.starts_with("first\nflood\n") && flood.output.len() < 40_000,
        "{}",
        flood.output.len()
    );
    assert!(
        flood.output.contains("bytes left out")
            && flood.output.contains("output exceeded 1 MB (limits.output_mb)")
    );
    assert!(flood.output_bytes > 1 << 20);
}

#[test]
fn daemons_end_with_the_command_that_left_them() {
    let mark = mark(4);
    let daemon = format!("setsid sh -c 'touch daemon; exec sleep {mark}' > /dev/null 2>&1 &");
    let report = line(&format!("{daemon} until test -e daemon; do sleep 0.05; done; echo started"), 600);
    assert!(report.is_green(), "{report:?}");
    assert_eq!(report.output, "started\n[left 1 process running; it was ended]\n");
    assert!(!is_alive(&mark));
}

#[test]
fn input_is_closed_and_the_environment_has_no_secrets() {
    let report = line("cat; read answer || echo nothing to read; env | sort", 60);
    assert!(report.is_green(), "{report:?}");
    assert!(report.output.starts_with("nothing to read\n"), "{}", report.output);
    for line in ["CI=true", "TERM=dumb", "NO_COLOR=1"] {
        assert!(report.output.lines().any(|found| found == line), "{line}: {}", report.output);
    }
    let lane = report.output.lines().find(|line| line.starts_with("CHARRETTE_LANE=")).unwrap();
    assert!(lane.ends_with("/verify-T001-test"), "{lane}");
    assert!(report.output.contains(".copies/verify-T001-test.verify\n"), "{}", report.output);
}

#[test]
fn output_is_cleaned_and_redacted() {
    let report = line(
        "printf '\\033[31mred\\033[0m\\007\\n'; echo token=ghp_$(printf 'a1B2%.0s' 1 2 3 4 5 6 7 8 9); printf ' 1%%\\r100%%\\n'",
        60,
    );
    assert!(report.output.starts_with("red\n"), "{:?}", report.output);
    assert!(report.output.ends_with("100%\n") && !report.output.contains("a1B2a1B2"), "{:?}", report.output);
}

#[test]
fn a_cancelled_run_ends_its_commands() {
    let room = room();
    let folder = worktree(&room);
    let mark = mark(6);
    let (cancel, begun) = (room.cancel.clone(), folder.join("begun"));
    let waiting = std::thread::spawn(move || {
        while !begun.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        cancel.request();
    });
    let text = format!("touch begun; sleep {mark}");
    let result = run(&room, order(&folder, ProofCommand::Line(text)));
    waiting.join().unwrap();
    assert_eq!(result, Err(PortError::Interrupted));
    assert!(!is_alive(&mark));
    // Afterwards nothing starts.
    assert_eq!(
        run(&room, order(&folder, ProofCommand::Line("touch again".to_owned()))),
        Err(PortError::Interrupted)
    );
    assert!(!folder.join("again").exists());
}

#[test]
fn the_checkout_of_the_user_is_no_worktree() {
    let room = room();
    fs_err::create_dir_all(room.path("repo")).unwrap();
    let checkout = order(&room.path("repo"), ProofCommand::Line("touch x".to_owned()));
    let refused = run(&room, checkout.clone());
    assert!(
        matches!(&refused, Err(PortError::Failed(problem)) if problem.contains("holds the repository")),
        "{refused:?}"
    );
    assert!(!room.path("repo/x").exists());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let report = runtime.block_on(SandboxVerifier::new(room.pool()).in_checkout().run(checkout)).unwrap();
    assert!(report.is_green() && room.path("repo/x").exists(), "{report:?}");
}
