//! Rules for tests: none is deleted, skipped or weakened, unless the task itself says so.

use super::test_cases::{TestCase, skip_marks, test_cases};
use super::{ChangeIssue, ChangeIssueKind, FileChange, FileChangeKind};
use crate::implement::paths::is_test_path;
use crate::implement::task::ImplementTask;
use std::collections::BTreeMap;

pub(super) fn judge(task: &ImplementTask, change: &[FileChange]) -> Vec<ChangeIssue> {
    let new: Vec<(&FileChange, Vec<TestCase>)> = change
        .iter()
        .map(|file| (file, test_cases(&file.path, file.text.as_deref().unwrap_or_default())))
        .collect();
    let mut issues = Vec::new();
    for (file, cases) in &new {
        let old_text = file.old_text.as_deref().unwrap_or_default();
        let old = test_cases(&file.path, old_text);
        let moved = |case: &&TestCase| {
            let elsewhere =
                new.iter().filter(|(other, _)| other.path != file.path).flat_map(|(_, cases)| cases);
            elsewhere.into_iter().any(|other| {
                other.name == case.name && other.assertions >= case.assertions && !other.is_skipped
            })
        };
        let by_name: BTreeMap<&str, &TestCase> =
            cases.iter().map(|case| (case.name.as_str(), case)).collect();
        let lost: Vec<&TestCase> = old
            .iter()
            .filter(|case| !by_name.contains_key(case.name.as_str()))
            .filter(|case| !moved(case))
            .collect();
        if file.kind == FileChangeKind::Deleted
            && is_test_path(&file.path)
            && (old.is_empty() || !lost.is_empty())
        {
            let names = lost.iter().map(|case| case.name.as_str()).collect::<Vec<_>>().join(", ");
            let message = if names.is_empty() {
                "this test file was deleted".to_owned()
            } else {
                format!("this test file was deleted: {names}")
            };
            issues.push(allowed(
                task,
                file,
                "",
                ChangeIssue::refusal(&file.path, 0, ChangeIssueKind::DeletedTest, message),
            ));
            continue;
        }
        for case in lost {
            let message = format!("the test {} was removed", case.name);
            let issue = ChangeIssue::refusal(&file.path, case.line, ChangeIssueKind::DeletedTest, message);
            issues.push(allowed(task, file, &case.name, issue));
        }
        for before in &old {
            let Some(after) = by_name.get(before.name.as_str()) else { continue };
            if after.is_skipped && !before.is_skipped {
                let message = format!("the test {} is skipped now", after.name);
                let issue =
                    ChangeIssue::refusal(&file.path, after.line, ChangeIssueKind::SkippedTest, message);
                issues.push(allowed(task, file, &after.name, issue));
            } else if after.assertions < before.assertions {
                let message = format!(
                    "the test {} has {} assertions that can fail, and had {}",
                    after.name, after.assertions, before.assertions
                );
                let issue =
                    ChangeIssue::refusal(&file.path, after.line, ChangeIssueKind::WeakenedTest, message);
                issues.push(allowed(task, file, &after.name, issue));
            }
        }
        judge_marks(task, file, old_text, &mut issues);
    }
    issues
}

/// Marks that skip tests, beyond those of single tests that were named already.
fn judge_marks(task: &ImplementTask, file: &FileChange, old_text: &str, issues: &mut Vec<ChangeIssue>) {
    let text = file.text.as_deref().unwrap_or_default();
    let (before, after) = (skip_marks(&file.path, old_text), skip_marks(&file.path, text));
    let is_named =
        issues.iter().any(|issue| issue.path == file.path && issue.kind == ChangeIssueKind::SkippedTest);
    let Some(line) = after.last().filter(|_| after.len() > before.len() && !is_named) else { return };
    let message = format!("{} more marks that skip or narrow tests", after.len() - before.len());
    let issue = ChangeIssue::refusal(&file.path, *line, ChangeIssueKind::SkippedTest, message);
    let issue = allowed(task, file, "", issue);
    // A new test that is skipped proves nothing, and takes nothing away.
    let is_finding = file.kind == FileChangeKind::Added;
    issues.push(ChangeIssue { is_refusal: issue.is_refusal && !is_finding, ..issue });
}

/// A finding in place of a refusal if the approved task itself speaks of removing this test.
fn allowed(task: &ImplementTask, file: &FileChange, name: &str, issue: ChangeIssue) -> ChangeIssue {
    const REMOVALS: [&str; 6] = ["remove", "delete", "drop", "replace", "retire", "skip"];
    let is_ordered = task.text.lines().any(|line| {
        let names_it = line.contains(file.path.as_str()) || (!name.is_empty() && line.contains(name));
        let lower = line.to_lowercase();
        names_it
            && !lower.trim_start_matches(['*', ' ']).starts_with("files:")
            && REMOVALS.iter().any(|word| lower.contains(word))
    });
    ChangeIssue { is_refusal: !is_ordered, ..issue }
}
