//! A seat that writes, in the worktree of a task: a hostile agent as a real process, each attack once inside and once outside
//! of the sandbox.

use crate::BINARY;
use crate::sandbox::{ATTACKS, Attack, Sign, WITHOUT, prepare, repository, successes};
use charrette_testkit::{Output, Sandbox};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use Sign::{Forged, Gone, There};

/// Worktrees of two tasks, in the home folder. The agent works in the first.
const OWN: &str = ".local/state/charrette/worktrees/run/T001";
const OTHER: &str = ".local/state/charrette/worktrees/run/T002";

/// Attacks that a task could make on the others: victims as in [`ATTACKS`].
const TASK_ATTACKS: &[Attack] = &[
    ("~/.local/state/charrette/worktrees/run/T002/a", Forged, "echo FORGED > $V"),
    ("~/.local/state/charrette/worktrees/run/T002/b", Forged, "echo FORGED > ../T002/b"),
    ("~/.local/state/charrette/worktrees/run/T002/c", Forged, "ln -s ../T002 link; echo FORGED > link/c"),
    ("~/.local/state/charrette/worktrees/run/T002/d", Forged, "ln ../T002/d hard; echo FORGED > hard"),
    ("~/.local/state/charrette/worktrees/run/T002/e", Gone, "rm -f ../T002/e"),
    ("~/.local/state/charrette/worktrees/run/T002/f", Gone, "mv ../T002/f f"),
    ("~/.local/state/charrette/worktrees/run/T002/.git", Forged, "echo FORGED > $V"),
    ("~/.local/state/charrette/worktrees/run/T003", There, "mkdir $V"),
    (
        ".git/refs/heads/by-commit",
        There,
        "git -c user.name=a -c user.email=b@c commit -q --allow-empty -m FORGED && git branch by-commit",
    ),
    (".git/refs/charrette/run", There, "git update-ref refs/charrette/run HEAD"),
    (".git/refs/stash", There, "echo x >> README.md; git -c user.name=a -c user.email=b@c stash -q"),
    (".git/packed-refs", There, "git pack-refs --all; test -e $V || echo x > $V"),
    (".git/worktrees/T002/gitdir", Forged, "echo FORGED > $V"),
    (".git/worktrees/T001/config.worktree", There, "echo x > $V"),
    (".git/worktrees/T001/index.lock", There, "touch $V"),
    (".git/worktrees/T001/HEAD", Forged, "echo FORGED > $V"),
];

/// Two worktrees of a repository; attacks; and an agent that makes them in the first worktree. Returns the output of `ask`.
fn attacked(sandbox: &Sandbox, attacks: &[Attack], limit: Option<&str>) -> Output {
    for worktree in [OWN, OTHER] {
        let folder = sandbox.home().join(worktree);
        sandbox.git(["worktree", "add", "--quiet", "--detach", folder.to_str().unwrap()]);
    }
    // One of the victims; without it the settings would not be readable.
    let config = sandbox.home().join(".config/charrette/charrette.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(config, "# honest\n").unwrap();
    let script = prepare(sandbox, attacks);
    let agent = format!("cat > /dev/null\necho mine > made\nsh {}\necho fine\n", script.display());
    ask(sandbox, &agent, &["--write", "--worktree", &own(sandbox)], limit)
}

fn own(sandbox: &Sandbox) -> String {
    sandbox.home().join(OWN).display().to_string()
}

/// `charrette ask` with an agent that is a shell script.
fn ask(sandbox: &Sandbox, script: &str, words: &[&str], limit: Option<&str>) -> Output {
    let program = sandbox.outside("agent");
    std::fs::write(&program, format!("#!/bin/sh\n{script}")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = sandbox.outside("settings.toml");
    let command = program.display().to_string();
    let text = format!(
        "[agents.mine]\nkind = \"command\"\ncommand = {command:?}\n\
         [agents.remote]\nkind = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n"
    );
    std::fs::write(&settings, text).unwrap();
    let agent = if words.contains(&"--agent") { &[][..] } else { &["--agent", "mine"] };
    let mut command = sandbox.command(BINARY);
    command.args(["ask", "--prompt", "go", "--output", "../answer.md"]).args(agent).args(words);
    command.env("CHARRETTE_CONFIG", &settings);
    match limit {
        Some(limit) => command.env("CHARRETTE_LANDLOCK", limit),
        None => command.env_remove("CHARRETTE_LANDLOCK"),
    };
    Output::capture(command, b"")
}

fn answer(sandbox: &Sandbox) -> String {
    std::fs::read_to_string(sandbox.outside("answer.md")).unwrap_or_default()
}

fn all_attacks() -> Vec<Attack> {
    ATTACKS.iter().chain(TASK_ATTACKS).copied().collect()
}

#[test]
fn a_hostile_task_writes_in_its_own_worktree_only() {
    let sandbox = repository();
    let commits = || sandbox.git(["log", "--all", "--format=%H"]);
    let before = commits();
    let output = attacked(&sandbox, &all_attacks(), None);
    assert_eq!(successes(&sandbox, &all_attacks()), [""; 0], "{output:?}");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!output.stderr.contains("Warning"), "{}", output.stderr);
    assert_eq!(answer(&sandbox).trim(), "fine");
    // It did work, where it may.
    assert_eq!(std::fs::read_to_string(sandbox.home().join(OWN).join("made")).unwrap(), "mine\n");
    assert_eq!(commits(), before);
}

#[test]
fn without_the_sandbox_the_same_task_succeeds_everywhere() {
    let sandbox = repository();
    let output = attacked(&sandbox, &all_attacks(), WITHOUT);
    let seen = std::fs::read_to_string(sandbox.outside("succeeded")).unwrap_or_default();
    let missed: Vec<&str> = all_attacks()
        .iter()
        .map(|(victim, ..)| *victim)
        .filter(|victim| !seen.lines().any(|line| line == *victim))
        .collect();
    assert_eq!(missed, [""; 0], "{output:?}");
}

#[test]
fn a_task_that_changed_the_checkout_is_found_out() {
    let sandbox = repository();
    let own = own(&sandbox);
    sandbox.git(["worktree", "add", "--quiet", "--detach", &own]);
    let script =
        format!("cat > /dev/null\necho x >> {}/README.md; echo x > made\n", sandbox.work().display());
    let output = ask(&sandbox, &format!("{script}echo fine\n"), &["--write", "--worktree", &own], WITHOUT);
    let warning = "Warning: mine may change its worktree only, but modified README.md";
    assert!(output.stderr.contains(warning), "{}", output.stderr);
    assert!(!output.stderr.contains("made"), "{}", output.stderr);
}

#[test]
fn a_task_does_not_see_the_worktrees_of_others() {
    let sandbox = repository();
    for worktree in [OWN, OTHER] {
        let folder = sandbox.home().join(worktree);
        sandbox.git(["worktree", "add", "--quiet", "--detach", folder.to_str().unwrap()]);
        std::fs::write(folder.join("notes"), format!("notes of {worktree}\n")).unwrap();
    }
    let other: PathBuf = sandbox.home().join(OTHER);
    let script = format!(
        "cat > /dev/null\npwd\ncat notes\ncat {0}/notes\ncat ../T002/notes\nln -s {0} $TMPDIR/link; cat $TMPDIR/link/notes\ncat {1}/README.md\ngit -C {1} log --format=%s\necho fine\n",
        other.display(),
        sandbox.work().display()
    );
    for words in [&["--write"][..], &[]] {
        let own = own(&sandbox);
        let words = [words, &["--worktree", &own]].concat();
        let output =
            ask(&sandbox, &format!("{script}touch {own}/made-{}; true\n", words.len()), &words, None);
        let seen = answer(&sandbox);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(seen.contains(&format!("notes of {OWN}")) && seen.contains("visible\nread me\n"), "{seen}");
        assert!(!seen.contains(&format!("notes of {OTHER}")), "{seen}");
        // Without --write it only looks.
        let made = sandbox.home().join(OWN).join(format!("made-{}", words.len()));
        assert_eq!(made.exists(), words.contains(&"--write"));
    }
}

#[test]
fn only_a_worktree_of_this_repository_can_be_one() {
    let sandbox = repository();
    std::fs::create_dir_all(sandbox.outside("elsewhere")).unwrap();
    for (folder, problem) in [
        (".", "holds the repository"),
        ("../elsewhere", "is not a worktree of this repository"),
        ("../nowhere", "cannot be used"),
        ("..", "is not a worktree of this repository"),
    ] {
        let output = ask(&sandbox, "touch ran\n", &["--write", "--worktree", folder], None);
        assert_eq!(output.code, Some(1), "{folder}: {output:?}");
        assert!(output.stderr.contains(problem), "{folder}: {}", output.stderr);
    }
    let own = own(&sandbox);
    sandbox.git(["worktree", "add", "--quiet", "--detach", &own]);
    let remote = ask(&sandbox, "", &["--write", "--worktree", &own, "--agent", "remote"], None);
    assert_eq!(remote.code, Some(1), "{remote:?}");
    assert!(remote.stderr.contains("an endpoint has no tools on this machine"), "{}", remote.stderr);
    assert!(!sandbox.path("ran").exists());
}
