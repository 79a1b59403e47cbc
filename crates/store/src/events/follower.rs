//! Follows the event log while it grows.
//!
//! The file may be truncated, removed, recreated, or replaced by a shorter one that starts somewhere in its
//! middle. The last is what [`super::EventLog`] does; the replaced file stays open here, so that its end can
//! still be read and the lines that the new one repeats can be skipped.

use super::lines::{FILE, MAX_BYTES, MAX_LINE_BYTES, end_of_lines, events, open, read_from};
use crate::lock::is_same_file;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Size of the remembered file head, which identifies the file.
const HEAD_BYTES: u64 = 256;

/// Follows the events of a run, from the oldest one on disk.
#[derive(Debug)]
pub struct EventFollower {
    path: PathBuf,
    source: Option<Source>,
}

/// The file being read, and the position in it.
#[derive(Debug)]
struct Source {
    file: File,
    /// Everything before was returned or skipped. A line starts here, unless `skips_line`.
    position: u64,
    /// True inside a line that is too long for an event; the rest of it is skipped.
    skips_line: bool,
    /// Head of the file at the last read.
    head: Vec<u8>,
    /// Metadata of the file at the last read: while unchanged, there is nothing new.
    seen: Option<(u64, i64, i64)>,
}

impl EventFollower {
    /// The events of the run with this workspace folder. The file need not exist yet.
    pub fn new(folder: &Path) -> EventFollower {
        EventFollower { path: folder.join(FILE), source: None }
    }

    /// Events added since the last call, or all existing ones at the first call. An incomplete line is
    /// returned once it is complete; lines that are no events are skipped.
    pub fn next_lines(&mut self) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        match self.read_on(&mut lines) {
            // Lines read before the error are not read again.
            Err(error) if lines.is_empty() => Err(error),
            _ => Ok(lines),
        }
    }

    fn read_on(&mut self, lines: &mut Vec<String>) -> io::Result<()> {
        if let Some(source) = &mut self.source {
            source.read_on(lines)?;
            if is_same_file(&self.path, &source.file)? {
                return Ok(());
            }
            // Lines may have been added between our last read and the replacement.
            source.read_on(lines)?;
        }
        let Some(file) = open(&self.path)? else { return Ok(()) };
        let position = match &self.source {
            Some(old) => repeated_bytes(&old.file, &file)?,
            None => 0,
        };
        self.source.insert(Source::new(file, position)?).read_on(lines)
    }
}

impl Source {
    fn new(file: File, position: u64) -> io::Result<Source> {
        let excess = file.metadata()?.len().saturating_sub(MAX_BYTES + MAX_LINE_BYTES as u64);
        let head = read_from(&file, 0, HEAD_BYTES)?;
        // Of an oversized file, only the end is read.
        Ok(Source { file, position: position.max(excess), skips_line: excess > position, head, seen: None })
    }

    /// Reads the events from the position to the last line end, and advances.
    fn read_on(&mut self, lines: &mut Vec<String>) -> io::Result<()> {
        let meta = self.file.metadata()?;
        let state = (meta.len(), meta.ctime(), meta.ctime_nsec());
        if self.seen == Some(state) {
            return Ok(());
        }
        self.detect_replacement(meta.len())?;
        let text = read_from(&self.file, self.position, MAX_BYTES + MAX_LINE_BYTES as u64)?;
        let mut whole = &text[..end_of_lines(&text)];
        let mut read = whole.len();
        if self.skips_line {
            let first = whole.iter().position(|&byte| byte == b'\n').map_or(whole.len(), |end| end + 1);
            self.skips_line = whole.is_empty();
            whole = &whole[first..];
        }
        if self.skips_line || text.len() - read > MAX_LINE_BYTES {
            self.skips_line = true;
            read = text.len();
        }
        lines.extend(events(whole).flatten());
        self.position += read as u64;
        // Lines added during the read are left to the next call.
        self.seen = (self.position + (text.len() - read) as u64 == meta.len()).then_some(state);
        Ok(())
    }

    /// Goes back to the beginning if the file's head has changed. A truncated file has nothing new.
    fn detect_replacement(&mut self, length: u64) -> io::Result<()> {
        let head = read_from(&self.file, 0, HEAD_BYTES)?;
        let common = self.head.len().min(head.len());
        let is_same = common > 0 || self.position == 0;
        if !is_same || head[..common] != self.head[..common] {
            self.position = 0;
            self.skips_line = false;
        } else if length < self.position {
            self.position = length;
        }
        self.head = head;
        Ok(())
    }
}

/// Number of bytes at the beginning of a file that repeat lines of the one it replaced.
///
/// The longest run of lines at its beginning that occurs anywhere in the old file, found in one pass over
/// both (Knuth, Morris and Pratt), because either may be all the same line.
fn repeated_bytes(old: &File, new: &File) -> io::Result<u64> {
    let start = old.metadata()?.len().saturating_sub(MAX_BYTES);
    let (old, new) = (read_from(old, start, MAX_BYTES)?, read_from(new, 0, MAX_BYTES)?);
    let lines: Vec<&[u8]> = new[..end_of_lines(&new)].split_inclusive(|&byte| byte == b'\n').collect();
    // Failure table: for each prefix of lines, the length of its longest proper border.
    let mut again: Vec<usize> = Vec::with_capacity(lines.len());
    let matched = |again: &[usize], mut run: usize, line: &[u8]| {
        while run > 0 && lines.get(run) != Some(&line) {
            run = again[run - 1];
        }
        run + usize::from(lines.get(run) == Some(&line))
    };
    for (n, line) in lines.iter().enumerate() {
        let run = if n == 0 { 0 } else { matched(&again, again[n - 1], line) };
        again.push(run);
    }
    let (mut run, mut longest) = (0, 0);
    for line in old.split_inclusive(|&byte| byte == b'\n') {
        run = matched(&again, run, line);
        longest = longest.max(run);
    }
    Ok(lines[..longest].iter().map(|line| line.len() as u64).sum())
}
