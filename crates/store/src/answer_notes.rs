//! Notes of the answers that people gave to a run's gates, beside its staged files in the user's state folder.
//!
//! Any program can write an answer into a state document. In the sandbox an agent cannot write here, so a driver believes the
//! answers of other processes only if they are noted. A note is written before its answer; one without an answer is
//! harmless. Notes count as long as a driver lives, so they are not synced.

use crate::documents::read_bytes;
use crate::layout::create_folder;
use crate::workspace::sha256;
use charrette_model::checkpoint::{Checkpoint, GateRecord};
use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Notes of the answers to the gates of one run: a line with a digest for each.
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

    /// Notes every gate whose record differs.
    pub(crate) fn add(&self, before: &Checkpoint, after: &Checkpoint) -> io::Result<()> {
        let answered = after.gates.iter().filter(|(name, gate)| before.gates.get(*name) != Some(gate));
        let lines: String = answered.map(|(name, gate)| digest(name, gate) + "\n").collect();
        if lines.is_empty() {
            return Ok(());
        }
        create_folder(&self.folder)?;
        let mut file = fs_err::OpenOptions::new().append(true).create(true).mode(0o600).open(self.file())?;
        // In one write, so that lines of several processes do not mix.
        file.write_all(lines.as_bytes())
    }

    /// True if a person gave the answers that a gate has.
    pub(crate) fn has(&self, name: &str, gate: &GateRecord) -> bool {
        let notes = read_bytes(&self.file()).ok().flatten().unwrap_or_default();
        let digest = digest(name, gate);
        notes.split(|byte| *byte == b'\n').any(|line| line == digest.as_bytes())
    }
}

fn digest(name: &str, gate: &GateRecord) -> String {
    sha256(&serde_json::to_vec(&(name, gate)).unwrap_or_default())
}
