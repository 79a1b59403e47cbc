//! Which test belongs to which source, by their names.

use crate::tree::kind::{Kind, folder, stem};
use std::collections::HashMap;

/// For each file, by position, its tests or what it tests.
pub(crate) type Partners = Vec<Vec<usize>>;

/// Finds the tests and sources that belong together.
pub(crate) fn partners(files: &[(&str, Kind)]) -> Partners {
    let mut partners = vec![Vec::new(); files.len()];
    let mut sources: HashMap<String, Vec<usize>> = HashMap::new();
    for (n, (path, kind)) in files.iter().enumerate() {
        if *kind == Kind::Source {
            sources.entry(subject(path)).or_default().push(n);
        }
    }
    for (n, (path, kind)) in files.iter().enumerate() {
        // What tests share is the test of nothing.
        let is_one = *kind == Kind::Test && stem(path) != "conftest";
        let Some(candidates) = is_one.then(|| sources.get(&subject(path))).flatten() else {
            continue;
        };
        // A name like `mod` or `index` is everybody's; then only the nearest counts.
        let nearest = candidates.iter().map(|source| shared(path, files[*source].0)).max().unwrap_or(0);
        for source in candidates.iter().filter(|source| shared(path, files[**source].0) == nearest).take(3) {
            partners[n].push(*source);
            partners[*source].push(n);
        }
    }
    partners
}

/// What a file is about: its stem without the marks of tests; for `mod`, `index` and the like, its folder.
pub(crate) fn subject(path: &str) -> String {
    let lower = stem(path).to_lowercase().replace('-', "_");
    let bare = lower.strip_prefix("test_").unwrap_or(&lower);
    let bare = ["_test", "_tests", "_spec", "tests", "test", "spec"]
        .iter()
        .find_map(|ending| bare.strip_suffix(ending).filter(|rest| !rest.is_empty()))
        .unwrap_or(bare);
    if !matches!(bare, "mod" | "index" | "__init__" | "main" | "lib") {
        return bare.to_owned();
    }
    let parent = folder(path).rsplit('/').find(|part| !matches!(*part, "src" | "lib" | ""));
    parent.unwrap_or(bare).to_lowercase().replace('-', "_")
}

/// How many folders two paths share from the top.
fn shared(a: &str, b: &str) -> usize {
    folder(a).split('/').zip(folder(b).split('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::kind::kind;

    #[test]
    fn tests_find_what_they_test() {
        let paths = [
            "src/walk.rs",
            "tests/walk.rs",
            "app/views.py",
            "app/tests/test_views.py",
            "other/views.py",
            "src/App.tsx",
            "src/App.test.tsx",
            "pkg/foo.go",
            "pkg/foo_test.go",
            "src/main/java/org/Parser.java",
            "src/test/java/org/ParserTest.java",
            "lib/rules/index.js",
            "README.md",
        ];
        let files: Vec<(&str, Kind)> = paths.iter().map(|path| (*path, kind(path).unwrap())).collect();
        let partners = partners(&files);
        for (test, source) in [(1, 0), (3, 2), (6, 5), (8, 7), (10, 9)] {
            assert_eq!(partners[test], [source], "{}", paths[test]);
            assert_eq!(partners[source], [test], "{}", paths[source]);
        }
        for alone in [4, 11, 12] {
            assert!(partners[alone].is_empty(), "{}", paths[alone]);
        }
    }
}
