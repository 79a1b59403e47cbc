//! Notes of the answers that people gave to a run's gates, beside its staged files in the user's state folder.
//!
//! Any program can write an answer into a state document. In the sandbox an agent cannot write here, so a driver believes the
//! answers of other processes only as far as they are noted, each by itself. A note is written before its answer; one without
//! an answer is harmless. Notes count as long as a driver lives, so they are not synced.

use crate::documents::read_bytes;
use crate::layout::create_folder;
use charrette_model::checkpoint::given::GivenAnswers;
use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Notes of the answers to the gates of one run: a line for each gate and time.
#[derive(Debug, Clone)]
pub struct AnswerNotes {
    folder: PathBuf,
}

impl AnswerNotes {
    /// Notes in a folder of this run only, which need not exist.
    pub(crate) fn new(folder: PathBuf) -> AnswerNotes {
        AnswerNotes { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("answers")
    }

    /// Notes what a person gives.
    pub(crate) fn add(&self, given: &[GivenAnswers]) -> io::Result<()> {
        let mut lines = Vec::new();
        for answers in given {
            // The line that a killed process left begins no line of this one.
            lines.push(b'\n');
            serde_json::to_writer(&mut lines, answers)?;
        }
        if lines.is_empty() {
            return Ok(());
        }
        lines.push(b'\n');
        create_folder(&self.folder)?;
        let mut file = fs_err::OpenOptions::new().append(true).create(true).mode(0o600).open(self.file())?;
        // In one write, so that lines of several processes do not mix.
        file.write_all(&lines)
    }

    /// Length of the notes: it grows with each.
    pub(crate) fn length(&self) -> u64 {
        self.file().symlink_metadata().map_or(0, |meta| meta.len())
    }

    /// What people have given, in order.
    pub fn all(&self) -> Vec<GivenAnswers> {
        self.since(0)
    }

    /// What people have given since the notes had that length.
    pub(crate) fn since(&self, length: u64) -> Vec<GivenAnswers> {
        let notes = read_bytes(&self.file()).ok().flatten().unwrap_or_default();
        let new = usize::try_from(length).ok().and_then(|length| notes.get(length..)).unwrap_or_default();
        new.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}
