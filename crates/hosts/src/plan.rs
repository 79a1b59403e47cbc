//! Compares the files on disk with what is wanted there. Nothing is written here.

use crate::client::{Client, HookContent, HookFile, Scope, hook_files};
use crate::json_hooks::{self, Edited};
use crate::owned;
use crate::receipts::{Before, Receipt, Receipts};
use crate::wiring::HookLayout;
use charrette_store::workspace::sha256;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Changes of files that belong together: all are made, or none.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub changes: Vec<FileChange>,
    /// Files that cannot be changed. With any of them nothing is changed at all.
    pub problems: Vec<Problem>,
    /// Files that are as they should be.
    pub unchanged: Vec<PathBuf>,
    /// Files with a receipt that describes nothing any more.
    pub forgotten: Vec<PathBuf>,
}

/// Change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Path in the configuration.
    pub path: PathBuf,
    /// The file behind it: another one where a link leads elsewhere.
    pub target: PathBuf,
    pub before: Option<String>,
    /// New content; none if the file is deleted.
    pub after: Option<String>,
    /// Missing or different parts.
    pub reasons: Vec<String>,
    /// True if the whole file belongs to charrette.
    pub is_owned: bool,
    /// Folders that are created before, or removed afterwards if they are empty; outermost first.
    pub folders: Vec<PathBuf>,
    /// What is remembered for the removal; none when the file is given back.
    pub receipt: Option<Receipt>,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Create,
    Edit,
    Delete,
}

impl FileChange {
    pub fn kind(&self) -> Change {
        match (&self.before, &self.after) {
            (_, None) => Change::Delete,
            (None, Some(_)) => Change::Create,
            (Some(_), Some(_)) => Change::Edit,
        }
    }

    /// True if the path is a link to another file, or leads through one.
    pub fn is_linked(&self) -> bool {
        self.path != self.target
    }
}

/// A file that cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct Problem {
    pub path: PathBuf,
    pub reason: String,
}

/// Plans the installation for these clients, and in a repository the pages about formats.
pub fn plan_installation(clients: &[Client], scope: &Scope, receipts: &Receipts) -> Plan {
    let mut plan = Plan::default();
    for file in all_files(clients, scope) {
        let planned = Found::read(&file.path).and_then(|found| install_file(&file, found, receipts));
        plan.take(&file.path, planned);
    }
    plan
}

/// Plans the removal of everything that `init` wrote for these clients.
pub fn plan_removal(clients: &[Client], scope: &Scope, receipts: &Receipts) -> Plan {
    let mut plan = Plan::default();
    for file in all_files(clients, scope) {
        let planned = Found::read(&file.path).and_then(|found| {
            if found.text.is_none() && receipts.get(&found.target).is_some() {
                plan.forgotten.push(found.target.clone());
            }
            remove_file(&file, found, receipts)
        });
        plan.take(&file.path, planned);
    }
    plan
}

impl Plan {
    fn take(&mut self, path: &Path, planned: Result<Option<FileChange>, Problem>) {
        match planned {
            Ok(Some(change)) => self.changes.push(change),
            Ok(None) => self.unchanged.push(path.to_owned()),
            Err(problem) => self.problems.push(problem),
        }
    }
}

fn all_files(clients: &[Client], scope: &Scope) -> Vec<HookFile> {
    let mut files: Vec<HookFile> = clients.iter().flat_map(|client| hook_files(*client, scope)).collect();
    if let Scope::Repository(root) = scope {
        let pages = owned::format_pages(root).into_iter();
        files.extend(pages.map(|(path, page)| HookFile { path, content: HookContent::Owned(page) }));
    }
    files
}

/// A file as it is on disk.
struct Found {
    path: PathBuf,
    target: PathBuf,
    /// Its content; none if there is no file.
    text: Option<String>,
    is_writable: bool,
    /// Folders that are missing on the way to it, outermost first.
    missing_folders: Vec<PathBuf>,
}

impl Found {
    fn read(path: &Path) -> Result<Found, Problem> {
        let problem = |reason: String| Problem { path: path.to_owned(), reason };
        let (target, missing_folders) = resolve(path).map_err(problem)?;
        let found = |text, is_writable, missing_folders| Found {
            path: path.to_owned(),
            target: target.clone(),
            text,
            is_writable,
            missing_folders,
        };
        let meta = match target.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(found(None, true, missing_folders));
            }
            other => other.map_err(|error| problem(error.to_string()))?,
        };
        if !meta.is_file() {
            return Err(problem("it is not a file".to_owned()));
        }
        let bytes = fs_err::read(&target).map_err(|error| problem(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| problem("it is not UTF-8 text".to_owned()))?;
        Ok(found(Some(text), meta.permissions().mode() & 0o200 != 0, missing_folders))
    }

    /// The change to another content; none if it is the same.
    fn change(
        self,
        after: Option<String>,
        reasons: Vec<String>,
        is_owned: bool,
    ) -> Result<Option<FileChange>, Problem> {
        if self.text == after {
            return Ok(None);
        }
        if !self.is_writable {
            let reason =
                format!("it is read-only; to allow the change: chmod u+w '{}'", self.target.display());
            return Err(Problem { path: self.path, reason });
        }
        Ok(Some(FileChange {
            path: self.path,
            target: self.target,
            before: self.text,
            after,
            reasons,
            is_owned,
            folders: self.missing_folders,
            receipt: None,
        }))
    }
}

/// The file behind a path, and the folders that are missing on the way.
fn resolve(path: &Path) -> Result<(PathBuf, Vec<PathBuf>), String> {
    if let Ok(real) = path.canonicalize() {
        return Ok((real, Vec::new()));
    }
    if path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
        return Err(
            "it is a link to a file that does not exist; create that file or delete the link".to_owned()
        );
    }
    let mut missing = Vec::new();
    for folder in path.ancestors().skip(1) {
        match folder.canonicalize() {
            Ok(real) if real.is_dir() => {
                missing.reverse();
                let rest = path.strip_prefix(folder).unwrap_or(path);
                let missing = missing.iter().filter_map(|missing: &PathBuf| {
                    missing.strip_prefix(folder).ok().map(|rest| real.join(rest))
                });
                return Ok((real.join(rest), missing.collect()));
            }
            Ok(_) => return Err(format!("{} is not a folder", folder.display())),
            Err(_) if folder.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) => {
                return Err(format!("{} is a link to a folder that does not exist", folder.display()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(folder.to_owned()),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("no folder on the way to it exists".to_owned())
}

fn install_file(file: &HookFile, found: Found, receipts: &Receipts) -> Result<Option<FileChange>, Problem> {
    let before = found.text.clone();
    let receipt = receipts.get(&found.target).cloned();
    let problem = |reason: String| Problem { path: file.path.clone(), reason };
    let mut folders = found.missing_folders.clone();
    let (change, is_ours_already) = match &file.content {
        HookContent::Entries(layout) => {
            let text = before.as_deref().unwrap_or_default();
            let edited = json_hooks::install(text, *layout).map_err(|error| problem(error.to_string()))?;
            let has_own = json_hooks::own_hooks(text, *layout).is_ok_and(|own| own.is_some());
            let reasons = edited.differences.iter().map(ToString::to_string).collect();
            // A file that is complete is left alone even if it is absent from the receipts.
            let after = if edited.differences.is_empty() { before.clone() } else { Some(edited.text) };
            (found.change(after, reasons, false)?, has_own)
        }
        HookContent::Owned(content) => {
            let is_ours = before.as_deref().is_some_and(owned::has_mark);
            if before.is_some() && !is_ours {
                return Err(problem(
                    "it exists and was not written by charrette init; move it elsewhere".to_owned(),
                ));
            }
            let reason = if is_ours { "it is not as init writes it" } else { "it is missing" };
            (found.change(Some(content.clone()), vec![reason.to_owned()], true)?, is_ours)
        }
    };
    let Some(mut change) = change else { return Ok(None) };
    let is_as_left = receipt
        .as_ref()
        .is_some_and(|receipt| before.as_ref().is_some_and(|text| sha256(text.as_bytes()) == receipt.after));
    let original = match (receipt, before) {
        (Some(receipt), _) if is_as_left => {
            folders.extend(receipt.folders);
            receipt.before
        }
        (_, None) => Before::Absent,
        (_, Some(text)) if !is_ours_already => Before::Text(text),
        (_, Some(_)) => Before::Unknown,
    };
    let after = change.after.as_deref().unwrap_or_default();
    change.receipt = Some(Receipt { before: original, after: sha256(after.as_bytes()), folders });
    Ok(Some(change))
}

fn remove_file(file: &HookFile, found: Found, receipts: &Receipts) -> Result<Option<FileChange>, Problem> {
    let Some(text) = found.text.clone() else { return Ok(None) };
    let receipt = receipts.get(&found.target).cloned();
    let folders = receipt.as_ref().map(|receipt| receipt.folders.clone()).unwrap_or_default();
    let is_as_left = receipt.as_ref().is_some_and(|receipt| sha256(text.as_bytes()) == receipt.after);
    let was_absent = receipt.as_ref().is_some_and(|receipt| receipt.before == Before::Absent);
    let original = receipt.filter(|_| is_as_left).map(|receipt| receipt.before);
    let (after, is_owned) = match (&file.content, original) {
        (content, Some(Before::Absent)) => (None, matches!(content, HookContent::Owned(_))),
        (content, Some(Before::Text(text))) => (Some(text), matches!(content, HookContent::Owned(_))),
        (HookContent::Entries(layout), _) => {
            let edited = remove_entries(&text, *layout, was_absent);
            (edited.map_err(|reason| Problem { path: file.path.clone(), reason })?, false)
        }
        // Without the mark it is not ours.
        (HookContent::Owned(_), _) if !owned::has_mark(&text) => return Ok(None),
        (HookContent::Owned(_), _) => (None, true),
    };
    let reasons = vec!["written by charrette init".to_owned()];
    let change = found.change(after, reasons, is_owned)?;
    Ok(change.map(|change| FileChange { folders, ..change }))
}

/// The text without our hooks. A file that `init` created and that has nothing else in it goes away.
fn remove_entries(text: &str, layout: HookLayout, was_absent: bool) -> Result<Option<String>, String> {
    let Edited { text: rest, differences } =
        json_hooks::uninstall(text, layout).map_err(|error| error.to_string())?;
    let is_left_over = was_absent && !differences.is_empty() && json_hooks::is_frame(&rest, layout);
    Ok(if is_left_over { None } else { Some(rest) })
}
