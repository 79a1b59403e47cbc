//! Where agents work: the repository, and what of our own environment they may see.

use charrette_model::redact::is_secret;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Where agents work.
#[derive(Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The top of the repository, absolute.
    pub folder: PathBuf,
    /// Whether that is a git repository: elsewhere nobody can tell what changes.
    pub in_repository: bool,
    /// Our own environment. What an agent gets of it is its profile's business.
    pub variables: BTreeMap<OsString, OsString>,
}

impl Surroundings {
    /// One variable, unless it is empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The variables that hold secrets, by what they are called.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().filter_map(|(name, value)| {
            let (name, value) = (name.to_str()?, value.to_str()?);
            is_secret(name, value.as_bytes()).then_some((name, value))
        })
    }
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").field("folder", &self.folder).finish_non_exhaustive()
    }
}
