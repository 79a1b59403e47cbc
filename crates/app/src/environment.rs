//! What a face knows about the process it runs in: the environment, the folder, the command line. Libraries read none of it
//! themselves; every variable that means something to charrette is listed here.

use charrette_model::redact::{Redactor, is_secret};
use charrette_model::stamp::Now;
use charrette_store::workspace::sha256;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Freezes the time that is written into documents, so that output can be compared byte by byte.
pub const CHARRETTE_NOW: &str = "CHARRETTE_NOW";
/// A configuration file that is laid over the repository's and the user's.
pub const CHARRETTE_CONFIG: &str = "CHARRETTE_CONFIG";
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
pub const LINEAR_API_KEY: &str = "LINEAR_API_KEY";
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

/// The process a face runs in.
#[derive(Clone, Default)]
pub struct Environment {
    /// The environment.
    pub variables: BTreeMap<OsString, OsString>,
    /// The folder it was started in, or told to work in.
    pub folder: PathBuf,
    /// What was typed, for locks and history.
    pub command_line: String,
    /// Our own program, to start workers with.
    pub program: Option<PathBuf>,
}

/// What a calling run hands to a nested one.
#[derive(Debug, Clone)]
pub struct HandedDown {
    /// Where the nested run keeps its artifacts.
    pub design_tmpdir: Option<String>,
    /// Where the caller keeps its own.
    pub implement_tmpdir: Option<String>,
    /// The session both belong to.
    pub session_id: Option<String>,
}

/// Where ledgers are kept.
#[derive(Debug, Clone)]
pub struct LedgerPlaces {
    /// Where temporary files go.
    pub temp: String,
    /// The folder of an implementation at work.
    pub implement: Option<String>,
    /// The folder of a design at work.
    pub design: Option<String>,
    /// The folder of a review at work.
    pub review: Option<String>,
    /// The file with which a caller hands values over.
    pub session_env: Option<String>,
    /// The ledger of times.
    pub timing_ledger: Option<String>,
    /// Whose times are recorded.
    pub timing_skill: Option<String>,
    /// The ledger of tokens.
    pub token_ledger: Option<String>,
    /// The session that tokens are counted for.
    pub token_session: Option<String>,
}

impl Environment {
    fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn set(&self, name: &str) -> Option<&OsStr> {
        self.get(name).filter(|value| !value.is_empty())
    }

    fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The folders and the session that a calling run names. What is not UTF-8 names nothing that exists.
    pub fn handed_down(&self) -> HandedDown {
        HandedDown {
            design_tmpdir: self.text(DESIGN_TMPDIR),
            implement_tmpdir: self.text(IMPLEMENT_TMPDIR),
            session_id: self.text(SESSION_ID),
        }
    }

    /// What is said about ledgers.
    pub fn ledgers(&self) -> LedgerPlaces {
        LedgerPlaces {
            temp: self.text(TMPDIR).filter(|folder| !folder.is_empty()).unwrap_or_else(|| "/tmp".to_owned()),
            implement: self.text(IMPLEMENT_TMPDIR),
            design: self.text(DESIGN_TMPDIR),
            review: self.text(REVIEW_TMPDIR),
            session_env: self.text(SESSION_ENV_PATH).filter(|path| !path.is_empty()),
            timing_ledger: self.text(CHARRETTE_TIMING_LEDGER),
            timing_skill: self.text(CHARRETTE_TIMING_SKILL).filter(|skill| !skill.is_empty()),
            token_ledger: self.text(CHARRETTE_TOKEN_LEDGER),
            token_session: self.text(CHARRETTE_TOKEN_SESSION_ID),
        }
    }

    /// Where temporary files go.
    pub fn temporary_folder(&self) -> PathBuf {
        PathBuf::from(self.ledgers().temp)
    }

    /// Whether the person wants colour, as far as the environment says.
    pub fn wants_color(&self) -> bool {
        self.set(NO_COLOR).is_none() && !self.terminal_is_dumb()
    }

    /// Whether what was printed may be redrawn, as far as the environment says.
    pub fn may_redraw(&self) -> bool {
        self.set(CI).is_none() && !self.terminal_is_dumb()
    }

    fn terminal_is_dumb(&self) -> bool {
        self.get(TERM).is_some_and(|term| term == "dumb")
    }

    /// The person's editor, as a command.
    pub fn editor(&self) -> String {
        let set = |name| self.text(name).filter(|command| !command.trim().is_empty());
        set(VISUAL).or_else(|| set(EDITOR)).unwrap_or_else(|| "vi".to_owned())
    }

    /// Takes secrets out of text: those that are in the environment, and those that look like one.
    pub fn redactor(&self) -> Redactor {
        let secrets = self.variables.iter().filter_map(|(name, value)| {
            let (name, value) = (name.to_str()?, value.as_bytes());
            is_secret(name, value).then(|| (name.to_owned(), value.to_vec()))
        });
        Redactor::new(secrets.collect::<Vec<_>>())
    }

    /// A secret, by the name of its variable; none if it is empty.
    pub fn secret(&self, name: &str) -> Option<SecretString> {
        self.text(name).filter(|value| !value.trim().is_empty()).map(SecretString::from)
    }

    /// The frozen time, if any.
    pub fn now(&self) -> Option<&OsStr> {
        self.set(CHARRETTE_NOW)
    }

    /// The extra configuration file, if any.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.set(CHARRETTE_CONFIG).map(PathBuf::from)
    }

    /// The user's configuration file, whether it exists or not.
    pub fn user_config_file(&self) -> Option<PathBuf> {
        let folder = self.absolute(XDG_CONFIG_HOME).or_else(|| Some(self.absolute(HOME)?.join(".config")))?;
        Some(folder.join("charrette").join("charrette.toml"))
    }

    /// Where the user keeps what programs remember, whether it exists or not.
    pub fn user_state_folder(&self) -> Option<PathBuf> {
        let state = || Some(self.absolute(HOME)?.join(".local").join("state"));
        Some(self.absolute(XDG_STATE_HOME).or_else(state)?.join("charrette"))
    }

    /// A UUID v7 for a run: unique, unless a seed makes it reproducible.
    pub fn run_id(&self, now: Now, name: &str) -> String {
        let millis = u64::try_from(now.at().as_millisecond()).unwrap_or_default();
        let mut random = [0; 10];
        match self.get(CHARRETTE_SEED) {
            Some(seed) => {
                let digest = sha256(format!("{}/{name}", seed.to_string_lossy()).as_bytes());
                random.copy_from_slice(&digest.as_bytes()[..10]);
            }
            None => random.copy_from_slice(&uuid::Uuid::new_v4().as_bytes()[..10]),
        }
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string()
    }

    /// Whether git is told where the repository is.
    pub fn git_is_redirected(&self) -> bool {
        self.get(GIT_DIR).is_some() || self.get(GIT_WORK_TREE).is_some()
    }

    /// Whether the user has chosen a program by which git reaches remotes.
    pub fn git_ssh_is_chosen(&self) -> bool {
        self.get(GIT_SSH_COMMAND).is_some() || self.get(GIT_SSH).is_some()
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("folder", &self.folder).finish_non_exhaustive()
    }
}
