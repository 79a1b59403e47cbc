//! `charrette manifest read --implement-tmpdir I [--manifest PATH] [--emit-load-breadcrumb]`: whether a manifest
//! can be trusted, and its paths if so.
//!
//! The exit code is always 0; the answer is in the lines. Nothing is said before everything was checked, and a
//! failure says one token and nothing that stands in the manifest.

use super::artifacts::{
    ARTIFACTS, Artifact, EXPORT_DIR, MANIFEST_FILE, Need, SESSION_ID_KEY, TIMESTAMP_KEY, VERSION, VERSION_KEY,
};
use super::files::{Files, Kind, is_below, is_forbidden, join};
use crate::plumbing::Answer;
use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read as read_flags};

const IMPLEMENT: &str = "--implement-tmpdir";
const MANIFEST: &str = "--manifest";
const BREADCRUMB: &str = "--emit-load-breadcrumb";
const GRAMMAR: Grammar = Grammar {
    flags: &[Flag::Value(IMPLEMENT), Flag::Value(MANIFEST), Flag::Switch(BREADCRUMB)],
    takes_arguments: false,
};

/// What the command says.
pub fn answer(args: &[String], files: &dyn Files) -> Answer {
    match lines(args, files) {
        Ok(lines) => Answer::ok(lines),
        Err(refusal) => Answer::ok(vec!["MANIFEST_FAILED=true".to_owned(), format!("ERROR={refusal}")]),
    }
}

fn lines(args: &[String], files: &dyn Files) -> Result<Vec<String>, Refusal> {
    let (typed, problem) = read_flags(args, GRAMMAR);
    match problem {
        None => {}
        Some(FlagProblem::Unknown(_) | FlagProblem::Argument(_)) => return Err(Refusal::UnknownFlag),
        Some(FlagProblem::NoValue(MANIFEST)) => return Err(Refusal::ManifestNotFound),
        Some(FlagProblem::NoValue(_)) => return Err(Refusal::MissingImplementTmpdir),
    }
    let implement = typed.value(IMPLEMENT).filter(|dir| !dir.is_empty());
    let implement = implement.ok_or(Refusal::MissingImplementTmpdir)?;
    let manifest = load(implement, typed.value(MANIFEST), files)?;

    let mut lines = vec!["MANIFEST_OK=true".to_owned()];
    lines.extend(manifest.paths.iter().map(|(artifact, path)| format!("{}={path}", artifact.key)));
    lines.push(format!("{TIMESTAMP_KEY}={}", manifest.timestamp));
    lines.push(format!("{SESSION_ID_KEY}={}", manifest.session_id));
    if typed.has(BREADCRUMB) {
        let plan = manifest.paths.iter().find(|(artifact, _)| artifact.key == "PLAN_FILE");
        let plan = plan.and_then(|(_, path)| path.rsplit('/').next()).unwrap_or_default();
        lines.push(format!("📥 1: design plan — manifest loaded (plan={plan})"));
    }
    Ok(lines)
}

/// A manifest whose every path was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The artifacts with their canonical paths, in the order of [`ARTIFACTS`].
    pub paths: Vec<(&'static Artifact, String)>,
    /// When it was written.
    pub timestamp: String,
    /// By which session.
    pub session_id: String,
}

/// Reads and checks the manifest of `implement`, or the one at `manifest`.
pub fn load(implement: &str, manifest: Option<&str>, files: &dyn Files) -> Result<Manifest, Refusal> {
    let export_dir = join(implement, EXPORT_DIR);
    let manifest = manifest.map_or_else(|| join(&export_dir, MANIFEST_FILE), str::to_owned);
    match files.kind(&manifest) {
        Kind::File => {}
        Kind::Symlink => return Err(Refusal::SymlinkRejected),
        Kind::Missing | Kind::Directory | Kind::Other => return Err(Refusal::ManifestNotFound),
    }
    match files.kind(&export_dir) {
        Kind::Directory => {}
        Kind::Symlink => return Err(Refusal::SymlinkRejected),
        Kind::Missing | Kind::File | Kind::Other => return Err(Refusal::ExportDirNotFound),
    }
    let export_dir = files.canonical(&export_dir).ok_or(Refusal::InternalError)?;
    let bytes = files.bytes(&manifest).ok_or(Refusal::InternalError)?;
    let text = String::from_utf8(bytes).map_err(|_| Refusal::MalformedLine)?;

    let said = Said::parse(&text)?;
    if said.value(VERSION_KEY) != Some(VERSION) {
        return Err(Refusal::UnsupportedVersion);
    }
    for artifact in ARTIFACTS.iter().filter(|artifact| artifact.need != Need::Nothing) {
        said.value(artifact.key).ok_or(Refusal::Missing(artifact.key))?;
    }
    let timestamp = said.value(TIMESTAMP_KEY).ok_or(Refusal::Missing(TIMESTAMP_KEY))?.to_owned();
    let session_id = said.value(SESSION_ID_KEY).ok_or(Refusal::Missing(SESSION_ID_KEY))?.to_owned();
    let named = ARTIFACTS.iter().filter_map(|artifact| Some((artifact, said.value(artifact.key)?)));
    let checked =
        named.map(|(artifact, path)| Ok((artifact, check_path(artifact, path, &export_dir, files)?)));
    Ok(Manifest { paths: checked.collect::<Result<_, _>>()?, timestamp, session_id })
}

/// The keys that mean something, with what the manifest says of them.
struct Said<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Said<'a> {
    /// Checks line after line; the first bad one decides.
    fn parse(text: &'a str) -> Result<Said<'a>, Refusal> {
        let mut said = Said(Vec::new());
        let body = text.strip_suffix('\n').unwrap_or(text);
        let lines = body.split('\n').take(if text.is_empty() { 0 } else { usize::MAX });
        for line in lines {
            let (key, value) = line.split_once('=').ok_or(Refusal::MalformedLine)?;
            if !is_key(key) {
                return Err(Refusal::InvalidKey);
            }
            if value.contains(is_forbidden) {
                return Err(Refusal::ControlChar);
            }
            let Some(known) = load_bearing(key) else { continue };
            if said.0.iter().any(|(other, _)| *other == key) {
                return Err(Refusal::DuplicateKey(known));
            }
            said.0.push((key, value));
        }
        Ok(said)
    }

    /// The value of a key; an empty one is none.
    fn value(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(name, value)| *name == key && !value.is_empty()).map(|(_, value)| *value)
    }
}

/// `[A-Z][A-Z0-9_]*`
fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn load_bearing(key: &str) -> Option<&'static str> {
    let others = [VERSION_KEY, TIMESTAMP_KEY, SESSION_ID_KEY];
    ARTIFACTS.iter().map(|artifact| artifact.key).chain(others).find(|known| *known == key)
}

fn check_path(
    artifact: &Artifact,
    path: &str,
    export_dir: &str,
    files: &dyn Files,
) -> Result<String, Refusal> {
    if !path.starts_with('/') {
        return Err(Refusal::PathNotAbsolute);
    }
    match files.kind(path) {
        Kind::File => {}
        Kind::Symlink => return Err(Refusal::SymlinkRejected),
        Kind::Missing | Kind::Directory | Kind::Other => return Err(Refusal::PathNotRegular),
    }
    let canonical = files.canonical(path).ok_or(Refusal::InternalError)?;
    if !is_below(&canonical, export_dir) {
        return Err(Refusal::PathEscapedExportDir);
    }
    // A directory on the way may be a link to one whose name breaks the lines of the answer.
    if canonical.contains(is_forbidden) {
        return Err(Refusal::ControlChar);
    }
    if artifact.need == Need::Content && files.size(&canonical).ok_or(Refusal::InternalError)? == 0 {
        return Err(Refusal::RequiredEmpty);
    }
    Ok(canonical)
}

/// Why a manifest is not trusted, in the words scripts know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An argument nobody knows.
    #[error("unknown-flag")]
    UnknownFlag,
    /// The caller's directory was not named.
    #[error("missing-implement-tmpdir")]
    MissingImplementTmpdir,
    /// There is no manifest.
    #[error("manifest-not-found")]
    ManifestNotFound,
    /// There is no export directory.
    #[error("export-dir-not-found")]
    ExportDirNotFound,
    /// A line without `=`, or no text at all.
    #[error("malformed-line")]
    MalformedLine,
    /// A key that cannot be one.
    #[error("invalid-key")]
    InvalidKey,
    /// A control character in a value.
    #[error("control-char")]
    ControlChar,
    /// A key that matters stands there twice.
    #[error("duplicate-key:{0}")]
    DuplicateKey(&'static str),
    /// Another version, or none.
    #[error("unsupported-version")]
    UnsupportedVersion,
    /// A key that must be there is not, or says nothing.
    #[error("missing-{}", .0.to_ascii_lowercase().replace('_', "-"))]
    Missing(&'static str),
    /// A relative path.
    #[error("path-not-absolute")]
    PathNotAbsolute,
    /// A link where a file should be.
    #[error("symlink-rejected")]
    SymlinkRejected,
    /// Not a file.
    #[error("path-not-regular")]
    PathNotRegular,
    /// A file elsewhere.
    #[error("path-escaped-export-dir")]
    PathEscapedExportDir,
    /// A file that must hold something and does not.
    #[error("required-empty")]
    RequiredEmpty,
    /// The disk did not answer.
    #[error("internal-error")]
    InternalError,
}
