//! Capture of output in a file of bounded size: its beginning and its end.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A file of bounded size: the beginning of the output and, if there is more, its end.
#[derive(Debug)]
pub(super) struct Capture {
    path: PathBuf,
    /// None before there is any output, if it may wait for that.
    head: Option<File>,
    head_room: u64,
    /// The end alternates between two files, so that one of them is always complete.
    tails: Option<[File; 2]>,
    tail_size: u64,
    tail_now: usize,
    tail_used: u64,
    total: u64,
    /// Kept instead of returned: a failed capture must not cost the answer.
    error: Option<io::Error>,
}

impl Capture {
    /// Creates an empty file for at most `max_bytes`, private to this user.
    pub(super) fn create(path: &Path, max_bytes: u64) -> io::Result<Capture> {
        Ok(Capture { head: Some(private_file(path)?), ..Capture::when_needed(path, max_bytes) })
    }

    /// The same without a file until there is output.
    pub(super) fn when_needed(path: &Path, max_bytes: u64) -> Capture {
        Capture {
            path: path.to_owned(),
            head: None,
            head_room: max_bytes / 2,
            tails: None,
            tail_size: (max_bytes / 4).max(1),
            tail_now: 0,
            tail_used: 0,
            total: 0,
            error: None,
        }
    }

    /// Number of bytes written, captured or not.
    pub(super) fn total_bytes(&self) -> u64 {
        self.total
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if self.error.is_none() {
            self.error = self.try_write(bytes).err();
        }
    }

    fn try_write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let fits = usize::try_from(self.head_room).unwrap_or(usize::MAX).min(bytes.len());
        let head = match &mut self.head {
            Some(head) => head,
            slot => slot.insert(private_file(&self.path)?),
        };
        head.write_all(&bytes[..fits])?;
        self.head_room -= fits as u64;
        bytes = &bytes[fits..];
        while !bytes.is_empty() {
            let tails = match &mut self.tails {
                Some(tails) => tails,
                slot => {
                    slot.insert([private_file(&tail(&self.path, 0))?, private_file(&tail(&self.path, 1))?])
                }
            };
            if self.tail_used == self.tail_size {
                self.tail_now = 1 - self.tail_now;
                self.tail_used = 0;
                tails[self.tail_now].set_len(0)?;
                tails[self.tail_now].seek(SeekFrom::Start(0))?;
            }
            let room = usize::try_from(self.tail_size - self.tail_used).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            tails[self.tail_now].write_all(now)?;
            self.tail_used += now.len() as u64;
            bytes = later;
        }
        Ok(())
    }

    /// Joins beginning and end, with a line between them that counts the omitted bytes.
    pub(super) fn finish(mut self) -> Option<io::Error> {
        if self.error.is_none() {
            self.error = self.join().err();
        }
        if self.tails.is_some() {
            for n in 0..2 {
                let _ = fs_err::remove_file(tail(&self.path, n));
            }
        }
        self.error
    }

    fn join(&mut self) -> io::Result<()> {
        let (Some(file), Some(tails)) = (&mut self.head, &mut self.tails) else { return Ok(()) };
        let head = file.stream_position()?;
        let mut sizes = [0; 2];
        for (size, file) in sizes.iter_mut().zip(tails.iter_mut()) {
            *size = file.seek(SeekFrom::End(0))?;
        }
        let left_out = self.total - head - sizes[0] - sizes[1];
        if left_out > 0 {
            write!(file, "\n[... {left_out} bytes left out ...]\n")?;
        }
        for n in [1 - self.tail_now, self.tail_now] {
            let tail = &mut tails[n];
            tail.seek(SeekFrom::Start(0))?;
            io::copy(&mut tail.take(sizes[n]), file)?;
        }
        Ok(())
    }
}

fn tail(path: &Path, n: usize) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".tail{n}"));
    path.with_file_name(name)
}

/// An empty file that is private to this user.
fn private_file(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).create(true).truncate(true).mode(0o600).open(path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn captured(max_bytes: u64, chunks: &[&[u8]]) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut capture = Capture::create(&path, max_bytes).unwrap();
        for chunk in chunks {
            capture.write(chunk);
        }
        assert!(capture.finish().is_none());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let names = fs_err::read_dir(folder.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        (fs_err::read_to_string(path).unwrap(), names)
    }

    #[test]
    fn small_output_is_captured_whole() {
        assert_eq!(captured(100, &[b"hello ", b"world"]), ("hello world".to_owned(), vec!["out".to_owned()]));
        let exactly = b"0123456789abcdefghij";
        assert_eq!(captured(40, &[exactly, b"0123456789"]).0, "0123456789abcdefghij0123456789");
    }

    #[test]
    fn large_output_keeps_its_beginning_and_end() {
        let many: Vec<u8> = (0..1000).flat_map(|n| format!("{n:04}").into_bytes()).collect();
        let chunks: Vec<&[u8]> = many.chunks(7).collect();
        let (text, names) = captured(80, &chunks);
        let (head, tail) = text.split_once("\n[... ").unwrap();
        assert_eq!(head, "0000000100020003000400050006000700080009");
        let (left_out, tail) = tail.split_once(" bytes left out ...]\n").unwrap();
        assert!(tail.ends_with("09980999") && tail.len() >= 20, "{tail}");
        assert_eq!(left_out.parse::<usize>().unwrap() + head.len() + tail.len(), 4000);
        assert_eq!(names, ["out"]);
    }
}
