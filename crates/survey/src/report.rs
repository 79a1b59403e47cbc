//! Format of `survey.json`. Every path and line in it existed when the survey was made.

use serde::{Deserialize, Serialize};

/// Survey of a repository for one request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Survey {
    pub request: String,
    /// Commit that is checked out.
    pub head: Option<String>,
    /// Files the request is about, best first.
    pub files: Vec<RankedFile>,
    /// Definitions in those files that match the request.
    pub symbols: Vec<Symbol>,
    /// Tests that cover those files.
    pub tests: Vec<TestFile>,
    /// Build, test and lint commands.
    pub commands: Commands,
    /// Conventions of the repository.
    pub conventions: Vec<Convention>,
    /// Risks in those files.
    pub risks: Vec<Risk>,
    /// Past commits with a similar subject.
    pub similar_commits: Vec<SimilarCommit>,
    /// History of the first of those files, code before the rest.
    pub changes: Vec<FileChanges>,
    /// Imports between those files.
    pub imports: Vec<Import>,
    /// Dependencies declared in manifests.
    pub dependencies: Vec<Dependency>,
    /// Sources of dependencies on this machine; those that the files import come first.
    pub sources: Vec<DependencySource>,
    /// Number of dependencies whose sources were found.
    pub sources_found: SourceCount,
    /// Languages by number of files, most first.
    pub languages: Vec<LanguageShare>,
    /// Limits of this survey, such as a shallow clone.
    pub notes: Vec<String>,
}

/// A ranked file and the reasons for its rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RankedFile {
    /// Path relative to the root of the work tree.
    pub path: String,
    /// Score; meaningful only for the order.
    pub score: f64,
    /// Reasons in words, the strongest first.
    pub reasons: Vec<String>,
    /// `source`, `test`, `doc`, `config` or `data`.
    pub kind: String,
    /// Passage in which the request's words are closest together.
    pub lines: Option<LineRange>,
}

/// A range of lines, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRange {
    pub first: usize,
    pub last: usize,
}

/// A definition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    pub name: String,
    /// `function`, `struct`, `class`, …
    pub kind: String,
    pub path: String,
    /// Line, from 1.
    pub line: usize,
}

/// A test file and the files it covers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFile {
    pub path: String,
    /// Ranked files it covers.
    pub covers: Vec<String>,
}

/// Build, test and lint commands: the best of each kind from the repository's own pipelines and manifests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Commands {
    pub build: Option<String>,
    pub test: Option<String>,
    pub lint: Option<String>,
    /// All commands found, with their locations.
    pub found: Vec<FoundCommand>,
}

/// A command and its location.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundCommand {
    /// `build`, `test` or `lint`.
    pub kind: String,
    /// Command line.
    pub run: String,
    /// File that contains it.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
}

/// A convention of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convention {
    /// `commits`, `changelog`, `format`, `guide`, `tests`, `owners`.
    pub kind: String,
    /// Description.
    pub text: String,
    /// File that states it, if one does.
    pub path: Option<String>,
}

/// A risk in the code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// `todo`, `panic`, `unsafe`, `swallowed`, `shell`, `deprecated`, `large`.
    pub kind: String,
    /// The line itself, or a description for risks of a whole file.
    pub text: String,
}

/// A past commit whose subject is similar to the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimilarCommit {
    pub id: String,
    /// First line of the message.
    pub subject: String,
    /// Files it touched that still exist.
    pub files: Vec<String>,
}

/// Change history of a file. Commits that touched more than 40 files are not counted: they are about something else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileChanges {
    pub path: String,
    /// Number of commits that changed the file.
    pub commits: usize,
    /// Number of commits examined.
    #[serde(rename = "of")]
    pub commits_examined: usize,
    /// Latest commits that changed the file, newest first.
    pub latest: Vec<FileCommit>,
    /// Files changed by at least two of the same commits, most often first.
    pub together: Vec<CoChange>,
}

/// A commit that changed a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileCommit {
    pub id: String,
    /// Day of the commit.
    pub date: String,
    /// First line of the message.
    pub subject: String,
}

/// A file that changes together with another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoChange {
    pub path: String,
    /// Number of common commits.
    pub times: usize,
}

/// An import between two files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Importing file.
    pub from: String,
    /// Imported file.
    pub to: String,
}

/// A dependency.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// Manifest that declares it.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
}

/// Source of a dependency on this machine, at the pinned version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DependencySource {
    /// Package, module or artifact; `std` for a standard library.
    pub name: String,
    pub version: String,
    /// Absolute path of a folder, a file or an archive.
    pub path: String,
}

/// Number of dependencies whose sources were found, of those that were looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCount {
    pub found: usize,
    pub of: usize,
}

/// Number of files written in a language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageShare {
    pub name: String,
    pub files: usize,
}
