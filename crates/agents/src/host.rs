//! Folder and environment variables that agents are started with.

use charrette_model::redact::is_secret;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Folder of the repository and environment of this process.
#[derive(Clone, PartialEq, Eq)]
pub struct HostEnvironment {
    /// Root of the repository, absolute.
    pub folder: PathBuf,
    /// True if that is a git repository: elsewhere changes of agents cannot be detected.
    pub in_repository: bool,
    /// Program of the hook, for clients that take one; none if it is not installed.
    pub hook: Option<PathBuf>,
    /// Folder in which the hook finds the runs that are driven.
    pub active_folder: Option<PathBuf>,
    /// Our own environment. Profiles select the variables that an agent gets.
    pub variables: BTreeMap<OsString, OsString>,
}

impl HostEnvironment {
    /// Value of a variable, unless it is empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Names and values of the variables that hold secrets.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().filter_map(|(name, value)| {
            let (name, value) = (name.to_str()?, value.to_str()?);
            is_secret(name, value.as_bytes()).then_some((name, value))
        })
    }
}

impl std::fmt::Debug for HostEnvironment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostEnvironment").field("folder", &self.folder).finish_non_exhaustive()
    }
}
