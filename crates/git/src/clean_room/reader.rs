//! Reads the settings of a repository and of every submodule that git looks into.
//!
//! Each repository is read once per process, and again when one of the files that decide about its settings has changed.
//! Submodules are those that the index names, wherever their git folders are: git asks for the state of each, and its
//! filters run then.

use super::folders::Folders;
use super::gitlinks::{Gitlinks, gitlinks};
use super::settings::{Setting, parse_included, parse_settings};
use super::watched::Watched;
use crate::command::{Purpose, base_command};
use crate::environment::variable;
use crate::index_file::LIST_INDEX;
use crate::process::{Call, run};
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
pub(super) fn read(place: Place<'_>) -> Found {
    let folder = place.folder.to_owned();
    let key = match place.worktree {
        Some((git_dir, _)) => Key::Worktree(git_dir.to_owned(), folder),
        None => Key::Folder(folder),
    };
    let top = known(key, || read_top(place));
    let mut found =
        Found { settings: top.settings.clone(), watched: top.watched.clone(), indexes: Vec::new() };
    let Some(folders) = &top.folders else { return found };
    let mut open: Vec<(Folders, PathBuf)> = vec![(folders.clone(), index_in_use(place, folders))];
    // A call with an index of its own may also look into the other.
    if place.index.is_some() {
        open.push((folders.clone(), folders.index()));
    }
    let mut seen = HashSet::new();
    while let Some((folders, index)) = open.pop() {
        let links = gitlinks(&index, || list_index(&folders, &index));
        for link in links.iter() {
            let folder = folders.work_tree.join(link);
            if !seen.insert(folder.clone()) {
                continue;
            }
            let submodule = known(Key::Submodule(folder.clone()), || read_submodule(&folder));
            found.settings.extend(submodule.settings.iter().cloned());
            found.watched.extend(submodule.watched.iter().cloned());
            open.extend(submodule.folders.iter().map(|folders| (folders.clone(), folders.index())));
        }
        found.indexes.push((index, links));
    }
    found
}

fn known(key: Key, read: impl FnOnce() -> Known) -> Arc<Known> {
    let all = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = all().get(&key).cloned();
    if let Some(found) = found.filter(|found| found.watched.iter().all(Watched::is_same)) {
        return found;
    }
    let found = Arc::new(read());
    // Outside a repository there is no file that would tell that one was made since.
    let is_watched = found.folders.is_some() || matches!(key, Key::Submodule(_));
    if is_watched && found.watched.iter().all(Watched::is_settled) {
        all().insert(key, found.clone());
    } else {
        all().remove(&key);
    }
    found
}

fn read_top(place: Place<'_>) -> Known {
    let mut command = base_command(place.folder, Purpose::Reading);
    if let Some((git_dir, work_tree)) = place.worktree {
        name_repository(&mut command, git_dir, work_tree);
    }
    let folders = match place.worktree {
        Some((git_dir, work_tree)) => Some(Folders::new(git_dir.to_owned(), work_tree.to_owned())),
        None if is_redirected() => ask_for_folders(place.folder),
        None => Folders::discover(place.folder),
    };
    let mut watched = folders.as_ref().map(Folders::watched).unwrap_or_default();
    // A repository in a folder between would come first.
    let between = place.folder.ancestors().take_while(|folder| {
        folders
            .as_ref()
            .is_some_and(|folders| folder.starts_with(&folders.work_tree) && **folder != folders.work_tree)
    });
    watched.extend(between.map(|folder| Watched::presence(folder.join(".git"))));
    let (settings, folders) = read_settings(command, place.folder, folders, &mut watched);
    // Git found another repository than this reader; it is asked for the folders.
    let is_read = |setting: &Setting| {
        !setting.is_of_repository || watched.iter().any(|watched| watched.path == setting.file)
    };
    if settings.iter().all(is_read) {
        return Known { folders, settings, watched };
    }
    let folders = ask_for_folders(place.folder);
    watched.extend(folders.as_ref().map(Folders::watched).unwrap_or_default());
    watched.extend(
        settings.iter().filter(|setting| setting.is_of_repository).map(|setting| Watched::new(&setting.file)),
    );
    Known { folders, settings, watched }
}

fn read_submodule(folder: &Path) -> Known {
    let Some(folders) = Folders::at(folder) else {
        let watched = vec![Watched::new(folder.join(".git"))];
        return Known { watched, ..Known::default() };
    };
    let mut watched = folders.watched();
    if names_no_program(&folders) {
        return Known { folders: Some(folders), settings: Vec::new(), watched };
    }
    let mut command = base_command(folder, Purpose::Reading);
    name_repository(&mut command, &folders.git_dir, folder);
    let (mut settings, folders) = read_settings(command, folder, Some(folders), &mut watched);
    settings.retain(|setting| setting.is_of_repository);
    Known { folders, settings, watched }
}

fn name_repository(command: &mut Command, git_dir: &Path, work_tree: &Path) {
    command.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", work_tree);
    command.env_remove("GIT_COMMON_DIR").env_remove("GIT_INDEX_FILE");
}

/// Asks git for its settings, and for those of all files that the repository may include, whatever the condition. The work
/// tree is the one that the settings name.
fn read_settings(
    mut command: Command,
    folder: &Path,
    folders: Option<Folders>,
    watched: &mut Vec<Watched>,
) -> (Vec<Setting>, Option<Folders>) {
    command.args(["config", "--list", "--show-scope", "--show-origin", "-z"]);
    // Git names files of a repository from the root of its work tree.
    let root = folders.as_ref().map_or(folder, |folders| &folders.work_tree).to_owned();
    let mut settings = parse_settings(&ask(command), &root);
    let home = variable("HOME").map(Path::new);
    let mut at = 0;
    while let Some(setting) = settings.get(at) {
        at += 1;
        let included = setting.is_of_repository.then(|| setting.included_file(home)).flatten();
        let Some(file) = included.filter(|file| watched.iter().all(|watched| watched.path != *file)) else {
            continue;
        };
        watched.push(Watched::new(&file));
        if file.is_file() {
            let mut command = base_command(folder, Purpose::Reading);
            command.args(["config", "--list", "--show-origin", "-z", "--file"]).arg(&file);
            settings.extend(parse_included(&ask(command), &root));
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
    (settings, folders)
}

fn ask(mut command: Command) -> Vec<u8> {
    command.stdout(std::process::Stdio::piped());
    run(Call::unguarded(command, "config"), b"").unwrap_or_default()
}

/// True if the environment names a repository.
fn is_redirected() -> bool {
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"].iter().any(|name| variable(name).is_some())
}

fn ask_for_folders(folder: &Path) -> Option<Folders> {
    let path = |what: &str| {
        let mut command = base_command(folder, Purpose::Reading);
        command.args(["rev-parse", "--path-format=absolute", what]);
        let mut printed = ask(command);
        printed.pop_if(|last| *last == b'\n');
        (!printed.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&printed)))
    };
    let git_dir = path("--git-dir")?;
    let common_dir = path("--git-common-dir").unwrap_or_else(|| git_dir.clone());
    let work_tree = path("--show-toplevel").unwrap_or_else(|| folder.to_owned());
    Some(Folders { git_dir, common_dir, work_tree })
}

fn index_in_use(place: Place<'_>, folders: &Folders) -> PathBuf {
    let of_environment = || variable("GIT_INDEX_FILE").filter(|_| place.worktree.is_none());
    match place.index {
        Some(index) => index.to_owned(),
        None => of_environment().map_or_else(|| folders.index(), |index| folders.work_tree.join(index)),
    }
}

fn list_index(folders: &Folders, index: &Path) -> Vec<u8> {
    if !folders.work_tree.is_dir() {
        return Vec::new();
    }
    let mut command = base_command(&folders.work_tree, Purpose::Reading);
    name_repository(&mut command, &folders.git_dir, &folders.work_tree);
    command.env("GIT_INDEX_FILE", index).args(LIST_INDEX);
    ask(command)
}

/// Words of which one stands in every setting that names a program, a file with more settings, or another work tree.
const TELLING_WORDS: [&str; 18] = [
    "clean",
    "smudge",
    "process",
    "helper",
    "askpass",
    "gitproxy",
    "command",
    "driver",
    "textconv",
    "external",
    "program",
    "uploadpack",
    "receivepack",
    "cmd",
    "customtransfer",
    "recentobjectshook",
    "include",
    "worktreeconfig",
];

/// True if the configuration of a submodule certainly names no program, includes nothing, and its work tree is where it
/// was found. Names of settings cannot be written in another way, so that a search for the words suffices.
fn names_no_program(folders: &Folders) -> bool {
    let files = [folders.common_dir.join("config"), folders.git_dir.join("config.worktree")];
    files.iter().all(|file| match fs_err::read(file) {
        Ok(bytes) => is_plain(&String::from_utf8_lossy(&bytes), folders),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    })
}

fn is_plain(text: &str, folders: &Folders) -> bool {
    let lower = text.to_ascii_lowercase();
    if TELLING_WORDS.iter().any(|word| lower.contains(word)) {
        return false;
    }
    let count = lower.matches("worktree").count();
    let work_tree = text.lines().find_map(|line| line.trim().strip_prefix("worktree = "));
    match (count, work_tree) {
        (0, _) => true,
        (1, Some(path)) => {
            let named = folders.git_dir.join(path).canonicalize();
            matches!((named, folders.work_tree.canonicalize()), (Ok(named), Ok(real)) if named == real)
        }
        // The path has the word in it, too.
        _ => false,
    }
}
