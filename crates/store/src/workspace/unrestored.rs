//! Files of a run that could not be put back after somebody had changed them: they are noted beside the staged files, and put
//! back by the next process that opens the run, before it believes anything.

use super::Workspace;
use crate::atomic::replace_private;
use crate::custody::ForeignChange;
use crate::layout::create_folder;
use charrette_model::tree::ChangeKind;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

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

impl Workspace {
    /// Puts back the files that an earlier process could not put back, and returns which they are.
    pub fn restore_unrestored(&self) -> io::Result<Vec<ForeignChange>> {
        let file = self.unrestored_file();
        let mut changes = Vec::new();
        for UnrestoredFile { place, name, content } in read(&file)? {
            let Some(path) = self.folder_of(place).map(|folder| folder.join(name)) else { continue };
            let found = fs_err::read(&path).ok();
            if found != content {
                let problem =
                    |error| io::Error::other(format!("cannot put back {}: {error}", path.display()));
                self.restore(&path, content.as_deref()).map_err(problem)?;
                changes.push(ForeignChange { path, kind: ChangeKind::Modified });
            }
        }
        match fs_err::remove_file(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
        Ok(changes)
    }

    /// Notes a file that could not be put back.
    pub(super) fn note_unrestored(&self, path: &Path, content: Option<&[u8]>) {
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
        let before = read(&file).unwrap_or_default();
        let mut all = before.clone();
        change(&mut all);
        if all != before {
            // The run stops in any case; where not even this can be written, nothing can.
            let _ = create_folder(&self.staging)
                .and_then(|()| replace_private(&file, &serde_json::to_vec(&all)?).map_err(io::Error::other));
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

    fn unrestored_file(&self) -> PathBuf {
        self.staging.join("unrestored.json")
    }
}

fn read(file: &Path) -> io::Result<Vec<UnrestoredFile>> {
    match fs_err::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => Ok(serde_json::from_slice(&other?)?),
    }
}
