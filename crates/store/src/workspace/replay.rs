//! What a process finds before it runs its first step. Until then it only reuses recorded steps, nobody else is at work, and
//! the same files are asked for at every step, so each is looked up once.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};

/// How long a digest is not looked up again: a replay takes some milliseconds, and a person who edits a file at a gate takes
/// longer.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Files as they were found.
#[derive(Debug, Default)]
pub(super) enum Replay {
    #[default]
    Begun,
    Going(Found),
    /// Steps are at work, so that files change at any time.
    Over,
}

#[derive(Debug, Default)]
pub(super) struct Found {
    /// Entries of the staging folder.
    staged: Option<HashSet<OsString>>,
    /// Digests of artifacts, by name and lane, and when they were looked up; none for an artifact that is missing.
    digests: HashMap<(String, Option<String>), (Instant, Option<String>)>,
}

impl Replay {
    pub(super) fn end(&mut self) {
        *self = Replay::Over;
    }

    /// Forgets digests, because files may have changed.
    pub(super) fn forget_digests(&mut self) {
        if let Some(found) = self.found() {
            found.digests.clear();
        }
    }

    /// False if an entry of the staging folder was not there when this process came, and nothing was staged since.
    pub(super) fn may_be_staged(&mut self, name: &OsStr, list: impl FnOnce() -> HashSet<OsString>) -> bool {
        self.found().is_none_or(|found| found.staged.get_or_insert_with(list).contains(name))
    }

    /// The digest of an artifact, if it was looked up a moment ago.
    #[expect(clippy::option_option, reason = "a digest that was looked up may be that of no file")]
    pub(super) fn digest(&mut self, name: &str, lane: Option<&str>) -> Option<Option<String>> {
        let found = self.found().filter(|found| !found.digests.is_empty())?;
        let (looked_up, digest) = found.digests.get(&key(name, lane))?;
        (looked_up.elapsed() < MAX_AGE).then(|| digest.clone())
    }

    /// Notes a digest that was looked up.
    pub(super) fn note_digest(&mut self, name: &str, lane: Option<&str>, digest: Option<String>) {
        if let Some(found) = self.found() {
            found.digests.insert(key(name, lane), (Instant::now(), digest));
        }
    }

    fn found(&mut self) -> Option<&mut Found> {
        if let Replay::Begun = self {
            *self = Replay::Going(Found::default());
        }
        match self {
            Replay::Going(found) => Some(found),
            Replay::Begun | Replay::Over => None,
        }
    }
}

fn key(name: &str, lane: Option<&str>) -> (String, Option<String>) {
    (name.to_owned(), lane.map(str::to_owned))
}
