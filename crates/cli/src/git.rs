//! The `git` program, asked with arguments and never through a shell. It asks nobody for anything.

use crate::env_vars;
use crate::error::CommandError;
use charrette_engine::Cancel;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long git may take to clean up after itself.
const GRACE: Duration = Duration::from_secs(2);
/// How much of what git complains about is kept.
const COMPLAINT: u64 = 64 << 10;

/// Git in some folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Git<'a>(pub(crate) &'a Path);

/// Why git did not do something that may take long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Undone {
    /// It could not; in its own words.
    Failed(String),
    /// We were asked to end.
    Interrupted,
}

impl Git<'_> {
    /// What git printed; an error with git's own words if it could not.
    pub(crate) fn print(self, args: &[&str]) -> Result<String, CommandError> {
        let output = self.run(args).map_err(CommandError::failed)?;
        if !output.status.success() {
            let complaint = complaint(&output.stderr, output.status);
            return Err(CommandError::failed(format!("git {}: {complaint}", args[0])));
        }
        Ok(printed(&output))
    }

    /// What git printed; nothing if it found nothing.
    pub(crate) fn find(self, args: &[&str]) -> Option<String> {
        let output = self.run(args).ok().filter(|output| output.status.success())?;
        Some(printed(&output)).filter(|text| !text.is_empty())
    }

    /// Whether git says yes.
    pub(crate) fn agrees(self, args: &[&str]) -> bool {
        self.run(args).is_ok_and(|output| output.status.success())
    }

    /// Has git do something; if it cannot, git's own words.
    pub(crate) fn act(self, args: &[&str]) -> Result<(), String> {
        let output = self.run(args)?;
        if output.status.success() { Ok(()) } else { Err(complaint(&output.stderr, output.status)) }
    }

    /// Has git talk to a remote, which may take any time: it is ended when it takes too long or we shall end.
    pub(crate) fn call(self, args: &[&str], patience: Duration, cancel: &Cancel) -> Result<(), Undone> {
        let mut command = self.command(args);
        // Whoever chose a program for this has seen to it that it works; ours must not ask for a password.
        if !env_vars::git_ssh_is_chosen() && self.find(&["config", "core.sshCommand"]).is_none() {
            command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20");
        }
        // A group of its own, so that the programs it starts end with it.
        command.stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(|error| Undone::Failed(cannot_run(&error)))?;
        let heard = child.stderr.take().map(listen);
        let deadline = Instant::now() + patience;
        let status = loop {
            match finished(&mut child, Instant::now() + Duration::from_millis(20)) {
                Some(status) => break status,
                None if cancel.is_requested() => {
                    end(&mut child);
                    return Err(Undone::Interrupted);
                }
                None if Instant::now() >= deadline => {
                    end(&mut child);
                    let seconds = patience.as_secs();
                    return Err(Undone::Failed(format!("no answer within {seconds} seconds")));
                }
                None => {}
            }
        };
        if status.success() {
            return Ok(());
        }
        // Somebody who outlived git may still hold the pipe.
        let said = heard.and_then(|heard| heard.recv_timeout(GRACE).ok()).unwrap_or_default();
        Err(Undone::Failed(complaint(&said, status)))
    }

    fn run(self, args: &[&str]) -> Result<Output, String> {
        self.command(args).output().map_err(|error| cannot_run(&error))
    }

    fn command(self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(args)
            .current_dir(self.0)
            .stdin(Stdio::null())
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_EDITOR", ":")
            .env("GIT_SEQUENCE_EDITOR", ":");
        command
    }
}

fn cannot_run(error: &std::io::Error) -> String {
    format!("cannot run git: {error}")
}

/// Reads to the end of a pipe without being waited for.
fn listen(pipe: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut pipe = pipe;
        let mut said = Vec::new();
        let _ = pipe.by_ref().take(COMPLAINT).read_to_end(&mut said);
        let _ = sender.send(said);
        // Whoever goes on talking must not be stopped by a pipe that is full.
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    });
    receiver
}

/// How a child ended, if it does so in time.
fn finished(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(pause);
        pause *= 2;
    }
}

/// Ends a child and whatever it started. It is asked first, so that it takes its lock files along.
fn end(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let signal = |signal| {
        if let Some(group) = group {
            // The group may be gone already; that is what we want.
            let _ = kill_process_group(group, signal);
        }
    };
    signal(Signal::TERM);
    let _ = finished(child, Instant::now() + GRACE);
    signal(Signal::KILL);
    let _ = child.wait();
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim_end_matches(['\r', '\n']).to_owned()
}

/// The last line that says something: git puts its reason there.
fn complaint(said: &[u8], status: ExitStatus) -> String {
    let text = String::from_utf8_lossy(said);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(|| format!("git failed ({status})"), str::to_owned)
}
