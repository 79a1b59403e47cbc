//! Git that never ends: a pipe stands in the place of a file that it reads itself.

use crate::repository;
use charrette_git::{Git, GitError, interrupt_calls};
use charrette_testkit::Sandbox;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Files that only git reads, below the folder of the work.
const FILES: [&str; 3] = [".gitignore", "sub/.gitignore", ".git/info/exclude"];

fn plant_pipe(sandbox: &Sandbox, file: &str) {
    let path = sandbox.path(file);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs_err::remove_file(&path);
    assert!(sandbox.command("mkfifo").arg(&path).status().unwrap().success(), "{file}");
}

/// Result of calls on a thread of their own: one that never comes fails the test.
fn in_time<T: Send + 'static>(folder: &Path, what: &str, ask: fn(Git<'_>) -> T) -> T {
    let (answered, answer) = mpsc::channel();
    let folder = folder.to_owned();
    std::thread::spawn(move || answered.send(ask(Git::new(&folder))));
    answer.recv_timeout(Duration::from_mins(2)).unwrap_or_else(|_| panic!("{what}: no answer"))
}

#[test]
fn git_that_waits_for_a_pipe_is_ended_and_the_message_says_what_would_do_that() {
    const LIMIT: Duration = Duration::from_secs(1);
    for file in FILES {
        let sandbox = repository();
        sandbox.write("sub/new", "new");
        plant_pipe(&sandbox, file);
        let error = in_time(&sandbox.work(), file, |git| {
            git.with_time_limit(LIMIT).bytes(&["status", "--porcelain"]).unwrap_err()
        });
        assert_eq!(error, GitError::TimedOut { command: "status".to_owned(), time_limit: LIMIT }, "{file}");
        assert_eq!(
            error.to_string(),
            "git status did not end within 1 seconds and was ended; a pipe in the place of one of its files (.gitignore, \
             .gitattributes, ...) would do that"
        );
        let error = in_time(&sandbox.work(), file, |git| {
            git.with_time_limit(LIMIT).edit(&["add", "--all"], b"").unwrap_err()
        });
        assert!(matches!(&error, GitError::TimedOut { .. }) && error.is_killed(), "{file}: {error:?}");
        // Git was given the time to remove it.
        assert!(!sandbox.path(".git/index.lock").exists(), "{file}");
        let error = in_time(&sandbox.work(), file, |git| {
            git.with_time_limit(LIMIT).bytes_limited(&["status", "--porcelain"], 1000).unwrap_err()
        });
        assert!(matches!(&error, GitError::TimedOut { .. }), "{file}: {error:?}");
    }
}

/// An interrupt is for a whole process, so that it must be another one than that of all tests.
#[test]
fn git_that_waits_for_a_pipe_ends_soon_after_an_interrupt() {
    let sandbox = repository();
    let mut command = sandbox.command(std::env::current_exe().unwrap());
    command.args(["--exact", "endless::in_a_process_of_its_own", "--ignored", "--nocapture"]);
    let output = command.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{output:?}");
}

#[test]
#[ignore = "interrupts the calls of its whole process; the test above starts it"]
fn in_a_process_of_its_own() {
    let sandbox = repository();
    plant_pipe(&sandbox, ".gitignore");
    let folder = sandbox.work();
    let (begun, has_begun) = mpsc::channel();
    let asked = std::thread::spawn(move || {
        begun.send(()).unwrap();
        Git::new(&folder).bytes(&["status", "--porcelain"]).unwrap_err()
    });
    has_begun.recv().unwrap();
    // Long enough for git to have begun; if it has not, the call ends the same.
    std::thread::sleep(Duration::from_millis(300));
    interrupt_calls();
    let error = asked.join().unwrap();
    assert_eq!(error, GitError::Interrupted { command: "status".to_owned() });
    assert!(error.is_interrupted() && error.is_killed());
    let later = in_time(&sandbox.work(), "a later call", |git| git.bytes(&["status"]).unwrap_err());
    assert!(later.is_interrupted(), "{later:?}");
    // What changes something is given more time.
    let edited = in_time(&sandbox.work(), "an edit", |git| {
        git.with_time_limit(Duration::from_secs(4)).edit(&["add", "--all"], b"").unwrap_err()
    });
    assert!(matches!(edited, GitError::TimedOut { .. }), "{edited:?}");
    // What does not wait for anything is done.
    let commit = in_time(&sandbox.work(), "a fast call", |git| git.text(&["rev-parse", "HEAD"]).unwrap());
    assert_eq!(commit, sandbox.git(["rev-parse", "HEAD"]));
    sandbox.write("a.txt", "two\n");
    in_time(&sandbox.work(), "a commit", |git| git.act(&["commit", "-qam", "two"]).unwrap());
}
