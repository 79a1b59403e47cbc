//! `charrette manifest read --implement-tmpdir I [--manifest PATH] [--emit-load-breadcrumb]`: validates a
//! manifest and prints its paths.
//!
//! The exit code is always 0; the result is in the lines. Nothing is printed before everything was checked,
//! and a failure prints one token and nothing from the manifest.

use super::artifacts::{
    ARTIFACTS, ArtifactRule, EXPORT_DIR, MANIFEST_FILE, ManifestArtifact, SESSION_ID_KEY, TIMESTAMP_KEY,
    VERSION, VERSION_KEY,
};
use super::files::{FileSystem, PathKind, is_below, is_forbidden, join};
use crate::plumbing::CommandAnswer;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};

const IMPLEMENT: &str = "--implement-tmpdir";
const MANIFEST: &str = "--manifest";
const BREADCRUMB: &str = "--emit-load-breadcrumb";
const GRAMMAR: FlagGrammar = FlagGrammar {
    flags: &[Flag::Value(IMPLEMENT), Flag::Value(MANIFEST), Flag::Switch(BREADCRUMB)],
    takes_arguments: false,
};

/// Lines of the command.
pub fn answer(args: &[String], files: &dyn FileSystem) -> CommandAnswer {
    match lines(args, files) {
        Ok(lines) => CommandAnswer::ok(lines),
        Err(error) => CommandAnswer::ok(vec!["MANIFEST_FAILED=true".to_owned(), format!("ERROR={error}")]),
    }
}

fn lines(args: &[String], files: &dyn FileSystem) -> Result<Vec<String>, ManifestReadError> {
    let (typed, problem) = parse_flags(args, GRAMMAR);
    match problem {
        None => {}
        Some(FlagError::Unknown(_) | FlagError::Argument(_)) => return Err(ManifestReadError::UnknownFlag),
        Some(FlagError::NoValue(MANIFEST)) => return Err(ManifestReadError::ManifestNotFound),
        Some(FlagError::NoValue(_)) => return Err(ManifestReadError::MissingImplementTmpdir),
    }
    let implement = typed.value(IMPLEMENT).filter(|dir| !dir.is_empty());
    let implement = implement.ok_or(ManifestReadError::MissingImplementTmpdir)?;
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

/// A validated manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignManifest {
    /// Artifacts with their canonical paths, in the order of [`ARTIFACTS`].
    pub paths: Vec<(&'static ManifestArtifact, String)>,
    /// Time of writing.
    pub timestamp: String,
    /// Session id of the writer.
    pub session_id: String,
}

/// Reads and validates the manifest of `implement`, or the one at `manifest`.
pub fn load(
    implement: &str,
    manifest: Option<&str>,
    files: &dyn FileSystem,
) -> Result<DesignManifest, ManifestReadError> {
    let export_dir = join(implement, EXPORT_DIR);
    let manifest = manifest.map_or_else(|| join(&export_dir, MANIFEST_FILE), str::to_owned);
    match files.kind(&manifest) {
        PathKind::File => {}
        PathKind::Symlink => return Err(ManifestReadError::SymlinkRejected),
        PathKind::Missing | PathKind::Directory | PathKind::Other => {
            return Err(ManifestReadError::ManifestNotFound);
        }
    }
    match files.kind(&export_dir) {
        PathKind::Directory => {}
        PathKind::Symlink => return Err(ManifestReadError::SymlinkRejected),
        PathKind::Missing | PathKind::File | PathKind::Other => {
            return Err(ManifestReadError::ExportDirNotFound);
        }
    }
    let export_dir = files.canonical(&export_dir).ok_or(ManifestReadError::InternalError)?;
    let bytes = files.bytes(&manifest).ok_or(ManifestReadError::InternalError)?;
    let text = String::from_utf8(bytes).map_err(|_| ManifestReadError::MalformedLine)?;

    let values = ManifestValues::parse(&text)?;
    if values.value(VERSION_KEY) != Some(VERSION) {
        return Err(ManifestReadError::UnsupportedVersion);
    }
    for artifact in ARTIFACTS.iter().filter(|artifact| artifact.requirement != ArtifactRule::Optional) {
        values.value(artifact.key).ok_or(ManifestReadError::Missing(artifact.key))?;
    }
    let timestamp = values.value(TIMESTAMP_KEY).ok_or(ManifestReadError::Missing(TIMESTAMP_KEY))?.to_owned();
    let session_id =
        values.value(SESSION_ID_KEY).ok_or(ManifestReadError::Missing(SESSION_ID_KEY))?.to_owned();
    let named = ARTIFACTS.iter().filter_map(|artifact| Some((artifact, values.value(artifact.key)?)));
    let checked =
        named.map(|(artifact, path)| Ok((artifact, check_path(artifact, path, &export_dir, files)?)));
    Ok(DesignManifest { paths: checked.collect::<Result<_, _>>()?, timestamp, session_id })
}

/// Values of the known keys.
struct ManifestValues<'a>(Vec<(&'a str, &'a str)>);

impl<'a> ManifestValues<'a> {
    /// Parses line by line; the first bad line decides.
    fn parse(text: &'a str) -> Result<ManifestValues<'a>, ManifestReadError> {
        let mut values = ManifestValues(Vec::new());
        let body = text.strip_suffix('\n').unwrap_or(text);
        let lines = body.split('\n').take(if text.is_empty() { 0 } else { usize::MAX });
        for line in lines {
            let (key, value) = line.split_once('=').ok_or(ManifestReadError::MalformedLine)?;
            if !is_key(key) {
                return Err(ManifestReadError::InvalidKey);
            }
            if value.contains(is_forbidden) {
                return Err(ManifestReadError::ControlChar);
            }
            let Some(known) = known_key(key) else { continue };
            if values.0.iter().any(|(other, _)| *other == key) {
                return Err(ManifestReadError::DuplicateKey(known));
            }
            values.0.push((key, value));
        }
        Ok(values)
    }

    /// The value of a key; an empty one counts as absent.
    fn value(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(name, value)| *name == key && !value.is_empty()).map(|(_, value)| *value)
    }
}

/// `[A-Z][A-Z0-9_]*`
fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

fn known_key(key: &str) -> Option<&'static str> {
    let others = [VERSION_KEY, TIMESTAMP_KEY, SESSION_ID_KEY];
    ARTIFACTS.iter().map(|artifact| artifact.key).chain(others).find(|known| *known == key)
}

fn check_path(
    artifact: &ManifestArtifact,
    path: &str,
    export_dir: &str,
    files: &dyn FileSystem,
) -> Result<String, ManifestReadError> {
    if !path.starts_with('/') {
        return Err(ManifestReadError::PathNotAbsolute);
    }
    match files.kind(path) {
        PathKind::File => {}
        PathKind::Symlink => return Err(ManifestReadError::SymlinkRejected),
        PathKind::Missing | PathKind::Directory | PathKind::Other => {
            return Err(ManifestReadError::PathNotRegular);
        }
    }
    let canonical = files.canonical(path).ok_or(ManifestReadError::InternalError)?;
    if !is_below(&canonical, export_dir) {
        return Err(ManifestReadError::PathEscapedExportDir);
    }
    // A directory on the way may be a link to one whose name breaks the lines of the answer.
    if canonical.contains(is_forbidden) {
        return Err(ManifestReadError::ControlChar);
    }
    if artifact.requirement == ArtifactRule::NonEmpty
        && files.size(&canonical).ok_or(ManifestReadError::InternalError)? == 0
    {
        return Err(ManifestReadError::RequiredEmpty);
    }
    Ok(canonical)
}

/// Reason a manifest is rejected, as the tokens that scripts know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ManifestReadError {
    #[error("unknown-flag")]
    UnknownFlag,
    #[error("missing-implement-tmpdir")]
    MissingImplementTmpdir,
    #[error("manifest-not-found")]
    ManifestNotFound,
    #[error("export-dir-not-found")]
    ExportDirNotFound,
    /// A line without `=`, or text that is not UTF-8.
    #[error("malformed-line")]
    MalformedLine,
    #[error("invalid-key")]
    InvalidKey,
    /// A control character in a value.
    #[error("control-char")]
    ControlChar,
    /// A known key occurs twice.
    #[error("duplicate-key:{0}")]
    DuplicateKey(&'static str),
    /// Another version, or none.
    #[error("unsupported-version")]
    UnsupportedVersion,
    /// A required key is missing or empty.
    #[error("missing-{}", .0.to_ascii_lowercase().replace('_', "-"))]
    Missing(&'static str),
    #[error("path-not-absolute")]
    PathNotAbsolute,
    #[error("symlink-rejected")]
    SymlinkRejected,
    /// Not a regular file.
    #[error("path-not-regular")]
    PathNotRegular,
    /// A path outside the export directory.
    #[error("path-escaped-export-dir")]
    PathEscapedExportDir,
    /// A required artifact is empty.
    #[error("required-empty")]
    RequiredEmpty,
    /// The file system failed.
    #[error("internal-error")]
    InternalError,
}
