//! Citation check of a survey: every path exists, every line exists and contains the cited text.
//!
//! Used by tests and measurements, not by the product.

use crate::report::{FileChanges, Survey};
use std::collections::HashMap;
use std::path::Path;

/// Result of a citation check.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct CitationReport {
    /// Number of citations checked.
    pub checked: usize,
    /// Wrong citations, one sentence each.
    pub errors: Vec<String>,
}

/// Checks every citation of `survey` against the work tree it was made from.
pub fn check_citations<'a>(root: &'a Path, survey: &'a Survey) -> CitationReport {
    let mut checker = CitationChecker { root, texts: HashMap::new(), report: CitationReport::default() };
    for file in &survey.files {
        checker.path(&file.path);
        for line in file.lines.iter().flat_map(|lines| [lines.first, lines.last]) {
            checker.line(&file.path, line, &[]);
        }
    }
    for symbol in &survey.symbols {
        checker.line(&symbol.path, symbol.line, &[&symbol.name]);
    }
    for risk in &survey.risks {
        let quoted = risk.text.trim_end_matches('…');
        let about_the_file = risk.kind == "large";
        checker.line(&risk.path, risk.line, if about_the_file { &[] } else { std::slice::from_ref(&quoted) });
    }
    for dependency in &survey.dependencies {
        checker.line(&dependency.path, dependency.line, &[&dependency.name]);
    }
    for command in &survey.commands.found {
        // A manifest as a whole is cited by its first line; a script by its name; a pipeline by the command, whose
        // further words may be on further lines.
        let mut words = command.run.split_whitespace();
        let first = words.next().unwrap_or_default();
        let ends = [first, words.next_back().unwrap_or(first)];
        checker.line(&command.path, command.line, if command.line == 1 { &[] } else { &ends });
    }
    let paths = survey.tests.iter().flat_map(|test| std::iter::once(&test.path).chain(&test.covers));
    let paths = paths.chain(survey.similar_commits.iter().flat_map(|commit| &commit.files));
    let changed = |changes: &'a FileChanges| {
        std::iter::once(&changes.path).chain(changes.together.iter().map(|together| &together.path))
    };
    let paths = paths.chain(survey.changes.iter().flat_map(changed));
    let paths = paths.chain(survey.imports.iter().flat_map(|import| [&import.from, &import.to]));
    let paths = paths.chain(survey.conventions.iter().filter_map(|convention| convention.path.as_ref()));
    // Sources of dependencies have absolute paths, which `join` keeps.
    let paths = paths.chain(survey.sources.iter().map(|source| &source.path));
    paths.for_each(|path| checker.path(path));
    checker.report
}

struct CitationChecker<'a> {
    root: &'a Path,
    /// Lines of the files read so far.
    texts: HashMap<String, Option<Vec<String>>>,
    report: CitationReport,
}

impl CitationChecker<'_> {
    /// Checks that a file or folder exists.
    fn path(&mut self, path: &str) {
        self.report.checked += 1;
        if self.root.join(path).symlink_metadata().is_err() {
            self.report.errors.push(format!("{path:?} does not exist"));
        }
    }

    /// Checks that the line exists and contains one of `one_of`, unless that is empty.
    fn line(&mut self, path: &str, line: usize, one_of: &[&str]) {
        self.report.checked += 1;
        let root = self.root;
        let read = || {
            let bytes = fs_err::read(root.join(path)).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        };
        let lines = self.texts.entry(path.to_owned()).or_insert_with(read);
        let Some(lines) = lines else {
            self.report.errors.push(format!("{path:?} cannot be read"));
            return;
        };
        let Some(text) = line.checked_sub(1).and_then(|at| lines.get(at)) else {
            if line != 1 {
                self.report.errors.push(format!("{path:?} has {} lines, not {line}", lines.len()));
            }
            return;
        };
        if !one_of.is_empty() && !one_of.iter().any(|wanted| text.contains(wanted)) {
            self.report.errors.push(format!("{path:?} line {line} does not have {one_of:?}"));
        }
    }
}
