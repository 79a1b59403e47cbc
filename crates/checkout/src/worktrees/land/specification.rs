//! Files of the specification that the work changes. They are replaced before git moves the branch, each as a whole, and
//! entered into the index, so that git leaves them alone: at every moment they are there, as approved or as landed.

use super::super::error::{Result, WorktreeError};
use super::super::objects::{IndexEdit, is_inside, update_index};
use super::super::places::Places;
use super::layout::TouchedPath;
use super::mark::{ContentBefore, LandingMark, MarkedFile};
use super::rollback::name_at;
use super::{Checkout, names};
use charrette_engine::ports::worktrees::{LandOrder, ObjectId};
use charrette_model::escape::one_line;
use charrette_model::tree::TreePath;
use charrette_store::atomic;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A file of the specification that is about to be landed.
#[derive(Debug)]
pub(super) struct SpecFile {
    pub(super) marked: MarkedFile,
    now: Vec<u8>,
    /// As git lays it out.
    landed: Vec<u8>,
    /// Mode and object in the commit that is landed.
    entry: (String, ObjectId),
}

impl Places {
    /// Files of the specification that the work changes and that may be replaced: nobody has edited them since the run
    /// began.
    pub(super) fn find_specification(&self, order: &LandOrder, checkout: &Checkout) -> Result<Vec<SpecFile>> {
        let is_named = |path: &TreePath| {
            order.specification.iter().any(|name| is_inside(name) && name.as_bytes() == path.as_bytes())
        };
        let touched: Vec<&TouchedPath> = checkout
            .touched
            .iter()
            .filter(|one| one.is_in_second && is_named(&one.path))
            .filter(|one| {
                let meta = self.root.join(one.path.as_path()).symlink_metadata();
                meta.is_ok_and(|meta| meta.is_file())
            })
            .collect();
        if touched.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<TreePath> = touched.iter().map(|one| one.path.clone()).collect();
        let names: Vec<&str> =
            paths.iter().filter_map(|path| std::str::from_utf8(path.as_bytes()).ok()).collect();
        let committed = self.list(&order.commit, &names)?;
        let begun: Vec<Vec<u8>> = paths.iter().map(|path| name_at(&order.base.commit, path)).collect();
        let begun = self.read_objects(&begun)?;
        let layout = self.lay_out_files(&order.commit, &paths)?;
        let entries = self.find_entries(&paths)?;
        let mut files = Vec::new();
        for (one, begun) in touched.into_iter().zip(begun) {
            let Some(tree_entry) = committed.iter().find(|entry| entry.path == one.path.as_bytes()) else {
                continue;
            };
            let mut own =
                entries.iter().filter(|(path, _)| *path == one.path).map(|(_, entry)| entry.clone());
            let (entry, is_unmerged) = (own.next(), own.next().is_some());
            let is_dirty = checkout.dirty.contains(&one.path) || !one.is_in_first;
            let now = fs_err::read(self.root.join(one.path.as_path()))?;
            let landed = fs_err::read(layout.path(&one.path))?;
            let content = if !is_dirty {
                ContentBefore::Committed
            } else if now == landed {
                ContentBefore::Landed
            } else if begun.as_ref() == Some(&now) {
                ContentBefore::Begun
            } else {
                // Somebody has edited it.
                continue;
            };
            if is_unmerged {
                continue;
            }
            files.push(SpecFile {
                marked: MarkedFile { path: one.path.clone(), content, entry },
                now,
                landed,
                entry: (tree_entry.mode.clone(), tree_entry.id.clone()),
            });
        }
        Ok(files)
    }

    /// Replaces the files by what is landed, and enters them into the index. What is not committed is archived before.
    pub(super) fn replace_specification(&self, order: &LandOrder, files: &[SpecFile]) -> Result<()> {
        let archive = Path::new(&order.archive);
        let archived: Vec<&SpecFile> =
            files.iter().filter(|file| file.marked.content == ContentBefore::Begun).collect();
        if !archived.is_empty() && !archive.is_absolute() {
            let text = format!("the folder of archived files is not an absolute path: {}", order.archive);
            return Err(WorktreeError::Failed(text));
        }
        for file in archived {
            let target = archive.join(file.marked.path.as_path());
            fs_err::create_dir_all(target.parent().unwrap_or(archive))?;
            atomic::replace_private(&target, &file.now)?;
        }
        for file in files {
            if file.now != file.landed {
                replace_file(&self.root, &file.marked.path, &file.landed)?;
            }
        }
        let edit = |file: &SpecFile| IndexEdit {
            path: file.marked.path.as_bytes().to_vec(),
            entry: Some(file.entry.clone()),
        };
        let edits: Vec<IndexEdit> = files.iter().map(edit).collect();
        update_index(self.git(), &edits, order.commit.len())
    }

    /// Entries of the user's index at these paths, as mode and object; several of a path that is not merged.
    pub(super) fn find_entries(&self, paths: &[TreePath]) -> Result<Vec<(TreePath, (String, ObjectId))>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let wanted: BTreeSet<&TreePath> = paths.iter().collect();
        let listed = self.git().bytes(&["ls-files", "--full-name", "--stage", "-z"])?;
        let entries = listed.split(|byte| *byte == 0).filter_map(parse_entry);
        Ok(entries.filter(|(path, _)| wanted.contains(path)).collect())
    }
}

/// What was archived, from the mark of the landing.
pub(super) fn archive_warnings(order: &LandOrder, mark: &LandingMark) -> Vec<String> {
    let archived: Vec<&TreePath> = mark
        .specification
        .iter()
        .filter(|file| file.content == ContentBefore::Begun)
        .map(|file| &file.path)
        .collect();
    if archived.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "{} had the content that the run began with and {} replaced by what was committed; copies are in {}",
        names(&archived),
        if archived.len() == 1 { "was" } else { "were" },
        one_line(&order.archive)
    )]
}

/// Parses `<mode> <id> <stage>\t<path>`.
fn parse_entry(record: &[u8]) -> Option<(TreePath, (String, ObjectId))> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut facts = std::str::from_utf8(&record[..tab]).ok()?.split(' ');
    let (mode, id) = (facts.next()?.to_owned(), facts.next()?.to_owned());
    Some((TreePath::new(&record[tab + 1..]), (mode, id)))
}

/// Replaces a file in the checkout: it is the old or the new one at every moment.
pub(super) fn replace_file(root: &Path, path: &TreePath, content: &[u8]) -> Result<()> {
    let file = root.join(path.as_path());
    fs_err::create_dir_all(file.parent().unwrap_or(root))?;
    Ok(atomic::replace(&file, &temp_of(&file), content)?)
}

/// File that becomes a file of the checkout.
pub(super) fn temp_of(file: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    name.push(".charrette-new");
    file.with_file_name(name)
}
