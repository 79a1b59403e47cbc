//! Takes back what a landing that did not end has changed in the user's checkout. What somebody else has written since stays.

use super::super::error::{Result, WorktreeError};
use super::super::objects::{IndexEdit, update_index};
use super::super::places::Places;
use super::layout::{Layout, TouchedPath, is_part_of};
use super::mark::{ContentBefore, LandingMark, MarkedFile};
use super::specification::{replace_file, temp_of};
use crate::tree::Snapshot;
use charrette_model::tree::TreePath;
use std::collections::BTreeSet;
use std::io;

impl Places {
    /// Makes the checkout what it was before a landing: files that git had written, or written by half, the specification,
    /// and their entries in the index.
    pub(super) fn roll_back(&self, mark: &LandingMark) -> Result<()> {
        let mut touched = self.touched_paths(&mark.head, &mark.commit)?;
        touched.retain(|one| mark.specification.iter().all(|file| file.path != one.path));
        let dirty: BTreeSet<TreePath> =
            Snapshot::take(&self.root)?.dirty_or_untracked_paths().into_iter().collect();
        let is_there = |path: &TreePath| self.root.join(path.as_path()).symlink_metadata().is_ok();
        // Git says nothing about ignored files.
        touched.retain(|one| dirty.contains(&one.path) || (!one.is_in_first && is_there(&one.path)));
        self.roll_back_files(mark, &touched)?;
        self.roll_back_specification(mark)
    }

    fn roll_back_files(&self, mark: &LandingMark, touched: &[TouchedPath]) -> Result<()> {
        let old = touched.iter().filter(|one| one.is_in_first).map(|one| &one.path);
        let new = touched.iter().filter(|one| one.is_in_second).map(|one| &one.path);
        let layouts = [self.lay_out_files(&mark.head, old)?, self.lay_out_files(&mark.commit, new)?];
        let (mut added, mut restored) = (Vec::new(), Vec::new());
        for one in touched {
            if !self.is_left_by_git(&one.path, &layouts)? {
                continue;
            }
            if one.is_in_first {
                restored.extend(one.path.as_bytes());
                restored.push(0);
            } else {
                self.remove_added_file(&one.path)?;
                added.push(IndexEdit { path: one.path.as_bytes().to_vec(), entry: None });
            }
        }
        self.edit_entries(&added, mark.commit.len())?;
        if !restored.is_empty() {
            let source = format!("--source={}", mark.head);
            let args = ["restore", &source, "--staged", "--worktree"];
            let args = [&args[..], &["--pathspec-from-file=-", "--pathspec-file-nul"]].concat();
            // Paths are taken literally, as in every call of this kind.
            self.git().edit(&args, &restored)?;
        }
        Ok(())
    }

    /// True if a path has what git lays out there for one of the commits, the beginning of it, or nothing.
    fn is_left_by_git(&self, path: &TreePath, layouts: &[Layout]) -> Result<bool> {
        let file = self.root.join(path.as_path());
        if is_missing(file.symlink_metadata())? {
            return Ok(true);
        }
        for layout in layouts {
            let whole = layout.path(path);
            if !is_missing(whole.symlink_metadata())? && is_part_of(&file, &whole)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes a file that HEAD does not have, and the folders that are empty without it.
    fn remove_added_file(&self, path: &TreePath) -> Result<()> {
        let file = self.root.join(path.as_path());
        is_missing(fs_err::remove_file(&file))?;
        let folders = file.ancestors().skip(1).take_while(|folder| *folder != self.root);
        for folder in folders {
            if fs_err::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn roll_back_specification(&self, mark: &LandingMark) -> Result<()> {
        let files = &mark.specification;
        let names: Vec<Vec<u8>> = files.iter().map(|file| name_at(&mark.base, &file.path)).collect();
        let begun = self.read_objects(&names)?;
        let committed = files.iter().filter(|file| file.content == ContentBefore::Committed);
        let committed = self.lay_out_files(&mark.head, committed.map(|file| &file.path))?;
        let landed = self.lay_out_files(&mark.commit, files.iter().map(|file| &file.path))?;
        for (marked, begun) in files.iter().zip(begun) {
            let file = self.root.join(marked.path.as_path());
            is_missing(fs_err::remove_file(temp_of(&file)))?;
            let before = match marked.content {
                ContentBefore::Landed => None,
                ContentBefore::Begun => begun,
                ContentBefore::Committed => Some(fs_err::read(committed.path(&marked.path))?),
            };
            let now = match fs_err::read(&file) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                other => Some(other?),
            };
            let is_ours = match &now {
                Some(now) => *now == fs_err::read(landed.path(&marked.path))?,
                None => true,
            };
            if let Some(before) = before.filter(|before| is_ours && now.as_ref() != Some(before)) {
                replace_file(&self.root, &marked.path, &before)?;
            }
        }
        let edit =
            |file: &MarkedFile| IndexEdit { path: file.path.as_bytes().to_vec(), entry: file.entry.clone() };
        self.edit_entries(&files.iter().map(edit).collect::<Vec<_>>(), mark.commit.len())
    }

    /// Makes entries of the user's index those, where they are not.
    fn edit_entries(&self, edits: &[IndexEdit], id_length: usize) -> Result<()> {
        let paths: Vec<TreePath> = edits.iter().map(|edit| TreePath::new(edit.path.clone())).collect();
        let mut edits = edits.to_vec();
        let now = self.find_entries(&paths)?;
        let is_changed = |edit: &IndexEdit| {
            let entry = now.iter().find(|(path, _)| path.as_bytes() == edit.path).map(|(_, entry)| entry);
            entry != edit.entry.as_ref()
        };
        edits.retain(is_changed);
        update_index(self.git(), &edits, id_length)
    }
}

/// Name of a file in a commit.
pub(super) fn name_at(commit: &str, path: &TreePath) -> Vec<u8> {
    [commit.as_bytes(), b":", path.as_bytes()].concat()
}

/// True if the answer is that something does not exist.
fn is_missing<T>(answer: io::Result<T>) -> Result<bool> {
    match answer {
        Ok(_) => Ok(false),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(true)
        }
        Err(error) => Err(WorktreeError::Io(error)),
    }
}
