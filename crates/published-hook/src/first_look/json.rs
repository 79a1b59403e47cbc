//! The folders that the input names.
//!
//! The input is not parsed. If it is valid JSON, then each of its texts is found here, and each member with its name. If it
//! is not, then the hook does not use it, and what is found here does not matter.

use super::bytes::is_listed;

/// Members with a folder. The hook uses some of them, at some depth.
const FOLDERS: &[u8] = b"cwd workdir working_directory dir_path directory";
/// Members with a list of folders.
const LISTS: &[u8] = b"workspace_roots workspaceRoots";

/// True if all folders that the input names pass a test. False too if it is not certain which it names.
pub(super) fn all_folders(input: &[u8], mut is_good: impl FnMut(&[u8]) -> bool) -> bool {
    check_folders(&mut Reader { rest: input }, &mut is_good).is_some()
}

fn check_folders(reader: &mut Reader<'_>, is_good: &mut impl FnMut(&[u8]) -> bool) -> Option<()> {
    while let Some(byte) = reader.next() {
        if byte != b'"' {
            continue;
        }
        let text = reader.text()?;
        reader.skip_space();
        if !reader.skip(b':') {
            continue;
        }
        if text.has_escapes || is_listed(text.bytes, LISTS) {
            return None;
        }
        if is_listed(text.bytes, FOLDERS) {
            reader.skip_space();
            let folder = reader.skip(b'"').then(|| reader.text())??;
            if folder.has_escapes || !is_good(folder.bytes) {
                return None;
            }
        }
    }
    Some(())
}

struct Reader<'a> {
    rest: &'a [u8],
}

/// A text of the input, as it is written there.
struct Text<'a> {
    bytes: &'a [u8],
    has_escapes: bool,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Reads a text after its first quote; none if it does not end.
    fn text(&mut self) -> Option<Text<'a>> {
        let start = self.rest;
        let mut has_escapes = false;
        loop {
            match self.next()? {
                b'"' => break,
                b'\\' => {
                    has_escapes = true;
                    self.next()?;
                }
                _ => {}
            }
        }
        let length = start.len().checked_sub(self.rest.len() + 1)?;
        Some(Text { bytes: start.get(..length)?, has_escapes })
    }

    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.rest.first() == Some(&byte);
        if is_next {
            self.next();
        }
        is_next
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.rest.first() {
            self.next();
        }
    }
}
