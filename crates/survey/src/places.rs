//! Everything a survey cites, looked up again: the path is there, the line is there, and it holds what is claimed.
//!
//! The product does not use it; tests and measurements do.

use crate::report::{FileChanges, Survey};
use std::collections::HashMap;
use std::path::Path;

/// What came of looking everything up.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct LookedUp {
    /// How many places were looked up.
    pub places: usize,
    /// What is wrong, one sentence each.
    pub wrong: Vec<String>,
}

/// Looks up whatever `survey` cites, in the work tree it was made of.
pub fn look_up<'a>(root: &'a Path, survey: &'a Survey) -> LookedUp {
    let mut places = Places { root, texts: HashMap::new(), looked_up: LookedUp::default() };
    for file in &survey.files {
        places.path(&file.path);
        for line in file.lines.iter().flat_map(|lines| [lines.first, lines.last]) {
            places.line(&file.path, line, &[]);
        }
    }
    for symbol in &survey.symbols {
        places.line(&symbol.path, symbol.line, &[&symbol.name]);
    }
    for risk in &survey.risks {
        let quoted = risk.text.trim_end_matches('…');
        let about_the_file = matches!(risk.kind.as_str(), "large" | "untested");
        places.line(&risk.path, risk.line, if about_the_file { &[] } else { std::slice::from_ref(&quoted) });
    }
    for dependency in &survey.dependencies {
        places.line(&dependency.path, dependency.line, &[&dependency.name]);
    }
    for command in &survey.commands.found {
        // A manifest as a whole is cited by its first line; a script by its name; a pipeline by the command, whose
        // further words may stand on further lines.
        let mut words = command.run.split_whitespace();
        let first = words.next().unwrap_or_default();
        let ends = [first, words.next_back().unwrap_or(first)];
        places.line(&command.path, command.line, if command.line == 1 { &[] } else { &ends });
    }
    let paths = survey.tests.iter().flat_map(|test| std::iter::once(&test.path).chain(&test.covers));
    let paths = paths.chain(survey.similar_commits.iter().flat_map(|commit| &commit.files));
    let changed = |changes: &'a FileChanges| {
        std::iter::once(&changes.path).chain(changes.together.iter().map(|together| &together.path))
    };
    let paths = paths.chain(survey.changes.iter().flat_map(changed));
    let paths = paths.chain(survey.imports.iter().flat_map(|import| [&import.from, &import.to]));
    let paths = paths.chain(survey.conventions.iter().filter_map(|convention| convention.path.as_ref()));
    paths.for_each(|path| places.path(path));
    places.looked_up
}

struct Places<'a> {
    root: &'a Path,
    /// The lines of files that were read.
    texts: HashMap<String, Option<Vec<String>>>,
    looked_up: LookedUp,
}

impl Places<'_> {
    /// Something stands there, be it a file or a folder.
    fn path(&mut self, path: &str) {
        self.looked_up.places += 1;
        if self.root.join(path).symlink_metadata().is_err() {
            self.looked_up.wrong.push(format!("{path:?} does not exist"));
        }
    }

    /// The line exists and has one of these, if any are given.
    fn line(&mut self, path: &str, line: usize, one_of: &[&str]) {
        self.looked_up.places += 1;
        let root = self.root;
        let read = || {
            let bytes = fs_err::read(root.join(path)).ok()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        };
        let lines = self.texts.entry(path.to_owned()).or_insert_with(read);
        let Some(lines) = lines else {
            self.looked_up.wrong.push(format!("{path:?} cannot be read"));
            return;
        };
        let Some(text) = line.checked_sub(1).and_then(|at| lines.get(at)) else {
            if line != 1 {
                self.looked_up.wrong.push(format!("{path:?} has {} lines, not {line}", lines.len()));
            }
            return;
        };
        if !one_of.is_empty() && !one_of.iter().any(|wanted| text.contains(wanted)) {
            self.looked_up.wrong.push(format!("{path:?} line {line} does not have {one_of:?}"));
        }
    }
}
