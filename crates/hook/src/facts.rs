//! Facts about a repository, read from its files.

use crate::effects::surroundings::Facts;
use charrette_store::{Location, Repository, locate};
use std::io::Read as _;
use std::path::Path;

/// Bytes of `packed-refs` that are searched.
const MAX_PACKED_BYTES: u64 = 4 << 20;
/// Bytes of `HEAD` that are read.
const MAX_HEAD_BYTES: u64 = 1024;

pub(crate) struct RepositoryFacts {
    /// Name of the main branch; without one, the usual names count.
    pub(crate) main_branch: Option<String>,
}

impl Facts for RepositoryFacts {
    fn is_reference(&self, folder: &Path, name: &str) -> bool {
        let is_plain = !name.is_empty()
            && name
                .split('/')
                .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"));
        let Some(repository) = repository(folder).filter(|_| is_plain) else { return false };
        let refs = repository.common_dir().join("refs");
        let is_loose =
            |kind: &str| refs.join(kind).join(name).symlink_metadata().is_ok_and(|meta| meta.is_file());
        let is_loose_of_remote = || {
            let remotes = std::fs::read_dir(refs.join("remotes")).into_iter().flatten().flatten().take(20);
            remotes
                .into_iter()
                .any(|remote| remote.path().join(name).symlink_metadata().is_ok_and(|meta| meta.is_file()))
        };
        is_loose("heads")
            || is_loose("tags")
            || is_loose("remotes")
            || is_loose_of_remote()
            || is_packed(&repository, name)
    }

    fn exists(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn current_branch(&self, folder: &Path) -> Option<String> {
        let head = read_start(&repository(folder)?.git_dir().join("HEAD"), MAX_HEAD_BYTES)?;
        head.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/").map(str::to_owned)
    }

    fn is_main(&self, branch: &str) -> bool {
        match &self.main_branch {
            Some(main) => main == branch,
            None => matches!(branch, "main" | "master"),
        }
    }
}

fn repository(folder: &Path) -> Option<Repository> {
    match locate(folder) {
        Ok(Location::WorkTree(repository)) => Some(repository),
        _ => None,
    }
}

fn is_packed(repository: &Repository, name: &str) -> bool {
    let packed =
        read_start(&repository.common_dir().join("packed-refs"), MAX_PACKED_BYTES).unwrap_or_default();
    packed.lines().filter_map(|line| line.split_once(" refs/")).any(|(_, reference)| {
        let (kind, rest) = reference.split_once('/').unwrap_or_default();
        rest == name || (kind == "remotes" && rest.split_once('/').is_some_and(|(_, branch)| branch == name))
    })
}

/// The beginning of a file, as text.
fn read_start(path: &Path, limit: u64) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
