//! Lock files of git that a killed process left behind: which one, how old, and who has it open.

use crate::regular::read_regular;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Depth of folders below `refs`, and below `modules`, that are searched.
const MAX_DEPTH: usize = 16;

/// A lock file of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockFile {
    pub path: PathBuf,
    /// Time since it was last written, if the system tells.
    pub age: Option<Duration>,
    /// A process that has it open. None if there is none, or the system does not tell.
    pub holder: Option<u32>,
    /// A git that runs in its repository: git closes a lock file before it is done with it.
    pub git_at_work: Option<u32>,
    /// Id of the user that it belongs to.
    owner: u32,
}

impl LockFile {
    /// The lock file at that path; none if there is none.
    fn at(path: &Path) -> Option<LockFile> {
        let meta = path.symlink_metadata().ok()?;
        let age = meta.modified().ok().and_then(|modified| modified.elapsed().ok());
        let holder = process_with_open_file(path);
        let git_at_work = holder.map_or_else(|| git_of_lock(path), |_| None);
        Some(LockFile { path: path.to_owned(), age, holder, git_at_work, owner: meta.uid() })
    }

    /// True if it belongs to the user of this process.
    pub fn is_own(&self) -> bool {
        self.owner == rustix::process::geteuid().as_raw()
    }

    /// True if the processes of its user cannot be looked at.
    fn is_out_of_sight(&self) -> bool {
        !self.is_own() && !rustix::process::geteuid().is_root()
    }

    /// Lock files of a repository, given its folder (and that of its common files, for a linked work tree).
    pub fn find(git_dir: &Path, common_dir: &Path) -> Vec<LockFile> {
        let mut found = Vec::new();
        for folder in if git_dir == common_dir { vec![git_dir] } else { vec![git_dir, common_dir] } {
            let names = [
                "HEAD.lock",
                "index.lock",
                "ORIG_HEAD.lock",
                "config.lock",
                "config.worktree.lock",
                "packed-refs.lock",
                "shallow.lock",
                "FETCH_HEAD.lock",
                "info/sparse-checkout.lock",
                "objects/info/commit-graph.lock",
                "objects/info/commit-graphs/commit-graph-chain.lock",
                "reftable/tables.list.lock",
            ];
            found.extend(names.iter().filter_map(|name| LockFile::at(&folder.join(name))));
            add_ref_locks(&folder.join("refs"), 0, &mut found);
        }
        found
    }

    /// The same, and lock files of other work trees and of submodules, which are in the way of nothing here. Their paths are
    /// canonical, so that each is named once.
    pub fn find_everywhere(git_dir: &Path, common_dir: &Path) -> Vec<LockFile> {
        let [git_dir, common_dir] =
            [git_dir, common_dir].map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        let mut found = LockFile::find(&git_dir, &common_dir);
        let mut git_dirs = vec![git_dir, common_dir.clone()];
        git_dirs.extend(folders_in(&common_dir.join("worktrees")));
        for folder in &git_dirs {
            found.extend(LockFile::find(folder, folder));
            add_module_locks(&folder.join("modules"), 0, &mut found);
        }
        let mut seen = std::collections::HashSet::new();
        found.retain(|lock| seen.insert(lock.path.clone()));
        found
    }

    /// Path, age and holder, and the cure.
    pub fn describe(&self) -> String {
        let path = self.path.display();
        let age = match self.age.map(|age| age.as_secs()) {
            None => String::new(),
            Some(seconds @ ..120) => format!(", {seconds} seconds old"),
            Some(seconds @ ..7200) => format!(", {} minutes old", seconds / 60),
            Some(seconds) => format!(", {} hours old", seconds / 3600),
        };
        match (self.holder, self.git_at_work) {
            (Some(pid), _) => format!("{path}{age}, is held by process {pid}; wait until it has ended"),
            (None, Some(pid)) => format!(
                "{path}{age}, may belong to a git that runs here, process {pid}; when that has ended, remove it: {}",
                self.cure()
            ),
            (None, None) if self.is_out_of_sight() => format!(
                "{path}{age}, belongs to another user, whose processes cannot be seen; if no git of theirs is at work, \
                 remove it: {}",
                self.cure()
            ),
            (None, None) => format!("{path}{age}, is held by no process; remove it: {}", self.cure()),
        }
    }

    /// The command that removes it.
    pub fn cure(&self) -> String {
        format!("rm {}", shell_word(&self.path))
    }
}

/// A path for the command line of a shell. One with control characters, or of bytes that are no text, is written as bash and
/// zsh read it (`$'a\nb'`), so that no later escaping changes it.
fn shell_word(path: &Path) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%=".contains(c);
    let needs_escape = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    match path.to_str() {
        Some(text) if text.chars().all(is_plain) => text.to_owned(),
        Some(text) if !text.chars().any(needs_escape) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            format!("$'{}'", path.as_os_str().as_bytes().iter().map(|byte| escape(*byte)).collect::<String>())
        }
    }
}

/// A byte between `$'` and `'`.
fn escape(byte: u8) -> String {
    match byte {
        b'\n' => r"\n".to_owned(),
        b'\t' => r"\t".to_owned(),
        b'\\' | b'\'' => format!(r"\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!(r"\x{byte:02x}"),
    }
}

/// Explanation of a message of git about a lock file that exists; none if the message is about something else.
pub(crate) fn explain(message: &str) -> Option<String> {
    let line = message.lines().find(|line| line.contains(".lock'") && line.contains("File exists"))?;
    // The path may contain apostrophes of its own, and another name in them may stand before it.
    let (_, rest) = line.split_once("create '").or_else(|| line.split_once('\''))?;
    let path = &rest[..rest.find(".lock'")? + ".lock".len()];
    LockFile::at(Path::new(path)).map(|lock| lock.describe())
}

/// Adds the lock files of submodules, whose names may have several folders, and of those inside them.
fn add_module_locks(folder: &Path, depth: usize, found: &mut Vec<LockFile>) {
    for folder in folders_in(folder) {
        let is_git_dir = ["HEAD", "objects"].iter().any(|name| folder.join(name).symlink_metadata().is_ok());
        if is_git_dir {
            found.extend(LockFile::find(&folder, &folder));
        }
        if depth < MAX_DEPTH {
            let inside = if is_git_dir { folder.join("modules") } else { folder };
            add_module_locks(&inside, depth + 1, found);
        }
    }
}

/// Folders in a folder. Links are none.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    entries.filter(is_folder).map(|entry| entry.path()).collect()
}

fn add_ref_locks(folder: &Path, depth: usize, found: &mut Vec<LockFile>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => add_ref_locks(&path, depth + 1, found),
            Ok(_) if path.extension().is_some_and(|extension| extension == "lock") => {
                found.extend(LockFile::at(&path));
            }
            _ => {}
        }
    }
}

/// A process that has a file open, among those that we may look at.
fn process_with_open_file(path: &Path) -> Option<u32> {
    let path = path.canonicalize().ok()?;
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|open| open == path)
    })
}

/// A git that works in the repository of a lock file.
fn git_of_lock(lock: &Path) -> Option<u32> {
    let lock = lock.canonicalize().ok()?;
    let git_dir = lock.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == ".git"))?;
    git_at_work(git_dir, git_dir.parent()?).ok()?
}

/// A git that works in a repository: in one of its work trees, or in the folder of git itself. An error if the system does
/// not tell. `root` is a work tree of it.
pub fn git_at_work(common_dir: &Path, root: &Path) -> io::Result<Option<u32>> {
    let mut places = vec![root.to_owned(), common_dir.to_owned()];
    places.extend(common_dir.parent().filter(|_| common_dir.ends_with(".git")).map(Path::to_owned));
    places.extend(linked_work_trees(common_dir));
    let places: Vec<PathBuf> = places.iter().filter_map(|place| place.canonicalize().ok()).collect();
    let processes = fs_err::read_dir("/proc")?.flatten();
    let mut pids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    Ok(pids.find(|pid| {
        let name = fs_err::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let is_git = name.trim_end() == "git" || name.starts_with("git-");
        is_git
            && std::fs::read_link(format!("/proc/{pid}/cwd"))
                .is_ok_and(|folder| places.iter().any(|place| folder.starts_with(place)))
    }))
}

/// Folders of the linked work trees of a repository.
fn linked_work_trees(common_dir: &Path) -> Vec<PathBuf> {
    /// Maximum length of a file with one path.
    const MAX_BYTES: u64 = 64 << 10;
    let entries = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let folder = |git_dir: PathBuf| {
        let text = read_regular(&git_dir.join("gitdir"), MAX_BYTES).ok()?;
        let git_file = git_dir.join(OsStr::from_bytes(text.trim_ascii_end()));
        git_file.parent().map(Path::to_owned)
    };
    entries.filter_map(|entry| folder(entry.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_about_a_lock_is_explained_and_others_are_not() {
        let folder = std::env::temp_dir().join(format!("charrette-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let lock = folder.join("index.lock");
        let file = std::fs::File::create(&lock).unwrap();
        let message = format!(
            "fatal: Unable to create '{}': File exists.\n\nAnother git process seems to be running",
            lock.display()
        );
        let held = explain(&message).unwrap();
        if cfg!(target_os = "linux") {
            assert!(held.contains(&format!("held by process {}", std::process::id())), "{held}");
        }
        drop(file);
        // A process that another test just starts has it open until it runs its program.
        let is_left = || {
            explain(&message)
                .unwrap()
                .ends_with(&format!("held by no process; remove it: rm {}", lock.display()))
        };
        let until = std::time::Instant::now() + Duration::from_secs(10);
        while !is_left() {
            assert!(std::time::Instant::now() < until, "{:?}", explain(&message));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(explain(&message), None);
        assert_eq!(explain("fatal: not a git repository"), None);
    }

    #[test]
    fn the_cure_can_be_typed_whatever_the_path() {
        let folder = std::env::temp_dir().join(format!("charrette it's a lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let lock = folder.join("index.lock");
        fs_err::write(&lock, "").unwrap();
        let message = format!("fatal: Unable to create '{}': File exists.", lock.display());
        let explained = explain(&message).unwrap();
        let (_, cure) = explained.split_once("remove it: ").unwrap();
        let typed = std::process::Command::new("sh").args(["-c", cure]).status().unwrap();
        assert!(typed.success() && !lock.exists(), "{cure}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_cure_can_be_typed_in_bash_where_the_path_has_control_characters() {
        for (path, word) in [
            ("/a\nb/it's\\.lock", r"$'/a\nb/it\'s\\.lock'"),
            ("/a\u{1b}[1m\té.lock", r"$'/a\x1b[1m\t\xc3\xa9.lock'"),
            ("/a – é.lock", "'/a – é.lock'"),
        ] {
            assert_eq!(shell_word(Path::new(path)), word);
            let script = format!("printf %s {word}");
            if let Ok(output) = std::process::Command::new("bash").args(["-c", &script]).output() {
                assert_eq!(String::from_utf8_lossy(&output.stdout), path, "{word}");
            }
        }
        assert_eq!(shell_word(Path::new(OsStr::from_bytes(b"/\xff.lock"))), r"$'/\xff.lock'");
    }

    #[test]
    fn locks_of_work_trees_and_of_submodules_are_found_once_each() {
        let folder = std::env::temp_dir().join(format!("charrette-everywhere-{}", std::process::id()));
        let git_dir = folder.join(".git");
        // Modules in folders, modules inside modules, and those of a linked work tree; a link leads back to all of them.
        let places = [
            "",
            "worktrees/wk/",
            "worktrees/other/",
            "modules/lib/",
            "modules/libs/deep/x/",
            "modules/libs/deep/x/modules/in/side/",
            "worktrees/wk/modules/lib/",
        ];
        for place in places {
            fs_err::create_dir_all(git_dir.join(place)).unwrap();
            for name in ["HEAD", "index.lock"] {
                fs_err::write(git_dir.join(place).join(name), "").unwrap();
            }
        }
        std::os::unix::fs::symlink("..", git_dir.join("modules/loop")).unwrap();
        let linked = git_dir.join("worktrees/wk");
        let found = LockFile::find_everywhere(&linked, &linked.join("../.."));
        let mut paths: Vec<PathBuf> = found.into_iter().map(|lock| lock.path).collect();
        paths.sort();
        let root = git_dir.canonicalize().unwrap();
        let mut expected = places.map(|place| root.join(place).join("index.lock"));
        expected.sort();
        assert_eq!(paths, expected);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_git_that_is_at_work_is_named_though_it_closed_the_file() {
        let folder = std::env::temp_dir().join(format!("charrette-at-work-{}", std::process::id()));
        let git_dir = folder.join(".git");
        std::fs::create_dir_all(git_dir.join("worktrees/other")).unwrap();
        let lock = git_dir.join("index.lock");
        fs_err::write(&lock, "").unwrap();
        assert_eq!(LockFile::at(&lock).unwrap().git_at_work, None);
        // In another work tree, which is elsewhere.
        let other = std::env::temp_dir().join(format!("charrette-other-tree-{}", std::process::id()));
        std::fs::create_dir_all(&other).unwrap();
        let git_file = format!("{}\n", other.join(".git").display());
        fs_err::write(git_dir.join("worktrees/other/gitdir"), git_file).unwrap();
        // Waits for its input, as for an editor.
        let mut git = std::process::Command::new("git")
            .args(["hash-object", "--stdin"])
            .current_dir(&other)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let until = std::time::Instant::now() + Duration::from_secs(10);
        while LockFile::at(&lock).unwrap().git_at_work != Some(git.id()) {
            assert!(std::time::Instant::now() < until, "the git at work is not found");
        }
        drop(git.stdin.take());
        git.wait().unwrap();
        assert_eq!(LockFile::at(&lock).unwrap().git_at_work, None);
        std::fs::remove_dir_all(&other).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
