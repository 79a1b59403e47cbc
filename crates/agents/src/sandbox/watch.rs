//! Notices changes in the files from which a client takes hooks, servers, plug-ins or settings.
//!
//! The agent may write some of them, and put anything in their place: a pipe, a device, a file of terabytes. Only regular
//! files are read, up to a limit; of everything else it is noted what it is.

use super::paths::expand_path;
use crate::host::HostEnvironment;
use crate::profile::Agent;
use charrette_store::plain_file::{self, Links, PlainFileError};
use charrette_store::workspace::sha256;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Maximum number of files of a folder that are watched.
const MAX_FILES: usize = 2000;

/// Maximum number of folders of a watched folder that are looked into.
const MAX_FOLDERS: usize = 2000;

/// Maximum size of a file that is read. Of a larger one only the stamp is compared.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The settings of a client before a call.
#[derive(Debug, Clone)]
pub struct SettingsWatch {
    before: BTreeMap<PathBuf, Mark>,
    watched: Vec<(PathBuf, Option<String>)>,
}

/// State of a watched file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mark {
    /// Digest of a file, or of one member of it.
    Content(String),
    /// Size, inode and time of change of a file in a watched folder, or of one that cannot be read whole. The time cannot be set
    /// back.
    Stamp(u64, u64, i64, i64),
    /// Kind, device and inode of what is no regular file, and for a device which one. Its content is nobody's settings, and
    /// writing to it changes its times.
    Special(u32, u64, u64, u64),
}

impl SettingsWatch {
    pub(crate) fn start(agent: &Agent, host: &HostEnvironment) -> SettingsWatch {
        let settings = agent.profile.sandbox.settings.iter();
        let watched: Vec<(PathBuf, Option<String>)> = settings
            .filter_map(|text| {
                let (path, member) =
                    text.split_once('#').map_or((text.as_str(), None), |(path, member)| (path, Some(member)));
                Some((expand_path(path, host)?, member.map(str::to_owned)))
            })
            .collect();
        SettingsWatch { before: marks(&watched), watched }
    }

    /// Files that differ from before the call.
    pub(crate) fn changed(&self) -> Vec<PathBuf> {
        let after = marks(&self.watched);
        let paths = self.before.keys().chain(after.keys().filter(|path| !self.before.contains_key(*path)));
        paths.filter(|path| self.before.get(*path) != after.get(*path)).cloned().collect()
    }
}

fn marks(watched: &[(PathBuf, Option<String>)]) -> BTreeMap<PathBuf, Mark> {
    let mut marks = BTreeMap::new();
    for (path, member) in watched {
        if path.is_dir() {
            mark_folder(path, &mut marks, &mut 0);
        } else if let Some(mark) = file_mark(path, member.as_deref()) {
            marks.insert(path.clone(), mark);
        }
    }
    marks
}

/// Mark of a file, or of one member of it; none if there is no such file.
fn file_mark(path: &Path, member: Option<&str>) -> Option<Mark> {
    let bytes = match plain_file::read(path, Links::Followed, MAX_FILE_BYTES) {
        Ok(bytes) => bytes?,
        Err(PlainFileError::NotAFile(_) | PlainFileError::Symlink(_)) => {
            return Some(special(&fs_err::metadata(path).ok()?));
        }
        Err(PlainFileError::TooLarge { .. } | PlainFileError::Io(_)) => {
            return Some(stamp(&fs_err::metadata(path).ok()?));
        }
    };
    let part = match member {
        Some(member) => serde_json::from_slice::<Value>(&bytes)
            .map_or_else(|_| bytes, |value| value[member].to_string().into_bytes()),
        None => bytes,
    };
    Some(Mark::Content(sha256(&part)))
}

fn stamp(metadata: &Metadata) -> Mark {
    Mark::Stamp(metadata.len(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

fn special(metadata: &Metadata) -> Mark {
    /// The bits of a mode that tell a pipe from a device, a folder or a socket.
    const KIND: u32 = 0o170_000;
    Mark::Special(metadata.mode() & KIND, metadata.dev(), metadata.ino(), metadata.rdev())
}

fn mark_folder(folder: &Path, marks: &mut BTreeMap<PathBuf, Mark>, folders: &mut usize) {
    *folders += 1;
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        if marks.len() >= MAX_FILES {
            return;
        }
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            if *folders < MAX_FOLDERS {
                mark_folder(&entry.path(), marks, folders);
            } else {
                // Nobody hides a file behind empty folders: so many of them are a change themselves.
                marks.insert(entry.path(), special(&metadata));
            }
        } else {
            marks.insert(entry.path(), stamp(&metadata));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    /// A watch of two files and a folder, all in `folder`.
    fn watch(folder: &Path) -> SettingsWatch {
        let watched = vec![
            (folder.join("settings.json"), None),
            (folder.join("state.json"), Some("servers".to_owned())),
            (folder.join("skills"), None),
        ];
        SettingsWatch { before: marks(&watched), watched }
    }

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn what_is_no_file_has_changed_and_is_not_waited_for() {
        let pipe_behind_a_link = |path: &Path| {
            pipe(&path.with_extension("pipe"));
            symlink(path.with_extension("pipe"), path).unwrap();
        };
        let replacements: [fn(&Path); 5] = [
            pipe,
            pipe_behind_a_link,
            |path| symlink("/dev/zero", path).unwrap(),
            |path| symlink(path, path).unwrap(),
            |path| fs_err::File::create(path).unwrap().set_len(1 << 40).unwrap(),
        ];
        for (kind, replace) in replacements.into_iter().enumerate() {
            for name in ["settings.json", "state.json"] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join(name);
                fs_err::write(&path, "{}").unwrap();
                let before = watch(folder.path());
                assert_eq!(before.changed(), [""; 0].map(PathBuf::from), "{kind}");
                fs_err::remove_file(&path).unwrap();
                replace(&path);
                assert_eq!(before.changed(), [path], "{kind}");
            }
        }
    }

    #[test]
    fn what_was_no_file_before_the_call_is_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        // A user may have turned the settings off this way.
        symlink("/dev/null", &path).unwrap();
        pipe(&folder.path().join("state.json"));
        let before = watch(folder.path());
        assert_eq!(before.changed(), [""; 0].map(PathBuf::from));
        fs_err::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        assert_eq!(before.changed(), [path]);
    }

    #[test]
    fn more_folders_than_are_looked_into_are_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let skills = folder.path().join("skills");
        fs_err::create_dir_all(&skills).unwrap();
        let before = watch(folder.path());
        for n in 0..MAX_FOLDERS {
            fs_err::create_dir(skills.join(n.to_string())).unwrap();
        }
        assert_eq!(before.changed().len(), 1);
        assert_eq!(watch(folder.path()).changed().len(), 0);
    }

    #[test]
    fn a_member_and_a_folder_are_compared() {
        let folder = tempfile::tempdir().unwrap();
        let (state, skill) = (folder.path().join("state.json"), folder.path().join("skills/a/b/skill"));
        fs_err::write(&state, r#"{"servers": {}, "starts": 1}"#).unwrap();
        fs_err::create_dir_all(skill.parent().unwrap()).unwrap();
        fs_err::write(&skill, "x").unwrap();
        let before = watch(folder.path());
        fs_err::write(&state, r#"{"servers": {}, "starts": 2}"#).unwrap();
        assert_eq!(before.changed(), [""; 0].map(PathBuf::from));
        fs_err::write(&state, r#"{"servers": {"evil": {}}, "starts": 2}"#).unwrap();
        fs_err::remove_file(&skill).unwrap();
        pipe(&skill);
        assert_eq!(before.changed(), [skill, state]);
    }
}
