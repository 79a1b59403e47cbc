//! Issue log of a run: a Markdown file that several processes append to.
//!
//! Every append happens under a kernel lock on the log itself and replaces it whole. Links are not followed.

use charrette_model::diagram::warnings;
use charrette_model::ledger::issues;
use charrette_model::session::DISCARD;
use charrette_store::atomic;
use rustix::fs::OFlags;
use std::fs::{File, TryLockError};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time to wait for the lock of another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Appends a line to the warnings section.
pub fn add_warning(path: &Path, line: &str) -> io::Result<()> {
    add(path, warnings::HEADING, line)
}

/// Appends an entry to the section with that heading.
pub fn add(path: &Path, heading: &str, entry: &str) -> io::Result<()> {
    if path == Path::new(DISCARD) {
        return Ok(());
    }
    let path = &std::path::absolute(path)?;
    let mut log = open_locked(path)?;
    let mut text = String::new();
    log.read_to_string(&mut text)?;
    let mut temp = path.file_name().unwrap_or_default().to_owned();
    temp.push(".tmp");
    let added = issues::append(&text, heading, entry);
    atomic::replace(path, &path.with_file_name(temp), added.as_bytes()).map_err(io::Error::other)
}

/// Opens the log, created if missing, and locks it until it is dropped.
fn open_locked(path: &Path) -> io::Result<File> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        let mut options = fs_err::OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.options_mut().custom_flags(flags.bits().cast_signed());
        let file = options.open(path)?.into_file();
        let ours = file.metadata()?;
        if !ours.is_file() {
            return Err(io::Error::other(format!("{} is not a regular file", path.display())));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(io::Error::other(format!("{} is locked", path.display())));
            }
            Err(TryLockError::WouldBlock) => {
                sleep(Duration::from_millis(10));
                continue;
            }
        }
        // The previous holder of the lock has replaced the file.
        let is_still = path
            .symlink_metadata()
            .is_ok_and(|theirs| (theirs.dev(), theirs.ino()) == (ours.dev(), ours.ino()));
        if is_still {
            return Ok(file);
        }
    }
}
