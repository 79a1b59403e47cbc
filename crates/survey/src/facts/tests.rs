//! Tests that cover the files a request is about: by name, by import, by changing together, or inside
//! the file itself.

use crate::rank::evidence::Evidence;
use crate::report::TestFile;
use crate::tree::kind::FileKind;
use std::collections::BTreeMap;

/// Maximum number of tests reported.
const MAX_TESTS: usize = 20;

/// A file that may have tests.
pub(crate) struct TestedFile<'a> {
    /// Position among the files.
    pub(crate) file: usize,
    pub(crate) text: &'a str,
}

/// Finds the tests of the named files. `test_pairs` are files with matching names, by position.
pub(crate) fn find(
    evidence: &Evidence,
    named: &[TestedFile<'_>],
    test_pairs: &[Vec<usize>],
) -> Vec<TestFile> {
    let mut covers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut add = |test: usize, source: usize| {
        let covered = covers.entry(test).or_default();
        if !covered.contains(&source) {
            covered.push(source);
        }
    };
    let changed_with = changed_with(evidence, named);
    for tested in named.iter().filter(|tested| evidence.files[tested.file].kind == FileKind::Source) {
        let source = tested.file;
        if has_inline_tests(&evidence.files[source].path, tested.text) {
            add(source, source);
        }
        let by_name = test_pairs[source].iter().copied();
        let by_habit = changed_with.get(&source).into_iter().flatten().copied();
        let by_import = evidence
            .imports
            .iter()
            .filter(|(file, imports)| {
                evidence.files[**file].kind == FileKind::Test && imports.contains(&source)
            })
            .map(|(file, _)| *file);
        for test in by_name.chain(by_habit).chain(by_import) {
            add(test, source);
        }
    }
    let path = |n: &usize| evidence.files[*n].path.clone();
    let mut tests: Vec<TestFile> = covers
        .iter()
        .map(|(test, covered)| TestFile { path: path(test), covers: covered.iter().map(path).collect() })
        .collect();
    tests.sort_by(|a, b| b.covers.len().cmp(&a.covers.len()).then_with(|| a.path.cmp(&b.path)));
    tests.truncate(MAX_TESTS);
    tests
}

/// True if a Rust file has an inline test module.
fn has_inline_tests(path: &str, text: &str) -> bool {
    path.ends_with(".rs") && text.lines().any(|line| line.trim() == "#[cfg(test)]")
}

/// For each named source, the tests that changed with it at least twice and in a third of its changes.
fn changed_with(evidence: &Evidence, named: &[TestedFile<'_>]) -> BTreeMap<usize, Vec<usize>> {
    let mut both: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut changes: BTreeMap<usize, usize> = BTreeMap::new();
    for commit in evidence.commits.iter().filter(|commit| commit.touched <= 20) {
        let touched = |n: usize| commit.files.iter().any(|file| *file as usize == n);
        for source in named.iter().map(|tested| tested.file).filter(|n| touched(*n)) {
            *changes.entry(source).or_default() += 1;
            let tests = commit.files.iter().map(|file| *file as usize);
            for test in tests.filter(|n| evidence.files[*n].kind == FileKind::Test) {
                *both.entry((source, test)).or_default() += 1;
            }
        }
    }
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for ((source, test), times) in both {
        if times >= 2 && times * 3 >= changes[&source] {
            found.entry(source).or_default().push(test);
        }
    }
    found
}
