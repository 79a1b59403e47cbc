//! Finds the sources of all dependencies, and ranks them by what the relevant files import.

use super::imports::ImportName;
use super::roots::SourceRoots;
use super::{go, java, node, python, rust};
use crate::report::{Dependency, DependencySource, SourceCount};
use crate::tree::content;
use crate::tree::kind::{file_name, folder};
use crate::tree::listing::TreeFile;
use std::path::{Path, PathBuf};

/// Facts known before the search.
pub(crate) struct Lookup<'a> {
    /// Root of the work tree.
    pub(crate) root: &'a Path,
    /// Files of the work tree.
    pub(crate) listed: &'a [TreeFile],
    /// Dependencies declared in manifests.
    pub(crate) declared: &'a [Dependency],
    pub(crate) roots: &'a SourceRoots,
}

/// A dependency whose source may be on this machine.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) name: String,
    /// Pinned or installed version; empty if unknown.
    pub(super) version: String,
    /// Its source, if it was found.
    pub(super) path: Option<PathBuf>,
    pub(super) imported_as: Vec<ImportName>,
    /// True for the standard library of a language.
    pub(super) standard: bool,
}

/// Maximum number of sources listed.
const MAX_SOURCES: usize = 60;
/// Maximum number of lock files of one name.
const MAX_FILES: usize = 8;

/// Sources of the dependencies: those that `texts` (paths and contents of the relevant files, best first) import come
/// first, then standard libraries, then the rest in the order of their lock files.
pub(crate) fn find_sources(
    lookup: &Lookup<'_>,
    texts: &[(&str, &str)],
) -> (Vec<DependencySource>, SourceCount) {
    let languages =
        [rust::candidates, go::candidates, node::candidates, python::candidates, java::candidates];
    let mut all: Vec<Candidate> = Vec::new();
    for candidate in languages.iter().flat_map(|candidates| candidates(lookup)) {
        let is_known = |known: &Candidate| {
            known.name == candidate.name && known.version == candidate.version && known.path == candidate.path
        };
        if !all.iter().any(is_known) {
            all.push(candidate);
        }
    }
    let count = SourceCount { found: all.iter().filter(|one| one.path.is_some()).count(), of: all.len() };
    all.retain(|candidate| candidate.path.is_some());
    let mut ranked: Vec<(u8, f64, Candidate)> = all
        .into_iter()
        .map(|candidate| {
            let weight = import_weight(&candidate, texts);
            let class = if candidate.standard { 1 } else { 2 * u8::from(weight <= 0.0) };
            (class, weight, candidate)
        })
        .collect();
    ranked.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let source = |(_, _, candidate): (u8, f64, Candidate)| {
        let path = candidate.path?.to_str()?.to_owned();
        Some(DependencySource { name: candidate.name, version: candidate.version, path })
    };
    (ranked.into_iter().filter_map(source).take(MAX_SOURCES).collect(), count)
}

/// Weight of a dependency by the relevant files that import it; the better the file, the more.
fn import_weight(candidate: &Candidate, texts: &[(&str, &str)]) -> f64 {
    let imports =
        |path: &str, text: &str| candidate.imported_as.iter().any(|name| name.is_imported(path, text));
    let files = texts.iter().enumerate().filter(|(_, (path, text))| imports(path, text));
    files.map(|(n, _)| 1.0 / (n as f64 + 1.0)).sum()
}

impl Lookup<'_> {
    /// Files of the repository with this name, those at the top first: folder (empty or with a final `/`) and text.
    /// One at the root counts even if git ignores it.
    pub(super) fn files(&self, name: &str) -> Vec<(String, String)> {
        let mut found = self.files_like(|file| file == name);
        if found.iter().all(|(folder, _)| !folder.is_empty())
            && let Some(text) = self.text(name)
        {
            found.insert(0, (String::new(), text));
        }
        found
    }

    /// Files of the repository whose names match, those at the top first.
    pub(super) fn files_like(&self, matches: impl Fn(&str) -> bool) -> Vec<(String, String)> {
        let is_vendored = |path: &str| {
            path.split('/').any(|part| {
                matches!(part, "node_modules" | "vendor" | "third_party" | "testdata" | "fixtures")
            })
        };
        let paths = self.listed.iter().map(|file| file.path.as_str());
        let mut paths: Vec<&str> =
            paths.filter(|path| matches(file_name(path)) && !is_vendored(path)).collect();
        paths.sort_by_key(|path| path.matches('/').count());
        let read = |path: &str| {
            let folder = folder(path);
            let folder = if folder.is_empty() || folder.ends_with('/') {
                folder.to_owned()
            } else {
                format!("{folder}/")
            };
            Some((folder, self.text(path)?))
        };
        paths.into_iter().take(MAX_FILES).filter_map(read).collect()
    }

    /// True if the repository has a file with this name.
    pub(super) fn has_file(&self, name: &str) -> bool {
        self.listed.iter().any(|file| file_name(&file.path) == name)
    }

    /// Text of a file of the repository.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        content::read_whole(&self.root.join(path))
    }
}

/// Text of a file in a folder of a package manager.
pub(super) fn outside(path: &Path) -> Option<String> {
    content::read_whole(path)
}
