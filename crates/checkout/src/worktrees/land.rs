//! Fast-forward of the user's checkout to the integrated work.
//!
//! Nothing is forced: where the state of the checkout does not allow a fast-forward, the work waits on its ref, and the
//! reason and the command that takes it are told. An attempt that was killed is completed by the next one.

use super::begin::{Head, find_operation};
use super::error::{Result, WorktreeError};
use super::objects::{check_object, is_inside};
use super::places::Places;
use crate::tree::Snapshot;
use charrette_engine::ports::worktrees::{LandOrder, Landing};
use charrette_git::LockFile;
use charrette_model::escape::printable;
use charrette_model::tree::TreePath;
use charrette_store::atomic;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Maximum number of files that a reason names.
const MAX_NAMES: usize = 5;

impl Places {
    /// Fast-forwards the user's checkout where its state allows it.
    pub(super) fn land(&self, order: &LandOrder) -> Result<Landing> {
        check_object(&order.commit)?;
        check_object(&order.base.commit)?;
        let name = self.run(&order.run)?.integration_ref();
        let Some(head) = self.head() else { return Ok(waiting("HEAD has no commit", take(&name))) };
        if self.is_ancestor(&order.commit, &head.commit) {
            return Ok(Landing::Landed { branch: head.branch, warnings: Vec::new() });
        }
        if let Some(obstacle) = self.find_obstacle(order, &head, &name)? {
            return Ok(obstacle);
        }
        let mark = self.run(&order.run)?.private().join(MARK);
        let paths = self.touched_paths(&head.commit, &order.commit)?;
        let mut adopted = Vec::new();
        if fs_err::read_to_string(&mark).is_ok_and(|commit| commit == order.commit) {
            self.remove_left_locks(&mark)?;
            adopted = self.adopt_written_files(&order.commit, &paths)?;
        }
        let landing = self.fast_forward(order, &head, &Touched { paths, adopted }, &mark)?;
        // From here on, nothing is half done.
        match fs_err::remove_file(&mark) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(landing),
        }
    }

    fn fast_forward(
        &self,
        order: &LandOrder,
        head: &Head,
        touched: &Touched,
        mark: &Path,
    ) -> Result<Landing> {
        let place = self.run(&order.run)?;
        let name = place.integration_ref();
        let dirty = Snapshot::take(&self.root)?.dirty_or_untracked_paths();
        let replaced = self.replaceable_files(order, &touched.paths, &dirty)?;
        let is_known = |path: &TreePath| {
            touched.adopted.contains(path) || replaced.iter().any(|file| file.path == *path)
        };
        let in_the_way: Vec<&TreePath> =
            dirty.iter().filter(|path| is_touched(path, &touched.paths) && !is_known(path)).collect();
        if !in_the_way.is_empty() {
            let reason = format!(
                "the work changes files that have uncommitted changes here, or that git does not track: {}; commit, \
                 stash or move them first",
                names(&in_the_way)
            );
            return Ok(waiting(&reason, take(&name)));
        }
        place.make()?;
        atomic::replace_private(mark, order.commit.as_bytes())?;
        let args =
            ["merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", &order.commit];
        let moved = self.archive(order, &replaced).and_then(|warnings| {
            self.git().act(&args)?;
            Ok(warnings)
        });
        let warnings = match moved {
            Ok(warnings) => warnings,
            Err(error) => {
                put_back(&self.root, &replaced)?;
                let WorktreeError::Git(error) = error else { return Err(error) };
                return Ok(waiting(&error.reason(), take(&name)));
            }
        };
        Ok(Landing::Landed { branch: head.branch.clone(), warnings })
    }

    /// Why the user's branch cannot be moved at all.
    fn find_obstacle(&self, order: &LandOrder, head: &Head, name: &str) -> Result<Option<Landing>> {
        let repository = self.repository()?;
        if let Some((operation, cure)) = find_operation(repository.git_dir()) {
            let reason = format!("{operation} is in progress; finish it first: {cure}");
            return Ok(Some(waiting(&reason, take(name))));
        }
        let began = &order.base.branch;
        if head.branch.is_empty() {
            let command = if began.is_empty() {
                format!("git switch --create NEW-BRANCH {name}")
            } else {
                format!("git switch {began} && {}", take(name))
            };
            return Ok(Some(waiting("HEAD is detached", command)));
        }
        if head.branch != *began {
            let reason = if began.is_empty() {
                format!("HEAD was detached when the work began, and {} is checked out now", head.branch)
            } else {
                format!("the work began on {began}, and {} is checked out now", head.branch)
            };
            let command = if began.is_empty() {
                format!("git merge {name}")
            } else {
                format!("git switch {began} && {}", take(name))
            };
            return Ok(Some(waiting(&reason, command)));
        }
        if !self.is_ancestor(&head.commit, &order.commit) {
            let reason = format!("{began} has moved since the work began");
            return Ok(Some(waiting(&reason, format!("git merge {name}"))));
        }
        Ok(None)
    }

    /// Paths that differ between two commits.
    fn touched_paths(&self, from: &str, to: &str) -> Result<BTreeSet<TreePath>> {
        let args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
        let listed = self.git().bytes(&args)?;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(TreePath::new).collect())
    }

    /// Removes lock files that a killed attempt left in the user's repository: made since it began, held by no process,
    /// while no git runs here.
    fn remove_left_locks(&self, mark: &Path) -> Result<()> {
        let began = fs_err::metadata(mark)?.modified()?;
        let repository = self.repository()?;
        for lock in LockFile::find(repository.git_dir(), repository.common_dir()) {
            let is_newer =
                lock.path.symlink_metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at >= began);
            if is_newer && lock.holder.is_none() && !self.does_git_run_here() {
                fs_err::remove_file(&lock.path)?;
            }
        }
        Ok(())
    }

    /// True if a git process works in the user's work tree, or the system does not tell.
    fn does_git_run_here(&self) -> bool {
        let (Ok(root), Ok(processes)) = (fs_err::canonicalize(&self.root), fs_err::read_dir("/proc")) else {
            return true;
        };
        processes.flatten().any(|process| {
            let is_git =
                fs_err::read_to_string(process.path().join("comm")).is_ok_and(|name| name.trim() == "git");
            is_git
                && fs_err::read_link(process.path().join("cwd")).is_ok_and(|folder| folder.starts_with(&root))
        })
    }

    /// Adds files to the index that a killed attempt has already written: those that have the content of the commit, but
    /// that the index does not know. Git would take them for changes of the user.
    fn adopt_written_files(&self, commit: &str, paths: &BTreeSet<TreePath>) -> Result<Vec<TreePath>> {
        let dirty = Snapshot::take(&self.root)?.dirty_or_untracked_paths();
        let dirty: Vec<TreePath> = dirty.into_iter().filter(|path| paths.contains(path)).collect();
        let written = self.files_with_content_of(commit, &dirty)?;
        let list: Vec<u8> =
            written.iter().flat_map(|path| path.as_bytes().iter().copied().chain([0])).collect();
        if !list.is_empty() {
            self.git().edit(&["update-index", "--add", "--remove", "-z", "--stdin"], &list)?;
        }
        Ok(written)
    }

    /// Of these files, those that a commit has with the same content, and those that neither has.
    fn files_with_content_of(&self, commit: &str, paths: &[TreePath]) -> Result<Vec<TreePath>> {
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let git = self.git().with_index(&index);
        git.edit(&["read-tree", commit], b"")?;
        // The content of this index is the commit's, so what differs from it is not.
        let differing = git.bytes(&["diff", "-z", "--name-only", "--no-renames"])?;
        let differing: BTreeSet<&[u8]> = differing.split(|byte| *byte == 0).collect();
        let listed = git.bytes(&["ls-files", "-z"])?;
        let listed: BTreeSet<&[u8]> = listed.split(|byte| *byte == 0).collect();
        let is_same = |path: &&TreePath| {
            let is_there = self.root.join(path.as_path()).symlink_metadata().is_ok();
            let bytes = path.as_bytes();
            if listed.contains(bytes) { !differing.contains(bytes) } else { !is_there }
        };
        Ok(paths.iter().filter(is_same).cloned().collect())
    }

    /// Files of the specification that git does not track, or that have uncommitted changes, with the content of the
    /// first commit.
    fn replaceable_files(
        &self,
        order: &LandOrder,
        paths: &BTreeSet<TreePath>,
        dirty: &[TreePath],
    ) -> Result<Vec<ReplacedFile>> {
        let in_question = order.specification.iter().filter(|path| is_inside(path));
        let in_question: Vec<&String> =
            in_question.filter(|path| paths.contains(&TreePath::new(path.as_bytes()))).collect();
        let names: Vec<Vec<u8>> =
            in_question.iter().map(|path| format!("{}:{path}", order.base.commit).into_bytes()).collect();
        let contents = self.read_objects(&names)?;
        let mut files = Vec::new();
        for (path, content) in in_question.into_iter().zip(contents) {
            let (file, tree_path) = (self.root.join(path), TreePath::new(path.as_bytes()));
            if !dirty.contains(&tree_path) || !file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                continue;
            }
            let bytes = fs_err::read(&file)?;
            if content.is_some_and(|content| content == bytes) {
                files.push(ReplacedFile { path: tree_path, bytes });
            }
        }
        Ok(files)
    }

    /// Copies files to the archive, and makes them what HEAD has.
    fn archive(&self, order: &LandOrder, files: &[ReplacedFile]) -> Result<Vec<String>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let archive = Path::new(&order.archive);
        if !archive.is_absolute() {
            let text = format!("the folder of archived files is not an absolute path: {}", order.archive);
            return Err(WorktreeError::Failed(text));
        }
        for file in files {
            let target = archive.join(file.path.as_path());
            fs_err::create_dir_all(target.parent().unwrap_or(archive))?;
            atomic::replace_private(&target, &file.bytes)?;
        }
        let paths: Vec<TreePath> = files.iter().map(|file| file.path.clone()).collect();
        let args: Vec<OsString> = ["ls-tree", "-z", "--name-only", "--full-tree", "HEAD", "--"]
            .iter()
            .map(OsString::from)
            .chain(paths.iter().map(|path| path.as_path().as_os_str().to_owned()))
            .collect();
        let tracked = self.git().bytes(&args)?;
        let tracked: BTreeSet<&[u8]> = tracked.split(|byte| *byte == 0).collect();
        let mut restored = Vec::new();
        for path in &paths {
            if tracked.contains(path.as_bytes()) {
                restored.extend(path.as_bytes().iter().copied().chain([0]));
                continue;
            }
            // It may have been staged.
            let file: &OsStr = path.as_path().as_os_str();
            let args = ["rm".as_ref(), "--cached".as_ref(), "--quiet".as_ref(), "--ignore-unmatch".as_ref()];
            self.git().edit(&[&args[..], &["--".as_ref(), file]].concat(), b"")?;
            fs_err::remove_file(self.root.join(path.as_path()))?;
        }
        if !restored.is_empty() {
            let args = ["restore", "--source=HEAD", "--staged", "--worktree"];
            let args = [&args[..], &["--pathspec-from-file=-", "--pathspec-file-nul"]].concat();
            self.git().edit(&args, &restored)?;
        }
        let paths: Vec<&TreePath> = paths.iter().collect();
        Ok(vec![format!(
            "{} had the approved content and {} replaced by what was committed; copies are in {}",
            names(&paths),
            if paths.len() == 1 { "was" } else { "were" },
            printable(&order.archive)
        )])
    }
}

/// File in the private folder of a run that names the commit which is being landed.
const MARK: &str = "landing";

/// Paths of the user's work tree that the work changes.
#[derive(Debug)]
struct Touched {
    paths: BTreeSet<TreePath>,
    /// Those that a killed attempt has already changed.
    adopted: Vec<TreePath>,
}

/// A file of the user that the work replaces.
#[derive(Debug)]
struct ReplacedFile {
    path: TreePath,
    bytes: Vec<u8>,
}

/// Restores files that were archived, where nothing has been written since.
fn put_back(root: &Path, files: &[ReplacedFile]) -> io::Result<()> {
    for file in files {
        let path: PathBuf = root.join(file.path.as_path());
        fs_err::create_dir_all(path.parent().unwrap_or(root))?;
        fs_err::write(&path, &file.bytes)?;
    }
    Ok(())
}

/// True if a path of the work tree is one of those, below one, or above one.
fn is_touched(path: &TreePath, touched: &BTreeSet<TreePath>) -> bool {
    let bytes = path.as_bytes();
    let folder = [bytes.strip_suffix(b"/").unwrap_or(bytes), b"/"].concat();
    let mut above = Path::new(OsStr::from_bytes(bytes)).ancestors();
    above.any(|path| touched.contains(&TreePath::new(path.as_os_str().as_bytes())))
        || touched.iter().any(|other| other.as_bytes().starts_with(&folder))
}

fn names(paths: &[&TreePath]) -> String {
    let shown = paths.iter().take(MAX_NAMES).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Command that fast-forwards to a ref.
fn take(name: &str) -> String {
    format!("git merge --ff-only {name}")
}

fn waiting(reason: &str, command: String) -> Landing {
    Landing::Waiting { reason: reason.to_owned(), command }
}
