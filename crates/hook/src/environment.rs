//! Environment of the hook, as a value.

#![expect(clippy::disallowed_methods, reason = "the only module of the hook that reads the environment")]

use std::ffi::OsString;
use std::path::PathBuf;

/// Set in processes that work for a run.
const LANE: &str = "CHARRETTE_LANE";
/// Folder of `active.json`, for processes that work for a run.
const STATE: &str = "CHARRETTE_STATE";
/// Folders in which a lane may write, separated like `PATH`; without it the lane only reads.
const WRITES: &str = "CHARRETTE_WRITES";
/// Folder of the session, set by clients.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";
const HOME: &str = "HOME";
/// Variables that commands may use as paths.
const PATHS: [&str; 6] = ["HOME", "TMPDIR", "CLAUDE_PROJECT_DIR", "USER", "LOGNAME", "XDG_CONFIG_HOME"];

/// Variables and folder of the process.
#[derive(Debug, Clone, Default)]
pub struct HookEnvironment {
    pub lane: Option<OsString>,
    pub state: Option<PathBuf>,
    pub writes: Option<Vec<PathBuf>>,
    pub project: Option<PathBuf>,
    pub home: Option<PathBuf>,
    /// Current folder of the hook.
    pub folder: Option<PathBuf>,
    /// Variables whose values count in commands.
    pub variables: Vec<(String, String)>,
}

impl HookEnvironment {
    /// That of this process.
    pub fn read() -> HookEnvironment {
        let get = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let absolute = |name: &str| get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let variables =
            PATHS.iter().filter_map(|name| Some(((*name).to_owned(), get(name)?.into_string().ok()?)));
        HookEnvironment {
            lane: get(LANE),
            state: absolute(STATE),
            writes: get(WRITES)
                .map(|paths| std::env::split_paths(&paths).filter(|path| path.is_absolute()).collect()),
            project: absolute(PROJECT),
            home: absolute(HOME),
            folder: std::env::current_dir().ok(),
            variables: variables.collect(),
        }
    }
}
