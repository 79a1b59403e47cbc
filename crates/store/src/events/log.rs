//! Adding an event.
//!
//! A line is one write at the end of the file. Whoever adds one holds the file's lock, because the file may be replaced
//! by a shorter one: then others would write into a file that has no name any more.

use super::lines::{FILE, MAX_BYTES, MAX_LINE_BYTES, read_from};
use crate::lock::is_still;
use rustix::fs::OFlags;
use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the lock is waited for, once: somebody who was stopped with the lock in their hands must not stop others.
/// What the lock is held for takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the file may be replaced while we try to get hold of it.
const TRIES: usize = 10;

/// Why an event was not kept. Nothing depends on it, so callers may ignore it.
#[derive(Debug, thiserror::Error)]
pub enum EventLogError {
    /// A line end inside the event would make two of it.
    #[error("an event is one line")]
    NotALine,
    /// Longer than any event may be.
    #[error("an event of {0} bytes is longer than {MAX_LINE_BYTES}")]
    TooLong(usize),
    /// A link could lead anywhere.
    #[error("{} is a symbolic link", .0.display())]
    Symlink(PathBuf),
    /// A pipe or a folder holds no events.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The file is full, and somebody else holds its lock.
    #[error("{} is full and locked", .0.display())]
    Locked(PathBuf),
    /// It could not be opened or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The events of one run, to add to them. Several processes and threads may do so at once.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    open: Option<Open>,
    patience: Duration,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Where our last line ended. If the file still ends there, it ends with a whole line.
    end: u64,
    is_locked: bool,
}

impl Open {
    fn new(file: File) -> Open {
        Open { file, end: 0, is_locked: false }
    }

    fn unlock(&mut self) {
        if std::mem::take(&mut self.is_locked) {
            let _ = self.file.unlock();
        }
    }
}

impl EventLog {
    /// The events of the run whose workspace this folder is. The file is made if need be, for its owner only.
    pub fn open(folder: &Path) -> Result<EventLog, EventLogError> {
        let path = folder.join(FILE);
        let state = State { open: Some(Open::new(open(&path)?)), patience: PATIENCE };
        Ok(EventLog { path, state: Mutex::new(state) })
    }

    /// Adds an event: one JSON object in one line, without its line end. It is not synced.
    pub fn append(&self, line: &str) -> Result<(), EventLogError> {
        if line.contains('\n') {
            return Err(EventLogError::NotALine);
        }
        if line.len() > MAX_LINE_BYTES {
            return Err(EventLogError::TooLong(line.len()));
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut open = self.locked(&mut state)?;
        let added = self.add(&mut open, line);
        open.unlock();
        state.open = Some(open);
        added
    }

    /// The file that has the name right now, locked if that is possible. Without the lock a line may be lost, when
    /// the file is just being replaced, and no more than that.
    fn locked(&self, state: &mut State) -> Result<Open, EventLogError> {
        for _ in 0..TRIES {
            let mut open = match state.open.take() {
                Some(open) => open,
                None => Open::new(open(&self.path)?),
            };
            open.is_locked = wait_for_lock(&open.file, state.patience)?;
            state.patience = if open.is_locked { PATIENCE } else { Duration::ZERO };
            if is_still(&self.path, &open.file)? {
                return Ok(open);
            }
            open.unlock();
        }
        Err(io::Error::other(format!("{} is replaced again and again", self.path.display())).into())
    }

    fn add(&self, open: &mut Open, line: &str) -> Result<(), EventLogError> {
        let length = open.file.metadata()?.len();
        let mut text = Vec::with_capacity(line.len() + 2);
        if length != open.end && !ends_line(&open.file, length)? {
            // Whoever wrote last was killed in the middle of it.
            text.push(b'\n');
        }
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
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

    /// Puts a file in place of this one that has only its newest half, and the new line.
    fn replace(&self, open: &mut Open, line: &[u8]) -> io::Result<()> {
        let mut text = newest_half(&open.file)?;
        let line = if text.is_empty() { line.strip_prefix(b"\n").unwrap_or(line) } else { line };
        text.extend_from_slice(line);
        let temp = self.path.with_file_name(format!(".{FILE}.tmp"));
        let replaced = open_new(&temp).and_then(|file| {
            (&file).write_all(&text)?;
            fs_err::rename(&temp, &self.path)?;
            Ok(file)
        });
        match replaced {
            Ok(file) => {
                open.unlock();
                *open = Open { file, end: text.len() as u64, is_locked: false };
                Ok(())
            }
            Err(error) => {
                let _ = fs_err::remove_file(&temp);
                Err(error)
            }
        }
    }
}

/// Opens the file to add to it. Links are not followed.
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

/// Makes the file that will replace it. Nothing planted under that name is written through.
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

/// Whether the lock was free, or became free in time.
fn wait_for_lock(file: &File, patience: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(false),
            Err(TryLockError::WouldBlock) => sleep(Duration::from_micros(200)),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// The whole lines of the file's end that are not longer than half of what is allowed.
fn newest_half(file: &File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    // One byte more, which tells whether a line begins right there.
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
