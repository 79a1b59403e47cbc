//! Tests of the files that a request is about. That a file has no test is never said: tests may reach it through others.
//!
//! A test covers a file if it is called like the file, imports it or is in its package, and uses something that the file
//! defines. Equal names alone, or common changes, prove nothing.

use super::test_code::{has_inline_tests, has_tests, is_test_data, used_names};
use crate::imports::Modules;
use crate::outline::Definition;
use crate::parallel::parallel_map;
use crate::rank::evidence::Evidence;
use crate::rank::pairs::subject;
use crate::report::TestFile;
use crate::tree::content;
use crate::tree::kind::{FileKind, folder, stem};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Maximum number of tests reported.
const MAX_TESTS: usize = 20;
/// Maximum number of files of tests that are read.
const MAX_READ: usize = 2000;

/// A file that may have tests.
pub(crate) struct TestedFile<'a> {
    /// Position among the files.
    pub(crate) file: usize,
    pub(crate) text: &'a str,
    pub(crate) definitions: &'a [Definition],
}

/// Finds the tests of the named files.
pub(crate) fn find(
    root: &Path,
    evidence: &Evidence,
    modules: &Modules<'_>,
    named: &[TestedFile<'_>],
) -> Vec<TestFile> {
    let sources: Vec<Source<'_>> = named
        .iter()
        .filter(|tested| evidence.files[tested.file].kind == FileKind::Source)
        .map(|tested| Source::new(&evidence.files[tested.file].path, tested))
        .collect();
    if sources.is_empty() {
        return Vec::new();
    }
    let path = |n: usize| evidence.files[n].path.as_str();
    let of_tests = |n: &usize| evidence.files[*n].kind == FileKind::Test;
    let all_sources = evidence.files.iter().filter(|file| file.kind == FileKind::Source);
    let subjects: HashSet<String> = all_sources.map(|file| subject(&file.path)).collect();
    let mut tests: Vec<usize> = (0..evidence.files.len()).filter(of_tests).collect();
    tests.truncate(MAX_READ);
    let covered: Vec<Vec<bool>> = parallel_map(&tests, 4, || {
        let (sources, subjects, mut buffer) = (&sources, &subjects, Vec::new());
        move |n: &usize| {
            let Some(text) = content::read(root, path(*n), &mut buffer) else { return Vec::new() };
            TestText::new(path(*n), &String::from_utf8_lossy(text), modules, subjects).covered(sources)
        }
    });
    let mut covers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (n, source) in sources.iter().enumerate() {
        if source.inline_tests {
            covers.entry(source.file).or_default().push(source.file);
        }
        let of_source = tests.iter().zip(&covered).filter(|(_, covered)| covered.get(n) == Some(&true));
        of_source.for_each(|(test, _)| covers.entry(*test).or_default().push(source.file));
    }
    let owned = |n: &usize| path(*n).to_owned();
    let mut tests: Vec<TestFile> = covers
        .iter()
        .map(|(test, covered)| TestFile { path: owned(test), covers: covered.iter().map(owned).collect() })
        .collect();
    tests.sort_by(|a, b| b.covers.len().cmp(&a.covers.len()).then_with(|| a.path.cmp(&b.path)));
    tests.truncate(MAX_TESTS);
    tests
}

/// A source, and the names by which a test can refer to it.
struct Source<'a> {
    file: usize,
    path: &'a str,
    text: &'a str,
    definitions: Vec<&'a Definition>,
    inline_tests: bool,
}

impl<'a> Source<'a> {
    fn new(path: &'a str, tested: &TestedFile<'a>) -> Source<'a> {
        let end = super::risks::end_of_code(path, tested.text);
        let is_name = |definition: &&Definition| {
            definition.line <= end && definition.name.len() > 2 && !definition.name.starts_with("__")
        };
        Source {
            file: tested.file,
            path,
            text: tested.text,
            definitions: tested.definitions.iter().filter(is_name).collect(),
            inline_tests: path.ends_with(".rs") && has_inline_tests(tested.text),
        }
    }

    /// Names at the top of the file: functions and types.
    fn top_names(&self) -> impl Iterator<Item = &str> {
        let is_top = |definition: &&&Definition| {
            definition.owner.is_none() && !matches!(definition.kind, "module" | "heading")
        };
        self.definitions.iter().filter(is_top).map(|definition| definition.name.as_str())
    }
}

/// The text of a test.
struct TestText<'a> {
    path: &'a str,
    text: &'a str,
    words: HashSet<&'a str>,
    modules: &'a Modules<'a>,
    /// Subjects of all sources.
    subjects: &'a HashSet<String>,
}

impl<'a> TestText<'a> {
    fn new(
        path: &'a str,
        text: &'a str,
        modules: &'a Modules<'a>,
        subjects: &'a HashSet<String>,
    ) -> TestText<'a> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        TestText { path, text, words, modules, subjects }
    }

    /// For each source, whether the test covers it; nothing if it covers none.
    fn covered(&self, sources: &[Source<'_>]) -> Vec<bool> {
        let is_named = |source: &Source<'_>| {
            self.words.contains(stem(source.path))
                || source.definitions.iter().any(|definition| self.words.contains(definition.name.as_str()))
        };
        let named: Vec<bool> = sources.iter().map(is_named).collect();
        let proves = named.contains(&true) && has_tests(self.path, self.text) && !is_test_data(self.path);
        if !proves {
            return Vec::new();
        }
        let imports: Vec<&str> = self
            .modules
            .resolve_imports(self.path, self.text)
            .into_iter()
            .map(|n| self.modules.path(n))
            .collect();
        let used = used_names(self.path, self.text);
        let covers = |(source, named): (&Source<'_>, &bool)| {
            *named
                && has_name_of(self.path, source.path, self.subjects)
                && self.uses_definition(source, &imports, &used)
        };
        sources.iter().zip(&named).map(covers).collect()
    }

    /// True if the test certainly uses a definition of the source: it imports the file or is in its package.
    fn uses_definition(&self, source: &Source<'_>, imports: &[&str], used: &HashSet<String>) -> bool {
        let uses = |name: &str| used.contains(name);
        let direct = imports.contains(&source.path);
        let in_package = match self.path.rsplit_once('.').map_or("", |(_, extension)| extension) {
            // Functions and types of a package have names of their own.
            "go" => folder(self.path) == folder(source.path) && source.path.ends_with(".go"),
            "java" => same_java_package(self.path, source.path),
            // A module of tests that the file declares.
            "rs" => source.path.ends_with(".rs") && declares_tests(source, self.path),
            // The package exports what its module of that name defines.
            "py" => {
                let is_package = |import: &&&str| {
                    !folder(import).is_empty() && folder(source.path).starts_with(folder(import))
                };
                subject(self.path) == subject(source.path) && imports.iter().any(|import| is_package(&import))
            }
            _ => false,
        };
        (direct || in_package) && source.top_names().any(uses)
    }
}

/// True if a test is called like the source: `test_app.py`, `app_cookies_test.py` and `app.py`.
///
/// `flag_int_test.go` is called like `flag.go` only if there is no `flag_int.go`.
fn has_name_of(test: &str, source: &str, subjects: &HashSet<String>) -> bool {
    // The child module with the tests of a Rust file.
    if test.ends_with("/tests.rs") {
        return folder(test) == folder(source) || Some(folder(test)) == source.strip_suffix(".rs");
    }
    let (test, source) = (subject(test), subject(source));
    let is_called =
        |name: &str| test.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    is_called(&source) && !subjects.iter().any(|other| other.len() > source.len() && is_called(other))
}

/// True for the same folder, or the same one below `main` and `test`.
fn same_java_package(test: &str, source: &str) -> bool {
    folder(test) == folder(source) || folder(test).replace("src/test/", "src/main/") == folder(source)
}

/// True if `test` is the file of a `#[cfg(test)] mod x;` in the source.
fn declares_tests(source: &Source<'_>, test: &str) -> bool {
    let base = if matches!(stem(source.path), "mod" | "lib" | "main") {
        folder(source.path).to_owned()
    } else {
        source.path.trim_end_matches(".rs").to_owned()
    };
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    let declared = lines
        .windows(2)
        .filter(|pair| pair[0] == "#[cfg(test)]")
        .filter_map(|pair| pair[1].strip_prefix("mod ")?.strip_suffix(';'));
    declared
        .into_iter()
        .any(|name| test == format!("{base}/{name}.rs") || test == format!("{base}/{name}/mod.rs"))
}

#[cfg(test)]
mod naming {
    use super::*;

    #[test]
    fn a_test_is_called_like_its_source() {
        let subjects = ["flag", "flag_int", "app", "config"].map(str::to_owned).into();
        for (test, source, expected) in [
            ("tests/test_app.py", "src/app.py", true),
            ("tests/test_app_cookies.py", "src/app.py", true),
            ("flag_int_test.go", "flag_int.go", true),
            ("flag_int_test.go", "flag.go", false),
            ("flag_mutex_test.go", "flag.go", true),
            ("tests/test_main.py", "src/config.py", false),
            ("tests/test_application.py", "src/app.py", false),
            ("src/export/tests.rs", "src/export/csv.rs", true),
            ("src/export/tests.rs", "src/export.rs", true),
            ("src/export/tests.rs", "src/options.rs", false),
        ] {
            assert_eq!(has_name_of(test, source, &subjects), expected, "{test} {source}");
        }
    }
}
