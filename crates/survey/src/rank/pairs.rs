//! Pairs of tests and sources, by name.

use crate::tree::kind::{FileKind, folder, stem};
use std::collections::HashMap;

/// For each file, by position, its tests or the sources it tests.
pub(crate) type TestPairs = Vec<Vec<usize>>;

/// Pairs tests with sources of the same name.
pub(crate) fn pair_tests(files: &[(&str, FileKind)]) -> TestPairs {
    let mut test_pairs = vec![Vec::new(); files.len()];
    let mut sources: HashMap<String, Vec<usize>> = HashMap::new();
    for (n, (path, kind)) in files.iter().enumerate() {
        if *kind == FileKind::Source {
            sources.entry(subject(path)).or_default().push(n);
        }
    }
    for (n, (path, kind)) in files.iter().enumerate() {
        // Shared test support is no test.
        let is_one = *kind == FileKind::Test && stem(path) != "conftest";
        let Some(candidates) = is_one.then(|| sources.get(&subject(path))).flatten() else {
            continue;
        };
        // Names like `mod` or `index` are common; then only the nearest counts.
        let nearest =
            candidates.iter().map(|source| shared_folders(path, files[*source].0)).max().unwrap_or(0);
        for source in
            candidates.iter().filter(|source| shared_folders(path, files[**source].0) == nearest).take(3)
        {
            test_pairs[n].push(*source);
            test_pairs[*source].push(n);
        }
    }
    test_pairs
}

/// Subject of a file: its stem without the marks of tests; for `mod`, `index` and the like, its folder.
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

/// Number of folders two paths share from the top.
fn shared_folders(a: &str, b: &str) -> usize {
    folder(a).split('/').zip(folder(b).split('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::kind::file_kind;

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
        let files: Vec<(&str, FileKind)> =
            paths.iter().map(|path| (*path, file_kind(path).unwrap())).collect();
        let test_pairs = pair_tests(&files);
        for (test, source) in [(1, 0), (3, 2), (6, 5), (8, 7), (10, 9)] {
            assert_eq!(test_pairs[test], [source], "{}", paths[test]);
            assert_eq!(test_pairs[source], [test], "{}", paths[source]);
        }
        for alone in [4, 11, 12] {
            assert!(test_pairs[alone].is_empty(), "{}", paths[alone]);
        }
    }
}
