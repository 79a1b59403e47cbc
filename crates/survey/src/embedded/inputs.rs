//! Inputs of a draft.

use crate::report::Survey;
use crate::tree::content;
use charrette_model::panel::places::PlaceFacts;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Everything a seat may read.
#[derive(Clone, Copy)]
pub struct DraftInputs<'a> {
    /// The request, in the user's words.
    pub request: &'a str,
    /// Feature name, also the id of its specification.
    pub feature: &'a str,
    pub survey: &'a Survey,
    /// Artifacts the seat reads, by name.
    pub artifacts: &'a BTreeMap<String, String>,
    /// Files of the repository, to check claims about them.
    pub files: &'a dyn RepositoryFiles,
    /// Today's date, if the draft is to carry one.
    pub today: Option<&'a str>,
    /// Maximum number of words in a summary.
    pub summary_words: usize,
}

impl<'a> DraftInputs<'a> {
    /// Text of an artifact; empty if it is missing.
    pub(super) fn artifact(&self, name: &str) -> &'a str {
        self.artifacts.get(name).map_or("", String::as_str)
    }

    /// Artifacts whose names match, in order of names.
    pub(super) fn artifacts_like(&self, start: &str, middle: &str, end: &str) -> Vec<(&'a str, &'a str)> {
        let fits = |name: &str| name.starts_with(start) && name.contains(middle) && name.ends_with(end);
        let all = self.artifacts.iter().filter(|(name, _)| fits(name));
        all.map(|(name, text)| (name.as_str(), text.as_str())).collect()
    }
}

/// Read access to the files of a repository.
pub trait RepositoryFiles {
    /// Text of a file, by its path from the root; none if it does not exist or is not text.
    fn text(&self, path: &str) -> Option<String>;

    /// Number of lines.
    fn lines(&self, path: &str) -> Option<usize> {
        self.text(path).map(|text| text.lines().count())
    }

    /// True if there is such a file or folder.
    fn exists(&self, path: &str) -> bool {
        self.text(path).is_some()
    }
}

/// Files of a work tree.
#[derive(Debug, Clone, Copy)]
pub struct WorkTree<'a>(pub &'a Path);

impl RepositoryFiles for WorkTree<'_> {
    fn text(&self, path: &str) -> Option<String> {
        if is_inside(path) { content::read_text(self.0, path) } else { None }
    }

    fn lines(&self, path: &str) -> Option<usize> {
        if is_inside(path) { content::line_count(self.0, path) } else { None }
    }

    fn exists(&self, path: &str) -> bool {
        is_inside(path) && self.0.join(path).symlink_metadata().is_ok()
    }
}

impl PlaceFacts for WorkTree<'_> {
    fn line_count(&self, path: &str) -> Option<usize> {
        RepositoryFiles::lines(self, path)
    }
}

/// True for relative paths without `..`: paths come from texts that agents wrote.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

impl RepositoryFiles for BTreeMap<String, String> {
    fn text(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}
