//! Runs that are killed inside git: the move of the checkout is taken back, what the person has is kept, and the run goes on.

use crate::fixture::{
    USER, begin, checkout, create, current, enter, preflight_refused, record, repository, subject,
};
use charrette_checkout::PortError;
use charrette_testkit::Sandbox;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Names of the files that the remote's main adds, changes and deletes, in the order in which git writes them.
const NEW: [&str; 3] = ["a.slow", "d/b.slow", "z.slow"];

/// A repository whose main is behind its remote, which adds, changes, deletes and moves files. Files called `*.slow` go
/// through a filter.
fn behind() -> Sandbox {
    let sandbox = repository("main");
    sandbox.write(".gitattributes", "*.slow filter=slow\n");
    sandbox.write("changed.slow", "old\n");
    sandbox.write("deleted", "deleted\n");
    sandbox.write("place", "a file that becomes a folder\n");
    sandbox.write("kept", "kept\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("start");
    let origin = sandbox.outside("origin.git");
    let origin = origin.to_str().unwrap();
    sandbox.git(["init", "-q", "--bare", "-b", "main", origin]);
    sandbox.git(["remote", "add", "origin", origin]);
    for name in NEW {
        sandbox.write(name, format!("{name} of the remote\n"));
    }
    sandbox.write("changed.slow", "new, and longer than the old one\n");
    sandbox.git(["rm", "-q", "deleted", "place"]);
    sandbox.write("place/inside.slow", "a folder now\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("theirs");
    sandbox.git(["push", "-q", "origin", "main"]);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
    begin(&sandbox);
    sandbox
}

/// Number of files that go through the filter between the two ends.
const FILTERED: usize = 5;

/// The same with a commit of the person's own, which has a filtered file as well.
fn diverged() -> Sandbox {
    let sandbox = behind();
    sandbox.write("mine.slow", "mine\n");
    sandbox.git(["add", "mine.slow"]);
    sandbox.commit("mine");
    sandbox
}

/// Runs git and kills it while it writes the n-th file through the filter, from 1.
fn kill_git(sandbox: &Sandbox, n: usize, args: &[&str]) {
    let (count, mark) = (sandbox.outside("count"), sandbox.outside("mark"));
    let _ = (fs_err::remove_file(&count), fs_err::remove_file(&mark));
    let smudge = format!(
        "echo x >> {count}; if [ $(wc -l < {count}) -eq {n} ]; then touch {mark}; sleep 30; fi; cat",
        count = count.display(),
        mark = mark.display()
    );
    let mut command = sandbox.command("git");
    command.args(["-c", &format!("filter.slow.smudge={smudge}"), "-c", "filter.slow.clean=cat"]).args(args);
    let mut git = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while !mark.exists() {
        assert!(Instant::now() < until && git.try_wait().unwrap().is_none(), "git does not reach file {n}");
        std::thread::sleep(Duration::from_millis(2));
    }
    let group = format!("-{}", git.id());
    assert!(sandbox.command("kill").args(["-9", "--", &group]).status().unwrap().success());
    git.wait().unwrap();
}

fn remove_locks(sandbox: &Sandbox) {
    for lock in ["index.lock", "HEAD.lock"] {
        let _ = fs_err::remove_file(sandbox.path(".git").join(lock));
    }
}

/// Asserts that main is up to date and clean, with all files as committed.
fn assert_up_to_date(sandbox: &Sandbox, subjects: &[&str]) {
    let log = sandbox.git(["log", "--format=%s", "main"]);
    assert_eq!(log.lines().collect::<Vec<_>>(), subjects);
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
    assert_eq!(sandbox.read("place/inside.slow"), "a folder now\n");
}

const TAKEN_BACK: &str =
    "**⚠ git was killed while it moved this checkout. The files that it had written were taken back.**";

#[test]
fn a_fast_forward_that_was_killed_at_any_file_is_taken_back_and_done_again() {
    for n in 1..=FILTERED {
        let sandbox = behind();
        sandbox.git(["fetch", "-q"]);
        record(&sandbox, "HEAD", "origin/main");
        kill_git(&sandbox, n, &["merge", "-q", "--ff-only", "origin/main"]);
        let Err(PortError::Refused(said)) = enter(&checkout(&sandbox)) else { panic!("not refused") };
        let lines: Vec<&str> = said.lines().collect();
        assert!(lines[1].contains("/.git/index.lock") && lines[1].contains("rm "), "{said}");
        assert!(!said.contains("stash") && lines[2] == "Then resume the run.", "{said}");
        assert_eq!(subject(&sandbox, "HEAD"), "start");
        remove_locks(&sandbox);
        assert_eq!(enter(&checkout(&sandbox)).unwrap().warnings, [TAKEN_BACK], "{n}");
        assert_up_to_date(&sandbox, &["theirs", "start", "first"]);
    }
}

#[test]
fn a_rebase_that_was_killed_at_any_file_is_taken_back_and_done_again() {
    // The last one is the file of the person's own commit.
    for n in 1..=FILTERED + 1 {
        let sandbox = diverged();
        sandbox.git(["fetch", "-q"]);
        record(&sandbox, "HEAD", "origin/main");
        kill_git(&sandbox, n, &["rebase", "-q", "refs/remotes/origin/main"]);
        assert!(sandbox.path(".git/rebase-merge").exists());
        assert!(matches!(enter(&checkout(&sandbox)), Err(PortError::Refused(_))));
        remove_locks(&sandbox);
        assert_eq!(enter(&checkout(&sandbox)).unwrap().warnings, [TAKEN_BACK], "{n}");
        assert_up_to_date(&sandbox, &["mine", "theirs", "start", "first"]);
        assert_eq!((sandbox.read("mine.slow").as_str(), current(&sandbox).as_str()), ("mine\n", "main"));
        assert!(!sandbox.path(".git/rebase-merge").exists());
    }
}

#[test]
fn a_switch_that_was_killed_at_any_file_is_taken_back_and_the_persons_changes_stay() {
    for n in 1..=FILTERED {
        let sandbox = behind();
        sandbox.git(["fetch", "-q"]);
        sandbox.git(["switch", "-q", "-c", &format!("{USER}/other")]);
        sandbox.write("kept", "changed by the person\n");
        sandbox.write("untracked", "of the person\n");
        record(&sandbox, "HEAD", "origin/main");
        let branch = format!("{USER}/add-login");
        kill_git(&sandbox, n, &["switch", "-q", "--no-track", "-c", &branch, "refs/remotes/origin/main"]);
        assert!(matches!(create(&checkout(&sandbox)), Err(PortError::Refused(_))));
        remove_locks(&sandbox);
        let report = create(&checkout(&sandbox)).unwrap();
        assert_eq!((report.name, report.warnings), (branch, vec![TAKEN_BACK.to_owned()]), "{n}");
        assert_eq!(sandbox.git(["status", "--porcelain"]), " M kept\n?? untracked");
        assert_eq!(
            sandbox.read("kept") + &sandbox.read("untracked"),
            "changed by the person\nof the person\n"
        );
        assert_eq!(subject(&sandbox, "HEAD"), "theirs");
    }
}

#[test]
fn what_a_person_wrote_after_the_kill_is_not_touched() {
    let sandbox = behind();
    sandbox.git(["fetch", "-q"]);
    record(&sandbox, "HEAD", "origin/main");
    kill_git(&sandbox, FILTERED, &["merge", "-q", "--ff-only", "origin/main"]);
    remove_locks(&sandbox);
    sandbox.write("a.slow", "of the person\n");
    sandbox.write("changed.slow", "of the person, too\n");
    let refused = || Err(PortError::Refused(preflight_refused("Working tree is not clean")));
    assert_eq!(enter(&checkout(&sandbox)), refused());
    assert_eq!(sandbox.read("a.slow") + &sandbox.read("changed.slow"), "of the person\nof the person, too\n");
    assert_eq!(sandbox.git(["status", "--porcelain"]), " M changed.slow\n?? a.slow");
    // As told.
    sandbox.git(["stash", "-q", "-u"]);
    enter(&checkout(&sandbox)).unwrap();
    assert_up_to_date(&sandbox, &["theirs", "start", "first"]);
    assert_eq!(sandbox.git(["stash", "list"]).lines().count(), 1);
}

#[test]
fn what_a_rebase_would_overwrite_and_nobody_has_is_kept_in_the_workspace() {
    let sandbox = diverged();
    sandbox.git(["fetch", "-q"]);
    record(&sandbox, "HEAD", "origin/main");
    sandbox.write(".git/info/exclude", ".specs\n");
    let document = ".claude/state/design-add-login.json";
    let with_workspace = "\"id\": \"r\", \"workspace\": \".specs/20261115-add-login\"";
    sandbox.write(document, sandbox.read(document).replace("\"id\": \"r\"", with_workspace));
    kill_git(&sandbox, FILTERED + 1, &["rebase", "-q", "refs/remotes/origin/main"]);
    remove_locks(&sandbox);
    sandbox.write("kept", "changed by the person after the kill\n");
    assert_eq!(enter(&checkout(&sandbox)).unwrap().warnings, [TAKEN_BACK]);
    assert_up_to_date(&sandbox, &["mine", "theirs", "start", "first"]);
    let kept = sandbox.read(".specs/20261115-add-login/evidence/interrupted-rebase/kept");
    assert_eq!(kept, "changed by the person after the kill\n");
}

#[test]
fn every_state_between_two_files_is_taken_back() {
    type Arrange = fn(&Sandbox);
    let states: [(&str, Arrange); 6] = [
        ("a new file is begun", |sandbox| sandbox.write("a.slow", "a.sl")),
        ("a new file is empty", |sandbox| sandbox.write("a.slow", "")),
        ("a changed file is begun", |sandbox| sandbox.write("changed.slow", "new, and")),
        ("a changed file is gone", |sandbox| fs_err::remove_file(sandbox.path("changed.slow")).unwrap()),
        ("all files and the index are written", |sandbox| {
            sandbox.git(["read-tree", "-m", "-u", "HEAD", "origin/main"]);
        }),
        ("it was being taken back", |sandbox| {
            sandbox.git(["read-tree", "-m", "-u", "HEAD", "origin/main"]);
            sandbox.write("changed.slow", "o");
            fs_err::remove_file(sandbox.path("a.slow")).unwrap();
        }),
    ];
    for (state, arrange) in states {
        let sandbox = behind();
        sandbox.git(["fetch", "-q"]);
        record(&sandbox, "HEAD", "origin/main");
        arrange(&sandbox);
        assert_ne!(sandbox.git(["status", "--porcelain"]), "", "{state}");
        assert_eq!(enter(&checkout(&sandbox)).unwrap().warnings, [TAKEN_BACK], "{state}");
        assert_up_to_date(&sandbox, &["theirs", "start", "first"]);
    }
}

#[test]
fn a_folder_of_the_persons_that_stands_in_the_way_is_not_removed() {
    let sandbox = behind();
    sandbox.git(["fetch", "-q"]);
    record(&sandbox, "HEAD", "origin/main");
    fs_err::remove_file(sandbox.path("place")).unwrap();
    sandbox.write("place/inside.slow", "a folder now\n");
    sandbox.write("place/notes", "of the person\n");
    assert!(matches!(enter(&checkout(&sandbox)), Err(PortError::Refused(_))));
    assert_eq!(sandbox.read("place/notes"), "of the person\n");
}

#[test]
fn a_rebase_of_somebody_else_is_named_and_left() {
    let sandbox = diverged();
    sandbox.git(["fetch", "-q"]);
    let folder = sandbox.path(".git/rebase-merge");
    kill_git(&sandbox, 1, &["rebase", "-q", "refs/remotes/origin/main"]);
    let refused = || match enter(&checkout(&sandbox)) {
        Err(PortError::Refused(said)) => said,
        other => panic!("not refused: {other:?}"),
    };
    let said = refused();
    assert!(said.starts_with("PREFLIGHT_ERROR=Locked by git: ") && said.contains("index.lock"), "{said}");
    remove_locks(&sandbox);
    assert_eq!(refused(), "PREFLIGHT_ERROR=A rebase is not finished");
    // A record of another move does not make it ours.
    record(&sandbox, "HEAD~1", "origin/main");
    assert_eq!(refused(), "PREFLIGHT_ERROR=A rebase is not finished");
    assert!(folder.exists() && Path::new(&folder).join("onto").exists());
}

#[test]
fn a_record_that_is_no_pair_of_commits_moves_nothing() {
    let sandbox = behind();
    sandbox.git(["fetch", "-q"]);
    record(&sandbox, "HEAD", "origin/main");
    let document = ".claude/state/design-add-login.json";
    let to = sandbox.git(["rev-parse", "origin/main"]);
    sandbox.write(document, sandbox.read(document).replace(&to, "--output=pwned"));
    sandbox.write("a.slow", "a.slow of the remote\n");
    let refused = Err(PortError::Refused(preflight_refused("Working tree is not clean")));
    assert_eq!(enter(&checkout(&sandbox)), refused);
    assert!(sandbox.path("a.slow").exists() && !sandbox.path("pwned").exists());
}
