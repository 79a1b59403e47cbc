//! Calls to remotes: done, failed, too slow, cancelled.

use crate::{marking_program, repository, script};
use charrette_git::{CallError, Git, RemoteCallOptions};
use charrette_testkit::Sandbox;
use std::sync::mpsc;
use std::time::{Duration, Instant};

fn limits(is_cancelled: &dyn Fn() -> bool) -> RemoteCallOptions<'_> {
    RemoteCallOptions { timeout: Duration::from_mins(1), has_custom_ssh: true, is_cancelled }
}

/// Arguments that fetch from a remote whose program never answers. The receiver reports when all of its processes have ended.
fn silent(sandbox: &Sandbox) -> (Vec<String>, mpsc::Receiver<Vec<u8>>) {
    let (program, pipe) = (sandbox.outside("silent"), sandbox.outside("pipe"));
    assert!(sandbox.command("mkfifo").arg(&pipe).status().unwrap().success());
    script(&program, &format!("exec sleep 600 > '{}'", pipe.display()));
    let fetch = ["fetch", "-q", "--upload-pack", program.to_str().unwrap(), "."];
    let (ended, has_ended) = mpsc::channel();
    // The pipe reaches its end when no process holds it any more.
    std::thread::spawn(move || ended.send(fs_err::read(pipe).unwrap()));
    (fetch.map(str::to_owned).to_vec(), has_ended)
}

#[test]
fn a_remote_is_asked() {
    let sandbox = repository();
    let origin = sandbox.outside("origin.git");
    sandbox.git(["clone", "-q", "--bare", ".", origin.to_str().unwrap()]);
    sandbox.git(["remote", "add", "origin", origin.to_str().unwrap()]);
    let folder = sandbox.work();
    Git::new(&folder).call(&["fetch", "-q", "origin"], limits(&|| false)).unwrap();
    assert_eq!(sandbox.git(["rev-parse", "origin/main"]), sandbox.git(["rev-parse", "main"]));
    fs_err::remove_dir_all(origin).unwrap();
    let error = Git::new(&folder).call(&["fetch", "-q", "origin"], limits(&|| false)).unwrap_err();
    assert!(matches!(&error, CallError::Failed(reason) if !reason.is_empty()), "{error:?}");
}

#[test]
fn a_remote_that_never_answers_is_ended_with_all_it_started() {
    let sandbox = repository();
    let (fetch, has_ended) = silent(&sandbox);
    let timeout = Duration::from_secs(1);
    let error = Git::new(&sandbox.work())
        .call(&fetch, RemoteCallOptions { timeout, ..limits(&|| false) })
        .unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), &error),
        ("no answer within 1 seconds", &CallError::TimedOut(timeout))
    );
    has_ended.recv_timeout(Duration::from_mins(1)).expect("no orphaned processes");
}

#[test]
fn a_call_can_be_cancelled() {
    let sandbox = repository();
    let (fetch, has_ended) = silent(&sandbox);
    let begun = Instant::now();
    let is_cancelled = || begun.elapsed() > Duration::from_millis(300);
    let error = Git::new(&sandbox.work()).call(&fetch, limits(&is_cancelled)).unwrap_err();
    assert_eq!(error, CallError::Cancelled);
    has_ended.recv_timeout(Duration::from_mins(1)).expect("no orphaned processes");
}

#[test]
fn an_ssh_program_that_the_repository_names_is_not_used() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    sandbox.git(["remote", "add", "origin", "ssh://127.0.0.1:1/x.git"]);
    sandbox.git(["config", "core.sshCommand", program.to_str().unwrap()]);
    let folder = sandbox.work();
    let call = |has_custom_ssh| {
        Git::new(&folder)
            .call(&["fetch", "-q", "origin"], RemoteCallOptions { has_custom_ssh, ..limits(&|| false) })
            .unwrap_err()
    };
    call(false);
    call(true);
    assert!(!mark.exists());
}
