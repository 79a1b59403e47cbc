//! Stores the content of a worktree as a tree and compares it with its base.
//!
//! The index is a private copy of the one that the worktree was made with, so that nothing an agent did to the worktree's
//! own one counts; and every file is read, because times and sizes can be made to match.

use super::error::{Result, WorktreeError};
use super::objects::{IndexEdit, check_object, lossy_text, update_index};
use super::places::{Places, Scratch, WorktreePlace};
use super::prepare::distrust_times;
use super::record::WorktreeRecord;
use super::tampering::{find_hidden, find_own_tampering, find_shared_tampering, index_entries, shorten};
use charrette_engine::ports::worktrees::{CaptureOrder, Change, ChangeKind, ChangedFile, DiffText, ObjectId};
use charrette_git::{Git, GitError};
use charrette_model::escape::printable;
use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Maximum size of a list of changed files, which is that of some hundred thousand of them.
const MAX_LIST: usize = 32 << 20;
/// Maximum size of the diff of a change.
const MAX_DIFF: usize = 1 << 20;

/// Mode of a submodule.
const SUBMODULE: &str = "160000";

impl Places {
    /// Stores the content of a worktree and compares it with its base.
    pub(super) fn capture(&self, order: &CaptureOrder) -> Result<Change> {
        check_object(&order.base)?;
        let place = self.run(&order.run)?.worktree(&order.name)?;
        let has_folder = place.folder.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        if !has_folder {
            let removed = "the folder of the worktree was removed, and the work in it is lost";
            return self.lost_content(&order.base, removed.to_owned());
        }
        let Some(record) = WorktreeRecord::load(&place)? else {
            let unknown = format!(
                "the worktree in {} has no record that can be read, so the work in it cannot be compared and is not taken",
                printable(&place.folder.display().to_string())
            );
            return self.lost_content(&order.base, unknown);
        };
        let mut tampering = find_own_tampering(&record, &place)?;
        tampering.extend(find_shared_tampering(&record, &place, self.common_dir()?)?);
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        fs_err::copy(place.index(), &index)?;
        distrust_times(&index)?;
        // What an agent made of the repository's files of the worktree may be nothing that git can work with.
        let stand_in =
            if tampering.is_empty() { None } else { Some(self.stand_in(&scratch, &record, &place)?) };
        let own = self.git().in_worktree(stand_in.as_ref().unwrap_or(&record.git_dir), &place.folder);
        let git = own.with_index(&index);
        if let Err(error) = add_all(git) {
            tampering.push(format!("git could not store everything: {}", printable(&error.reason())));
        }
        let mut tree = git.text(&["write-tree"])?;
        let mut list = ChangeList::read(git, &record.content, &tree)?;
        let same = unchanged_files(git, &place, &scratch, &list)?;
        if !same.is_empty() {
            update_index(git, &same, tree.len())?;
            tree = git.text(&["write-tree"])?;
        }
        if !same.is_empty() || record.content != order.base {
            list = ChangeList::read(git, &order.base, &tree)?;
        }
        let added_repositories = list.records.iter().filter(|record| record.is_new_submodule());
        tampering.extend(added_repositories.map(|record| {
            format!("{} is a git repository of its own", printable(&String::from_utf8_lossy(&record.path)))
        }));
        let captured = index_entries(own, &index)?;
        let made = index_entries(own, &place.index())?;
        let now = index_entries(own, &record.git_dir.join("index")).unwrap_or_else(|_| {
            tampering.push("the index of the worktree was damaged".to_owned());
            Vec::new()
        });
        tampering.extend(find_hidden(&place, &captured, &now, &made));
        let files = list.records.iter().map(|record| record.changed_file(&place.folder)).collect();
        self.note_kind(&tree, false);
        Ok(Change { tree, files, diff: list.diff, tampering: shorten(tampering) })
    }
}

impl Places {
    /// Makes files of a worktree in the repository as they were when it was made, beside the real ones, which tell on.
    fn stand_in(&self, scratch: &Scratch, record: &WorktreeRecord, place: &WorktreePlace) -> Result<PathBuf> {
        let folder = scratch.path("git-dir");
        fs_err::create_dir(&folder)?;
        let line = |path: &Path| [path.as_os_str().as_bytes(), b"\n"].concat();
        fs_err::write(folder.join("HEAD"), format!("{}\n", record.head))?;
        fs_err::write(folder.join("commondir"), line(self.common_dir()?))?;
        fs_err::write(folder.join("gitdir"), line(&place.folder.join(".git")))?;
        Ok(folder)
    }

    /// The change of a worktree whose work cannot be taken.
    fn lost_content(&self, base: &str, reason: String) -> Result<Change> {
        let tree = self.git().text(&["rev-parse", "--verify", &format!("{base}^{{tree}}")])?;
        Ok(Change { tree, tampering: vec![reason], ..Change::default() })
    }
}

/// Adds everything that is not ignored, also outside a sparse checkout; what cannot be added is left out, and an error.
pub(super) fn add_all(git: Git<'_>) -> std::result::Result<(), GitError> {
    git.edit(&["add", "--all", "--sparse", "--ignore-errors"], b"")
}

/// Changed files between two trees, and their diff.
#[derive(Debug, Default)]
pub(super) struct ChangeList {
    pub(super) records: Vec<RawChange>,
    pub(super) diff: DiffText,
}

/// A changed file as git reports it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct RawChange {
    old_mode: String,
    mode: String,
    old_id: ObjectId,
    status: u8,
    path: Vec<u8>,
    is_binary: bool,
    added: u64,
    removed: u64,
}

impl ChangeList {
    /// One git process prints modes, ids, line counts and the diff.
    pub(super) fn read(git: Git<'_>, from: &str, to: &str) -> Result<ChangeList> {
        let args =
            ["diff-tree", "-r", "-z", "--raw", "--numstat", "-p", "--no-renames", "--no-abbrev", from, to];
        let output = git.bytes_limited(&args, MAX_LIST + MAX_DIFF)?;
        let (records, patch) = parse_changes(&output.bytes).ok_or_else(|| {
            WorktreeError::Refused("the change has too many files to list (32 MB of names)".to_owned())
        })?;
        let is_cut = output.is_cut || patch.len() > MAX_DIFF;
        let text = lossy_text(&patch[..patch.len().min(MAX_DIFF)], is_cut);
        Ok(ChangeList { records, diff: DiffText { text, is_cut } })
    }
}

/// Parses raw records, line counts and the diff behind them; none if they are cut.
fn parse_changes(output: &[u8]) -> Option<(Vec<RawChange>, &[u8])> {
    let mut records: Vec<RawChange> = Vec::new();
    let mut rest = output;
    while rest.first() == Some(&b':') {
        let facts = std::str::from_utf8(next_field(&mut rest)?).ok()?;
        let mut facts = facts[1..].split(' ');
        let mut fact = || facts.next().map(str::to_owned);
        let (old_mode, mode, old_id, _, status) = (fact()?, fact()?, fact()?, fact()?, fact()?);
        records.push(RawChange {
            old_mode,
            mode,
            old_id,
            status: status.bytes().next()?,
            path: next_field(&mut rest)?.to_vec(),
            ..RawChange::default()
        });
    }
    if records.is_empty() {
        return Some((records, b""));
    }
    for _ in 0..records.len() {
        // A path may contain anything, so it is what follows the second tab.
        let line = next_field(&mut rest)?;
        let mut fields = line.splitn(3, |byte| *byte == b'\t');
        let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
        let count = |field: &[u8]| std::str::from_utf8(field).ok()?.parse().ok();
        // Type changes are two in one.
        let record = records.iter_mut().find(|record| record.path == path)?;
        record.is_binary = added == b"-";
        record.added += count(added).unwrap_or(0);
        record.removed += count(removed).unwrap_or(0);
    }
    Some((records, rest.strip_prefix(b"\0").unwrap_or(rest)))
}

/// Takes what is before the next NUL.
fn next_field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = rest.iter().position(|byte| *byte == 0)?;
    let (field, after) = rest.split_at(end);
    *rest = &after[1..];
    Some(field)
}

impl RawChange {
    fn is_new_submodule(&self) -> bool {
        self.mode == SUBMODULE && self.old_mode != SUBMODULE
    }

    fn file_path<'a>(&'a self, folder: &Path) -> std::path::PathBuf {
        let path: &'a OsStr = OsStr::from_bytes(&self.path);
        folder.join(path)
    }

    pub(super) fn changed_file(&self, folder: &Path) -> ChangedFile {
        let mode_or_none = |mode: &str| if mode == "000000" { String::new() } else { mode.to_owned() };
        let kind = match self.status {
            b'A' => ChangeKind::Added,
            b'D' => ChangeKind::Deleted,
            b'T' => ChangeKind::TypeChanged,
            _ => ChangeKind::Modified,
        };
        let meta = self.file_path(folder).symlink_metadata();
        let size = meta.ok().filter(|_| kind != ChangeKind::Deleted).map_or(0, |meta| meta.len());
        ChangedFile {
            path: String::from_utf8_lossy(&self.path).into_owned(),
            kind,
            old_mode: mode_or_none(&self.old_mode),
            mode: mode_or_none(&self.mode),
            size,
            is_binary: self.is_binary,
            added: self.added,
            removed: self.removed,
        }
    }
}

/// Files that only seem changed: their bytes are those which git itself lays out, but storing them gives another object,
/// because a filter or a conversion of line ends does not lead back. They keep the object that they had.
fn unchanged_files(
    git: Git<'_>,
    place: &WorktreePlace,
    scratch: &Scratch,
    list: &ChangeList,
) -> Result<Vec<IndexEdit>> {
    let modified: Vec<&RawChange> = list
        .records
        .iter()
        .filter(|record| {
            record.status == b'M' && record.mode == record.old_mode && record.mode.starts_with("100")
        })
        .collect();
    if modified.is_empty() {
        return Ok(Vec::new());
    }
    let index = scratch.path("made");
    fs_err::copy(place.index(), &index)?;
    let folder = scratch.path("files");
    let mut prefix = std::ffi::OsString::from("--prefix=");
    prefix.push(&folder);
    prefix.push("/");
    let args = ["checkout-index".as_ref(), "-q".as_ref(), "-f".as_ref(), "-z".as_ref(), "--stdin".as_ref()];
    let paths: Vec<u8> = modified.iter().flat_map(|record| record.path.iter().copied().chain([0])).collect();
    // A filter of the user's that fails here would have failed when the worktree was made.
    git.with_index(&index).edit(&[&args[..], &[prefix.as_os_str()]].concat(), &paths)?;
    let mut same = Vec::new();
    for record in modified {
        if have_same_bytes(&record.file_path(&folder), &record.file_path(&place.folder))? {
            let entry = Some((record.old_mode.clone(), record.old_id.clone()));
            same.push(IndexEdit { path: record.path.clone(), entry });
        }
    }
    Ok(same)
}

fn have_same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    let (Ok(mut a), Ok(mut b)) = (fs_err::File::open(a), fs_err::File::open(b)) else { return Ok(false) };
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    loop {
        left.clear();
        right.clear();
        a.by_ref().take(1 << 20).read_to_end(&mut left)?;
        b.by_ref().take(1 << 20).read_to_end(&mut right)?;
        if left != right || left.is_empty() {
            return Ok(left == right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_counts_and_diff_are_told_apart() {
        let output = b":100644 100644 aa bb M\0a\tb\0:000000 100755 00 cc A\0bin\n\0\
            1\t2\ta\tb\0-\t-\tbin\n\0\0diff --git a/a b/a\n";
        let (records, patch) = parse_changes(output).unwrap();
        assert_eq!(patch, b"diff --git a/a b/a\n");
        let told: Vec<_> = records.iter().map(|r| (&r.path[..], r.added, r.removed, r.is_binary)).collect();
        assert_eq!(told, [(&b"a\tb"[..], 1, 2, false), (b"bin\n", 0, 0, true)]);
        assert_eq!(parse_changes(b""), Some((Vec::new(), &b""[..])));
        assert_eq!(parse_changes(&output[..30]), None);
    }
}
