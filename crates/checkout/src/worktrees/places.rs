//! Folders, names and refs of worktrees.

use super::WorktreeOptions;
use super::error::{Result, WorktreeError, refused};
use charrette_engine::ports::worktrees::ObjectId;
use charrette_git::Git;
use charrette_store::{Location, Repository, locate};
use std::collections::HashMap;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Settings of every git call for worktrees: no shortcut by which an unread file passes as unchanged, no maintenance, no
/// submodules, and objects that are durable before a ref names them.
const SETTINGS: [&str; 14] = [
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
    "core.safecrlf=false",
    "core.useReplaceRefs=false",
    "core.fsync=committed,reference",
    "core.fsyncMethod=batch",
    "worktree.useRelativePaths=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "i18n.commitEncoding=UTF-8",
];

/// Folder of private files in the folder of a run. Names of worktrees do not begin with a dot.
const PRIVATE: &str = ".charrette";

/// Prefix of scratch folders, followed by the process id of their owner.
pub(super) const SCRATCH: &str = ".scratch-";

/// Maximum length of the id of a run and of the name of a worktree.
const MAX_NAME: usize = 100;

/// The user's repository, and the folder of worktrees.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) root: PathBuf,
    state: PathBuf,
    /// The repository, once it was found, and the folder that its work trees share, without links.
    repository: OnceLock<(Repository, PathBuf)>,
    /// Folder of all worktrees without links, once it was made.
    worktrees: OnceLock<PathBuf>,
    /// Held while a worktree is registered or removed: git removes the folder of registrations when it is empty.
    pub(super) registration: Mutex<()>,
    /// Objects that this process has made or looked up: true for commits, false for trees.
    kinds: Mutex<HashMap<ObjectId, bool>>,
    /// Commits that this process has made.
    pub(super) made: Mutex<HashMap<ObjectId, MadeCommit>>,
}

/// A commit that this process has made.
#[derive(Debug, Clone)]
pub(super) struct MadeCommit {
    pub(super) parent: ObjectId,
    pub(super) trailers: Vec<(String, String)>,
}

impl Places {
    pub(super) fn new(options: WorktreeOptions) -> Places {
        Places {
            root: options.root,
            state: options.state,
            repository: OnceLock::new(),
            worktrees: OnceLock::new(),
            registration: Mutex::default(),
            kinds: Mutex::default(),
            made: Mutex::default(),
        }
    }

    /// True if an object is a commit.
    pub(super) fn is_commit(&self, id: &str) -> bool {
        let known = self.kinds.lock().unwrap_or_else(PoisonError::into_inner).get(id).copied();
        known.unwrap_or_else(|| {
            let is_commit = self.git().find(&["cat-file", "-t", id]).as_deref() == Some("commit");
            self.note_kind(id, is_commit);
            is_commit
        })
    }

    /// True if this process has made or looked up an object, and it is a commit.
    pub(super) fn is_known_commit(&self, id: &str) -> bool {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner).get(id) == Some(&true)
    }

    /// Notes that an object is a commit or a tree.
    pub(super) fn note_kind(&self, id: &str, is_commit: bool) {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), is_commit);
    }

    /// Git in the user's work tree.
    pub(super) fn git(&self) -> Git<'_> {
        Git::new(&self.root).with_settings(&SETTINGS)
    }

    /// The repository of the user's work tree.
    pub(super) fn repository(&self) -> Result<&Repository> {
        Ok(&self.found_repository()?.0)
    }

    /// The folder that all work trees of the repository share, as an absolute path without links.
    pub(super) fn common_dir(&self) -> Result<&Path> {
        Ok(&self.found_repository()?.1)
    }

    fn found_repository(&self) -> Result<&(Repository, PathBuf)> {
        if let Some(found) = self.repository.get() {
            return Ok(found);
        }
        let repository = self.locate_repository()?;
        let common_dir = fs_err::canonicalize(repository.common_dir())?;
        Ok(self.repository.get_or_init(|| (repository, common_dir)))
    }

    fn locate_repository(&self) -> Result<Repository> {
        match locate(&self.root)? {
            Location::WorkTree(repository) => Ok(repository),
            Location::Bare(folder) => refused(format!(
                "{} is a bare repository; implement in a clone that has files: git clone {} FOLDER",
                folder.display(),
                folder.display()
            )),
            Location::Outside => refused(format!(
                "{} is not in a git repository; make one: git init && git add -A && git commit -m begin",
                self.root.display()
            )),
        }
    }

    /// Folder of all worktrees, which may not exist.
    pub(super) fn worktrees(&self) -> Result<PathBuf> {
        if let Some(worktrees) = self.worktrees.get() {
            return Ok(worktrees.clone());
        }
        // Git stores paths without links.
        match fs_err::canonicalize(&self.state) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.state.join("worktrees")),
            other => {
                let worktrees = other?.join("worktrees");
                Ok(self.worktrees.get_or_init(|| worktrees).clone())
            }
        }
    }

    /// Folder of all worktrees, made if it is missing.
    fn make_worktrees(&self) -> Result<PathBuf> {
        fs_err::create_dir_all(self.state.join("worktrees"))?;
        self.worktrees()
    }

    /// Places of a run. The id must be a safe name.
    pub(super) fn run(&self, run: &str) -> Result<RunPlace> {
        check_name("run", run)?;
        Ok(RunPlace { folder: self.worktrees()?.join(run), run: run.to_owned() })
    }

    /// A private folder for one call.
    pub(super) fn scratch(&self) -> Result<Scratch> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = self.make_worktrees()?.join(format!("{SCRATCH}{}-{count}", std::process::id()));
        // A killed process had the same id.
        super::removal::remove_folder(&folder)?;
        fs_err::create_dir(&folder)?;
        Ok(Scratch(folder))
    }
}

/// Checks a run id or a name of a worktree, which become folders and refs.
fn check_name(what: &str, name: &str) -> Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_safe = name.len() <= MAX_NAME
        && name.bytes().all(is_plain)
        && name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric())
        && !name.contains("..")
        && !name.ends_with('.')
        && !name.to_ascii_lowercase().ends_with(".lock");
    if is_safe {
        return Ok(());
    }
    Err(WorktreeError::Failed(format!("not a name for a {what}: {name:?}")))
}

/// Folders and refs of a run.
#[derive(Debug, Clone)]
pub(super) struct RunPlace {
    run: String,
    folder: PathBuf,
}

impl RunPlace {
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn id(&self) -> &str {
        &self.run
    }

    /// Folder of private files.
    pub(super) fn private(&self) -> PathBuf {
        self.folder.join(PRIVATE)
    }

    /// Makes the folders, readable by their owner only.
    pub(super) fn make(&self) -> Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(self.private())?;
        Ok(())
    }

    /// Ref of the integrated work.
    pub(super) fn integration_ref(&self) -> String {
        format!("refs/charrette/{}", self.run)
    }

    /// Prefix of the refs that keep commits of tasks.
    pub(super) fn work_refs(&self) -> String {
        format!("refs/charrette/{}.work/", self.run)
    }

    /// Ref that keeps a commit of the run.
    pub(super) fn work_ref(&self, name: &str) -> Result<String> {
        check_name("commit", name)?;
        Ok(format!("{}{name}", self.work_refs()))
    }

    /// Beginning of the reason with which worktrees of the run are locked; the name follows.
    pub(super) fn reason_prefix(&self) -> String {
        format!("charrette {} ", self.run)
    }

    /// Places of one worktree.
    pub(super) fn worktree(&self, name: &str) -> Result<WorktreePlace> {
        check_name("worktree", name)?;
        Ok(WorktreePlace {
            folder: self.folder.join(name),
            private: self.private().join(name),
            reason: format!("{}{name}", self.reason_prefix()),
        })
    }

    /// Names of worktrees that have a folder or private files.
    pub(super) fn worktree_names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for folder in [self.folder.clone(), self.private()] {
            let entries = match fs_err::read_dir(folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                other => other?,
            };
            for entry in entries {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if check_name("worktree", &name).is_ok()
                    && entry.file_type()?.is_dir()
                    && !names.contains(&name)
                {
                    names.push(name);
                }
            }
        }
        names.sort();
        Ok(names)
    }
}

/// Folder of a worktree, and its private files.
#[derive(Debug, Clone)]
pub(super) struct WorktreePlace {
    pub(super) folder: PathBuf,
    pub(super) private: PathBuf,
    /// Reason of the lock that keeps git from pruning the worktree; no other worktree has it.
    pub(super) reason: String,
}

impl WorktreePlace {
    /// The index as it was when the worktree was made.
    pub(super) fn index(&self) -> PathBuf {
        self.private.join("index")
    }
}

/// Private folder of one call, removed on drop.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = super::removal::remove_folder(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_no_names() {
        for name in ["T001", "a", "0193-ab_c.d", "fix.2"] {
            assert!(check_name("worktree", name).is_ok(), "{name}");
        }
        for name in ["", ".", "..", ".charrette", "-f", "a/b", "a..b", "a.", "a.lock", "a b", "ä", "a\n"] {
            assert!(check_name("worktree", name).is_err(), "{name}");
        }
        assert!(check_name("run", &"a".repeat(MAX_NAME + 1)).is_err());
    }
}
