//! Process environment: variables, folder, command line. Libraries never read it themselves; every variable that charrette
//! uses is listed here.

use crate::trust::TrustGrant;
use charrette_checkout::tree::UserGitFiles;
use charrette_hosts::UserFolders;
use charrette_model::redact::{Redactor, is_secret};
use charrette_model::stamp::Now;
use charrette_store::workspace::sha256;
use charrette_survey::SourceRoots;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Freezes the time that is written into documents, so that output can be compared byte by byte.
pub const CHARRETTE_NOW: &str = "CHARRETTE_NOW";
/// Configuration file that overrides the repository's and the user's.
pub const CHARRETTE_CONFIG: &str = "CHARRETTE_CONFIG";
/// Highest version of Landlock to use, to try what happens on older kernels; 0 for none.
const CHARRETTE_LANDLOCK: &str = "CHARRETTE_LANDLOCK";
/// `1` trusts whatever a repository says, unseen; a digest trusts exactly that content.
pub const CHARRETTE_TRUST: &str = "CHARRETTE_TRUST";
/// Makes ids reproducible, so that output can be compared byte by byte.
const CHARRETTE_SEED: &str = "CHARRETTE_SEED";
/// State folder of programs, instead of `~/.local/state`.
const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// Configuration folder of the user, instead of `~/.config`.
const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
const HOME: &str = "HOME";
/// Set if git is told where the repository is; then git itself is asked for it.
const GIT_DIR: &str = "GIT_DIR";
/// Like `GIT_DIR`, for the work tree.
const GIT_WORK_TREE: &str = "GIT_WORK_TREE";
/// The user's configuration of git, instead of the usual files.
const GIT_CONFIG_GLOBAL: &str = "GIT_CONFIG_GLOBAL";
/// The user's ssh command for git.
const GIT_SSH_COMMAND: &str = "GIT_SSH_COMMAND";
/// Older form of `GIT_SSH_COMMAND`.
const GIT_SSH: &str = "GIT_SSH";
/// API key of the Linear tracker.
pub const LINEAR_API_KEY: &str = "LINEAR_API_KEY";
/// Disables colour if set.
const NO_COLOR: &str = "NO_COLOR";
/// Set in CI: the screen is not redrawn.
const CI: &str = "CI";
/// Terminal type; `dumb` disables colour and redrawing.
const TERM: &str = "TERM";
/// Editor for multi-line answers.
const VISUAL: &str = "VISUAL";
/// Editor if `VISUAL` is not set.
const EDITOR: &str = "EDITOR";
/// Artifact folder of a nested design.
const DESIGN_TMPDIR: &str = "DESIGN_TMPDIR";
/// Artifact folder of the implementation run that called it.
const IMPLEMENT_TMPDIR: &str = "IMPLEMENT_TMPDIR";
/// Artifact folder of a nested review.
const REVIEW_TMPDIR: &str = "REVIEW_TMPDIR";
/// Session id of caller and nested run.
const SESSION_ID: &str = "SESSION_ID";
/// Session file with values from a calling run. Its folder may hold ledgers.
const SESSION_ENV_PATH: &str = "SESSION_ENV_PATH";
/// Timing ledger, if not in the current run's folder.
const CHARRETTE_TIMING_LEDGER: &str = "CHARRETTE_TIMING_LEDGER";
/// Skill that timings are recorded for.
const CHARRETTE_TIMING_SKILL: &str = "CHARRETTE_TIMING_SKILL";
/// Token ledger, if not in the current run's folder.
const CHARRETTE_TOKEN_LEDGER: &str = "CHARRETTE_TOKEN_LEDGER";
/// Session id that tokens are counted for.
const CHARRETTE_TOKEN_SESSION_ID: &str = "CHARRETTE_TOKEN_SESSION_ID";
/// Cargo's home, instead of `~/.cargo`.
const CARGO_HOME: &str = "CARGO_HOME";
/// Rustup's home, instead of `~/.rustup`.
const RUSTUP_HOME: &str = "RUSTUP_HOME";
/// Rust toolchain, instead of the repository's or the default one.
const RUSTUP_TOOLCHAIN: &str = "RUSTUP_TOOLCHAIN";
/// Go's module cache, instead of `pkg/mod` in `GOPATH`.
const GOMODCACHE: &str = "GOMODCACHE";
/// Go's workspace, instead of `~/go`; of several folders the first counts.
const GOPATH: &str = "GOPATH";
/// Installation of Go.
const GOROOT: &str = "GOROOT";
/// Active virtual environment of Python.
const VIRTUAL_ENV: &str = "VIRTUAL_ENV";
/// Active Conda environment.
const CONDA_PREFIX: &str = "CONDA_PREFIX";
/// Folders of programs.
const PATH: &str = "PATH";
/// Configuration of Claude Code, instead of `~/.claude`.
const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// Configuration of Codex, instead of `~/.codex`.
const CODEX_HOME: &str = "CODEX_HOME";
/// Folder of temporary files, instead of `/tmp`.
const TMPDIR: &str = "TMPDIR";

/// Environment of the process: variables, folder, command line.
#[derive(Clone, Default)]
pub struct Environment {
    pub variables: BTreeMap<OsString, OsString>,
    /// Working folder: the current one, or that of `-C`.
    pub folder: PathBuf,
    /// The command line, for locks and history.
    pub command_line: String,
    /// Path of our own program, for starting workers.
    pub program: Option<PathBuf>,
    /// Trust given on the command line.
    pub trust: TrustGrant,
}

/// Variables that a calling run sets for a nested one.
#[derive(Debug, Clone)]
pub struct CallerEnvironment {
    /// Artifact folder of the nested run.
    pub design_tmpdir: Option<String>,
    /// Artifact folder of the caller.
    pub implement_tmpdir: Option<String>,
    pub session_id: Option<String>,
}

/// Variables that decide where ledgers are.
#[derive(Debug, Clone)]
pub struct LedgerEnvironment {
    /// Folder of temporary files.
    pub temp: String,
    /// Folder of the current implementation run.
    pub implement: Option<String>,
    /// Folder of the current design run.
    pub design: Option<String>,
    /// Folder of the current review run.
    pub review: Option<String>,
    /// Session file of the caller.
    pub session_env: Option<String>,
    pub timing_ledger: Option<String>,
    /// Skill that timings are recorded for.
    pub timing_skill: Option<String>,
    pub token_ledger: Option<String>,
    /// Session id that tokens are counted for.
    pub token_session: Option<String>,
}

impl Environment {
    fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Value of a variable, as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    fn non_empty(&self, name: &str) -> Option<&OsStr> {
        self.get(name).filter(|value| !value.is_empty())
    }

    fn absolute(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// Folders and session id set by a calling run.
    pub fn caller_environment(&self) -> CallerEnvironment {
        CallerEnvironment {
            design_tmpdir: self.text(DESIGN_TMPDIR),
            implement_tmpdir: self.text(IMPLEMENT_TMPDIR),
            session_id: self.text(SESSION_ID),
        }
    }

    /// Variables that decide where ledgers are.
    pub fn ledger_environment(&self) -> LedgerEnvironment {
        LedgerEnvironment {
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

    /// Folder of temporary files.
    pub fn temporary_folder(&self) -> PathBuf {
        PathBuf::from(self.ledger_environment().temp)
    }

    /// True unless the environment disables colour.
    pub fn wants_color(&self) -> bool {
        self.non_empty(NO_COLOR).is_none() && !self.terminal_is_dumb()
    }

    /// True unless the environment rules out redrawing the screen.
    pub fn may_redraw(&self) -> bool {
        self.non_empty(CI).is_none() && !self.terminal_is_dumb()
    }

    fn terminal_is_dumb(&self) -> bool {
        self.get(TERM).is_some_and(|term| term == "dumb")
    }

    /// Editor command of the user.
    pub fn editor(&self) -> String {
        let set = |name| self.text(name).filter(|command| !command.trim().is_empty());
        set(VISUAL).or_else(|| set(EDITOR)).unwrap_or_else(|| "vi".to_owned())
    }

    /// Redactor of secrets: those in the environment, and text that looks like one.
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

    /// Frozen time, if any.
    pub fn now(&self) -> Option<&OsStr> {
        self.non_empty(CHARRETTE_NOW)
    }

    /// Extra configuration file, if any.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.non_empty(CHARRETTE_CONFIG).map(PathBuf::from)
    }

    /// Trust given on the command line, else by `CHARRETTE_TRUST`.
    pub fn trust_grant(&self) -> TrustGrant {
        if self.trust != TrustGrant::None {
            return self.trust.clone();
        }
        match self.text(CHARRETTE_TRUST).as_deref() {
            None | Some("" | "0") => TrustGrant::None,
            Some("1") => TrustGrant::Any,
            Some(digest) => TrustGrant::Digest(digest.to_owned()),
        }
    }

    /// Path of the user's configuration file, which may not exist.
    pub fn user_config_file(&self) -> Option<PathBuf> {
        let folder = self.absolute(XDG_CONFIG_HOME).or_else(|| Some(self.absolute(HOME)?.join(".config")))?;
        Some(folder.join("charrette").join("charrette.toml"))
    }

    /// Path of charrette's state folder of the user, which may not exist.
    pub fn user_state_folder(&self) -> Option<PathBuf> {
        let state = || Some(self.absolute(HOME)?.join(".local").join("state"));
        Some(self.absolute(XDG_STATE_HOME).or_else(state)?.join("charrette"))
    }

    /// Folders in which package managers keep sources; none of them has to exist.
    pub fn source_roots(&self) -> SourceRoots {
        let below_home = |folder: &str| Some(self.absolute(HOME)?.join(folder));
        let folders = |name: &str| -> Vec<PathBuf> {
            let folders = std::env::split_paths(self.get(name).unwrap_or_default());
            folders.filter(|folder| folder.is_absolute()).collect()
        };
        let go_path = folders(GOPATH).into_iter().next().or_else(|| below_home("go"));
        SourceRoots {
            cargo_home: self.absolute(CARGO_HOME).or_else(|| below_home(".cargo")),
            rustup_home: self.absolute(RUSTUP_HOME).or_else(|| below_home(".rustup")),
            rust_toolchain: self.text(RUSTUP_TOOLCHAIN).filter(|name| !name.is_empty()),
            go_module_cache: self.absolute(GOMODCACHE).or_else(|| Some(go_path?.join("pkg/mod"))),
            go_root: self.absolute(GOROOT),
            python_prefixes: [VIRTUAL_ENV, CONDA_PREFIX]
                .iter()
                .filter_map(|name| self.absolute(name))
                .collect(),
            maven_repository: below_home(".m2/repository"),
            program_folders: folders(PATH),
        }
    }

    /// Run id, a UUID v7: unique, unless a seed makes it reproducible.
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

    /// Highest version of Landlock to use, if it is limited.
    pub fn landlock_limit(&self) -> Option<u8> {
        self.text(CHARRETTE_LANDLOCK)?.trim().parse().ok()
    }

    /// Path of the user's configuration folder of charrette, which may not exist.
    pub fn user_config_folder(&self) -> Option<PathBuf> {
        Some(self.user_config_file()?.parent()?.to_owned())
    }

    /// Folders in which the clients keep the user's configuration; none of them has to exist.
    pub fn client_folders(&self) -> Option<UserFolders> {
        let usual = UserFolders::below(&self.absolute(HOME)?);
        let config = self.absolute(XDG_CONFIG_HOME).map(|folder| folder.join("opencode"));
        let claude = self.absolute(CLAUDE_CONFIG_DIR);
        Some(UserFolders {
            claude_state: claude.as_ref().map_or(usual.claude_state, |folder| folder.join(".claude.json")),
            claude: claude.unwrap_or(usual.claude),
            codex: self.absolute(CODEX_HOME).unwrap_or(usual.codex),
            opencode: config.unwrap_or(usual.opencode),
            ..usual
        })
    }

    /// Path of a program on `PATH`. Relative entries are skipped: they could lead into the repository.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        charrette_git::find_program(self.get(PATH)?, name)
    }

    /// The value of `PATH` without relative entries.
    pub fn program_folders(&self) -> OsString {
        let folders =
            std::env::split_paths(self.get(PATH).unwrap_or_default()).filter(|folder| folder.is_absolute());
        std::env::join_paths(folders).unwrap_or_default()
    }

    /// The user's home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute(HOME)
    }

    /// Where git looks for the user's configuration, ignore rules and attributes.
    pub fn git_files(&self) -> UserGitFiles {
        let home = self.home();
        let usual = || home.as_ref().map(|home| home.join(".config"));
        let folder = self.absolute(XDG_CONFIG_HOME).or_else(usual).map(|folder| folder.join("git"));
        let file = |name: &str| folder.as_ref().map(|folder| folder.join(name));
        let configuration = match self.absolute(GIT_CONFIG_GLOBAL) {
            Some(file) => vec![file],
            None => {
                file("config").into_iter().chain(home.as_ref().map(|home| home.join(".gitconfig"))).collect()
            }
        };
        let rules = ["ignore", "attributes"].into_iter().filter_map(file).collect();
        UserGitFiles { home, configuration, rules }
    }

    /// True if the environment tells git where the repository is.
    pub fn git_is_redirected(&self) -> bool {
        self.get(GIT_DIR).is_some() || self.get(GIT_WORK_TREE).is_some()
    }

    /// True if the environment names an ssh program for git.
    pub fn has_custom_git_ssh(&self) -> bool {
        self.get(GIT_SSH_COMMAND).is_some() || self.get(GIT_SSH).is_some()
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("folder", &self.folder).finish_non_exhaustive()
    }
}
