//! Contents of `active.json`.

use super::process::is_alive;
use crate::repository::Repository;
use serde::{Deserialize, Serialize};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Version of the format. A file of another version is not used.
pub const ACTIVE_VERSION: u32 = 1;

/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 256 << 10;

/// The state folder in which hooks look, whatever `paths.state` says.
const FOLDER: &str = ".claude/state";
const FILE: &str = "active.json";

/// All runs that are driven or waiting. The settings come first, so that they survive in a torn file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    pub version: u32,
    #[serde(default)]
    pub hooks: HookSettings,
    /// Main branch of the repository; none if it is not known.
    #[serde(default)]
    pub main_branch: Option<String>,
    #[serde(default)]
    pub runs: Vec<ActiveRun>,
}

/// The `[hooks]` settings, so that hooks read no configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookSettings {
    pub on_error: ReactionToErrors,
    /// True if dangerous commands are denied to sessions.
    pub danger: bool,
    /// True if files with secrets are denied to sessions.
    pub secrets: bool,
}

impl Default for HookSettings {
    fn default() -> HookSettings {
        HookSettings { on_error: ReactionToErrors::Open, danger: true, secrets: true }
    }
}

/// Meaning of a hook that fails inside a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReactionToErrors {
    /// The action is allowed.
    #[default]
    Open,
    /// The action is denied.
    Closed,
}

/// A run that is driven or waiting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveRun {
    pub id: String,
    /// Name of its document without the extension: `design-add-login`.
    pub document: String,
    pub command: String,
    #[serde(default)]
    pub feature: Option<String>,
    /// Root of its work tree, absolute.
    pub root: PathBuf,
    /// Folder of its document, absolute.
    pub state: PathBuf,
    /// Folder of its artifacts, absolute.
    #[serde(default)]
    pub workspace: Option<PathBuf>,
    /// Phase that is being driven.
    #[serde(default)]
    pub phase: Option<String>,
    /// Rights of the seats of that phase.
    #[serde(default)]
    pub rights: Rights,
    /// Branch of the work tree.
    #[serde(default)]
    pub branch: Option<String>,
    /// Process that drives it; none while it waits without one.
    #[serde(default)]
    pub driver: Option<DriverProcess>,
    /// Gates that wait for a person.
    #[serde(default)]
    pub waits: Vec<String>,
}

impl ActiveRun {
    /// True if its driver is alive.
    pub fn is_driven(&self) -> bool {
        self.driver.as_ref().is_some_and(|driver| is_alive(driver.pid, driver.start.as_deref()))
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rights {
    #[default]
    ReadOnly,
    /// In work trees of their own.
    Write,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverProcess {
    pub pid: u32,
    /// Start of the process, so that another one with the same id is not taken for it.
    #[serde(default)]
    pub start: Option<String>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("it is larger than {MAX_BYTES} bytes")]
    TooLarge,
    #[error("{reason}")]
    Torn {
        reason: String,
        /// `hooks.on_error` as far as it can be made out.
        on_error: ReactionToErrors,
    },
    #[error("its version is {0}, not {ACTIVE_VERSION}")]
    Version(u32, ReactionToErrors),
}

impl FileProblem {
    /// `hooks.on_error`, as far as the file tells it.
    pub fn on_error(&self) -> ReactionToErrors {
        match self {
            FileProblem::Torn { on_error, .. } | FileProblem::Version(_, on_error) => *on_error,
            FileProblem::Io(_) | FileProblem::TooLarge => ReactionToErrors::Open,
        }
    }
}

/// The folder of `active.json`: below the main checkout, also for a linked work tree.
pub fn active_folder(repository: Option<&Repository>, root: &Path) -> PathBuf {
    main_checkout(repository, root).join(FOLDER)
}

pub(super) fn main_checkout(repository: Option<&Repository>, root: &Path) -> PathBuf {
    let Some(repository) = repository else { return root.to_owned() };
    let common = repository.common_dir();
    if common == repository.git_dir() {
        return repository.work_tree.clone();
    }
    // Of a linked work tree; the path may have `..` in it.
    let main = common.canonicalize().ok().filter(|common| common.ends_with(".git"));
    let main = main.and_then(|common| common.parent().map(Path::to_owned));
    main.unwrap_or_else(|| repository.work_tree.clone())
}

pub(super) const RELATIVE_FOLDER: &str = FOLDER;

/// The file in that folder.
pub fn active_path(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Reads the file; none if there is none. A torn read is tried once more.
pub fn read_active(folder: &Path) -> Result<Option<Active>, FileProblem> {
    let path = active_path(folder);
    match read_once(&path) {
        Err(FileProblem::Torn { .. } | FileProblem::Io(_)) => read_once(&path),
        other => other,
    }
}

fn read_once(path: &Path) -> Result<Option<Active>, FileProblem> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = std::fs::File::options();
    let file = match options.read(true).custom_flags(flags.bits().cast_signed()).open(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        other => other?,
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(FileProblem::TooLarge);
    }
    match serde_json::from_slice::<Active>(&bytes) {
        Ok(active) if active.version == ACTIVE_VERSION => Ok(Some(active)),
        Ok(active) => Err(FileProblem::Version(active.version, active.hooks.on_error)),
        Err(error) => {
            // The settings are at the beginning.
            let text = String::from_utf8_lossy(&bytes).replace([' ', '\n'], "");
            let is_closed = text.contains("\"on_error\":\"closed\"");
            let on_error = if is_closed { ReactionToErrors::Closed } else { ReactionToErrors::Open };
            Err(FileProblem::Torn { reason: error.to_string(), on_error })
        }
    }
}
