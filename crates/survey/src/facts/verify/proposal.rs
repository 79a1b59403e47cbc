//! The proposal: files of a repository in, commands out.

use super::super::command_kind::{
    changes_files, command_cost, is_literal, is_other_language, is_partial, is_type_check,
};
use super::super::commands::{CommandSource, commands_of, may_have_commands};
use super::super::manifests::declared_commands;
use super::super::stack;
use super::toolchain::Toolchain;
use crate::report::{FoundCommand, LanguageShare};
use crate::tree::content;
use crate::tree::listing::{TreeFile, list_files};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The place of a test's name in `test_one`.
pub(crate) const TEST: &str = "{test}";

/// A command, and the file that suggests it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProposedCommand {
    /// The command line.
    pub run: String,
    /// File, with the line if it stands there.
    pub from: String,
}

/// Commands that verify a change; those that were not found are missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProposedCommands {
    /// Prepares a fresh worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setup: Option<ProposedCommand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<ProposedCommand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lint: Option<ProposedCommand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<ProposedCommand>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<ProposedCommand>,
    /// Quick run of tests after each task. Only what runs tests is proposed: without it all of the others are run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast: Option<ProposedCommand>,
    /// Runs one test, with `{test}` in the place of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_one: Option<ProposedCommand>,
}

impl ProposedCommands {
    /// Name and command of all that were found, in the order in which they are written.
    pub fn all(&self) -> Vec<(&'static str, &ProposedCommand)> {
        let all = [
            ("setup", &self.setup),
            ("build", &self.build),
            ("lint", &self.lint),
            ("types", &self.types),
            ("test", &self.test),
            ("fast", &self.fast),
            ("test_one", &self.test_one),
        ];
        all.into_iter().filter_map(|(name, command)| Some((name, command.as_ref()?))).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    /// What is missing, from others.
    pub(super) fn or(self, others: ProposedCommands) -> ProposedCommands {
        ProposedCommands {
            setup: self.setup.or(others.setup),
            build: self.build.or(others.build),
            lint: self.lint.or(others.lint),
            types: self.types.or(others.types),
            test: self.test.or(others.test),
            fast: self.fast.or(others.fast),
            test_one: self.test_one.or(others.test_one),
        }
    }
}

/// Paths of a repository, and the texts of those files that say how it is built.
#[derive(Debug, Clone, Default)]
pub struct RepositoryFiles {
    pub(super) paths: Vec<String>,
    pub(super) texts: BTreeMap<String, String>,
    pub(super) languages: Vec<LanguageShare>,
}

impl RepositoryFiles {
    /// Lists the files below a root and reads those that matter. Nothing is run but `git`.
    pub fn read(root: &Path) -> RepositoryFiles {
        let files = list_files(root).files;
        let texts = files.iter().map(|file| file.path.as_str()).filter(|path| is_read(path));
        let texts = texts.filter_map(|path| Some((path.to_owned(), content::read_text(root, path)?)));
        RepositoryFiles::new(&files, texts.collect())
    }

    pub(super) fn new(files: &[TreeFile], texts: BTreeMap<String, String>) -> RepositoryFiles {
        let languages = stack::languages(files);
        RepositoryFiles { paths: files.iter().map(|file| file.path.clone()).collect(), texts, languages }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.paths.iter().any(|known| known == path)
    }

    /// The first of these files that is there.
    pub(super) fn first_of<'a>(&self, paths: &[&'a str]) -> Option<&'a str> {
        paths.iter().find(|path| self.has(path)).copied()
    }

    pub(super) fn text(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", String::as_str)
    }

    /// The first of these files with a word in it.
    pub(super) fn mentions<'a>(&self, paths: &[&'a str], word: &str) -> Option<&'a str> {
        paths.iter().find(|path| self.text(path).contains(word)).copied()
    }

    /// Files at the root.
    pub(super) fn siblings(&self) -> Vec<&str> {
        self.paths.iter().map(String::as_str).filter(|path| !path.contains('/')).collect()
    }
}

/// Files beside those with commands whose text is looked at.
const READ: [&str; 9] = [
    "mypy.ini",
    ".mypy.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "Pipfile",
    "Rakefile",
    ".config/nextest.toml",
];

pub(super) fn is_read(path: &str) -> bool {
    may_have_commands(path) || READ.contains(&path)
}

/// Proposes commands from the files of a repository.
pub fn propose_commands(files: &RepositoryFiles) -> ProposedCommands {
    let toolchain = Toolchain::of(files);
    let siblings = files.siblings();
    let found: Vec<(CommandSource, FoundCommand)> = files
        .texts
        .iter()
        .filter(|(path, _)| may_have_commands(path))
        .flat_map(|(path, text)| commands_of(path, text, &siblings))
        .collect();
    let said: Vec<&(CommandSource, FoundCommand)> = found
        .iter()
        .filter(|(source, command)| {
            let is_foreign = toolchain.is_some_and(|tools| is_other_language(&command.run, tools.language()));
            *source <= CommandSource::Task
                && is_literal(&command.run)
                && !changes_files(&command.run)
                && !is_partial(&command.kind, &command.run)
                && !is_foreign
        })
        .collect();
    let best = |kind: &str, of_types: bool| {
        let of_kind = said.iter().filter(|(_, command)| {
            command.kind == kind && (kind != "lint" || is_type_check(&command.run) == of_types)
        });
        let best = of_kind.min_by_key(|(source, command)| (*source, command_cost(kind, &command.run)));
        best.map(|(_, command)| at_line(&command.run, &command.path, command.line))
    };
    let tasks = tasks(files, &siblings);
    let task = |names: &[&str]| {
        let mut named = names.iter().filter_map(|name| tasks.iter().find(|task| task.name == *name));
        named.next().map(|task| at_line(&task.run, &task.path, task.line))
    };
    let said = ProposedCommands {
        setup: task(&["setup", "bootstrap", "deps"]).filter(|task| !task.from.starts_with("package.json")),
        build: best("build", false),
        lint: best("lint", false),
        types: best("lint", true).or_else(|| {
            task(&[
                "typecheck",
                "type-check",
                "check-types",
                "check:types",
                "types",
                "tsc",
                "mypy",
                "pyright",
            ])
        }),
        test: best("test", false),
        fast: task(&[
            "test:fast",
            "test-fast",
            "fast",
            "test:quick",
            "test-quick",
            "quick",
            "test:unit",
            "test-unit",
            "unit",
        ]),
        test_one: None,
    };
    let conventions = toolchain.map(|toolchain| toolchain.conventions(files)).unwrap_or_default();
    said.or(conventions).or(implied(&found))
}

/// What a manifest of another language implies.
fn implied(found: &[(CommandSource, FoundCommand)]) -> ProposedCommands {
    let first = |kind: &str| {
        let mut found = found.iter().filter(|(source, _)| *source == CommandSource::Manifest);
        let found = found.find(|(_, command)| command.kind == kind && !is_type_check(&command.run));
        found.map(|(_, command)| from(&command.run, &command.path))
    };
    ProposedCommands {
        build: first("build"),
        lint: first("lint"),
        test: first("test"),
        ..ProposedCommands::default()
    }
}

/// A script, target or recipe.
struct Task {
    name: String,
    run: String,
    path: String,
    line: usize,
}

fn tasks(files: &RepositoryFiles, siblings: &[&str]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for (path, text) in &files.texts {
        for (line, run) in declared_commands(path, text, siblings) {
            let name = run.split(' ').next_back().unwrap_or_default().to_owned();
            tasks.push(Task { name, run, path: path.clone(), line });
        }
    }
    tasks
}

fn at_line(run: &str, path: &str, line: usize) -> ProposedCommand {
    from(run, &format!("{path}:{line}"))
}

pub(super) fn from(run: &str, file: &str) -> ProposedCommand {
    ProposedCommand { run: run.to_owned(), from: file.to_owned() }
}
