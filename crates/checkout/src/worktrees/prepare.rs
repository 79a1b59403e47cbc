//! Makes worktrees, and restores their content.

use super::error::{Result, WorktreeError};
use super::objects::{IndexEdit, check_object, is_inside};
use super::other_files::has_other_files;
use super::places::{Places, RunPlace, WorktreePlace};
use super::record::{RunRecord, SharedFiles, WorktreeRecord};
use super::ref_files::move_head;
use super::registration::Registration;
use super::tampering::{find_own_tampering, read_own_files};
use charrette_engine::ports::worktrees::{ObjectId, Overlay, Worktree, WorktreeOrder};
use charrette_git::Git;
use charrette_model::escape::printable;
use std::path::Path;
use std::time::{Duration, SystemTime};

impl Places {
    /// Makes a worktree, or finds the one that an earlier call made.
    pub(super) fn prepare(&self, order: &WorktreeOrder) -> Result<Worktree> {
        check_object(&order.content)?;
        let run = self.run(&order.run)?;
        let place = run.worktree(&order.name)?;
        self.claim_run(&run)?;
        if let Some(record) = WorktreeRecord::load(&place)? {
            if !order.reset && place.folder.is_dir() {
                return Ok(found(&place, record));
            }
            if order.reset && find_own_tampering(&record, &place)?.is_empty() {
                return self.reset(&place, record, order);
            }
        }
        self.remove_worktree(&place)?;
        self.make(&run, &place, order)
    }

    /// Checks that the folder of a run belongs to this repository, and notes that it does.
    pub(super) fn claim_run(&self, run: &RunPlace) -> Result<RunRecord> {
        let common_dir = self.common_dir()?;
        match RunRecord::load(run)? {
            Some(record) if record.common_dir == common_dir => Ok(record),
            Some(record) => Err(WorktreeError::Failed(format!(
                "worktrees of run {} belong to another repository, {}",
                run.id(),
                record.common_dir.display()
            ))),
            None => {
                let common_dir = common_dir.to_owned();
                let record = RunRecord { common_dir, root: self.root.clone(), base: None, tip: None };
                record.save(run)?;
                Ok(record)
            }
        }
    }

    fn make(&self, run: &RunPlace, place: &WorktreePlace, order: &WorktreeOrder) -> Result<Worktree> {
        fs_err::create_dir_all(&place.private)?;
        let content = self.content_of(order)?;
        let Registration { git_dir, head } = self.register(run, place, &order.content)?;
        let git_file = fs_err::read_to_string(place.folder.join(".git"))?;
        let git = self.git().in_worktree(&git_dir, &place.folder);
        lay_out(git, &content)?;
        copy_index(&git_dir.join("index"), &place.index())?;
        let included = if order.includes { self.copy_includes(&place.folder)? } else { Vec::new() };
        let record = WorktreeRecord {
            own_files: read_own_files(&git_dir)?,
            shared_files: Some(SharedFiles::read(&place.folder, &git_dir, self.common_dir()?)?),
            git_dir,
            git_file,
            content,
            head,
            included,
        };
        record.save(place)?;
        Ok(Worktree { is_new: true, ..found(place, record) })
    }

    /// Restores a worktree to exactly this content. Ignored files stay: they are installed packages and build output.
    fn reset(
        &self,
        place: &WorktreePlace,
        record: WorktreeRecord,
        order: &WorktreeOrder,
    ) -> Result<Worktree> {
        WorktreeRecord::remove(place)?;
        let content = self.content_of(order)?;
        let index = place.private.join("index.next");
        fs_err::copy(place.index(), &index)?;
        distrust_times(&index)?;
        let git_dir = &record.git_dir;
        let git = self.git().in_worktree(git_dir, &place.folder).with_index(&index);
        lay_out(git, &content)?;
        if has_other_files(&place.folder, &index)? {
            git.edit(&["clean", "-ffdq"], b"")?;
        }
        copy_index(&index, &place.index())?;
        // This one is made anew from the other at each reset, so that a power loss may take it.
        fs_err::copy(&index, git_dir.join("index"))?;
        fs_err::remove_file(&index)?;
        let mut head = record.head.clone();
        if order.content != record.head && self.is_commit(&order.content) {
            if !move_head(git_dir, &record.head, &order.content)? {
                git.edit(&["update-ref", "--no-deref", "HEAD", &order.content], b"")?;
            }
            head.clone_from(&order.content);
        }
        // The folder was not new, but what was copied into it may be older than the user's.
        let included = if order.includes { self.copy_includes(&place.folder)? } else { Vec::new() };
        let mut all = record.included;
        all.extend(included.into_iter().filter(|path| !all.contains(path)).collect::<Vec<_>>());
        let record = WorktreeRecord {
            own_files: read_own_files(git_dir)?,
            shared_files: Some(SharedFiles::read(&place.folder, git_dir, self.common_dir()?)?),
            git_dir: record.git_dir,
            git_file: record.git_file,
            content,
            head,
            included: all,
        };
        record.save(place)?;
        Ok(found(place, record))
    }

    /// Commit or tree to lay out: that of the order, with the overlay.
    fn content_of(&self, order: &WorktreeOrder) -> Result<ObjectId> {
        match &order.overlay {
            None => Ok(order.content.clone()),
            Some(overlay) => self.overlay(&order.content, overlay),
        }
    }

    /// Tree with the files of another one laid over it.
    fn overlay(&self, content: &str, overlay: &Overlay) -> Result<ObjectId> {
        check_object(&overlay.tree)?;
        if let Some(path) = overlay.paths.iter().find(|path| !is_inside(path)) {
            let text = format!("not a path of a file in the repository: {}", printable(path));
            return Err(WorktreeError::Failed(text));
        }
        let paths: Vec<&str> = overlay.paths.iter().map(String::as_str).collect();
        let (below, above) = (self.list(content, &paths)?, self.list(&overlay.tree, &paths)?);
        let is_covered = |path: &[u8]| above.iter().any(|entry| entry.path == path);
        let gone = below.iter().filter(|entry| !is_covered(&entry.path));
        let gone = gone.map(|entry| IndexEdit { path: entry.path.clone(), entry: None });
        let laid = above.iter().map(|entry| IndexEdit {
            path: entry.path.clone(),
            entry: Some((entry.mode.clone(), entry.id.clone())),
        });
        self.edit_index(content, &gone.chain(laid).collect::<Vec<_>>())
    }
}

fn found(place: &WorktreePlace, record: WorktreeRecord) -> Worktree {
    let path = place.folder.to_string_lossy().into_owned();
    Worktree { path, is_new: false, included: record.included }
}

/// Makes the files of a worktree those of a tree.
fn lay_out(git: Git<'_>, content: &str) -> Result<()> {
    Ok(git.edit(&["read-tree", "--reset", "-u", content], b"")?)
}

/// Copies an index, durably.
pub(super) fn copy_index(from: &Path, to: &Path) -> Result<()> {
    fs_err::copy(from, to)?;
    Ok(fs_err::File::open(to)?.sync_all()?)
}

/// Makes git read every file that an index lists: of files that were written after the index, git does not believe times
/// and sizes.
pub(super) fn distrust_times(index: &Path) -> Result<()> {
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    Ok(fs_err::File::options().write(true).open(index)?.set_modified(long_ago)?)
}
