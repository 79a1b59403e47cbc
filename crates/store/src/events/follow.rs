//! Reading the events that are added, while they are added.
//!
//! The file may be cut, removed, made again, or replaced by a shorter one that begins somewhere in the middle of it.
//! The last is what [`super::EventLog`] does; the file that was replaced stays open here, so the end of it can still be
//! read, and what the new one repeats of it can be told.

use super::lines::{FILE, MAX_BYTES, MAX_LINE_BYTES, end_of_lines, events, open, read_from};
use crate::lock::is_still;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// How much of a file's beginning is remembered, to know it again.
const HEAD_BYTES: u64 = 256;

/// Reads the events of a run as they come, from the first one that is there.
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    source: Option<Source>,
}

/// The file that is read, and how far.
#[derive(Debug)]
struct Source {
    file: File,
    /// Everything before this was returned, or passed over. A line begins here, unless one is being passed over.
    position: u64,
    /// A line is too long to be an event; the rest of it is passed over.
    is_passing: bool,
    /// How the file began when it was last read.
    head: Vec<u8>,
    /// The state of the file when it was last read: nothing was added as long as it is the same.
    seen: Option<(u64, i64, i64)>,
}

impl Follow {
    /// The events of the run whose workspace this folder is. They need not be there yet.
    pub fn new(folder: &Path) -> Follow {
        Follow { path: folder.join(FILE), source: None }
    }

    /// The events that were added since the last call, or that are there at the first one. What is not a whole line yet
    /// comes when it is one; what is not an event is passed over.
    pub fn next_lines(&mut self) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        match self.read_on(&mut lines) {
            // What was read before the error is not read again.
            Err(error) if lines.is_empty() => Err(error),
            _ => Ok(lines),
        }
    }

    fn read_on(&mut self, lines: &mut Vec<String>) -> io::Result<()> {
        if let Some(source) = &mut self.source {
            source.read_on(lines)?;
            if is_still(&self.path, &source.file)? {
                return Ok(());
            }
            // Something may have been added between our reading and the replacement.
            source.read_on(lines)?;
        }
        let Some(file) = open(&self.path)? else { return Ok(()) };
        let position = match &self.source {
            Some(old) => repeated(&old.file, &file)?,
            None => 0,
        };
        self.source.insert(Source::new(file, position)?).read_on(lines)
    }
}

impl Source {
    fn new(file: File, position: u64) -> io::Result<Source> {
        let excess = file.metadata()?.len().saturating_sub(MAX_BYTES + MAX_LINE_BYTES as u64);
        let head = read_from(&file, 0, HEAD_BYTES)?;
        // Of a file that is longer than any we write, the end is read.
        Ok(Source { file, position: position.max(excess), is_passing: excess > position, head, seen: None })
    }

    /// Adds the events from the position to the last line end, and goes there.
    fn read_on(&mut self, lines: &mut Vec<String>) -> io::Result<()> {
        let meta = self.file.metadata()?;
        let state = (meta.len(), meta.ctime(), meta.ctime_nsec());
        if self.seen == Some(state) {
            return Ok(());
        }
        self.recognise(meta.len())?;
        let text = read_from(&self.file, self.position, MAX_BYTES + MAX_LINE_BYTES as u64)?;
        let mut whole = &text[..end_of_lines(&text)];
        let mut read = whole.len();
        if self.is_passing {
            let first = whole.iter().position(|&byte| byte == b'\n').map_or(whole.len(), |end| end + 1);
            self.is_passing = whole.is_empty();
            whole = &whole[first..];
        }
        if self.is_passing || text.len() - read > MAX_LINE_BYTES {
            self.is_passing = true;
            read = text.len();
        }
        lines.extend(events(whole).flatten());
        self.position += read as u64;
        // What came while we were reading is seen by the next call.
        self.seen = (self.position + (text.len() - read) as u64 == meta.len()).then_some(state);
        Ok(())
    }

    /// Goes back to the beginning if this is not the file any more whose beginning we know. One that was only cut has
    /// nothing new.
    fn recognise(&mut self, length: u64) -> io::Result<()> {
        let head = read_from(&self.file, 0, HEAD_BYTES)?;
        let common = self.head.len().min(head.len());
        let is_same = common > 0 || self.position == 0;
        if !is_same || head[..common] != self.head[..common] {
            self.position = 0;
            self.is_passing = false;
        } else if length < self.position {
            self.position = length;
        }
        self.head = head;
        Ok(())
    }
}

/// How many bytes at the beginning of a file repeat lines of the one it replaced.
///
/// That is the longest run of lines at its beginning that stands somewhere in the old one, found in one pass over both
/// (Knuth, Morris and Pratt), because either may be all the same line.
fn repeated(old: &File, new: &File) -> io::Result<u64> {
    let start = old.metadata()?.len().saturating_sub(MAX_BYTES);
    let (old, new) = (read_from(old, start, MAX_BYTES)?, read_from(new, 0, MAX_BYTES)?);
    let lines: Vec<&[u8]> = new[..end_of_lines(&new)].split_inclusive(|&byte| byte == b'\n').collect();
    // For each run of lines at the beginning: how many of its last lines are the first ones again.
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
