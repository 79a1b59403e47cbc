//! Runs a part of this test program as a process of its own: beside others, or under strace, to count its
//! system calls and to kill it at one.

use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

/// Environment variable with the part to run; tests that are parts do nothing without it.
const PART: &str = "CHARRETTE_STORE_PART";

/// True if this process was started to run that part.
pub(crate) fn is_part(part: &str) -> bool {
    std::env::var(PART).is_ok_and(|wanted| wanted == part)
}

/// This program, started to run only that part: the test of that full name, in the sandbox's work folder.
pub(crate) fn process(sandbox: &Sandbox, part: &str) -> Command {
    let mut command = run_only(sandbox.command(program()), part);
    command.stdout(Stdio::null());
    command
}

/// [`process`] under strace; `None` where strace is missing.
fn under_strace(sandbox: &Sandbox, part: &str, options: &[&str]) -> Option<Command> {
    sandbox.command("strace").arg("-V").output().ok()?;
    let mut command = sandbox.command("strace");
    command.args(["-f", "-qq", "-o"]).arg(sandbox.outside("trace")).args(options).arg(program());
    Some(run_only(command, part))
}

fn run_only(mut command: Command, part: &str) -> Command {
    command.args(["--exact", part, "--test-threads", "1"]).env(PART, part);
    command
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// Number of syncs a part makes; `None` where strace is missing.
pub(crate) fn syncs(sandbox: &Sandbox, part: &str) -> Option<usize> {
    let mut command = under_strace(sandbox, part, &["-e", "trace=fsync,fdatasync"])?;
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let trace = fs_err::read_to_string(sandbox.outside("trace")).unwrap();
    Some(trace.lines().filter(|line| line.contains("sync(")).count())
}

/// Runs a part that is killed at the `n`th of these system calls; `None` where strace is missing.
pub(crate) fn killed_at(sandbox: &Sandbox, part: &str, calls: &str, n: usize) -> Option<ExitStatus> {
    let inject = format!("inject={calls}:signal=SIGKILL:when={n}");
    let trace = format!("trace={calls}");
    let mut command = under_strace(sandbox, part, &["-e", &trace, "-e", &inject])?;
    Some(command.output().unwrap().status)
}

/// Runs a part for which these system calls fail on that file; `None` where strace is missing.
pub(crate) fn refused(sandbox: &Sandbox, part: &str, path: &Path, calls: &str) -> Option<Output> {
    let (path, trace) = (path.display().to_string(), format!("trace={calls}"));
    let inject = format!("inject={calls}:error=EPERM");
    let mut command = under_strace(sandbox, part, &["-P", &path, "-e", &trace, "-e", &inject])?;
    Some(command.output().unwrap())
}
