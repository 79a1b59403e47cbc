//! `charrette manifest write --design-tmpdir D --implement-tmpdir I`: plans the export and the manifest's
//! text.
//!
//! [`plan`] decides everything before anything is written. The binary then stages the copies and the manifest
//! in a directory beside the export directory, removes the old manifest, moves the artifacts and moves the
//! manifest last: until the swap the old bundle is whole, and a manifest never names a missing file.

use super::artifacts::{
    ARTIFACTS, ArtifactRule, EXPORT_DIR, MANIFEST_FILE, ManifestArtifact, SESSION_ID_KEY, TIMESTAMP_KEY,
    VERSION, VERSION_KEY,
};
use super::files::{FileSystem, PathKind, is_below, is_forbidden, join};
use crate::escape::printable;
use crate::plumbing::CommandAnswer;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};
use jiff::Timestamp;
use std::fmt::Write;

const DESIGN: &str = "--design-tmpdir";
const IMPLEMENT: &str = "--implement-tmpdir";
const GRAMMAR: FlagGrammar =
    FlagGrammar { flags: &[Flag::Value(DESIGN), Flag::Value(IMPLEMENT)], takes_arguments: false };

/// Environment variables that stand in for missing arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct ManifestEnvironment<'a> {
    /// `DESIGN_TMPDIR`.
    pub design_tmpdir: Option<&'a str>,
    /// `IMPLEMENT_TMPDIR`.
    pub implement_tmpdir: Option<&'a str>,
    /// `SESSION_ID`.
    pub session_id: Option<&'a str>,
}

/// The planned export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportBundle {
    /// Canonical export directory.
    pub export_dir: String,
    /// Path of the manifest in it.
    pub manifest_path: String,
    /// Text of the manifest.
    pub manifest: String,
    /// Files to copy: source path, and name in the export directory.
    pub copies: Vec<(String, &'static str)>,
}

/// Lines and exit code of the command.
pub fn answer(result: Result<&ExportBundle, &WriteError>) -> CommandAnswer {
    match result {
        Ok(bundle) => CommandAnswer::ok(vec![format!("MANIFEST_WRITTEN={}", bundle.manifest_path)]),
        Err(error) => CommandAnswer::failure(error.code(), format!("ERROR={error}")),
    }
}

/// Plans the export from the arguments and the files on disk.
pub fn plan(
    args: &[String],
    environment: ManifestEnvironment<'_>,
    now: Timestamp,
    files: &dyn FileSystem,
) -> Result<ExportBundle, WriteError> {
    let (design, implement) = directories(args, environment)?;
    let design_dir = canonical_dir(design, DESIGN, files)?;
    let implement_dir = canonical_dir(implement, IMPLEMENT, files)?;
    let export_dir = join(&implement_dir, EXPORT_DIR);
    if !matches!(files.kind(&export_dir), PathKind::Missing | PathKind::Directory) {
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
    Ok(ExportBundle { manifest_path: join(&export_dir, MANIFEST_FILE), export_dir, manifest, copies })
}

fn directories<'a>(
    args: &'a [String],
    environment: ManifestEnvironment<'a>,
) -> Result<(&'a str, &'a str), WriteError> {
    let (typed, problem) = parse_flags(args, GRAMMAR);
    match problem {
        None => {}
        Some(FlagError::Unknown(word) | FlagError::Argument(word)) => {
            return Err(WriteError::UnknownFlag(word.to_owned()));
        }
        Some(FlagError::NoValue(flag)) => return Err(WriteError::NoValue(flag)),
    }
    let given = |flag, fallback: Option<&'a str>| {
        let typed_value = typed.value(flag).filter(|value| !value.is_empty());
        typed_value.or(fallback.filter(|value| !value.is_empty())).ok_or(WriteError::Required(flag))
    };
    Ok((given(DESIGN, environment.design_tmpdir)?, given(IMPLEMENT, environment.implement_tmpdir)?))
}

fn canonical_dir(path: &str, flag: &'static str, files: &dyn FileSystem) -> Result<String, WriteError> {
    let canonical = files.canonical(path).filter(|path| files.kind(path) == PathKind::Directory);
    let canonical = canonical.ok_or_else(|| WriteError::NotADirectory { flag, path: path.to_owned() })?;
    if canonical.contains(is_forbidden) {
        return Err(WriteError::ControlCharacter(canonical));
    }
    Ok(canonical)
}

/// Canonical path of an artifact to export; `None` if it is missing and optional.
fn source(
    artifact: &ManifestArtifact,
    design_dir: &str,
    files: &dyn FileSystem,
) -> Result<Option<String>, WriteError> {
    let file = artifact.file;
    let path = join(design_dir, file);
    match files.kind(&path) {
        PathKind::File => {}
        PathKind::Missing if artifact.requirement == ArtifactRule::Optional => return Ok(None),
        PathKind::Missing => return Err(WriteError::Missing(file)),
        PathKind::Symlink => return Err(WriteError::Symlink(file)),
        PathKind::Directory | PathKind::Other => return Err(WriteError::NotRegular(file)),
    }
    let canonical = files.canonical(&path).ok_or(WriteError::Missing(file))?;
    if !is_below(&canonical, design_dir) {
        return Err(WriteError::Outside(file));
    }
    if artifact.requirement == ArtifactRule::NonEmpty && files.size(&canonical).unwrap_or(0) == 0 {
        return Err(WriteError::Empty(file));
    }
    Ok(Some(canonical))
}

/// The session id from the environment, else from the file beside the export, else the directory's own name.
fn session_id(
    given: Option<&str>,
    implement_dir: &str,
    files: &dyn FileSystem,
) -> Result<String, WriteError> {
    let written = || {
        let path = join(implement_dir, "session-id");
        let bytes = (files.kind(&path) == PathKind::File).then(|| files.bytes(&path)).flatten()?;
        let text = String::from_utf8(bytes).ok()?.replace(['\r', '\n'], "");
        (!text.is_empty()).then_some(text)
    };
    let given = given.filter(|id| !id.is_empty()).map(str::to_owned);
    let named = || implement_dir.rsplit('/').next().unwrap_or_default().to_owned();
    let id = given.or_else(written).unwrap_or_else(named).replace(char::is_control, "");
    if id.is_empty() { Err(WriteError::NoSessionId) } else { Ok(id) }
}

/// Reason nothing was exported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("usage: unknown flag: {}", printable(.0))]
    UnknownFlag(String),
    #[error("usage: {0} requires a value")]
    NoValue(&'static str),
    /// A directory named neither by the arguments nor by the environment.
    #[error("usage: {0} is required")]
    Required(&'static str),
    #[error("{flag} is not a directory: {}", printable(.path))]
    NotADirectory { flag: &'static str, path: String },
    /// A path that would break the manifest's lines.
    #[error("control character in path: {}", printable(.0))]
    ControlCharacter(String),
    /// The export directory is something else.
    #[error("export directory is not a directory: {}", printable(.0))]
    ExportDir(String),
    #[error("required artifact missing: {0}")]
    Missing(&'static str),
    #[error("artifact is a symlink: {0}")]
    Symlink(&'static str),
    #[error("artifact is not a regular file: {0}")]
    NotRegular(&'static str),
    #[error("artifact is outside the design directory: {0}")]
    Outside(&'static str),
    #[error("required artifact is empty: {0}")]
    Empty(&'static str),
    #[error("no usable session id")]
    NoSessionId,
    /// Copying or moving failed, with the system's message.
    #[error("export failed: {}", printable(.0))]
    Failed(String),
}

impl WriteError {
    /// Exit code: 2 for wrong usage, 1 for errors about the files.
    pub fn code(&self) -> u8 {
        match self {
            WriteError::UnknownFlag(_) | WriteError::NoValue(_) | WriteError::Required(_) => 2,
            _ => 1,
        }
    }
}
