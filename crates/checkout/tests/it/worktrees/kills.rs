//! A run is killed before and after each of its git calls, and is completed by the next start.
//!
//! The run is a child process of the test, which is this program with another name of a test. Its `git` is a script that
//! counts calls and kills the child at one of them.

use crate::workshop::{RUN, Workshop, message, order, wait, write};
use charrette_checkout::{TaskWorktrees, WorktreeOptions};
use charrette_engine::ports::worktrees::{
    Advance, AdvanceOrder, BeginOrder, CaptureOrder, CommitOrder, IntegrationBase, LandOrder, Landing, Merge,
    MergeOrder, WorktreeOrder, Worktrees as _,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const SPEC: (&str, &str) = ("specs/login/tasks.md", "- [ ] T001\n- [ ] T002\n");

/// Runs this program as a child that does one thing in a workshop; returns what it printed.
pub(super) fn child(workshop: &Workshop, what: &str, variables: &[(&str, &str)]) -> String {
    let output = command(workshop, what, variables).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

pub(super) fn command(workshop: &Workshop, what: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = workshop.sandbox.command(std::env::current_exe().unwrap());
    command
        .args(["--exact", "worktrees::kills::the_child", "--ignored", "--nocapture", "--test-threads=1"])
        .env("WHAT", what)
        .env("ROOT", workshop.sandbox.work())
        .env("STATE", workshop.sandbox.outside("state"))
        .envs(variables.iter().copied());
    command
}

#[test]
#[ignore = "the child of the other tests"]
fn the_child() {
    let get = |name: &str| std::env::var(name).unwrap();
    let (root, state) = (PathBuf::from(get("ROOT")).canonicalize().unwrap(), PathBuf::from(get("STATE")));
    let worktrees = TaskWorktrees::new(WorktreeOptions { root: root.clone(), state: state.clone() });
    match get("WHAT").as_str() {
        "begin" => println!("{:?}", wait(worktrees.begin(begin_order()))),
        "merge" => {
            let order = MergeOrder { base: get("BASE"), tip: get("TIP"), commit: get("COMMIT") };
            println!("{:?}", wait(worktrees.merge(order)));
        }
        "land" => {
            let base = IntegrationBase {
                head: get("HEAD"),
                branch: "main".to_owned(),
                commit: get("BASE"),
                ..IntegrationBase::default()
            };
            let (commit, archive) = (get("COMMIT"), get("ARCHIVE"));
            let specification = vec![SPEC.0.to_owned()];
            let order = LandOrder { run: RUN.to_owned(), base, commit, specification, archive };
            println!("{:?}", wait(worktrees.land(order)));
        }
        "run" => whole_run(&worktrees, &Journal(state.join("journal"))),
        other => panic!("{other}"),
    }
}

fn begin_order() -> BeginOrder {
    let specification = vec![crate::workshop::edit(SPEC.0, SPEC.1)];
    BeginOrder { run: RUN.to_owned(), specification, message: message("docs: specification") }
}

/// Results of finished steps, as the engine keeps them.
struct Journal(PathBuf);

impl Journal {
    fn once<T: Serialize + DeserializeOwned>(&self, name: &str, step: impl FnOnce() -> T) -> T {
        let file = self.0.join(name);
        if let Ok(bytes) = fs_err::read(&file) {
            return serde_json::from_slice(&bytes).unwrap();
        }
        let result = step();
        fs_err::create_dir_all(&self.0).unwrap();
        let temp = self.0.join("temp");
        fs_err::write(&temp, serde_json::to_vec(&result).unwrap()).unwrap();
        fs_err::rename(temp, file).unwrap();
        result
    }
}

/// Two tasks that change the same file at different places, integrated one after the other, and landed.
fn whole_run(worktrees: &TaskWorktrees, journal: &Journal) {
    let base: IntegrationBase = journal.once("begin", || wait(worktrees.begin(begin_order())).unwrap());
    for (task, old, new) in [("T001", "return 1", "return 10"), ("T002", "return 2", "return 20")] {
        let commit: String = journal.once(&format!("{task}-work"), || {
            let made = wait(worktrees.prepare(order(task, &base.commit))).unwrap();
            let file = Path::new(&made.path).join("src/lib.py");
            let text =
                fs_err::read_to_string(&file).unwrap().replace(&format!("{old}\n"), &format!("{new}\n"));
            fs_err::write(&file, text).unwrap();
            write(Path::new(&made.path), &format!("{task}.py"), "new\n");
            let capture =
                CaptureOrder { run: RUN.to_owned(), name: task.to_owned(), base: base.commit.clone() };
            let change = wait(worktrees.capture(capture)).unwrap();
            assert_eq!((change.files.len(), &change.tampering), (2, &Vec::new()), "{change:?}");
            let commit = commit_order(task, &change.tree, &base.commit);
            wait(worktrees.commit(commit)).unwrap()
        });
        let tip: String =
            journal.once(&format!("{task}-tip"), || wait(worktrees.tip(RUN.to_owned())).unwrap());
        let landing: String = journal.once(&format!("{task}-merge"), || {
            let merge = MergeOrder { base: base.commit.clone(), tip: tip.clone(), commit };
            let Merge::Clean(tree) = wait(worktrees.merge(merge)).unwrap() else { panic!("a clean merge") };
            let verify = WorktreeOrder { reset: true, ..order("verify", &tree) };
            wait(worktrees.prepare(verify)).unwrap();
            wait(worktrees.commit(commit_order(task, &tree, &tip))).unwrap()
        });
        let advance: Advance = journal.once(&format!("{task}-advance"), || {
            let order = AdvanceOrder { run: RUN.to_owned(), expected: tip.clone(), commit: landing.clone() };
            wait(worktrees.advance(order)).unwrap()
        });
        assert_eq!(advance, Advance::Moved);
        journal.once(&format!("{task}-remove"), || {
            wait(worktrees.remove(RUN.to_owned(), task.to_owned())).unwrap();
        });
    }
    let landing: Landing = journal.once("land", || {
        let commit = wait(worktrees.tip(RUN.to_owned())).unwrap();
        let archive = journal.0.with_file_name("archive").to_str().unwrap().to_owned();
        let specification = vec![SPEC.0.to_owned()];
        let order = LandOrder { run: RUN.to_owned(), base: base.clone(), commit, specification, archive };
        wait(worktrees.land(order)).unwrap()
    });
    assert!(matches!(landing, Landing::Landed { .. }), "{landing:?}");
    journal.once("clean-up", || wait(worktrees.clean_up(RUN.to_owned(), Vec::new())).unwrap());
}

fn commit_order(task: &str, tree: &str, parent: &str) -> CommitOrder {
    CommitOrder {
        run: RUN.to_owned(),
        name: task.to_owned(),
        tree: tree.to_owned(),
        parent: parent.to_owned(),
        message: message(&format!("feat: {task}")),
    }
}

/// Installs a `git` that kills its caller at one of its calls, before or after the real git.
fn install_git(workshop: &Workshop) -> (PathBuf, String) {
    let path = install_script(
        workshop,
        "count=$(cat \"$COUNT\" 2>/dev/null || echo 0)\ncount=$((count + 1))\n\
         echo $count > \"$COUNT\"\n\
         if [ \"$count\" = \"$DIE_AT\" ]; then\n  if [ \"$DIE_HOW\" = after ]; then \"$real\" \"$@\" > /dev/null; fi\n  \
         kill -9 $PPID\n  exit 1\nfi\n",
    );
    (workshop.sandbox.outside("count"), path)
}

/// Installs a `git` that runs these commands before it becomes the real one, `$real`. Returns a `PATH` with it.
pub(super) fn install_script(workshop: &Workshop, commands: &str) -> String {
    let folder = workshop.sandbox.outside("programs");
    fs_err::create_dir(&folder).unwrap();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|program| program.is_file())
        .unwrap();
    let script = format!("#!/bin/sh\nreal='{}'\n{commands}exec \"$real\" \"$@\"\n", real.display());
    fs_err::write(folder.join("git"), script).unwrap();
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs_err::set_permissions(folder.join("git"), permissions).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// State of the repository when a run is done.
fn end_state(workshop: &Workshop) -> String {
    let sandbox = &workshop.sandbox;
    let mut state = String::new();
    for args in [
        &["rev-parse", "HEAD^{tree}"][..],
        &["log", "--format=%s"],
        &["status", "--porcelain"],
        &["for-each-ref", "--format=%(refname)"],
        &["worktree", "list"],
    ] {
        let printed = sandbox.git(args);
        let printed = if args[0] == "worktree" { printed.lines().count().to_string() } else { printed };
        writeln!(state, "{printed}").unwrap();
    }
    let locks = lock_files(&sandbox.path(".git"));
    writeln!(state, "{:?} {:?}", workshop.traces(), locks).unwrap();
    state
}

/// Lock files of git below a folder.
fn lock_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(lock_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "lock") {
            found.push(path);
        }
    }
    found
}

/// Runs the whole run, killed at a call; then again without a kill. Returns its end and the number of calls.
fn killed_run(at: usize, how: &str) -> (String, usize) {
    let workshop = Workshop::new();
    workshop.sandbox.write(SPEC.0, SPEC.1);
    let (count, path) = install_git(&workshop);
    let (count, at) = (count.to_str().unwrap(), at.to_string());
    let variables = [("PATH", path.as_str()), ("COUNT", count), ("DIE_AT", &at), ("DIE_HOW", how)];
    let first = command(&workshop, "run", &variables).output().unwrap();
    let calls = fs_err::read_to_string(count).unwrap().trim().parse().unwrap();
    if first.status.success() {
        return (end_state(&workshop), calls);
    }
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&first.status),
        Some(9),
        "{}",
        String::from_utf8_lossy(&first.stderr)
    );
    let specification = workshop.sandbox.read(SPEC.0);
    assert!(specification == SPEC.1, "the specification after a kill: {specification}");
    child(&workshop, "run", &[]);
    (end_state(&workshop), calls)
}

/// Kills a run at every `step`-th call, before and after it in turns.
fn kill_at_every(step: usize) {
    let (expected, calls) = killed_run(0, "");
    assert!(expected.contains("feat: T002\nfeat: T001\ndocs: specification\nfiles\n"), "{expected}");
    assert!(expected.ends_with("[] []\n"), "{expected}");
    assert!(calls > 20, "{calls}");
    for (number, at) in (1..=calls).step_by(step).enumerate() {
        for how in
            if step == 1 { &["before", "after"][..] } else { &["before", "after"][number % 2..=number % 2] }
        {
            let (end, _) = killed_run(at, how);
            assert_eq!(end, expected, "killed {how} call {at} of {calls}");
        }
    }
}

#[test]
fn a_run_that_is_killed_at_a_git_call_ends_the_same() {
    kill_at_every(7);
}

#[test]
#[ignore = "all calls, before and after: takes minutes"]
fn a_run_that_is_killed_at_any_git_call_ends_the_same() {
    kill_at_every(1);
}

#[test]
fn without_a_name_nothing_begins() {
    let workshop = Workshop::new();
    for key in ["user.name", "user.email"] {
        workshop.sandbox.git(["config", "--unset", key]);
    }
    let nobody = [
        ("GIT_AUTHOR_NAME", ""),
        ("GIT_AUTHOR_EMAIL", ""),
        ("GIT_COMMITTER_NAME", ""),
        ("GIT_COMMITTER_EMAIL", ""),
    ];
    let mut command = command(&workshop, "begin", &[]);
    for (name, _) in nobody {
        command.env_remove(name);
    }
    let printed = String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned();
    assert!(printed.contains("Refused") && printed.contains("git config --global user.email"), "{printed}");
    assert_eq!(workshop.sandbox.git(["for-each-ref", "refs/charrette"]), "");
    let printed = child(&workshop, "begin", &[]);
    assert!(printed.contains("IntegrationBase"), "{printed}");
}
