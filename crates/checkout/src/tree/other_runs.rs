//! Files of other runs in the state folder and in workspaces. The files of a run that is driven are in the custody of its
//! driver; what belongs to runs that wait or have ended is changed by charrette only, and that is on record in the history.

use super::changes::compare;
use super::known::Known;
use super::snapshot::Signature;
use charrette_model::checkpoint::{CheckpointOverview, DocumentName};
use charrette_model::tree::{ChangeKind, TreePath};
use charrette_store::layout::StateFolder;
use charrette_store::{Lease, Signature as FileSignature, history};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// Maximum number of files of one workspace that are looked at.
const MAX_FILES: usize = 5_000;
/// Maximum depth of folders in a workspace.
const MAX_DEPTH: usize = 4;

/// Folders and files of workspaces that several parts of the program append to; no step reads them.
const LOG_FOLDERS: [&str; 3] = ["evidence", "superseded", "webhooks"];
const LOG_EXTENSIONS: [&str; 2] = ["jsonl", "tsv"];

/// Register of driven and waiting runs, which is written at any moment and read by hooks.
const REGISTER: &str = "active.json";

/// Runs of a state folder at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OtherRuns {
    /// Names of the documents of runs that some process drives.
    driven: BTreeSet<String>,
    /// Documents by name without the extension.
    documents: BTreeMap<String, RunFiles>,
}

/// Files of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RunFiles {
    document: Option<Signature>,
    /// Files of its workspace; none of a driven run.
    workspace: WorkspaceFiles,
}

/// Files of one workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct WorkspaceFiles {
    /// By path, relative to the root.
    files: BTreeMap<PathBuf, Signature>,
    /// True if there are more of them than are looked at. Which ones were left out may differ the next time.
    is_cut: bool,
}

impl OtherRuns {
    /// Reads the runs of the repository at `root`.
    pub(crate) fn read(root: &Path, state: &StateFolder) -> OtherRuns {
        let mut runs = OtherRuns::default();
        for name in names(&state.locks()) {
            let Some(stem) = name.strip_suffix(".lease") else { continue };
            if matches!(Lease::holder(&state.locks().join(&name)), Ok(Some(_))) {
                runs.driven.insert(stem.to_owned());
            }
        }
        for name in names(state.path()) {
            let is_document = !name.starts_with('.') && name != REGISTER;
            let Some(stem) = name.strip_suffix(".json").filter(|_| is_document) else { continue };
            let file = state.path().join(&name);
            let folder = if runs.driven.contains(stem) { None } else { workspace_of(&file) };
            let workspace = folder.map(|folder| WorkspaceFiles::read(root, &folder)).unwrap_or_default();
            let files = RunFiles { document: Signature::read(&file), workspace };
            runs.documents.insert(stem.to_owned(), files);
        }
        runs
    }

    /// Folders of specifications below `specs` that driven runs work on, now or at a later moment.
    pub(crate) fn spec_folders(&self, later: &OtherRuns, specs: &str) -> Vec<String> {
        let names = self.driven.union(&later.driven).filter_map(|stem| DocumentName::from_stem(stem));
        let folders = names.filter_map(|name| Some(name.feature()?.folder()));
        folders.map(|folder| format!("{}/{folder}", specs.trim_end_matches('/'))).collect()
    }

    /// Changes from these runs to later ones that no charrette made.
    pub(crate) fn changes(
        &self,
        later: &OtherRuns,
        root: &Path,
        state: &StateFolder,
    ) -> Vec<(TreePath, ChangeKind)> {
        let relative =
            |path: &Path| TreePath::new(path.strip_prefix(root).unwrap_or(path).as_os_str().as_bytes());
        let mut found = Vec::new();
        for (stem, kind) in compare(&self.documents, &later.documents) {
            let file = state.path().join(format!("{stem}.json"));
            let (before, after) = (self.documents.get(stem), later.documents.get(stem));
            let is_driven = self.driven.contains(stem) || later.driven.contains(stem);
            let has_other_document = before.map(|run| run.document) != after.map(|run| run.document);
            if is_driven || has_other_document && is_on_record(stem, &file, state, kind) {
                continue;
            }
            if has_other_document {
                found.push((relative(&file), kind));
            }
            if let (Some(before), Some(after)) = (before, after) {
                let files = before.workspace.changes(&after.workspace);
                found.extend(files.map(|(path, kind)| (TreePath::new(path.as_os_str().as_bytes()), kind)));
            }
        }
        found
    }
}

/// True if the last change of a document is in its history, with the content that it has. A document that is gone
/// must be in the archive.
fn is_on_record(stem: &str, file: &Path, state: &StateFolder, kind: ChangeKind) -> bool {
    let Some(name) = DocumentName::from_stem(stem) else { return false };
    let log = state.history(&name);
    if kind == ChangeKind::Deleted {
        let archived = format!("{stem}-");
        return names(&state.archives()).iter().any(|name| name.starts_with(&archived));
    }
    fs_err::read(file).is_ok_and(|bytes| history::ends_with(&log, &bytes).unwrap_or_default())
}

/// Workspace that a document names, relative to the root; none if it names none in the repository. A document is read again
/// only after it has changed.
fn workspace_of(document: &Path) -> Option<PathBuf> {
    static KNOWN: Known<Option<PathBuf>> = Known::new();
    let signature = FileSignature::of(&document.symlink_metadata().ok().filter(Metadata::is_file)?);
    if let Some(folder) = KNOWN.find(document, signature) {
        return folder;
    }
    let overview = CheckpointOverview::read(&fs_err::read(document).ok()?).ok();
    let folder = overview.and_then(|overview| overview.workspace().map(PathBuf::from));
    let folder = folder.filter(|folder| folder.components().all(|part| matches!(part, Component::Normal(_))));
    KNOWN.keep(document, signature, &folder);
    folder
}

impl WorkspaceFiles {
    /// Reads the files of the workspace in a folder, which is relative to the root.
    fn read(root: &Path, folder: &Path) -> WorkspaceFiles {
        let mut workspace = WorkspaceFiles::default();
        let mut left = MAX_FILES;
        workspace.add(root, folder, 0, &mut left);
        workspace
    }

    fn add(&mut self, root: &Path, folder: &Path, depth: usize, left: &mut usize) {
        for entry in fs_err::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let Some(fewer) = left.checked_sub(1) else {
                self.is_cut = true;
                return;
            };
            *left = fewer;
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_log = LOG_FOLDERS.iter().any(|name| entry.file_name() == **name)
                || path
                    .extension()
                    .is_some_and(|extension| LOG_EXTENSIONS.iter().any(|log| extension == *log));
            if is_folder && !is_log && depth < MAX_DEPTH {
                self.add(root, &path, depth + 1, left);
            } else if !is_log {
                self.files.extend(Signature::read(&root.join(&path)).map(|signature| (path, signature)));
            }
        }
    }

    /// Changes to a later state. A file that only one of them lists is new or gone if the other one left none out.
    fn changes<'a>(&'a self, later: &'a WorkspaceFiles) -> impl Iterator<Item = (&'a PathBuf, ChangeKind)> {
        compare(&self.files, &later.files).filter(|(_, kind)| match kind {
            ChangeKind::Added => !self.is_cut,
            ChangeKind::Deleted => !later.is_cut,
            _ => true,
        })
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
