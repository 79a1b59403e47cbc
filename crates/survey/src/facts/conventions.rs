//! Conventions of a repository, from its files and commits.

use crate::history::log::Commit;
use crate::rank::evidence::Evidence;
use crate::report::Convention;
use crate::tree::kind::{FileKind, file_name, folder};
use crate::tree::listing::TreeFile;
use std::collections::BTreeMap;

/// Finds the conventions.
pub(crate) fn find(evidence: &Evidence, listed: &[TreeFile]) -> Vec<Convention> {
    let mut found = Vec::new();
    found.extend(commit_style(&evidence.commits));
    found.extend(changelog(evidence));
    found.extend(test_folders(evidence));
    for file in listed {
        let known = CONVENTION_FILES.iter().find(|(path, ..)| *path == file.path);
        found.extend(known.map(|(path, kind, text)| convention(kind, (*text).to_owned(), Some(path))));
    }
    found
}

fn convention(kind: &str, text: String, path: Option<&str>) -> Convention {
    Convention { kind: kind.to_owned(), text, path: path.map(str::to_owned) }
}

/// Files that state a convention: path, kind, description.
const CONVENTION_FILES: [(&str, &str, &str); 22] = [
    ("AGENTS.md", "guide", "instructions for coding agents"),
    ("CLAUDE.md", "guide", "instructions for coding agents"),
    ("CONTRIBUTING.md", "guide", "how to contribute"),
    ("ARCHITECTURE.md", "guide", "how the code is laid out"),
    ("docs/ARCHITECTURE.md", "guide", "how the code is laid out"),
    (".github/PULL_REQUEST_TEMPLATE.md", "guide", "what a pull request must say"),
    ("CODEOWNERS", "owners", "who reviews what"),
    (".github/CODEOWNERS", "owners", "who reviews what"),
    (".editorconfig", "format", "editor settings"),
    ("rustfmt.toml", "format", "rustfmt settings"),
    (".rustfmt.toml", "format", "rustfmt settings"),
    ("clippy.toml", "format", "clippy settings"),
    ("deny.toml", "format", "which dependencies may be used"),
    (".prettierrc", "format", "prettier settings"),
    (".prettierrc.json", "format", "prettier settings"),
    (".eslintrc.json", "format", "eslint settings"),
    ("eslint.config.js", "format", "eslint settings"),
    ("ruff.toml", "format", "ruff settings"),
    (".flake8", "format", "flake8 settings"),
    (".golangci.yml", "format", "golangci-lint settings"),
    (".pre-commit-config.yaml", "format", "checks before each commit"),
    ("tsconfig.json", "format", "TypeScript settings"),
];

/// Style of commit subjects, if most of the last 50 share one.
fn commit_style(commits: &[Commit]) -> Option<Convention> {
    let last: Vec<&str> = commits.iter().take(50).map(|commit| commit.subject.as_str()).collect();
    let count = |style: &dyn Fn(&str) -> bool| last.iter().filter(|subject| style(subject)).count();
    let conventional = count(&|subject| is_conventional(subject));
    let scoped = count(&|subject| !is_conventional(subject) && has_scope(subject));
    let majority = |times: usize, text: &str| {
        (last.len() >= 5 && times * 2 > last.len())
            .then(|| convention("commits", format!("{text} ({times} of the last {})", last.len()), None))
    };
    majority(conventional, "conventional commits: `type(scope): what`")
        .or_else(|| majority(scoped, "subjects begin with the part they touch: `part: what`"))
}

/// True for `feat(x)!: what`.
pub(crate) fn is_conventional(subject: &str) -> bool {
    let Some((head, _)) = subject.split_once(": ") else { return false };
    let kind = head.trim_end_matches('!').split('(').next().unwrap_or_default();
    ["build", "chore", "ci", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test"]
        .contains(&kind)
}

fn has_scope(subject: &str) -> bool {
    subject.split_once(": ").is_some_and(|(head, _)| {
        !head.is_empty()
            && head.len() < 30
            && head.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-/,{}.".contains(&b))
    })
}

/// Finds a changelog, and how often commits touch it.
fn changelog(evidence: &Evidence) -> Option<Convention> {
    let is_one = |path: &str| {
        let name = file_name(path).to_ascii_lowercase();
        ["changelog", "changes", "history", "news"].iter().any(|start| name.starts_with(start))
    };
    let at = evidence.files.iter().position(|file| file.kind == FileKind::Doc && is_one(&file.path))?;
    let last = evidence.commits.len().min(100);
    let times = evidence.commits[..last]
        .iter()
        .filter(|commit| commit.files.iter().any(|file| *file as usize == at))
        .count();
    let text = if last == 0 {
        "a changelog".to_owned()
    } else {
        format!("a changelog, touched by {times} of the last {last} commits")
    };
    Some(convention("changelog", text, Some(&evidence.files[at].path)))
}

/// Folder of most tests.
fn test_folders(evidence: &Evidence) -> Option<Convention> {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    let tests = evidence.files.iter().filter(|file| file.kind == FileKind::Test);
    let mut all = 0;
    for test in tests {
        *folders.entry(folder(&test.path)).or_default() += 1;
        all += 1;
    }
    let (folder, count) = folders.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)))?;
    let place = if folder.is_empty() { "the root" } else { folder };
    Some(convention(
        "tests",
        format!("{count} of {all} test files are in {place}"),
        (!folder.is_empty()).then_some(folder),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_of_subjects_are_told_apart() {
        let commits = |subject: &str| -> Vec<Commit> {
            (0..10)
                .map(|_| Commit {
                    id: String::new(),
                    time: 0,
                    subject: subject.to_owned(),
                    files: vec![],
                    touched: 1,
                })
                .collect()
        };
        for (subject, expected) in [
            ("feat(x)!: y", Some("conventional commits: `type(scope): what` (10 of the last 10)")),
            (
                "printer: fix y",
                Some("subjects begin with the part they touch: `part: what` (10 of the last 10)"),
            ),
            ("Fix y", None),
            ("A long sentence: then y", None),
        ] {
            assert_eq!(commit_style(&commits(subject)).map(|c| c.text).as_deref(), expected, "{subject}");
        }
        assert_eq!(commit_style(&commits("feat: x")[..3]), None);
    }
}
