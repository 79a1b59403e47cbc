//! The judgement itself: a change, its rules and its report.

use super::super::paths::{is_named, is_test_path, manifests_of};
use super::super::task::ImplementTask;
use super::{files, tests};
use crate::escape::one_line;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A file of a change, with its text before and after.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    pub path: String,
    pub kind: FileChangeKind,
    /// Git file mode before; empty if the file is new.
    pub old_mode: String,
    /// Git file mode after; empty if the file was deleted.
    pub mode: String,
    /// Size after, in bytes.
    pub size: u64,
    pub is_binary: bool,
    /// Text before; none if there was none, or it is not text. For a link, its target.
    pub old_text: Option<String>,
    /// Text after; none if there is none, or it is not text. For a link, its target.
    pub text: Option<String>,
}

/// Kind of a change of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileChangeKind {
    Added,
    #[default]
    Modified,
    Deleted,
    /// File, link or submodule became another of them.
    TypeChanged,
}

/// Rules that hold for every task of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRules {
    /// Maximum size of a file in bytes.
    pub max_file_bytes: u64,
    /// Folders of charrette's own files, relative to the root: specifications, workspaces, state.
    pub own_folders: Vec<String>,
}

impl Default for ChangeRules {
    fn default() -> ChangeRules {
        let own = ["specs", ".specs", ".claude/state"].map(str::to_owned);
        ChangeRules { max_file_bytes: 1_048_576, own_folders: own.to_vec() }
    }
}

/// Result of a judgement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeReport {
    pub issues: Vec<ChangeIssue>,
}

/// Something wrong with a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeIssue {
    pub path: String,
    /// From 1; 0 for the whole file.
    pub line: usize,
    pub kind: ChangeIssueKind,
    /// True if the change cannot land.
    pub is_refusal: bool,
    /// On one line.
    pub message: String,
}

/// Kind of an issue of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeIssueKind {
    Outside,
    DeletedTest,
    WeakenedTest,
    SkippedTest,
    ConflictMarker,
    Secret,
    TooLarge,
    Link,
    Submodule,
    Mode,
    GitFile,
    OwnFile,
    LockFile,
    Unused,
}

impl ChangeReport {
    pub fn refusals(&self) -> impl Iterator<Item = &ChangeIssue> {
        self.issues.iter().filter(|issue| issue.is_refusal)
    }

    pub fn findings(&self) -> impl Iterator<Item = &ChangeIssue> {
        self.issues.iter().filter(|issue| !issue.is_refusal)
    }

    pub fn is_refused(&self) -> bool {
        self.refusals().next().is_some()
    }
}

impl ChangeIssue {
    pub(super) fn refusal(
        path: &str,
        line: usize,
        kind: ChangeIssueKind,
        message: impl fmt::Display,
    ) -> ChangeIssue {
        ChangeIssue {
            path: path.to_owned(),
            line,
            kind,
            is_refusal: true,
            message: one_line(&message.to_string()),
        }
    }

    pub(super) fn finding(
        path: &str,
        line: usize,
        kind: ChangeIssueKind,
        message: impl fmt::Display,
    ) -> ChangeIssue {
        ChangeIssue { is_refusal: false, ..ChangeIssue::refusal(path, line, kind, message) }
    }
}

impl fmt::Display for ChangeIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = one_line(&self.path);
        match self.line {
            0 => write!(f, "{path}: {}", self.message),
            line => write!(f, "{path}:{line}: {}", self.message),
        }
    }
}

/// Judges the change of a task.
pub fn judge_change(task: &ImplementTask, change: &[FileChange], rules: &ChangeRules) -> ChangeReport {
    let mut issues = Vec::new();
    for file in change {
        let before = issues.len();
        files::judge(file, rules, &mut issues);
        judge_lock_file(file, change, &mut issues);
        // A file that is refused for what it is need not be called foreign as well.
        if issues.len() == before && !task.files.covers(&file.path) && !follows_manifest(file, change) {
            let message = format!("not among the files of {} ({})", task.id, task.files.shown());
            issues.push(ChangeIssue::finding(&file.path, 0, ChangeIssueKind::Outside, message));
        }
    }
    issues.extend(tests::judge(task, change));
    ChangeReport { issues }
}

/// Paths of the changed files that hold tests and can be laid over the old tree.
pub fn test_paths(change: &[FileChange]) -> Vec<String> {
    let is_present = |file: &&FileChange| file.kind != FileChangeKind::Deleted && is_test_path(&file.path);
    change.iter().filter(is_present).map(|file| file.path.clone()).collect()
}

fn judge_lock_file(file: &FileChange, change: &[FileChange], issues: &mut Vec<ChangeIssue>) {
    if manifests_of(&file.path).is_some() && !follows_manifest(file, change) {
        let message = "a lock file changes only together with its manifest";
        issues.push(ChangeIssue::refusal(&file.path, 0, ChangeIssueKind::LockFile, message));
    }
}

/// True for a lock file whose manifest changed as well.
fn follows_manifest(file: &FileChange, change: &[FileChange]) -> bool {
    let manifests = manifests_of(&file.path);
    manifests.is_some_and(|names| change.iter().any(|other| is_named(&other.path, names)))
}
