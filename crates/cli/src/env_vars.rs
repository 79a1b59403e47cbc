//! The environment: every variable charrette reads, in one place.

#![expect(clippy::disallowed_methods, reason = "this is the place")]

use charrette_model::stamp::Now;
use charrette_store::workspace::sha256;
use std::ffi::OsString;
use std::path::PathBuf;

/// Freezes the time that is written into documents, so that output can be compared byte by byte.
pub(crate) const CHARRETTE_NOW: &str = "CHARRETTE_NOW";
/// A configuration file that is laid over the repository's and the user's.
pub(crate) const CHARRETTE_CONFIG: &str = "CHARRETTE_CONFIG";
/// Makes ids reproducible, so that output can be compared byte by byte.
const CHARRETTE_SEED: &str = "CHARRETTE_SEED";
/// Where programs keep what they remember, if not in `~/.local/state`.
const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// Where the user's configuration lives, if not in `~/.config`.
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The user's home.
const HOME: &str = "HOME";
/// Set where git is told that the repository is somewhere unusual; git is then asked instead of read.
const GIT_DIR: &str = "GIT_DIR";
/// As `GIT_DIR`, for the work tree.
const GIT_WORK_TREE: &str = "GIT_WORK_TREE";

/// Where a nested design keeps its artifacts.
const DESIGN_TMPDIR: &str = "DESIGN_TMPDIR";
/// Where the run that called it keeps its own.
const IMPLEMENT_TMPDIR: &str = "IMPLEMENT_TMPDIR";
/// The session that both belong to.
const SESSION_ID: &str = "SESSION_ID";

/// What a calling run hands to a nested one.
#[derive(Debug)]
pub(crate) struct HandedDown {
    pub(crate) design_tmpdir: Option<String>,
    pub(crate) implement_tmpdir: Option<String>,
    pub(crate) session_id: Option<String>,
}

/// The folders and the session that a calling run names. What is not UTF-8 names nothing that exists.
pub(crate) fn handed_down() -> HandedDown {
    let text = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    HandedDown {
        design_tmpdir: text(DESIGN_TMPDIR),
        implement_tmpdir: text(IMPLEMENT_TMPDIR),
        session_id: text(SESSION_ID),
    }
}

/// The frozen time, if any.
pub(crate) fn now() -> Option<OsString> {
    std::env::var_os(CHARRETTE_NOW).filter(|text| !text.is_empty())
}

/// The extra configuration file, if any.
pub(crate) fn config_file() -> Option<PathBuf> {
    std::env::var_os(CHARRETTE_CONFIG).filter(|text| !text.is_empty()).map(PathBuf::from)
}

/// The user's configuration file, whether it exists or not.
pub(crate) fn user_config_file() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute(XDG_CONFIG_HOME).or_else(|| Some(absolute(HOME)?.join(".config")))?;
    Some(folder.join("charrette").join("charrette.toml"))
}

/// Where the user keeps what programs remember, whether it exists or not.
pub(crate) fn user_state_folder() -> Option<PathBuf> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute(XDG_STATE_HOME).or_else(|| Some(absolute(HOME)?.join(".local").join("state")))?;
    Some(folder.join("charrette"))
}

/// A UUID v7 for a run: unique, unless a seed makes it reproducible.
pub(crate) fn run_id(now: Now, name: &str) -> String {
    let millis = u64::try_from(now.at().as_millisecond()).unwrap_or_default();
    let mut random = [0; 10];
    match std::env::var_os(CHARRETTE_SEED) {
        Some(seed) => {
            let digest = sha256(format!("{}/{name}", seed.to_string_lossy()).as_bytes());
            random.copy_from_slice(&digest.as_bytes()[..10]);
        }
        None => random.copy_from_slice(&uuid::Uuid::new_v4().as_bytes()[..10]),
    }
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string()
}

/// Whether git is told where the repository is.
pub(crate) fn git_is_redirected() -> bool {
    std::env::var_os(GIT_DIR).is_some() || std::env::var_os(GIT_WORK_TREE).is_some()
}

/// The command line, for locks and history.
pub(crate) fn command_line() -> String {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut line = format!("charrette {}", words.join(" "));
    if let Some((cut, _)) = line.char_indices().nth(200) {
        line.truncate(cut);
    }
    line
}
