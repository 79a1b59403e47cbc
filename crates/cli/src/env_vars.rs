//! The environment: every variable charrette reads, in one place.

#![expect(clippy::disallowed_methods, reason = "this is the place")]

use charrette_model::redact::{Redactor, is_secret};
use charrette_model::stamp::Now;
use charrette_store::workspace::sha256;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
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
/// The program by which git reaches remotes, if the user has chosen one.
const GIT_SSH_COMMAND: &str = "GIT_SSH_COMMAND";
/// The older name of the same.
const GIT_SSH: &str = "GIT_SSH";

/// The key of the tracker.
pub(crate) const LINEAR_API_KEY: &str = "LINEAR_API_KEY";

/// Set to anything, there is no colour.
const NO_COLOR: &str = "NO_COLOR";
/// Set where a machine runs this: nothing on the screen is redrawn.
const CI: &str = "CI";
/// What the terminal understands; `dumb` is next to nothing.
const TERM: &str = "TERM";
/// The editor for answers of several lines.
const VISUAL: &str = "VISUAL";
/// The same, if `VISUAL` is not set.
const EDITOR: &str = "EDITOR";

/// Where a nested design keeps its artifacts.
const DESIGN_TMPDIR: &str = "DESIGN_TMPDIR";
/// Where the run that called it keeps its own.
const IMPLEMENT_TMPDIR: &str = "IMPLEMENT_TMPDIR";
/// Where a nested review keeps its own.
const REVIEW_TMPDIR: &str = "REVIEW_TMPDIR";
/// The session that both belong to.
const SESSION_ID: &str = "SESSION_ID";
/// The file with which a calling run hands values to a nested one. Its folder may hold ledgers.
const SESSION_ENV_PATH: &str = "SESSION_ENV_PATH";
/// The ledger of times, if not in the folder of the run at work.
const CHARRETTE_TIMING_LEDGER: &str = "CHARRETTE_TIMING_LEDGER";
/// Whose times are recorded.
const CHARRETTE_TIMING_SKILL: &str = "CHARRETTE_TIMING_SKILL";
/// The ledger of tokens, if not in the folder of the run at work.
const CHARRETTE_TOKEN_LEDGER: &str = "CHARRETTE_TOKEN_LEDGER";
/// The session that tokens are counted for.
const CHARRETTE_TOKEN_SESSION_ID: &str = "CHARRETTE_TOKEN_SESSION_ID";
/// Where temporary files go, if not in `/tmp`.
const TMPDIR: &str = "TMPDIR";

/// What a calling run hands to a nested one.
#[derive(Debug)]
pub(crate) struct HandedDown {
    pub(crate) design_tmpdir: Option<String>,
    pub(crate) implement_tmpdir: Option<String>,
    pub(crate) session_id: Option<String>,
}

/// The folders and the session that a calling run names. What is not UTF-8 names nothing that exists.
pub(crate) fn handed_down() -> HandedDown {
    HandedDown {
        design_tmpdir: text(DESIGN_TMPDIR),
        implement_tmpdir: text(IMPLEMENT_TMPDIR),
        session_id: text(SESSION_ID),
    }
}

/// Where ledgers are kept.
#[derive(Debug)]
pub(crate) struct Ledgers {
    pub(crate) temp: String,
    pub(crate) implement: Option<String>,
    pub(crate) design: Option<String>,
    pub(crate) review: Option<String>,
    pub(crate) session_env: Option<String>,
    pub(crate) timing_ledger: Option<String>,
    pub(crate) timing_skill: Option<String>,
    pub(crate) token_ledger: Option<String>,
    pub(crate) token_session: Option<String>,
}

/// What is said about ledgers.
pub(crate) fn ledgers() -> Ledgers {
    Ledgers {
        temp: text(TMPDIR).filter(|folder| !folder.is_empty()).unwrap_or_else(|| "/tmp".to_owned()),
        implement: text(IMPLEMENT_TMPDIR),
        design: text(DESIGN_TMPDIR),
        review: text(REVIEW_TMPDIR),
        session_env: text(SESSION_ENV_PATH).filter(|path| !path.is_empty()),
        timing_ledger: text(CHARRETTE_TIMING_LEDGER),
        timing_skill: text(CHARRETTE_TIMING_SKILL).filter(|skill| !skill.is_empty()),
        token_ledger: text(CHARRETTE_TOKEN_LEDGER),
        token_session: text(CHARRETTE_TOKEN_SESSION_ID),
    }
}

/// Where temporary files go.
pub(crate) fn temporary_folder() -> PathBuf {
    PathBuf::from(ledgers().temp)
}

/// Whether the person wants colour, as far as the environment says.
pub(crate) fn wants_color() -> bool {
    is_unset(NO_COLOR) && !terminal_is_dumb()
}

/// Whether what was printed may be redrawn, as far as the environment says.
pub(crate) fn may_redraw() -> bool {
    is_unset(CI) && !terminal_is_dumb()
}

/// The person's editor, as a command.
pub(crate) fn editor() -> String {
    let set = |name| text(name).filter(|command| !command.trim().is_empty());
    set(VISUAL).or_else(|| set(EDITOR)).unwrap_or_else(|| "vi".to_owned())
}

fn terminal_is_dumb() -> bool {
    text(TERM).is_some_and(|term| term == "dumb")
}

fn is_unset(name: &str) -> bool {
    std::env::var_os(name).is_none_or(|value| value.is_empty())
}

/// Takes secrets out of text: those that are in the environment, and those that look like one.
pub(crate) fn redactor() -> Redactor {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_vec());
        is_secret(&name, &value).then_some((name, value))
    });
    Redactor::new(variables)
}

/// A secret, by the name of its variable; none if it is empty.
pub(crate) fn secret(name: &str) -> Option<SecretString> {
    text(name).filter(|value| !value.trim().is_empty()).map(SecretString::from)
}

fn text(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
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

/// Everything there is, for the agents that are started here. What each of them gets is decided there.
pub(crate) fn everything() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
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

/// Whether the user has chosen a program by which git reaches remotes.
pub(crate) fn git_ssh_is_chosen() -> bool {
    std::env::var_os(GIT_SSH_COMMAND).is_some() || std::env::var_os(GIT_SSH).is_some()
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
