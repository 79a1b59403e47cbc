//! Reads the settings of a repository and of every submodule that git looks into.
//!
//! Each repository is read once per process, and again when one of the files that decide about its settings has changed.
//! Submodules are those that the index names, wherever their git folders are: git asks for the state of each, and its
//! filters run then.

use super::folders::{Folders, Identity, MAX_CONFIGURATION, watched_without_repository};
use super::gitlinks::{Gitlinks, gitlinks, link_on_the_way};
use super::plain::names_no_program;
use super::questions::{
    ask_for_folders, expand_path, list_index, list_settings, list_settings_of, name_repository,
};
use super::settings::{Setting, parse_included, parse_settings};
use super::watched::Watched;
use crate::command::{Purpose, base_command};
use crate::environment::{is_redirected, variable};
use crate::process::GitError;
use crate::regular::check_regular;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Where git is to work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) folder: &'a Path,
    /// Git folder and work tree, where the caller names them.
    pub(crate) worktree: Option<(&'a Path, &'a Path)>,
    /// Index, where it is not the repository's own.
    pub(crate) index: Option<&'a Path>,
}

/// Settings that count at one place.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) settings: Vec<Setting>,
    /// Files that decide about the settings.
    pub(super) watched: Vec<Watched>,
    /// Indexes that name the submodules, with what they named.
    pub(super) indexes: Vec<(PathBuf, Gitlinks)>,
}

/// Settings of one repository.
#[derive(Debug, Clone, Default)]
struct Known {
    folders: Option<Folders>,
    settings: Vec<Setting>,
    watched: Vec<Watched>,
}

/// Repository whose settings are known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Folder(PathBuf),
    /// Git folder and folder of the call.
    Worktree(PathBuf, PathBuf),
    Submodule(PathBuf),
}

static KNOWN: LazyLock<Mutex<HashMap<Key, Arc<Known>>>> = LazyLock::new(Mutex::default);

/// Reads all settings that count at a place.
pub(super) fn read(place: Place<'_>) -> Result<Found, GitError> {
    let folder = place.folder.to_owned();
    let key = match place.worktree {
        Some((git_dir, _)) => Key::Worktree(git_dir.to_owned(), folder),
        None => Key::Folder(folder),
    };
    let top = known(key, || read_top(place))?;
    let mut found =
        Found { settings: top.settings.clone(), watched: top.watched.clone(), indexes: Vec::new() };
    if let Some(folders) = &top.folders {
        let mut open = vec![(folders.clone(), index_in_use(place, folders))];
        // A call with an index of its own may also look into the other.
        if place.index.is_some() {
            open.push((folders.clone(), folders.index()));
        }
        found.add_submodules(open)?;
    }
    Ok(found)
}

impl Found {
    /// Adds the settings of all submodules that these indexes name, and those of their own submodules.
    fn add_submodules(&mut self, mut open: Vec<(Folders, PathBuf)>) -> Result<(), GitError> {
        let mut paths = HashSet::new();
        // Paths of a repository may have no end where one leads back into another.
        let mut repositories: HashSet<Identity> =
            open.iter().filter_map(|(folders, _)| folders.identity()).collect();
        while let Some((folders, index)) = open.pop() {
            let links = gitlinks(&index, || list_index(&folders, &index))?;
            for link in links.iter() {
                if let Some(watched) = link_on_the_way(&folders.work_tree, link) {
                    self.watched.push(watched);
                    continue;
                }
                let folder = folders.work_tree.join(link);
                if !paths.insert(folder.clone()) {
                    continue;
                }
                let submodule = known(Key::Submodule(folder.clone()), || read_submodule(&folder))?;
                self.settings.extend(submodule.settings.iter().cloned());
                self.watched.extend(submodule.watched.iter().cloned());
                let is_new = |folders: &&Folders| {
                    folders.identity().is_none_or(|identity| repositories.insert(identity))
                };
                let below = submodule.folders.iter().filter(is_new);
                open.extend(below.map(|folders| (folders.clone(), folders.index())));
            }
            self.indexes.push((index, links));
        }
        Ok(())
    }
}

fn known(key: Key, read: impl FnOnce() -> Result<Known, GitError>) -> Result<Arc<Known>, GitError> {
    let all = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all().get(&key).cloned();
    if let Some(found) = found.filter(|found| found.watched.iter().all(Watched::is_same)) {
        return Ok(found);
    }
    let found = Arc::new(read()?);
    // Outside a repository there is no file that would tell that one was made since.
    let is_watched = found.folders.is_some() || matches!(key, Key::Submodule(_));
    if is_watched && found.watched.iter().all(Watched::is_settled) {
        all().insert(key, found.clone());
    } else {
        all().remove(&key);
    }
    Ok(found)
}

fn read_top(place: Place<'_>) -> Result<Known, GitError> {
    let mut command = base_command(place.folder, Purpose::Reading);
    if let Some((git_dir, work_tree)) = place.worktree {
        name_repository(&mut command, git_dir, work_tree);
    }
    let folders = match place.worktree {
        Some((git_dir, work_tree)) => Some(Folders::new(git_dir.to_owned(), work_tree.to_owned())?),
        None if is_redirected() => ask_for_folders(place.folder)?,
        None => Folders::discover(place.folder)?,
    };
    let mut watched = Vec::new();
    if let Some(folders) = &folders {
        folders.check()?;
        watched.extend(folders.watched());
        // A repository in a folder between would come first.
        let is_between =
            |folder: &&Path| folder.starts_with(&folders.work_tree) && **folder != folders.work_tree;
        for folder in place.folder.ancestors().take_while(is_between) {
            watched.extend(watched_without_repository(folder)?);
        }
    }
    let (settings, folders) = read_settings(command, place.folder, folders, &mut watched)?;
    // Git found another repository than this reader; it is asked for the folders.
    let is_read = |setting: &Setting| {
        !setting.is_of_repository || watched.iter().any(|watched| watched.path == setting.file)
    };
    if settings.iter().all(is_read) {
        return Ok(Known { folders, settings, watched });
    }
    let folders = ask_for_folders(place.folder)?;
    watched.extend(folders.as_ref().map(Folders::watched).unwrap_or_default());
    watched.extend(
        settings.iter().filter(|setting| setting.is_of_repository).map(|setting| Watched::new(&setting.file)),
    );
    Ok(Known { folders, settings, watched })
}

fn read_submodule(folder: &Path) -> Result<Known, GitError> {
    let Some(folders) = Folders::at(folder)? else {
        return Ok(Known { watched: watched_without_repository(folder)?, ..Known::default() });
    };
    folders.check()?;
    let mut watched = folders.watched();
    if names_no_program(&folders)? {
        return Ok(Known { folders: Some(folders), settings: Vec::new(), watched });
    }
    let mut command = base_command(folder, Purpose::Reading);
    name_repository(&mut command, &folders.git_dir, folder);
    let (mut settings, folders) = read_settings(command, folder, Some(folders), &mut watched)?;
    settings.retain(|setting| setting.is_of_repository);
    Ok(Known { folders, settings, watched })
}

/// Asks git for its settings, and for those of all files that the repository may include, whatever the condition. The work
/// tree is the one that the settings name.
fn read_settings(
    command: Command,
    folder: &Path,
    folders: Option<Folders>,
    watched: &mut Vec<Watched>,
) -> Result<(Vec<Setting>, Option<Folders>), GitError> {
    // Git names files of a repository from the root of its work tree.
    let root = folders.as_ref().map_or(folder, |folders| &folders.work_tree).to_owned();
    let mut settings = parse_settings(&list_settings(command)?, &root);
    let mut at = 0;
    while let Some(setting) = settings.get(at) {
        at += 1;
        let Some(path) = setting.included_path().filter(|_| setting.is_of_repository) else { continue };
        let file = setting.beside(&expand_path(path, folder)?);
        if watched.iter().any(|watched| watched.path == file) {
            continue;
        }
        watched.push(Watched::new(&file));
        if check_regular(&file, MAX_CONFIGURATION).map_err(|error| GitError::unreadable(&error))? {
            settings.extend(parse_included(&list_settings_of(&file, folder)?, &root));
        }
    }
    let work_tree =
        settings.iter().rfind(|setting| setting.is_of_repository && setting.key == b"core.worktree");
    let folders = folders.map(|folders| match work_tree {
        Some(setting) => {
            let work_tree = folders.git_dir.join(OsStr::from_bytes(&setting.value));
            Folders { work_tree, ..folders }
        }
        None => folders,
    });
    Ok((settings, folders))
}

fn index_in_use(place: Place<'_>, folders: &Folders) -> PathBuf {
    let of_environment = || variable("GIT_INDEX_FILE").filter(|_| place.worktree.is_none());
    match place.index {
        Some(index) => index.to_owned(),
        None => of_environment().map_or_else(|| folders.index(), |index| folders.work_tree.join(index)),
    }
}
