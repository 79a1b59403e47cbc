//! Rules for single files of a change: conflict markers, secrets, sizes, links, submodules, modes, files of git and of
//! charrette.

use super::{ChangeIssue, ChangeIssueKind, ChangeRules, FileChange, FileChangeKind};
use crate::implement::paths::is_test_path;
use crate::redact::Redactor;
use std::collections::BTreeSet;

const LINK: &str = "120000";
const SUBMODULE: &str = "160000";
const PLAIN: &str = "100644";
const EXECUTABLE: &str = "100755";

pub(super) fn judge(file: &FileChange, rules: &ChangeRules, issues: &mut Vec<ChangeIssue>) {
    let path = file.path.as_str();
    let mut refuse =
        |kind, line, message: String| issues.push(ChangeIssue::refusal(path, line, kind, message));
    if !is_inside(path) {
        refuse(ChangeIssueKind::GitFile, 0, "the path leaves the work tree or is git's own".to_owned());
        return;
    }
    if let Some(folder) = rules.own_folders.iter().find(|folder| is_below(path, folder)) {
        refuse(ChangeIssueKind::OwnFile, 0, format!("{folder}/ is written by charrette only"));
    }
    if is_own_file(path) {
        refuse(ChangeIssueKind::OwnFile, 0, "settings of charrette are changed by a person only".to_owned());
    }
    if file.mode == SUBMODULE || file.old_mode == SUBMODULE || path == ".gitmodules" {
        refuse(ChangeIssueKind::Submodule, 0, "submodules are not changed by agents".to_owned());
        return;
    }
    if file.kind == FileChangeKind::Deleted {
        return;
    }
    if file.mode == LINK {
        if let Some(why) =
            file.text.as_deref().map_or(Some("its target is not text"), |target| bad_target(path, target))
        {
            refuse(ChangeIssueKind::Link, 0, format!("a symbolic link: {why}"));
        }
        return;
    }
    if file.mode != PLAIN && file.mode != EXECUTABLE {
        refuse(ChangeIssueKind::Mode, 0, format!("the file mode {} is not allowed", file.mode));
    }
    if file.size > rules.max_file_bytes {
        let limit = rules.max_file_bytes;
        refuse(
            ChangeIssueKind::TooLarge,
            0,
            format!("{} bytes, more than {limit} (implement.max_file_bytes)", file.size),
        );
    }
    let text = file.text.as_deref().unwrap_or_default();
    let old = file.old_text.as_deref().unwrap_or_default();
    if let Some(line) = conflict_line(text).filter(|_| conflict_line(old).is_none()) {
        refuse(ChangeIssueKind::ConflictMarker, line, "a conflict marker".to_owned());
    }
    if path.rsplit('/').next() == Some(".gitattributes")
        && let Some((line, _)) = added_lines(old, text).find(|(_, line)| runs_program(line))
    {
        refuse(ChangeIssueKind::GitFile, line, "attributes that make git run a filter or driver".to_owned());
    }
    judge_secrets(file, old, text, issues);
    if file.mode == EXECUTABLE && file.old_mode != EXECUTABLE && !file.is_binary && !text.starts_with("#!") {
        let message = "became executable, and is no script";
        issues.push(ChangeIssue::finding(path, 0, ChangeIssueKind::Mode, message));
    }
}

fn is_inside(path: &str) -> bool {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    !path.contains('\0') && path.split('/').all(is_plain)
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    !folder.is_empty()
        && path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_own_file(path: &str) -> bool {
    path == "charrette.toml" || path == ".worktreeinclude" || is_below(path, ".charrette")
}

/// What is wrong with the target of a link.
fn bad_target(path: &str, target: &str) -> Option<&'static str> {
    let target = target.trim_end_matches('\n');
    if target.is_empty() || target.starts_with('/') || target.contains('\0') {
        return Some("its target is absolute or empty");
    }
    let mut depth = path.split('/').count() - 1;
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return Some("its target is outside of the repository"),
            ".." => depth -= 1,
            part if part.eq_ignore_ascii_case(".git") => return Some("its target is git's own folder"),
            _ => depth += 1,
        }
    }
    None
}

/// Line of the first conflict marker. A line of equals signs alone may underline a heading.
fn conflict_line(text: &str) -> Option<usize> {
    let is_marker = |line: &str| {
        ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| {
            line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r']))
        })
    };
    text.lines().position(is_marker).map(|at| at + 1)
}

/// Lines that the old text does not have, with their numbers.
fn added_lines<'a>(old: &'a str, new: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let known: BTreeSet<&str> = old.lines().collect();
    new.lines().enumerate().filter(move |(_, line)| !known.contains(line)).map(|(at, line)| (at + 1, line))
}

fn runs_program(line: &str) -> bool {
    let line = line.trim();
    !line.starts_with('#')
        && line
            .split_whitespace()
            .skip(1)
            .any(|attribute| ["filter=", "diff=", "merge="].iter().any(|name| attribute.starts_with(name)))
}

fn judge_secrets(file: &FileChange, old: &str, text: &str, issues: &mut Vec<ChangeIssue>) {
    let known: BTreeSet<&str> = old.lines().collect();
    let mut redactor = Redactor::new(std::iter::empty::<(String, String)>());
    let found = text.lines().enumerate().find(|(_, line)| {
        let is_secret = redactor.redact_line(line.as_bytes()) != line.as_bytes();
        is_secret && !known.contains(line)
    });
    let Some((at, _)) = found else { return };
    let message = "this line holds a key, password or token";
    let issue = if is_sample(&file.path) {
        ChangeIssue::finding(&file.path, at + 1, ChangeIssueKind::Secret, message)
    } else {
        ChangeIssue::refusal(&file.path, at + 1, ChangeIssueKind::Secret, message)
    };
    issues.push(issue);
}

/// True for files in which made-up keys are usual.
fn is_sample(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_env = [".example", ".sample", ".template"].iter().any(|end| name.ends_with(end));
    is_env || is_test_path(path) || path.split('/').any(|folder| folder == "fixtures")
}
