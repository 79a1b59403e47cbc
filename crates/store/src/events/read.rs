//! Reads the existing events.

use super::lines::{FILE, MAX_BYTES, MAX_LINE_BYTES, end_of_lines, events, open, read_from};
use std::io;
use std::path::Path;

/// The events of a run, oldest first, and the number of invalid lines (torn, or not UTF-8).
///
/// An unreadable file has no events. Of an oversized file, only the end is read.
pub fn read(folder: &Path) -> (Vec<String>, usize) {
    let text = newest(&folder.join(FILE)).unwrap_or_default();
    let (whole, rest) = text.split_at(end_of_lines(&text));
    let mut lines = Vec::new();
    let mut torn = usize::from(!rest.is_empty());
    for event in events(whole) {
        match event {
            Some(event) => lines.push(event),
            None => torn += 1,
        }
    }
    (lines, torn)
}

fn newest(path: &Path) -> io::Result<Vec<u8>> {
    let Some(file) = open(path)? else { return Ok(Vec::new()) };
    let most = MAX_BYTES + MAX_LINE_BYTES as u64;
    let start = file.metadata()?.len().saturating_sub(most);
    let mut text = read_from(&file, start, most)?;
    if start > 0 {
        // The rest of a line whose beginning is not read.
        let first = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |end| end + 1);
        text.drain(..first);
    }
    Ok(text)
}
