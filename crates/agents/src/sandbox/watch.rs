//! Notices changes in the files from which a client takes hooks, servers, plug-ins or settings.

use super::paths::expand_path;
use crate::host::HostEnvironment;
use crate::profile::Agent;
use charrette_store::workspace::sha256;
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Maximum number of files of a folder that are watched.
const MAX_FILES: usize = 2000;

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
    /// Size, inode and time of change of a file in a watched folder. The time cannot be set back.
    Stamp(u64, u64, i64, i64),
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
            mark_folder(path, &mut marks);
        } else if let Ok(bytes) = fs_err::read(path) {
            let part = match member {
                Some(member) => serde_json::from_slice::<Value>(&bytes)
                    .map_or_else(|_| bytes, |value| value[member].to_string().into_bytes()),
                None => bytes,
            };
            marks.insert(path.clone(), Mark::Content(sha256(&part)));
        }
    }
    marks
}

fn mark_folder(folder: &Path, marks: &mut BTreeMap<PathBuf, Mark>) {
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        if marks.len() >= MAX_FILES {
            return;
        }
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            mark_folder(&entry.path(), marks);
        } else {
            let stamp = Mark::Stamp(metadata.len(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
            marks.insert(entry.path(), stamp);
        }
    }
}
