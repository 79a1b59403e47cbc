//! The workspace of a run: every artifact of every step, by name, with digests.
//!
//! A step's output is not written where others can see it. It is staged in the user's own state directory,
//! durably, and moved into the workspace when its batch is collected, so no agent reads another's work in
//! progress and none of it is lost if the process dies in between. The contents of the staging folder are the
//! only record of uncollected outputs.

use crate::answer_notes::AnswerNotes;
use crate::atomic::{place_all, sync_folders_of};
use crate::custody::Custody;
use crate::error::StoreError;
use crate::layout::{check_file, check_folder, create_folder};
use crate::log_folder::LogFolder;
use crate::plain_file::{self, Links};
use crate::signature::Signature;
use charrette_model::escape::shell_word;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

mod files_in_custody;
mod names;
mod replay;
mod unrestored;

pub use files_in_custody::CheckedFiles;
use files_in_custody::is_log;
use names::{SPECS, add_names, check_name, invalid};
use replay::Replay;

/// The folder of a run's artifacts, and its staging folder.
#[derive(Debug)]
pub struct Workspace {
    folder: PathBuf,
    /// Folder of artifacts named `specs/NAME`: the deliverable, which is not local to the run.
    specs: Option<PathBuf>,
    staging: PathBuf,
    /// Repository that no link may lead out of.
    root: Option<PathBuf>,
    digests: Mutex<HashMap<String, (Signature, String)>>,
    custody: Custody,
    replay: Mutex<Replay>,
    /// True if this process has noted files that it could not put back.
    has_unrestored: AtomicBool,
}

impl Workspace {
    /// The workspace at `folder`; `staging` is a folder of this run only, outside the repository.
    pub fn new(folder: &Path, staging: &Path) -> Workspace {
        let (folder, staging) = (folder.to_owned(), staging.to_owned());
        Workspace {
            folder,
            specs: None,
            staging,
            root: None,
            digests: Mutex::default(),
            custody: Custody::default(),
            replay: Mutex::default(),
            has_unrestored: AtomicBool::new(false),
        }
    }

    /// Maps artifacts named `specs/NAME` to files of this folder, outside the workspace.
    #[must_use]
    pub fn with_specs(mut self, folder: &Path) -> Workspace {
        self.specs = Some(folder.to_owned());
        self
    }

    /// Refuses to write through links that lead out of this repository.
    #[must_use]
    pub fn inside(mut self, root: &Path) -> Workspace {
        self.root = Some(root.to_owned());
        self
    }

    /// Creates the folder, inside one that ignores itself.
    pub fn prepare(&self) -> io::Result<()> {
        self.check_place(&self.folder.join("file"))?;
        crate::layout::create_folder(&self.folder)?;
        crate::layout::ignore_itself(self.folder.parent().unwrap_or(&self.folder))
    }

    /// Checks that no link leads out of the repository: neither the folder, nor one inside it, nor the folder of the
    /// deliverable. For the start of a run, before anything is paid for.
    pub fn check_links(&self) -> Result<(), StoreError> {
        let Some(root) = &self.root else { return Ok(()) };
        if check_folder(root, &self.folder)? {
            for entry in fs_err::read_dir(&self.folder)? {
                let entry = entry?;
                if entry.file_type()?.is_symlink() {
                    check_file(root, &entry.path())?;
                }
            }
        }
        self.specs.as_ref().map_or(Ok(()), |specs| check_folder(root, specs).map(drop))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder for logs, which are no artifacts.
    pub fn logs(&self) -> LogFolder {
        match &self.root {
            Some(root) => LogFolder::inside(root, &self.folder),
            None => LogFolder::new(&self.folder),
        }
    }

    /// Path of an artifact, existing or not.
    pub fn path(&self, name: &str) -> io::Result<PathBuf> {
        let name = check_name(name)?;
        match (&self.specs, name.strip_prefix(SPECS)) {
            (Some(specs), Some(name)) => Ok(specs.join(name)),
            _ => Ok(self.folder.join(name)),
        }
    }

    /// Parent of all scratch folders, outside the repository.
    pub fn lanes(&self) -> &Path {
        &self.staging
    }

    /// Notes of the answers that people gave to the run's gates.
    pub fn answer_notes(&self) -> AnswerNotes {
        AnswerNotes::new(self.staging.clone())
    }

    /// Scratch folder for one attempt at a step, outside the repository.
    pub fn lane(&self, lane: &str) -> PathBuf {
        self.staging.join(lane)
    }

    /// The content of an artifact, staged or collected; `None` if there is no such file.
    pub fn read(&self, name: &str, lane: Option<&str>) -> io::Result<Option<Vec<u8>>> {
        read_if_there(&self.readable_path(name, lane)?)
    }

    /// The content of a staged file; `None` if there is no such file.
    pub fn read_staged(&self, lane: &str, name: &str) -> io::Result<Option<Vec<u8>>> {
        let path = self.staged(lane, name)?;
        self.verify(&path, name)?;
        read_if_there(&path)
    }

    /// Removes a staged file.
    pub fn remove_staged(&self, lane: &str, name: &str) -> io::Result<()> {
        let path = self.staged(lane, name)?;
        self.replay().forget_digests();
        self.custody.forget(|kept| kept == path);
        fs_err::remove_file(path)
    }

    /// Path where an artifact can be read now: staged by `lane`, or collected.
    pub fn readable_path(&self, name: &str, lane: Option<&str>) -> io::Result<PathBuf> {
        self.find(name, lane).map(|(path, _)| path)
    }

    /// The same, with the signature of the file, if it was looked at and is there.
    fn find(&self, name: &str, lane: Option<&str>) -> io::Result<(PathBuf, Option<Signature>)> {
        if let Some(lane) = lane {
            let staged = self.staged(lane, name)?;
            if self.may_be_there(&staged) {
                let signature = self.verify(&staged, name)?;
                if signature.is_some() || staged.exists() {
                    return Ok((staged, signature));
                }
            }
        }
        let path = self.path(name)?;
        let signature = self.verify(&path, name)?;
        Ok((path, signature))
    }

    /// SHA-256 of an artifact, staged or collected; `None` if there is no such file.
    pub fn digest(&self, name: &str, lane: Option<&str>) -> io::Result<Option<String>> {
        if let Some(digest) = self.replay().digest(name, lane) {
            return Ok(digest);
        }
        let digest = self.find_digest(name, lane)?;
        self.replay().note_digest(name, lane, digest.clone());
        Ok(digest)
    }

    fn find_digest(&self, name: &str, lane: Option<&str>) -> io::Result<Option<String>> {
        let (path, signature) = self.find(name, lane)?;
        let signature = match signature.map_or_else(|| path.metadata().map(|meta| Signature::of(&meta)), Ok) {
            Ok(signature) => signature,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, digest)) = digests.get(name)
            && *known == signature
        {
            return Ok(Some(digest.clone()));
        }
        let bytes = signature.read_file(&path)?;
        let digest = sha256(&bytes);
        self.custody.remember(path, signature, bytes);
        digests.insert(name.to_owned(), (signature, digest.clone()));
        Ok(Some(digest))
    }

    /// Names of all collected artifacts, sorted. Links and files with invalid names are skipped.
    pub fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        add_names(&self.folder, "", true, &mut names)?;
        if let Some(specs) = &self.specs {
            names.retain(|name| !name.starts_with(SPECS));
            // Deeper folders belong to other specifications.
            add_names(specs, SPECS, false, &mut names)?;
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Writes an artifact durably without staging: for input of people, not for outputs of steps.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<String> {
        self.put_all(&[(name, bytes)]).map(single)
    }

    /// Writes several artifacts durably and returns their digests. Each is old or new at any moment.
    pub fn put_all(&self, files: &[(impl AsRef<str>, impl AsRef<[u8]>)]) -> io::Result<Vec<String>> {
        self.write_all(files, |name| self.path(name), &[])
    }

    /// Writes the outputs of a step that runs alone, durably, without staging: no other lane can see them.
    /// Replaced artifacts are kept under `superseded/`.
    pub fn publish(&self, files: &[(impl AsRef<str>, impl AsRef<[u8]>)]) -> io::Result<Vec<String>> {
        let mut kept = Vec::new();
        for (name, bytes) in files {
            kept.extend(self.keep_superseded(name.as_ref(), || Ok(sha256(bytes.as_ref())))?);
        }
        self.write_all(files, |name| self.path(name), &kept)
    }

    /// Stages an output of a step, durably, and returns its digest.
    pub fn stage(&self, lane: &str, name: &str, bytes: &[u8]) -> io::Result<String> {
        self.stage_all(lane, &[(name, bytes)]).map(single)
    }

    /// Stages several outputs of a step, durably, and returns their digests.
    pub fn stage_all(
        &self,
        lane: &str,
        files: &[(impl AsRef<str>, impl AsRef<[u8]>)],
    ) -> io::Result<Vec<String>> {
        self.expect_staged();
        self.write_all(files, |name| self.staged(lane, name), &[])
    }

    /// Keeps a file beside the staged outputs of a lane. Its content is synced, its name is not: what a power loss takes
    /// is asked for again.
    pub fn keep(&self, lane: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.expect_staged();
        let files = [(self.staged(lane, name)?, bytes)];
        create_folder(&self.staging)?;
        place_all(&files)?;
        self.custody.keep(&files);
        Ok(())
    }

    /// Gives a kept file another name. That survives a kill of this process; a power loss may undo it.
    pub fn rename_kept(&self, lane: &str, name: &str, new_name: &str) -> io::Result<()> {
        self.expect_staged();
        let (path, new_path) = (self.staged(lane, name)?, self.staged(lane, new_name)?);
        self.verify(&path, name)?;
        fs_err::rename(&path, &new_path)?;
        self.custody.moved(&path, &new_path);
        Ok(())
    }

    /// Moves the staged outputs of a step into the workspace. Replaced artifacts are kept under
    /// `superseded/`.
    pub fn collect(&self, lane: &str, names: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
        self.collect_all([(lane, names)])
    }

    /// Moves the staged outputs of a batch into the workspace, by lane.
    pub fn collect_all<Lane: AsRef<str>, Names: IntoIterator<Item: AsRef<str>>>(
        &self,
        batch: impl IntoIterator<Item = (Lane, Names)>,
    ) -> io::Result<()> {
        let (mut changed, mut copied) = (Vec::new(), Vec::new());
        for (lane, names) in batch {
            for name in names {
                let name = name.as_ref();
                let (staged, target) = (self.staged(lane.as_ref(), name)?, self.path(name)?);
                self.verify(&staged, name)?;
                if !staged.exists() {
                    continue;
                }
                self.replay().forget_digests();
                self.check_place(&target)?;
                create_folder(target.parent().unwrap_or(&self.folder))?;
                changed.extend(self.keep_superseded(name, || Ok(sha256(&read(&staged)?)))?);
                match fs_err::rename(&staged, &target) {
                    // The user's state directory may be on another disk.
                    Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                        place_all(&[(target.clone(), &read(&staged)?)])?;
                        copied.push(staged.clone());
                    }
                    other => other?,
                }
                self.custody.moved(&staged, &target);
                changed.push(target);
            }
        }
        sync_folders_of(&changed)?;
        // Only now is the copy durable.
        copied.iter().try_for_each(fs_err::remove_file)
    }

    /// True if the workspace is unused: no folder, or one with only the files every run starts with, whole or
    /// partial, because its driver was killed before the run was recorded.
    pub fn is_unused(&self, begins_with: &[&str]) -> bool {
        let Ok(entries) = fs_err::read_dir(&self.folder) else { return !self.folder.exists() };
        let is_beginning =
            |found: &str| begins_with.iter().any(|name| found.trim_start_matches('.').starts_with(name));
        entries.flatten().all(|entry| is_beginning(&entry.file_name().to_string_lossy()))
    }

    /// Removes the staging folder at the end of a run.
    pub fn remove_staging(&self) -> io::Result<()> {
        self.custody.forget(|path| path.starts_with(&self.staging));
        match fs_err::remove_dir_all(&self.staging) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// True if a lane left staged outputs or a scratch folder.
    pub fn has_leftovers(&self, lane: &str, names: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
        let mut names = names.into_iter();
        let is_there = |path: PathBuf| self.may_be_there(&path) && path.exists();
        is_there(self.lane(lane)) || names.any(|name| self.staged(lane, name.as_ref()).is_ok_and(is_there))
    }

    /// Removes everything a lane left, staged or not; it will not be collected.
    pub fn discard(&self, lane: &str) -> io::Result<()> {
        self.replay().forget_digests();
        let mark = format!("{lane}{STAGED}");
        for entry in fs_err::read_dir(&self.staging).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().trim_start_matches('.').starts_with(&mark) {
                self.custody.forget(|path| path == entry.path());
                fs_err::remove_file(entry.path())?;
            }
        }
        self.remove_scratch(lane)
    }

    /// Removes the scratch folder of a lane, after its outputs were collected.
    pub fn remove_scratch(&self, lane: &str) -> io::Result<()> {
        match fs_err::remove_dir_all(self.lane(lane)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// False if an entry of the staging folder was not there when this process came, and nothing was staged since.
    fn may_be_there(&self, staged: &Path) -> bool {
        let list = || {
            let entries = fs_err::read_dir(&self.staging).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name()).collect()
        };
        staged.file_name().is_some_and(|name| self.replay().may_be_staged(name, list))
    }

    /// Notes that something is staged from now on.
    fn expect_staged(&self) {
        self.replay().end();
    }

    fn replay(&self) -> MutexGuard<'_, Replay> {
        self.replay.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the old content under a second name (hard link) before the new one takes its place. `None` if
    /// there is nothing to keep.
    fn keep_superseded(
        &self,
        name: &str,
        new: impl FnOnce() -> io::Result<String>,
    ) -> io::Result<Option<PathBuf>> {
        let target = self.path(name)?;
        let Some(old) = self.digest(name, None)? else { return Ok(None) };
        if old == new()? {
            return Ok(None);
        }
        let kept = self.folder.join("superseded").join(format!("{name}.{}", &old[..12]));
        self.check_place(&kept)?;
        create_folder(kept.parent().unwrap_or(&self.folder))?;
        match fs_err::hard_link(&target, &kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            // The specification, or the workspace, may be on another disk.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                place_all(&[(kept.clone(), &read(&target)?)])?;
            }
            other => other?,
        }
        Ok(Some(kept))
    }

    /// Checks that a file of the repository is not written through a link that leads out of it.
    fn check_place(&self, file: &Path) -> io::Result<()> {
        let Some(root) = self.root.as_ref().filter(|root| file.starts_with(root)) else { return Ok(()) };
        let folder = file.parent().unwrap_or(root);
        check_folder(root, folder).map(drop).map_err(|error| match error {
            StoreError::Io(error) => error,
            StoreError::Symlink(link) => {
                let cure = format!("remove it: rm {}", shell_word(&link.display().to_string()));
                io::Error::new(io::ErrorKind::InvalidInput, format!("{}; {cure}", StoreError::Symlink(link)))
            }
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        })
    }

    /// Writes files to the paths given by `path` and syncs them, together with the entries of `also`.
    fn write_all(
        &self,
        files: &[(impl AsRef<str>, impl AsRef<[u8]>)],
        path: impl Fn(&str) -> io::Result<PathBuf>,
        also: &[PathBuf],
    ) -> io::Result<Vec<String>> {
        let mut placed = Vec::with_capacity(files.len());
        for (name, bytes) in files {
            placed.push((path(name.as_ref())?, bytes.as_ref()));
        }
        let mut targets = HashSet::new();
        for ((target, _), (name, _)) in placed.iter().zip(files) {
            if !targets.insert(target) {
                return Err(invalid(name.as_ref(), "occurs twice in one batch"));
            }
            self.check_place(target)?;
            create_folder(target.parent().unwrap_or(Path::new(".")))?;
        }
        self.replay().forget_digests();
        place_all(&placed)?;
        self.custody.keep(&placed);
        self.forget_unrestored(placed.iter().map(|(path, _)| path.as_path()));
        sync_folders_of(targets.into_iter().chain(also))?;
        Ok(placed.iter().map(|(_, bytes)| sha256(bytes)).collect())
    }

    /// All in one folder: every new folder costs a write of its own.
    fn staged(&self, lane: &str, name: &str) -> io::Result<PathBuf> {
        let name = check_name(name)?.replace('/', STAGED);
        Ok(self.staging.join(format!("{lane}{STAGED}{name}")))
    }
}

/// Size that an artifact never reaches, in bytes.
const MAX_ARTIFACT_BYTES: u64 = 256 << 20;

/// Separates lane and name, and replaces `/` in a name: it occurs in no name.
const STAGED: &str = "@";

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Content of a file; none if there is no such file.
fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    Ok(plain_file::read(path, Links::Followed, MAX_ARTIFACT_BYTES)?)
}

/// Content of a file that is there.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_if_there(path)?.ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("there is no file {}", path.display()))
    })
}

fn single(digests: Vec<String>) -> String {
    digests.into_iter().next().unwrap_or_default()
}
