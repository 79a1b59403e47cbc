//! Appending to the event log.
//!
//! Lines are one write at the end of the file. The writer holds the file's lock, because the file may be
//! replaced by a shorter one: an unlocked writer could write into the unlinked file.

use super::lines::{FILE, MAX_BYTES, MAX_LINE_BYTES, read_from};
use crate::lock::is_same_file;
use rustix::fs::OFlags;
use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
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

/// Event log of one run, for appending. Safe for several processes and threads at once.
#[derive(Debug)]
pub struct EventLog {
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
    pub fn open(folder: &Path) -> Result<EventLog, EventLogError> {
        let path = folder.join(FILE);
        let state = State { open: Some(OpenFile::new(open(&path)?)), timeout: LOCK_TIMEOUT };
        Ok(EventLog { path, state: Mutex::new(state) })
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
                None => OpenFile::new(open(&self.path)?),
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
            return Ok(self.replace(open, &text)?);
        }
        (&open.file).write_all(&text)?;
        open.end = length + text.len() as u64;
        Ok(())
    }

    /// Replaces the file by one with its newest half and the new lines.
    fn replace(&self, open: &mut OpenFile, lines: &[u8]) -> io::Result<()> {
        let mut text = newest_half(&open.file)?;
        let lines = if text.is_empty() { lines.strip_prefix(b"\n").unwrap_or(lines) } else { lines };
        text.extend_from_slice(lines);
        let temp = self.path.with_file_name(format!(".{FILE}.tmp"));
        let replaced = open_new(&temp).and_then(|file| {
            (&file).write_all(&text)?;
            fs_err::rename(&temp, &self.path)?;
            Ok(file)
        });
        match replaced {
            Ok(file) => {
                open.unlock();
                *open = OpenFile { file, end: text.len() as u64, is_locked: false };
                Ok(())
            }
            Err(error) => {
                let _ = fs_err::remove_file(&temp);
                Err(error)
            }
        }
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

/// Opens the file for appending. Links are not followed.
fn open(path: &Path) -> Result<File, EventLogError> {
    let file = match options().create(true).open(path) {
        Ok(file) => file.into_file(),
        Err(_) if path.is_symlink() => return Err(EventLogError::Symlink(path.to_owned())),
        Err(_) if path.exists() && !path.is_file() => return Err(EventLogError::NotAFile(path.to_owned())),
        Err(error) => return Err(error.into()),
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(EventLogError::NotAFile(path.to_owned()));
    }
    if meta.permissions().mode() & 0o777 != 0o600 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Creates the replacement file. A planted link is never written through.
fn open_new(temp: &Path) -> io::Result<File> {
    match options().create_new(true).open(temp) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs_err::remove_file(temp)?;
            Ok(options().create_new(true).open(temp)?.into_file())
        }
        other => Ok(other?.into_file()),
    }
}

fn options() -> fs_err::OpenOptions {
    let mut options = fs_err::OpenOptions::new();
    options.read(true).append(true);
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.options_mut().mode(0o600).custom_flags(flags.bits().cast_signed());
    options
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
