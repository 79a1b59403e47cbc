//! Facts about the files that a text may cite. Nothing in this folder touches a file: the caller brings the facts.

/// Kind of the entry at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    Text {
        lines: usize,
    },
    /// A file that is not text, or too large to read.
    Other,
    Folder,
}

/// Facts about the files of a repository and, where the caller allows it, of its dependencies.
///
/// Paths come from agents: an implementation must not look outside the repository, except below the folders that
/// its owner allows.
pub trait SourceFacts: Send + Sync {
    /// Kind of the entry at a path relative to the root, or at an absolute path below an allowed folder.
    fn kind(&self, path: &str) -> Option<SourceKind>;

    /// Lines `first` to `last` of a text, from 1; fewer if it ends before.
    fn lines(&self, path: &str, first: usize, last: usize) -> Vec<String>;

    /// Paths of the repository that end with these components: `router.ex` finds `lib/app/router.ex`.
    fn ending_in(&self, tail: &str) -> Vec<String> {
        let _ = tail;
        Vec::new()
    }

    /// The same facts at HEAD, where the work tree may differ from it.
    fn at_head(&self) -> Option<&dyn SourceFacts> {
        None
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Files in memory, for tests.
    #[derive(Debug, Default)]
    pub(in crate::panel) struct Files {
        pub texts: BTreeMap<String, String>,
        pub head: Option<Box<Files>>,
    }

    impl Files {
        pub(in crate::panel) fn new(files: &[(&str, &str)]) -> Files {
            let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
            Files { texts: texts.collect(), head: None }
        }
    }

    impl SourceFacts for Files {
        fn kind(&self, path: &str) -> Option<SourceKind> {
            if let Some(text) = self.texts.get(path) {
                let is_text = !text.contains('\0');
                return Some(if is_text {
                    SourceKind::Text { lines: text.lines().count() }
                } else {
                    SourceKind::Other
                });
            }
            let folder = format!("{}/", path.trim_end_matches('/'));
            self.texts.keys().any(|known| known.starts_with(&folder)).then_some(SourceKind::Folder)
        }

        fn lines(&self, path: &str, first: usize, last: usize) -> Vec<String> {
            let text = self.texts.get(path).map_or("", String::as_str);
            let lines = text.lines().skip(first.saturating_sub(1));
            lines.take((last + 1).saturating_sub(first)).map(str::to_owned).collect()
        }

        fn ending_in(&self, tail: &str) -> Vec<String> {
            let tail = format!("/{tail}");
            self.texts.keys().filter(|path| path.ends_with(&tail)).cloned().collect()
        }

        fn at_head(&self) -> Option<&dyn SourceFacts> {
            self.head.as_deref().map(|head| head as &dyn SourceFacts)
        }
    }
}
