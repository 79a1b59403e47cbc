//! A part of this test program run again as a process of its own: beside others, or under strace, to count what it asks
//! of the kernel and to kill it there.

use charrette_testkit::Sandbox;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

/// Names the part that a process is to run; the tests that are parts do nothing without it.
const PART: &str = "CHARRETTE_STORE_PART";

/// Whether this process was started to run that part.
pub(crate) fn is_part(part: &str) -> bool {
    std::env::var(PART).is_ok_and(|wanted| wanted == part)
}

/// This program, started to run only that part: the test of that full name, in the sandbox's work folder.
pub(crate) fn process(sandbox: &Sandbox, part: &str) -> Command {
    let mut command = run_only(sandbox.command(program()), part);
    command.stdout(Stdio::null());
    command
}

/// The same under strace; none where there is no strace.
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

/// How many syncs a part makes; none where there is no strace.
pub(crate) fn syncs(sandbox: &Sandbox, part: &str) -> Option<usize> {
    let mut command = under_strace(sandbox, part, &["-e", "trace=fsync,fdatasync"])?;
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let trace = fs_err::read_to_string(sandbox.outside("trace")).unwrap();
    Some(trace.lines().filter(|line| line.contains("sync(")).count())
}

/// Runs a part that is killed when it makes one of these calls for the `n`th time; none where there is no strace.
pub(crate) fn killed_at(sandbox: &Sandbox, part: &str, calls: &str, n: usize) -> Option<ExitStatus> {
    let inject = format!("inject={calls}:signal=SIGKILL:when={n}");
    let trace = format!("trace={calls}");
    let mut command = under_strace(sandbox, part, &["-e", &trace, "-e", &inject])?;
    Some(command.output().unwrap().status)
}
