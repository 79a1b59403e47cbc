//! What a draft is made from.

use crate::report::Survey;
use crate::tree::content;
use charrette_model::panel::places::PlaceFacts;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Everything a seat may look at.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The feature, in the person's words.
    pub request: &'a str,
    /// The name of the feature, which is also the id of its specification.
    pub feature: &'a str,
    /// What the repository says about it.
    pub survey: &'a Survey,
    /// The files the seat reads, by name.
    pub artifacts: &'a BTreeMap<String, String>,
    /// The files of the repository, to check what others claim about them.
    pub files: &'a dyn Files,
    /// Today's date, if the draft is to carry one.
    pub today: Option<&'a str>,
    /// How many words a summary may have.
    pub summary_words: usize,
}

impl<'a> Inputs<'a> {
    /// An artifact; empty if it is not there.
    pub(super) fn artifact(&self, name: &str) -> &'a str {
        self.artifacts.get(name).map_or("", String::as_str)
    }

    /// The artifacts whose names begin and end so, in order of their names.
    pub(super) fn artifacts_like(&self, start: &str, middle: &str, end: &str) -> Vec<(&'a str, &'a str)> {
        let fits = |name: &str| name.starts_with(start) && name.contains(middle) && name.ends_with(end);
        let all = self.artifacts.iter().filter(|(name, _)| fits(name));
        all.map(|(name, text)| (name.as_str(), text.as_str())).collect()
    }
}

/// The files of a repository, as far as drafts need them.
pub trait Files {
    /// The text of a file, by its path from the root; nothing if there is no such file, or it is no text.
    fn text(&self, path: &str) -> Option<String>;

    /// How many lines it has.
    fn lines(&self, path: &str) -> Option<usize> {
        self.text(path).map(|text| text.lines().count())
    }

    /// Whether there is such a file or folder.
    fn exists(&self, path: &str) -> bool {
        self.text(path).is_some()
    }
}

/// The files of a work tree.
#[derive(Debug, Clone, Copy)]
pub struct WorkTree<'a>(pub &'a Path);

impl Files for WorkTree<'_> {
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
    fn lines(&self, path: &str) -> Option<usize> {
        Files::lines(self, path)
    }
}

/// Names come from texts that agents wrote: nothing above the root, nothing absolute.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

impl Files for BTreeMap<String, String> {
    fn text(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}
