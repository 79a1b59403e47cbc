//! Appending to the event log.
//!
//! Lines are one write at the end of the file. The writer holds the file's lock, because the file may be
//! replaced by a shorter one: an unlocked writer could write into the unlinked file.

use super::lines::{FILE, MAX_BYTES, MAX_LINE_BYTES, read_from};
use crate::lock::is_same_file;
use crate::log_folder::{LogError, LogFolder};
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Timeout of the lock, applied once: a process that was suspended with the lock must not stop others. The
/// lock is held for milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum number of replacements of the file while it is being locked.
const MAX_REPLACEMENTS: usize = 10;

/// Reason an event was not recorded. Nothing depends on events, so callers may ignore it.
#[derive(Debug, thiserror::Error)]
pub enum EventLogError {
    /// A line break inside the event.
    #[error("event contains a line break")]
    NotALine,
    #[error("event of {0} bytes exceeds the limit of {MAX_LINE_BYTES} bytes")]
    TooLong(usize),
    /// Links are not followed.
    #[error("{} is a symbolic link, which is not followed; remove it", .0.display())]
    Symlink(PathBuf),
    /// A pipe or a folder.
    #[error("{} is not a regular file; move it out of the way", .0.display())]
    NotAFile(PathBuf),
    /// The file is full, and another process holds its lock.
    #[error("{} is full and locked by another process; wait for it to finish, or stop it", .0.display())]
    Locked(PathBuf),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<LogError> for EventLogError {
    fn from(error: LogError) -> EventLogError {
        match error {
            LogError::Symlink(path) => EventLogError::Symlink(path),
            LogError::NotAFile(path) => EventLogError::NotAFile(path),
            LogError::Io(error) => EventLogError::Io(error),
        }
    }
}

/// Event log of one run, for appending. Safe for several processes and threads at once.
#[derive(Debug)]
pub struct EventLog {
    folder: LogFolder,
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    open: Option<OpenFile>,
    timeout: Duration,
}

#[derive(Debug)]
struct OpenFile {
    file: File,
    /// End of our last line. If the file still ends there, it ends with a whole line.
    end: u64,
    is_locked: bool,
}

impl OpenFile {
    fn new(file: File) -> OpenFile {
        OpenFile { file, end: 0, is_locked: false }
    }

    fn unlock(&mut self) {
        if std::mem::take(&mut self.is_locked) {
            let _ = self.file.unlock();
        }
    }
}

impl EventLog {
    /// Opens the event log in this workspace folder. A new file is private to its owner.
    pub fn open(folder: &LogFolder) -> Result<EventLog, EventLogError> {
        let (folder, path) = (folder.clone(), folder.path().join(FILE));
        let state = State { open: Some(OpenFile::new(folder.open_log(FILE)?)), timeout: LOCK_TIMEOUT };
        Ok(EventLog { folder, path, state: Mutex::new(state) })
    }

    /// Appends an event: one JSON object in one line, without its line end. It is not synced.
    pub fn append(&self, line: &str) -> Result<(), EventLogError> {
        self.append_all(&[line])
    }

    /// Appends several events in one write. Those that cannot be recorded are left out, and an error.
    pub fn append_all(&self, lines: &[impl AsRef<str>]) -> Result<(), EventLogError> {
        let mut refused = Ok(());
        let mut accepted: Vec<&str> = Vec::with_capacity(lines.len());
        for line in lines.iter().map(AsRef::as_ref) {
            match check_line(line) {
                Ok(()) => accepted.push(line),
                Err(error) => refused = refused.and(Err(error)),
            }
        }
        if !accepted.is_empty() {
            self.write(&accepted)?;
        }
        refused
    }

    fn write(&self, lines: &[&str]) -> Result<(), EventLogError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = self.open_locked(&mut state)?;
        let added = self.add(&mut open, lines);
        open.unlock();
        state.open = Some(open);
        added
    }

    /// Opens the file at the path, and locks it if possible. Without the lock at most one line is lost, when the
    /// file is being replaced.
    fn open_locked(&self, state: &mut State) -> Result<OpenFile, EventLogError> {
        for _ in 0..MAX_REPLACEMENTS {
            let mut open = match state.open.take() {
                Some(open) => open,
                None => OpenFile::new(self.folder.open_log(FILE)?),
            };
            open.is_locked = wait_for_lock(&open.file, state.timeout)?;
            state.timeout = if open.is_locked { LOCK_TIMEOUT } else { Duration::ZERO };
            if is_same_file(&self.path, &open.file)? {
                return Ok(open);
            }
            open.unlock();
        }
        Err(io::Error::other(format!(
            "{} was replaced {MAX_REPLACEMENTS} times while it was being locked",
            self.path.display()
        ))
        .into())
    }

    fn add(&self, open: &mut OpenFile, lines: &[&str]) -> Result<(), EventLogError> {
        let length = open.file.metadata()?.len();
        let mut text = Vec::new();
        if length != open.end && !ends_line(&open.file, length)? {
            // The last writer was killed in the middle of a line.
            text.push(b'\n');
        }
        for line in lines {
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
        }
        if length + text.len() as u64 > MAX_BYTES {
            if !open.is_locked {
                return Err(EventLogError::Locked(self.path.clone()));
            }
            return self.replace(open, &text);
        }
        (&open.file).write_all(&text)?;
        open.end = length + text.len() as u64;
        Ok(())
    }

    /// Replaces the file by one with its newest half and the new lines.
    fn replace(&self, open: &mut OpenFile, lines: &[u8]) -> Result<(), EventLogError> {
        let mut text = newest_half(&open.file)?;
        let lines = if text.is_empty() { lines.strip_prefix(b"\n").unwrap_or(lines) } else { lines };
        text.extend_from_slice(lines);
        let temp = format!(".{FILE}.tmp");
        let file = self.folder.create_new(&temp)?;
        // What a failed attempt leaves is removed by the next one.
        (&file).write_all(&text)?;
        self.folder.rename(&temp, FILE)?;
        open.unlock();
        *open = OpenFile { file, end: text.len() as u64, is_locked: false };
        Ok(())
    }
}

/// Checks that an event fits into a line.
fn check_line(line: &str) -> Result<(), EventLogError> {
    if line.contains('\n') {
        return Err(EventLogError::NotALine);
    }
    if line.len() > MAX_LINE_BYTES {
        return Err(EventLogError::TooLong(line.len()));
    }
    Ok(())
}

/// True if the lock was acquired before the timeout.
fn wait_for_lock(file: &File, timeout: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + timeout;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(false),
            Err(TryLockError::WouldBlock) => sleep(Duration::from_micros(200)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// The newest whole lines, up to half of the maximum size.
fn newest_half(file: &File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    // One byte more, to see if a line starts right there.
    let start = length.saturating_sub(MAX_BYTES / 2 + 1);
    let mut text = read_from(file, start, MAX_BYTES)?;
    let first = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
    text.drain(..first);
    Ok(text)
}

fn ends_line(file: &File, length: u64) -> io::Result<bool> {
    let mut last = [b'\n'];
    if length > 0 {
        file.read_at(&mut last, length - 1)?;
    }
    Ok(last == *b"\n")
}
