//! Files of a run that could not be put back after somebody had changed them: they are noted beside the staged files, and put
//! back by the next process that opens the run, before it believes anything.
//!
//! The note is in custody itself. When it is read, only what this program may have written there counts: names of the run's own
//! files, and for an artifact that a step recorded only what it recorded.

use super::names::{SPECS, check_name};
use super::{CheckedFiles, MAX_ARTIFACT_BYTES, STAGED, Workspace, is_log, sha256};
use crate::atomic::replace_private;
use crate::custody::ForeignChange;
use crate::evidence::put_aside;
use crate::layout::create_folder;
use crate::plain_file::{self, Links, PlainFileError};
use charrette_model::checkpoint::Checkpoint;
use charrette_model::tree::ChangeKind;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Size that a note never reaches, in bytes.
const MAX_NOTE_BYTES: u64 = 64 << 20;

/// File that should have another content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct UnrestoredFile {
    place: Place,
    /// Path below that place.
    name: String,
    /// None if there should be no such file.
    content: Option<Vec<u8>>,
}

/// Folder of a run: the repository may be moved between runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Place {
    Workspace,
    Specs,
    Staging,
}

impl UnrestoredFile {
    /// Name of the artifact; none if it is a staged file. An error if it is no file of a run.
    fn artifact(&self) -> io::Result<Option<String>> {
        let not_own = || io::Error::new(io::ErrorKind::InvalidData, "names a file that is not in custody");
        let artifact = match self.place {
            Place::Workspace => self.name.clone(),
            Place::Specs => format!("{SPECS}{}", self.name),
            Place::Staging => {
                let (_, staged) = self.name.split_once(STAGED).ok_or_else(not_own)?;
                check_name(&staged.replace(STAGED, "/"))?;
                return if is_single(&self.name) { Ok(None) } else { Err(not_own()) };
            }
        };
        check_name(&artifact)?;
        if is_log(&artifact) { Err(not_own()) } else { Ok(Some(artifact)) }
    }
}

/// True for the visible name of one file.
fn is_single(name: &str) -> bool {
    !name.starts_with('.') && !name.contains(['/', '\0'])
}

impl Workspace {
    /// Puts back the files that an earlier process could not put back, where the document of the run does not say otherwise.
    /// Returns which they are, and what is still not as it should be.
    pub fn restore_unrestored(&self, document: &Checkpoint) -> CheckedFiles {
        let mut checked = CheckedFiles::default();
        let file = self.unrestored_file();
        match read_note(&file) {
            Ok(noted) => {
                for noted in noted {
                    self.restore_noted(&noted, document, &mut checked);
                }
            }
            // No process of ours has written that.
            Err(NoteError::Foreign) => {
                checked.changes.push(ForeignChange { path: file.clone(), kind: ChangeKind::Modified });
                if let Err(error) = put_aside(&file, &self.evidence(), "foreign") {
                    checked.problems.push((file.clone(), error));
                }
            }
            Err(NoteError::Unreadable(error)) => checked.problems.push((file.clone(), error)),
        }
        if checked.problems.is_empty()
            && let Err(error) = self.remove_note(&file)
        {
            checked.problems.push((file, error));
        }
        checked
    }

    fn remove_note(&self, file: &Path) -> io::Result<()> {
        self.custody.forget(|path| path == file);
        match fs_err::remove_file(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    fn restore_noted(&self, noted: &UnrestoredFile, document: &Checkpoint, checked: &mut CheckedFiles) {
        let Some(path) = self.folder_of(noted.place).map(|folder| folder.join(&noted.name)) else { return };
        match self.put_back(&path, noted, document) {
            Ok(true) => checked.changes.push(ForeignChange { path, kind: ChangeKind::Modified }),
            Ok(false) => {}
            Err(error) => checked.problems.push((path, error)),
        }
    }

    /// Puts one file back; false if it is as it should be. Where steps recorded the artifact, nothing else is believed:
    /// neither what is there nor what is noted.
    fn put_back(&self, path: &Path, noted: &UnrestoredFile, document: &Checkpoint) -> io::Result<bool> {
        let artifact = noted.artifact()?;
        let recorded: HashSet<&str> =
            artifact.iter().flat_map(|name| document.output_digests(name)).collect();
        let is_recorded = |bytes: &[u8]| recorded.contains(sha256(bytes).as_str());
        let content = noted.content.as_deref().filter(|bytes| recorded.is_empty() || is_recorded(bytes));
        let limit = content.map_or(MAX_ARTIFACT_BYTES, |bytes| bytes.len() as u64);
        // What cannot be read is not what the driver wrote.
        let found = plain_file::read(path, Links::Refused, limit);
        let is_fine = found.is_ok_and(|found| match (content, found) {
            (None, Some(found)) => is_recorded(&found),
            (content, found) => found.as_deref() == content,
        });
        if !is_fine {
            self.restore(path, content)?;
        }
        Ok(!is_fine)
    }

    /// Notes a file that could not be put back.
    pub(super) fn note_unrestored(&self, path: &Path, content: Option<&[u8]>) {
        if path == self.unrestored_file() {
            return;
        }
        self.has_unrestored.store(true, Ordering::Relaxed);
        self.change_unrestored(|all| {
            let Some((place, name)) = self.place_of(path) else { return };
            all.retain(|known| (known.place, &known.name) != (place, &name));
            all.push(UnrestoredFile { place, name, content: content.map(<[u8]>::to_vec) });
        });
    }

    /// Forgets files that are as they should be after all.
    pub(super) fn forget_unrestored<'a>(&self, paths: impl IntoIterator<Item = &'a Path>) {
        if self.has_unrestored.load(Ordering::Relaxed) {
            self.change_unrestored(|all| {
                for (place, name) in paths.into_iter().filter_map(|path| self.place_of(path)) {
                    all.retain(|known| (known.place, &known.name) != (place, &name));
                }
            });
        }
    }

    fn change_unrestored(&self, change: impl FnOnce(&mut Vec<UnrestoredFile>)) {
        let file = self.unrestored_file();
        let before = self.custody.content(&file).and_then(|note| serde_json::from_slice(&note).ok());
        let before: Vec<UnrestoredFile> = before.unwrap_or_default();
        let mut all = before.clone();
        change(&mut all);
        if all != before
            && let Ok(note) = serde_json::to_vec(&all)
        {
            self.custody.keep(&[(file.clone(), &note)]);
            // The run stops in any case; where not even this can be written, nothing can.
            let _ = create_folder(&self.staging)
                .and_then(|()| replace_private(&file, &note).map_err(io::Error::other));
        }
    }

    fn place_of(&self, path: &Path) -> Option<(Place, String)> {
        let inside = |place: Place| path.strip_prefix(self.folder_of(place)?).ok().map(|name| (place, name));
        let (place, name) = [Place::Workspace, Place::Specs, Place::Staging].into_iter().find_map(inside)?;
        Some((place, name.to_string_lossy().into_owned()))
    }

    fn folder_of(&self, place: Place) -> Option<&Path> {
        match place {
            Place::Workspace => Some(&self.folder),
            Place::Specs => self.specs.as_deref(),
            Place::Staging => Some(&self.staging),
        }
    }

    /// The note, which need not exist.
    pub(super) fn unrestored_file(&self) -> PathBuf {
        self.staging.join("unrestored.json")
    }
}

/// Reason a note was not read.
enum NoteError {
    /// This program does not write such a note.
    Foreign,
    Unreadable(io::Error),
}

fn read_note(file: &Path) -> Result<Vec<UnrestoredFile>, NoteError> {
    let note = match plain_file::read(file, Links::Refused, MAX_NOTE_BYTES) {
        Ok(Some(note)) => note,
        Ok(None) => return Ok(Vec::new()),
        Err(PlainFileError::Io(error)) => return Err(NoteError::Unreadable(error)),
        Err(_) => return Err(NoteError::Foreign),
    };
    let noted: Vec<UnrestoredFile> = serde_json::from_slice(&note).map_err(|_| NoteError::Foreign)?;
    let is_own = noted.iter().all(|file| file.artifact().is_ok());
    if is_own { Ok(noted) } else { Err(NoteError::Foreign) }
}
