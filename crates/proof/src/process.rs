//! Runs a program to its end, or to its time limit.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Interval at which the end of a program is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Output of a program.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// Exit code; none if it was ended.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program with that input. It and its children are ended at the time limit, and children that it leaves behind
/// afterwards.
///
/// The output goes through files in `folder`: a pipe that a child keeps open would never end.
pub(crate) fn run(mut command: Command, input: &[u8], limit: Duration, folder: &Path) -> io::Result<Output> {
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    command.stdin(Stdio::piped()).process_group(0);
    command
        .stdout(fs_err::File::create(&stdout)?.into_file())
        .stderr(fs_err::File::create(&stderr)?.into_file());
    let mut child = command.spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let end_group = || {
        if let Some(group) = group {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    };
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input is judged by its answer.
        let _ = io::Write::write_all(&mut stdin, input);
    }
    let started = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if started.elapsed() > limit => break None,
            None => std::thread::sleep(POLL_INTERVAL),
        }
    };
    end_group();
    if status.is_none() {
        child.wait()?;
    }
    let text = |path: &Path| fs_err::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Output {
        code: status.and_then(|status| status.code()),
        stdout: text(&stdout)?,
        stderr: text(&stderr)?,
    })
}
