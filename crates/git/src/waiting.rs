//! Waits for one git process: feeds it, reads what it prints, and ends it when it takes too long, or when charrette was
//! asked to end.
//!
//! A pipe in the place of a file that git reads (`.gitignore`, `.git/info/exclude`, …) has it wait for ever, and whoever
//! waits for it. One thread does all of it, so that a call costs no more than its process.

use crate::command::Purpose;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Time that git is given where only its own files are read or written.
const TIME_LIMIT: Duration = Duration::from_mins(10);
/// Time that git is given where programs of the user run: hooks, and filters that load large files.
const ACTING_TIME_LIMIT: Duration = Duration::from_hours(1);
/// Time that a call which only reads is given after charrette was asked to end.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);
/// The same for a call that changes something, and for one whose failure would be taken for an answer.
const LONG_PATIENCE: Duration = Duration::from_secs(30);
/// Grace period between SIGTERM and SIGKILL, in which git removes its lock files.
const GRACE: Duration = Duration::from_secs(2);
/// Time between two looks at the time and at the request to end.
const INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// Most that counts between two looks: in more, this process was stopped, and git with it.
const MAX_STEP: Duration = Duration::from_secs(1);
/// Number of looks at a process that has closed its pipes, before it is waited for with pauses.
const YIELDS: usize = 50;
/// Size of a read from a pipe.
const CHUNK: usize = 64 << 10;

/// True if this process was asked to end.
pub(crate) static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the git calls of this process, now and later: those that only read after 2 seconds, those that change something
/// after 30.
pub fn interrupt_calls() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Times that git is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    pub(crate) time_limit: Duration,
    /// Time after charrette was asked to end.
    pub(crate) after_interrupt: Duration,
}

impl Patience {
    pub(crate) fn of(purpose: Purpose) -> Patience {
        let (time_limit, after_interrupt) = match purpose {
            Purpose::Reading => (TIME_LIMIT, SHORT_PATIENCE),
            Purpose::Editing => (TIME_LIMIT, LONG_PATIENCE),
            Purpose::OnBehalfOfUser => (ACTING_TIME_LIMIT, LONG_PATIENCE),
        };
        Patience { time_limit, after_interrupt }
    }

    /// For a call whose failure would be taken for an answer.
    pub(crate) fn prolong(&mut self) {
        self.after_interrupt = LONG_PATIENCE;
    }
}

/// Why git was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    TimeLimit,
    Interrupt,
}

/// What a process has come to.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Why it was ended; none if it ended by itself, or because it printed more than is read.
    pub(crate) ending: Option<Ending>,
}

/// Waits for the end of a process, with `input` on its standard input if that is a pipe. It is ended as soon as more than
/// `most` bytes of its output have been read.
pub(crate) fn wait_for(
    child: &mut Child,
    input: &[u8],
    most: usize,
    patience: Patience,
    is_interrupted: &AtomicBool,
) -> io::Result<Ended> {
    let mut clock = Clock { patience, is_interrupted, last: Instant::now(), spent: [Duration::ZERO; 2] };
    let mut pipes = Pipes::of(child, input)?;
    let waited = pipes.attend(most, &mut clock).and_then(|ending| match ending {
        Some(ending) => end(child, ending),
        None if pipes.stdout.bytes.len() > most => {
            // It may have ended by itself.
            let _ = child.kill();
            Ok((child.wait()?, None))
        }
        None => reap(child, &mut clock),
    });
    if waited.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let (status, ending) = waited?;
    // It may have ended by itself at the last moment, and what it printed counts.
    pipes.stdout.read_what_is_there(most)?;
    pipes.stderr.read_what_is_there(usize::MAX)?;
    Ok(Ended { status, stdout: pipes.stdout.bytes, stderr: pipes.stderr.bytes, ending })
}

/// Counts the time that a process has taken.
#[derive(Debug)]
struct Clock<'a> {
    patience: Patience,
    is_interrupted: &'a AtomicBool,
    last: Instant,
    /// Time since the start, and since charrette was asked to end.
    spent: [Duration; 2],
}

impl Clock<'_> {
    /// Why the process is to be ended; none if it has time.
    fn look(&mut self) -> Option<Ending> {
        let now = Instant::now();
        let passed = now.duration_since(self.last).min(MAX_STEP);
        self.last = now;
        let [since_start, since_interrupt] = &mut self.spent;
        *since_start += passed;
        if self.is_interrupted.load(Ordering::Relaxed) {
            *since_interrupt += passed;
            if *since_interrupt >= self.patience.after_interrupt {
                return Some(Ending::Interrupt);
            }
        }
        (*since_start >= self.patience.time_limit).then_some(Ending::TimeLimit)
    }
}

/// Our ends of the pipes of a process; none of them blocks.
#[derive(Debug)]
struct Pipes<'a> {
    stdin: Option<File>,
    input: &'a [u8],
    stdout: Reader,
    stderr: Reader,
}

/// A pipe that is read, until its end, and what it had.
#[derive(Debug)]
struct Reader {
    pipe: Option<File>,
    bytes: Vec<u8>,
}

impl<'a> Pipes<'a> {
    fn of(child: &mut Child, input: &'a [u8]) -> io::Result<Pipes<'a>> {
        let reader = |pipe| io::Result::Ok(Reader { pipe: unblocked(pipe)?, bytes: Vec::new() });
        Ok(Pipes {
            stdin: unblocked(child.stdin.take().map(OwnedFd::from))?,
            input,
            stdout: reader(child.stdout.take().map(OwnedFd::from))?,
            stderr: reader(child.stderr.take().map(OwnedFd::from))?,
        })
    }

    /// Feeds and reads until all pipes are closed, more than `most` bytes of output were read, or the time is over.
    fn attend(&mut self, most: usize, clock: &mut Clock<'_>) -> io::Result<Option<Ending>> {
        let mut chunk = vec![0; CHUNK];
        while self.stdout.bytes.len() <= most && self.wait()? {
            self.write();
            self.stdout.read(&mut chunk)?;
            self.stderr.read(&mut chunk)?;
            let ending = clock.look();
            if ending.is_some() {
                return Ok(ending);
            }
        }
        Ok(None)
    }

    /// Waits until something can be written or read, for one interval at most. False if all pipes are closed.
    fn wait(&self) -> io::Result<bool> {
        let stdin = self.stdin.iter().map(|pipe| PollFd::new(pipe, PollFlags::OUT));
        let outputs = [&self.stdout, &self.stderr].into_iter().filter_map(|reader| reader.pipe.as_ref());
        let mut pipes: Vec<_> = stdin.chain(outputs.map(|pipe| PollFd::new(pipe, PollFlags::IN))).collect();
        if pipes.is_empty() {
            return Ok(false);
        }
        match poll(&mut pipes, Some(&INTERVAL)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes as much as git takes. If it ends without reading everything, its exit code says whether that was right.
    fn write(&mut self) {
        let Some(pipe) = &mut self.stdin else { return };
        match pipe.write(self.input) {
            Ok(length) => self.input = &self.input[length..],
            Err(error) if is_transient(&error) => return,
            Err(_) => self.input = &[],
        }
        if self.input.is_empty() {
            self.stdin = None;
        }
    }
}

impl Reader {
    /// Reads what one read gives. False if there was nothing.
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        match pipe.read(chunk) {
            Ok(0) => self.pipe = None,
            Ok(length) => self.bytes.extend_from_slice(&chunk[..length]),
            Err(error) if is_transient(&error) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    fn read_what_is_there(&mut self, most: usize) -> io::Result<()> {
        if self.pipe.is_none() {
            return Ok(());
        }
        let mut chunk = vec![0; CHUNK];
        while self.bytes.len() <= most && self.read(&mut chunk)? {}
        Ok(())
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn unblocked(pipe: Option<OwnedFd>) -> io::Result<Option<File>> {
    let Some(pipe) = pipe else { return Ok(None) };
    rustix::io::ioctl_fionbio(&pipe, true)?;
    Ok(Some(File::from(pipe)))
}

/// Waits for a process that has closed its pipes, as it does just before it ends.
fn reap(child: &mut Child, clock: &mut Clock<'_>) -> io::Result<(ExitStatus, Option<Ending>)> {
    let mut pause = Duration::from_micros(20);
    // Most often it has ended before anything else could be done.
    for _ in 0..YIELDS {
        if let Some(status) = child.try_wait()? {
            return Ok((status, None));
        }
        thread::yield_now();
    }
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, None));
        }
        if let Some(ending) = clock.look() {
            return end(child, ending);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Ends a process and those that it has started (the latter on Linux): SIGTERM, and SIGKILL for itself after the grace period.
fn end(child: &mut Child, ending: Ending) -> io::Result<(ExitStatus, Option<Ending>)> {
    if let Some(status) = child.try_wait()? {
        // Something that it has started holds its pipes.
        return Ok((status, None));
    }
    let descendants = descendants(child.id());
    for pid in std::iter::once(child.id()).chain(descendants) {
        if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
            // It may have ended meanwhile.
            let _ = kill_process(pid, Signal::TERM);
        }
    }
    let begun = Instant::now();
    while begun.elapsed() < GRACE {
        if let Some(status) = child.try_wait()? {
            return Ok((status, Some(ending)));
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    Ok((child.wait()?, Some(ending)))
}

/// Processes that a process has started, and those that they have; none where the system does not tell.
fn descendants(pid: u32) -> Vec<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let stat = fs_err::read(process.path().join("stat")).unwrap_or_default();
        if let Some(parent) = parent_of(&String::from_utf8_lossy(&stat)) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = children.remove(&pid).unwrap_or_default();
    let mut at = 0;
    while let Some(pid) = found.get(at) {
        found.extend(children.remove(pid).unwrap_or_default());
        at += 1;
    }
    found
}

/// The parent in `/proc/<pid>/stat`: the second word behind the name of the program, which may contain anything.
fn parent_of(stat: &str) -> Option<u32> {
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    const LONG: Duration = Duration::from_mins(5);

    fn shell(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn wait(script: &str, input: &[u8], most: usize, patience: Patience, is_interrupted: bool) -> Ended {
        wait_for(&mut shell(script), input, most, patience, &AtomicBool::new(is_interrupted)).unwrap()
    }

    const PATIENT: Patience = Patience { time_limit: LONG, after_interrupt: LONG };

    #[test]
    fn a_process_is_fed_and_read_at_the_same_time() {
        let input = vec![b'x'; 1 << 20];
        let ended = wait("tee /dev/stderr", &input, usize::MAX, PATIENT, true);
        assert!(ended.status.success() && ended.ending.is_none());
        assert!(ended.stdout == input && ended.stderr == input);
    }

    #[test]
    fn a_process_that_does_not_read_its_input_decides_itself_whether_that_was_right() {
        let ended = wait("exit 3", &vec![b'x'; 1 << 20], usize::MAX, PATIENT, false);
        assert_eq!((ended.status.code(), ended.ending), (Some(3), None));
    }

    #[test]
    fn a_process_that_prints_without_end_is_ended() {
        let ended = wait("yes", b"", 1000, PATIENT, false);
        assert!(ended.stdout.len() > 1000 && ended.status.code().is_none());
        assert_eq!(ended.ending, None);
    }

    #[test]
    fn a_process_is_ended_when_its_time_is_over() {
        let short = Duration::from_millis(300);
        for (script, patience, is_interrupted, ending) in [
            (
                "cat /dev/zero | sleep 600",
                Patience { time_limit: short, ..PATIENT },
                false,
                Ending::TimeLimit,
            ),
            // Its pipes are closed, and it does not end.
            (
                "exec >&- 2>&- <&-; sleep 600",
                Patience { time_limit: short, ..PATIENT },
                false,
                Ending::TimeLimit,
            ),
            ("sleep 600; :", Patience { after_interrupt: short, ..PATIENT }, true, Ending::Interrupt),
            (
                "trap '' TERM; echo $$; sleep 600",
                Patience { after_interrupt: short, ..PATIENT },
                true,
                Ending::Interrupt,
            ),
        ] {
            let ended = wait(script, b"", usize::MAX, patience, is_interrupted);
            assert_eq!((ended.status.success(), ended.ending), (false, Some(ending)), "{script}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_it_has_started_ends_with_it() {
        let short = Patience { time_limit: Duration::from_millis(300), ..PATIENT };
        let ended = wait("sh -c 'sleep 600 & echo $!; wait' & wait", b"", usize::MAX, short, false);
        assert_eq!(ended.ending, Some(Ending::TimeLimit));
        let pid = String::from_utf8(ended.stdout).unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        // Nobody may have waited for it yet.
        while !fs_err::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default().is_empty() {
            assert!(Instant::now() < until, "{pid} is still at work");
        }
    }

    #[test]
    fn an_interrupt_does_not_end_what_still_has_time() {
        let ended = wait("sleep 0.3; echo done", b"", usize::MAX, PATIENT, true);
        assert_eq!((ended.stdout.as_slice(), ended.ending), (b"done\n".as_slice(), None));
        let none = Patience { after_interrupt: Duration::ZERO, ..PATIENT };
        assert_eq!(wait("sleep 0.3; echo done", b"", usize::MAX, none, false).ending, None);
    }

    #[test]
    fn a_process_that_outlives_git_with_its_pipes_does_not_count() {
        let short = Patience { time_limit: Duration::from_secs(1), ..PATIENT };
        let ended = wait("echo done; sleep 5 & exit 3", b"", usize::MAX, short, false);
        assert_eq!((ended.status.code(), ended.ending), (Some(3), None));
        assert_eq!(ended.stdout, b"done\n");
    }

    #[test]
    fn the_time_in_which_this_process_was_stopped_does_not_count() {
        let patience = Patience { time_limit: Duration::from_secs(10), ..PATIENT };
        let is_interrupted = AtomicBool::new(false);
        let last = Instant::now().checked_sub(Duration::from_mins(1)).unwrap();
        let mut clock = Clock { patience, is_interrupted: &is_interrupted, last, spent: [Duration::ZERO; 2] };
        assert_eq!(clock.look(), None);
        clock.spent[0] = patience.time_limit;
        assert_eq!(clock.look(), Some(Ending::TimeLimit));
    }

    #[test]
    fn the_parent_is_found_whatever_the_program_is_called() {
        assert_eq!(parent_of("12 (a) b) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of("12"), None);
    }
}
