//! The event log file: name, size limits, opening, reading, parsing of lines.

use rustix::fs::OFlags;
use serde::de::IgnoredAny;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

/// File name, in the workspace of the run.
pub const FILE: &str = "events.jsonl";

/// Maximum size of the file.
pub const MAX_BYTES: u64 = 8 << 20;

/// Maximum size of an event.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// Opens an event log for reading; `None` if there is none. Links are not followed.
pub(super) fn open(path: &Path) -> io::Result<Option<File>> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true);
    options.options_mut().custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    let file = match options.open(path) {
        Ok(file) => file.into_file(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if file.metadata()?.is_file() {
        Ok(Some(file))
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} is not a regular file", path.display())))
    }
}

/// Up to `most` bytes from `start` on.
pub(super) fn read_from(file: &File, start: u64, most: u64) -> io::Result<Vec<u8>> {
    let available = file.metadata()?.len().saturating_sub(start).min(most);
    let mut bytes = vec![0; usize::try_from(available).unwrap_or_default()];
    let mut length = 0;
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], start + length as u64) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

/// Offset behind the last line end; 0 if there is none.
pub(super) fn end_of_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1)
}

/// Events of a text; `None` for a non-empty line that is no event.
pub(super) fn events(text: &[u8]) -> impl Iterator<Item = Option<String>> {
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(event)
}

/// Parses a line as an event: a complete JSON object.
fn event(line: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(line).ok().filter(|line| line.starts_with('{'))?;
    serde_json::from_str::<IgnoredAny>(line).ok()?;
    Some(line.to_owned())
}
