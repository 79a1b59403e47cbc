//! `charrette manifest write --design-tmpdir D --implement-tmpdir I`: which files are exported and what the
//! manifest says about them.
//!
//! [`plan`] decides everything before anything is written. The binary then stages the copies and the manifest
//! in a directory beside the export directory, removes the old manifest, moves the artifacts and moves the
//! manifest last: until the swap the old bundle is whole, and a manifest never names a file that is not there.

use super::artifacts::{
    ARTIFACTS, Artifact, EXPORT_DIR, MANIFEST_FILE, Need, SESSION_ID_KEY, TIMESTAMP_KEY, VERSION, VERSION_KEY,
};
use super::files::{Files, Kind, is_below, is_forbidden, join};
use crate::plumbing::Answer;
use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};
use crate::shown::shown;
use jiff::Timestamp;
use std::fmt::Write;

const DESIGN: &str = "--design-tmpdir";
const IMPLEMENT: &str = "--implement-tmpdir";
const GRAMMAR: Grammar =
    Grammar { flags: &[Flag::Value(DESIGN), Flag::Value(IMPLEMENT)], takes_arguments: false };

/// What the environment says where the arguments do not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment<'a> {
    /// `DESIGN_TMPDIR`.
    pub design_tmpdir: Option<&'a str>,
    /// `IMPLEMENT_TMPDIR`.
    pub implement_tmpdir: Option<&'a str>,
    /// `SESSION_ID`.
    pub session_id: Option<&'a str>,
}

/// What is to be exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The directory it goes to, canonical.
    pub export_dir: String,
    /// The manifest's place there.
    pub manifest_path: String,
    /// The manifest's text.
    pub manifest: String,
    /// The files to copy: from, and the name in the export directory.
    pub copies: Vec<(String, &'static str)>,
}

/// What the command says.
pub fn answer(result: Result<&Bundle, &WriteError>) -> Answer {
    match result {
        Ok(bundle) => Answer::ok(vec![format!("MANIFEST_WRITTEN={}", bundle.manifest_path)]),
        Err(error) => Answer::refused(error.code(), format!("ERROR={error}")),
    }
}

/// Decides what is exported, from the arguments and the files as they are.
pub fn plan(
    args: &[String],
    environment: Environment<'_>,
    now: Timestamp,
    files: &dyn Files,
) -> Result<Bundle, WriteError> {
    let (design, implement) = directories(args, environment)?;
    let design_dir = canonical_dir(design, DESIGN, files)?;
    let implement_dir = canonical_dir(implement, IMPLEMENT, files)?;
    let export_dir = join(&implement_dir, EXPORT_DIR);
    if !matches!(files.kind(&export_dir), Kind::Missing | Kind::Directory) {
        return Err(WriteError::ExportDir(export_dir));
    }
    let mut manifest = format!("{VERSION_KEY}={VERSION}\n");
    let mut copies = Vec::new();
    for artifact in &ARTIFACTS {
        let Some(source) = source(artifact, &design_dir, files)? else { continue };
        // Writing to a String cannot fail.
        let _ = writeln!(manifest, "{}={}", artifact.key, join(&export_dir, artifact.file));
        copies.push((source, artifact.file));
    }
    let session_id = session_id(environment.session_id, &implement_dir, files)?;
    let _ = writeln!(manifest, "{TIMESTAMP_KEY}={}", now.strftime("%Y-%m-%dT%H:%M:%SZ"));
    let _ = writeln!(manifest, "{SESSION_ID_KEY}={session_id}");
    Ok(Bundle { manifest_path: join(&export_dir, MANIFEST_FILE), export_dir, manifest, copies })
}

fn directories<'a>(
    args: &'a [String],
    environment: Environment<'a>,
) -> Result<(&'a str, &'a str), WriteError> {
    let (typed, problem) = read(args, GRAMMAR);
    match problem {
        None => {}
        Some(FlagProblem::Unknown(word) | FlagProblem::Argument(word)) => {
            return Err(WriteError::UnknownFlag(word.to_owned()));
        }
        Some(FlagProblem::NoValue(flag)) => return Err(WriteError::NoValue(flag)),
    }
    let given = |flag, fallback: Option<&'a str>| {
        let said = typed.value(flag).filter(|value| !value.is_empty());
        said.or(fallback.filter(|value| !value.is_empty())).ok_or(WriteError::Required(flag))
    };
    Ok((given(DESIGN, environment.design_tmpdir)?, given(IMPLEMENT, environment.implement_tmpdir)?))
}

fn canonical_dir(path: &str, flag: &'static str, files: &dyn Files) -> Result<String, WriteError> {
    let canonical = files.canonical(path).filter(|path| files.kind(path) == Kind::Directory);
    let canonical = canonical.ok_or_else(|| WriteError::NotADirectory { flag, path: path.to_owned() })?;
    if canonical.contains(is_forbidden) {
        return Err(WriteError::ControlCharacter(canonical));
    }
    Ok(canonical)
}

/// The canonical path of an artifact that may be exported; `None` if it is not there and need not be.
fn source(artifact: &Artifact, design_dir: &str, files: &dyn Files) -> Result<Option<String>, WriteError> {
    let file = artifact.file;
    let path = join(design_dir, file);
    match files.kind(&path) {
        Kind::File => {}
        Kind::Missing if artifact.need == Need::Nothing => return Ok(None),
        Kind::Missing => return Err(WriteError::Missing(file)),
        Kind::Symlink => return Err(WriteError::Symlink(file)),
        Kind::Directory | Kind::Other => return Err(WriteError::NotRegular(file)),
    }
    let canonical = files.canonical(&path).ok_or(WriteError::Missing(file))?;
    if !is_below(&canonical, design_dir) {
        return Err(WriteError::Outside(file));
    }
    if artifact.need == Need::Content && files.size(&canonical).unwrap_or(0) == 0 {
        return Err(WriteError::Empty(file));
    }
    Ok(Some(canonical))
}

/// From the environment, else from the file beside the export, else the directory's own name.
fn session_id(given: Option<&str>, implement_dir: &str, files: &dyn Files) -> Result<String, WriteError> {
    let written = || {
        let path = join(implement_dir, "session-id");
        let bytes = (files.kind(&path) == Kind::File).then(|| files.bytes(&path)).flatten()?;
        let text = String::from_utf8(bytes).ok()?.replace(['\r', '\n'], "");
        (!text.is_empty()).then_some(text)
    };
    let given = given.filter(|id| !id.is_empty()).map(str::to_owned);
    let named = || implement_dir.rsplit('/').next().unwrap_or_default().to_owned();
    let id = given.or_else(written).unwrap_or_else(named).replace(char::is_control, "");
    if id.is_empty() { Err(WriteError::NoSessionId) } else { Ok(id) }
}

/// Why nothing was exported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// An argument nobody knows.
    #[error("usage: unknown flag: {}", shown(.0))]
    UnknownFlag(String),
    /// A flag without its value.
    #[error("usage: {0} requires a value")]
    NoValue(&'static str),
    /// A directory neither the arguments nor the environment name.
    #[error("usage: {0} is required")]
    Required(&'static str),
    /// A directory that is none.
    #[error("{flag} is not a directory: {}", shown(.path))]
    NotADirectory {
        /// The flag.
        flag: &'static str,
        /// Its value.
        path: String,
    },
    /// A path that would break the manifest's lines.
    #[error("control character in path: {}", shown(.0))]
    ControlCharacter(String),
    /// The export directory is something else.
    #[error("export directory is not a directory: {}", shown(.0))]
    ExportDir(String),
    /// A required artifact is not there.
    #[error("required artifact missing: {0}")]
    Missing(&'static str),
    /// An artifact is a link.
    #[error("artifact is a symlink: {0}")]
    Symlink(&'static str),
    /// An artifact is no file.
    #[error("artifact is not a regular file: {0}")]
    NotRegular(&'static str),
    /// An artifact lies elsewhere.
    #[error("artifact is outside the design directory: {0}")]
    Outside(&'static str),
    /// A required artifact is empty.
    #[error("required artifact is empty: {0}")]
    Empty(&'static str),
    /// Nothing says which session this is.
    #[error("no usable session id")]
    NoSessionId,
    /// Copying or moving failed; what the system said.
    #[error("export failed: {}", shown(.0))]
    Failed(String),
}

impl WriteError {
    /// 2 for wrong usage, 1 for everything about the files.
    pub fn code(&self) -> u8 {
        match self {
            WriteError::UnknownFlag(_) | WriteError::NoValue(_) | WriteError::Required(_) => 2,
            _ => 1,
        }
    }
}
