//! What a survey says, as `survey.json` has it. Every path and line in it existed when it was made.

use serde::{Deserialize, Serialize};

/// What a repository says about a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Survey {
    /// What was asked for.
    pub request: String,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// What the request is about, best first.
    pub files: Vec<RankedFile>,
    /// What those files define that the request is about.
    pub symbols: Vec<Symbol>,
    /// What tests those files.
    pub tests: Vec<TestFile>,
    /// How it is built, tested and checked.
    pub commands: Commands,
    /// How people work here.
    pub conventions: Vec<Convention>,
    /// What stands in those files that a change should mind.
    pub risks: Vec<Risk>,
    /// Commits that did something like it.
    pub similar_commits: Vec<SimilarCommit>,
    /// How the first of those files changed, code before the rest.
    pub changes: Vec<FileChanges>,
    /// Which of those files use which.
    pub imports: Vec<Import>,
    /// What the repository builds on, as its manifests say.
    pub dependencies: Vec<Dependency>,
    /// What the repository is written in, most first.
    pub languages: Vec<LanguageShare>,
    /// What a reader should know about this survey.
    pub notes: Vec<String>,
}

/// A file and why it is named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RankedFile {
    /// Relative to the root of the work tree.
    pub path: String,
    /// How much speaks for it; only the order means something.
    pub score: f64,
    /// Why, the strongest reason first.
    pub reasons: Vec<String>,
    /// `source`, `test`, `doc`, `config` or `data`.
    pub kind: String,
    /// Where the request's words stand closest together.
    pub lines: Option<Lines>,
}

/// Lines of a file, counted from 1, both included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

/// Something a file defines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// `function`, `struct`, `class`, …
    pub kind: String,
    /// Where.
    pub path: String,
    /// On which line, from 1.
    pub line: usize,
}

/// A test and what it tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFile {
    /// Where.
    pub path: String,
    /// Which of the named files it covers.
    pub covers: Vec<String>,
}

/// How a repository is worked on: the one command of each kind that its own pipelines or manifests run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Commands {
    /// Builds it.
    pub build: Option<String>,
    /// Tests it.
    pub test: Option<String>,
    /// Checks its style.
    pub lint: Option<String>,
    /// All that were found, with where.
    pub found: Vec<FoundCommand>,
}

/// A command and where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundCommand {
    /// `build`, `test` or `lint`.
    pub kind: String,
    /// What is run.
    pub run: String,
    /// The file that says so.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A habit of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convention {
    /// `commits`, `changelog`, `format`, `guide`, `tests`, `owners`.
    pub kind: String,
    /// What it is.
    pub text: String,
    /// The file that says so, if one does.
    pub path: Option<String>,
}

/// Something to mind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    /// Where.
    pub path: String,
    /// On which line, from 1.
    pub line: usize,
    /// `todo`, `panic`, `unsafe`, `swallowed`, `shell`, `deprecated`, `large`, `untested`, `busy`.
    pub kind: String,
    /// What stands there, or what it is.
    pub text: String,
}

/// A commit that did something like it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimilarCommit {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// What it touched that is still here.
    pub files: Vec<String>,
}

/// How a file changed. Commits that touched more than 40 files are not counted: they are about something else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileChanges {
    /// The file.
    pub path: String,
    /// How many commits changed it.
    pub commits: usize,
    /// How many commits were looked at.
    pub of: usize,
    /// The latest that changed it, newest first.
    pub latest: Vec<Change>,
    /// What changed with it at least twice, most often first.
    pub together: Vec<Together>,
}

/// A commit that changed a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its id.
    pub id: String,
    /// The day it was committed.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// A file that changes with another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Together {
    /// The file.
    pub path: String,
    /// In how many commits.
    pub times: usize,
}

/// One file uses another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The one that uses.
    pub from: String,
    /// The one that is used.
    pub to: String,
}

/// Something the repository builds on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// The manifest that names it.
    pub path: String,
    /// On which line, from 1.
    pub line: usize,
}

/// How much is written in a language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageShare {
    /// The language.
    pub name: String,
    /// How many files.
    pub files: usize,
}
