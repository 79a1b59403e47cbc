//! Compares the files on disk with what is wanted there. Nothing is written here.

use crate::client::{Client, Scope};
use crate::edit::{EditProblem, Edited};
use crate::entries::{Entry, install_all, is_frame, uninstall_all};
use crate::files::{ClientParts, Content, HostFile, Part, Selection, client_files};
use crate::owned;
use crate::receipts::{Before, Receipt, Receipts};
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
    /// Files with an entry of somebody else in the place of one of ours, which is left as it is.
    pub taken: Vec<PathBuf>,
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

/// Plans the installation of a selection.
pub fn plan_installation(selection: &Selection, receipts: &Receipts) -> Plan {
    let mut plan = Plan::default();
    let repository = selection.scope.repository();
    let is_repository = repository.is_some();
    for file in all_files(selection) {
        let planned = Found::read(&file.path, repository).and_then(|found| match &file.content {
            Content::Entries { selected, .. } => {
                if found.text.as_deref().is_some_and(|text| selected.iter().any(|entry| entry.is_taken(text)))
                {
                    plan.taken.push(file.path.clone());
                }
                install_entries(selected, found, receipts, is_repository)
            }
            Content::Owned(text) => install_owned(text, found, receipts),
            Content::Surplus => remove_owned(found, receipts, "it is not needed any more"),
        });
        plan.take(&file.path, planned);
    }
    plan
}

/// Plans the removal of what `init` wrote for a selection.
pub fn plan_removal(selection: &Selection, receipts: &Receipts) -> Plan {
    let mut plan = Plan::default();
    let repository = selection.scope.repository();
    let is_repository = repository.is_some();
    for file in all_files(selection) {
        // Nothing is written through a link that leads out of the repository, so there is nothing to take out either.
        let is_outside = repository.is_some_and(|root| leads_outside(&file.path, root));
        if is_outside || is_shared_with_others(&file.path, selection) {
            continue;
        }
        let planned = Found::read(&file.path, None).and_then(|found| {
            if found.text.is_none() && receipts.get(&found.target).is_some() {
                plan.forgotten.push(found.target.clone());
            }
            match &file.content {
                Content::Entries { selected, possible } => {
                    remove_entries(selected, possible, found, receipts, is_repository)
                }
                Content::Owned(_) | Content::Surplus => remove_owned(found, receipts, WRITTEN),
            }
        });
        plan.take(&file.path, planned);
    }
    plan
}

/// The files of one client in a selection.
pub fn files_of(client: Client, selection: &Selection) -> Vec<PathBuf> {
    let parts = selection.clients.iter().filter(|parts| parts.client == client);
    let files = parts.flat_map(|parts| client_files(parts, &selection.scope, &selection.skills));
    files.map(|file| file.path).collect()
}

/// Plans one edit of a file of a repository, which need not exist. None if nothing changes.
pub fn plan_edit(
    root: &Path,
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, EditProblem>,
) -> Result<Option<FileChange>, Problem> {
    let found = Found::read(path, Some(root))?;
    let after = edit(found.text.as_deref().unwrap_or_default()).map_err(|error| found.problem(&error))?;
    if found.text.is_none() && after.is_empty() {
        return Ok(None);
    }
    found.change(Some(after), Vec::new(), false)
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

fn all_files(selection: &Selection) -> Vec<HostFile> {
    let mut files: Vec<HostFile> = Vec::new();
    let of_clients = selection.clients.iter();
    for file in of_clients.flat_map(|parts| client_files(parts, &selection.scope, &selection.skills)) {
        // Clients that share skills share their files.
        if !files.iter().any(|other| other.path == file.path) {
            files.push(file);
        }
    }
    if let (true, Scope::Repository(root)) = (selection.has_formats, &selection.scope) {
        let pages = owned::format_pages(root).into_iter();
        files.extend(pages.map(|(path, page)| HostFile { path, content: Content::Owned(page) }));
    }
    files
}

/// True for a skill that a client outside the selection reads too, and that client has other parts of charrette.
fn is_shared_with_others(path: &Path, selection: &Selection) -> bool {
    let scope = &selection.scope;
    Client::ALL.into_iter().any(|client| {
        let is_selected = selection.clients.iter().any(|parts| parts.client == client);
        !is_selected && path.starts_with(scope.skill_folder(client)) && is_installed(client, scope)
    })
}

/// True if a client has hooks or the server of charrette.
fn is_installed(client: Client, scope: &Scope) -> bool {
    let parts = ClientParts { client, parts: vec![Part::Hooks, Part::Mcp] };
    client_files(&parts, scope, &[]).iter().any(|file| {
        let Ok(text) = fs_err::read_to_string(&file.path) else { return false };
        match &file.content {
            Content::Entries { selected, .. } => selected.iter().any(|entry| entry.is_written_by_init(&text)),
            Content::Owned(_) | Content::Surplus => owned::has_mark(&text),
        }
    })
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
    /// Reads a file as it is on disk. In a repository no link may lead out of it.
    fn read(path: &Path, repository: Option<&Path>) -> Result<Found, Problem> {
        let problem = |reason: String| Problem { path: path.to_owned(), reason };
        let (target, missing_folders) = resolve(path).map_err(problem)?;
        if repository.is_some_and(|root| !is_inside(&target, root)) {
            return Err(problem(format!(
                "a link leads out of the repository, to {}; put a file or folder of its own in the place of the link",
                target.display()
            )));
        }
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

    fn problem(&self, reason: &dyn std::fmt::Display) -> Problem {
        Problem { path: self.path.clone(), reason: reason.to_string() }
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

/// True if a path, without links, is below a folder.
fn is_inside(target: &Path, root: &Path) -> bool {
    root.canonicalize().is_ok_and(|root| target.starts_with(root))
}

/// True if a link on the way to a file leads out of a repository.
fn leads_outside(path: &Path, root: &Path) -> bool {
    resolve(path).is_ok_and(|(target, _)| !is_inside(&target, root))
}

/// Reason of a removal.
const WRITTEN: &str = "written by charrette init";

fn install_entries(
    entries: &[Entry],
    found: Found,
    receipts: &Receipts,
    is_repository: bool,
) -> Result<Option<FileChange>, Problem> {
    let before = found.text.clone();
    let text = before.as_deref().unwrap_or_default();
    let mut parts: Vec<Part> = Vec::new();
    for entry in entries {
        let edited = entry.install(text).map_err(|error| found.problem(&error))?;
        parts.extend((!edited.differences.is_empty()).then_some(entry.part()));
    }
    let edited = install_all(text, entries).map_err(|error| found.problem(&error))?;
    let reasons = edited.differences.iter().map(ToString::to_string).collect();
    // A file that is complete is left alone even if it is absent from the receipts.
    let after = if edited.differences.is_empty() { before.clone() } else { Some(edited.text) };
    // A user may have listed the server with the client's own command.
    let is_ours = entries.iter().any(|entry| match entry {
        Entry::Hooks(_) => entry.is_written_by_init(text),
        Entry::Server(_) => is_repository && entry.is_written_by_init(text),
    });
    let new_folders = found.missing_folders.clone();
    let receipt = receipts.get(&found.target).cloned();
    let Some(change) = found.change(after, reasons, false)? else { return Ok(None) };
    Ok(Some(with_receipt(change, receipt, new_folders, is_ours, parts)))
}

fn install_owned(content: &str, found: Found, receipts: &Receipts) -> Result<Option<FileChange>, Problem> {
    let is_ours = found.text.as_deref().is_some_and(owned::has_mark);
    if found.text.is_some() && !is_ours {
        return Err(found.problem(&"it exists and was not written by charrette init; move it elsewhere"));
    }
    let reason = if is_ours { "it is not as init writes it" } else { "it is missing" };
    let new_folders = found.missing_folders.clone();
    let receipt = receipts.get(&found.target).cloned();
    let change = found.change(Some(content.to_owned()), vec![reason.to_owned()], true)?;
    Ok(change.map(|change| with_receipt(change, receipt, new_folders, is_ours, Vec::new())))
}

/// A change with what must be remembered for its removal.
fn with_receipt(
    change: FileChange,
    old: Option<Receipt>,
    mut folders: Vec<PathBuf>,
    is_ours: bool,
    added: Vec<Part>,
) -> FileChange {
    let is_as_left = old.as_ref().is_some_and(|old| is_as_left(change.before.as_deref(), old));
    let mut parts = old.as_ref().filter(|_| !change.is_owned).map(Receipt::parts).unwrap_or_default();
    parts.extend(added);
    parts.sort();
    parts.dedup();
    let before = match (old, change.before.clone()) {
        (Some(old), _) if is_as_left => {
            folders.extend(old.folders);
            old.before
        }
        (_, None) => Before::Absent,
        (_, Some(text)) if !is_ours => Before::Text(text),
        (_, Some(_)) => Before::Unknown,
    };
    let after = sha256(change.after.as_deref().unwrap_or_default().as_bytes());
    FileChange { receipt: Some(Receipt { before, after, folders, parts }), ..change }
}

/// True if a file is as `init` left it.
fn is_as_left(text: Option<&str>, receipt: &Receipt) -> bool {
    text.is_some_and(|text| sha256(text.as_bytes()) == receipt.after)
}

fn remove_entries(
    selected: &[Entry],
    possible: &[Entry],
    found: Found,
    receipts: &Receipts,
    is_repository: bool,
) -> Result<Option<FileChange>, Problem> {
    let Some(text) = found.text.clone() else { return Ok(None) };
    let receipt = receipts.get(&found.target).cloned();
    let written = receipt.as_ref().map(Receipt::parts).unwrap_or_default();
    let kept: Vec<Entry> = possible
        .iter()
        .filter(|entry| written.contains(&entry.part()) && !selected.contains(entry))
        .copied()
        .collect();
    let is_as_left = receipt.as_ref().is_some_and(|receipt| is_as_left(Some(&text), receipt));
    let was_absent = receipt.as_ref().is_some_and(|receipt| receipt.before == Before::Absent);
    let original = match receipt.as_ref().filter(|_| is_as_left).map(|receipt| &receipt.before) {
        Some(Before::Absent) => Some(None),
        Some(Before::Text(text)) => Some(Some(text.clone())),
        Some(Before::Unknown) | None => None,
    };
    let (after, is_given_back) = match original {
        Some(original) if kept.is_empty() => (original, true),
        Some(original) => {
            let edited = install_all(original.as_deref().unwrap_or_default(), &kept);
            (Some(edited.map_err(|error| found.problem(&error))?.text), true)
        }
        None => {
            // A server that nobody remembers may be the user's own.
            let ours = |entry: &&Entry| match entry {
                Entry::Hooks(_) => true,
                Entry::Server(_) => {
                    written.contains(&Part::Mcp) || (is_repository && entry.is_written_by_init(&text))
                }
            };
            let ours: Vec<Entry> = selected.iter().filter(ours).copied().collect();
            let edited = uninstall_all(&text, &ours).map_err(|error| found.problem(&error))?;
            let Edited { text: rest, differences } = edited;
            let is_left_over =
                was_absent && kept.is_empty() && !differences.is_empty() && is_frame(&rest, possible);
            (if is_left_over { None } else { Some(rest) }, false)
        }
    };
    let Some(change) = found.change(after, vec![WRITTEN.to_owned()], false)? else { return Ok(None) };
    let folders = receipt.as_ref().map(|receipt| receipt.folders.clone()).unwrap_or_default();
    let Some(old) = receipt.filter(|_| !kept.is_empty()) else {
        return Ok(Some(FileChange { folders, ..change }));
    };
    // The rest is remembered. A file that somebody else has changed stays one that is not as it was left.
    let left = change.after.as_deref().filter(|_| is_given_back).map(|text| sha256(text.as_bytes()));
    let parts = kept.iter().map(|entry| entry.part()).collect();
    let receipt =
        Receipt { after: left.unwrap_or(old.after), parts, before: old.before, folders: old.folders };
    Ok(Some(FileChange { receipt: Some(receipt), ..change }))
}

fn remove_owned(found: Found, receipts: &Receipts, reason: &str) -> Result<Option<FileChange>, Problem> {
    let Some(text) = found.text.clone() else { return Ok(None) };
    let receipt = receipts.get(&found.target).cloned();
    let after = match receipt.as_ref().filter(|receipt| is_as_left(Some(&text), receipt)) {
        Some(Receipt { before: Before::Text(before), .. }) => Some(before.clone()),
        // Without the mark it is not ours.
        None if !owned::has_mark(&text) => return Ok(None),
        _ => None,
    };
    let change = found.change(after, vec![reason.to_owned()], true)?;
    let folders = receipt.map(|receipt| receipt.folders).unwrap_or_default();
    Ok(change.map(|change| FileChange { folders, ..change }))
}
