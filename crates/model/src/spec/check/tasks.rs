//! Checks `tasks.md`: each task refers to a requirement and to files, and has a proof and a prompt.

use super::issue::{IssueCode, SpecIssue};
use super::paths::{FileRef, says_none};
use super::spec_files::{ParsedSpec, is_missing};
use crate::escape::printable;
use crate::implement::Proof;
use crate::markdown::{heading, is_decoration, outline, parse_label};
use crate::panel::citations;
use crate::spec::Problem;
use crate::spec::ids::{IdKind, SpecId, mentions, parse_id_list};
use crate::spec::record::APPROVED;
use crate::spec::tasks::{Task, TaskList, depends, progress};
use std::collections::BTreeSet;

const FILE: &str = "tasks.md";

pub(super) fn issues(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    if is_missing(spec.files.tasks) {
        return Vec::new();
    }
    let list = &spec.tasks;
    let mut issues = parser_issues(list);
    if list.tasks.is_empty() {
        issues.push(SpecIssue::new(FILE, 1, IssueCode::NoTask, "there is no task"));
    }
    let traced = components_with_requirements(spec.files.design);
    let bodies = bodies(spec.files.tasks, list);
    let demands_proofs = demands_proofs(spec);
    for (task, body) in list.tasks.iter().zip(&bodies) {
        let mut issue = |code, message: String| issues.push(SpecIssue::new(FILE, task.line, code, message));
        let id = &task.id;
        if !body.names_requirement && !task.refs.iter().any(|id| is_requirement(id) || traced.contains(id)) {
            issue(IssueCode::UntracedTask, format!("{id} names no requirement it covers"));
        }
        match &task.prompt {
            None => issue(IssueCode::NoPrompt, format!("{id} has no prompt")),
            Some(prompt) if prompt.task.is_empty() && prompt.role.is_empty() && prompt.success.is_empty() => {
                issue(IssueCode::NoPrompt, format!("the prompt of {id} says nothing"));
            }
            Some(_) => {}
        }
        if demands_proofs {
            let proof = task.proof.as_ref().map(|(value, line)| (Proof::parse(value), *line));
            match proof {
                None => issue(
                    IssueCode::NoProof,
                    format!(
                        "{id} has no proof; \"**Proof:** test NAME\", \"command …\" or \"none (reason)\""
                    ),
                ),
                Some((Err(error), line)) => {
                    issues.push(SpecIssue::new(FILE, line, IssueCode::NoProof, format!("{id}: {error}")));
                }
                Some((Ok(_), _)) => {}
            }
        }
        let mut issue = |code, message: String| issues.push(SpecIssue::new(FILE, task.line, code, message));
        if task.files.is_empty() && !body.says_no_files && !body.cites_files {
            issue(
                IssueCode::NoFiles,
                format!("{id} does not say which files it touches; \"**Files:** none\" if there are none"),
            );
        }
        for named in files_of(task).filter(|named| !named.is_new && !spec.files_known.has(&named.path)) {
            let path = printable(&named.path);
            issue(
                IssueCode::UnknownFile,
                format!("{id} names {path}, which does not exist and is not marked (new)"),
            );
        }
    }
    issues
}

/// True unless the specification was approved before tasks had proofs.
fn demands_proofs(spec: &ParsedSpec<'_>) -> bool {
    let is_approved = spec.record.as_ref().is_some_and(|record| record.status == APPROVED);
    let proves = |task: &Task| task.proof.as_ref().is_some_and(|(value, _)| Proof::parse(value).is_ok());
    !is_approved || spec.tasks.tasks.iter().any(proves)
}

/// The files declared new by tasks.
pub(super) fn declared_new(list: &TaskList) -> BTreeSet<String> {
    list.tasks.iter().flat_map(files_of).filter(|named| named.is_new).map(|named| named.path).collect()
}

fn files_of(task: &Task) -> impl Iterator<Item = FileRef> {
    task.files.iter().filter_map(|entry| FileRef::parse(entry))
}

/// Problems of the task parser as issues. Counts are checked in [`super::counts`].
fn parser_issues(list: &TaskList) -> Vec<SpecIssue> {
    let waiting: BTreeSet<Problem> = depends::problems(list).into_iter().collect();
    let counted = progress::problems(list);
    let others = list.problems.iter().filter(|problem| Some(*problem) != counted.as_ref());
    let issue = |problem: &Problem| {
        let code = if waiting.contains(problem) { IssueCode::Dependency } else { IssueCode::Malformed };
        SpecIssue::new(FILE, problem.line, code, &problem.message)
    };
    others.map(issue).collect()
}

/// Facts about the lines below a task.
#[derive(Debug, Clone, Copy, Default)]
struct Body {
    names_requirement: bool,
    says_no_files: bool,
    cites_files: bool,
}

/// One body per task. A heading above the level of tasks ends one.
fn bodies(text: &str, list: &TaskList) -> Vec<Body> {
    let mut bodies = vec![Body::default(); list.tasks.len()];
    let mut open = None;
    let mut next = 0;
    for line in outline(text).lines.iter().filter(|line| !line.fenced) {
        if list.tasks.get(next).is_some_and(|task| task.line == line.number) {
            open = Some(next);
            next += 1;
        } else if heading(line.text).is_some_and(|(level, _)| level <= 2) {
            open = None;
        }
        let Some(body) = open.and_then(|index: usize| bodies.get_mut(index)) else { continue };
        let in_brackets = || line.text.split('[').skip(1).filter_map(bracketed_ids).flatten();
        body.names_requirement |= mentions(line.text).any(|(_, id)| is_requirement(&id))
            || in_brackets().any(|id| is_requirement(&id));
        match parse_label(line.text) {
            Some((label, value)) if label == "files" => {
                body.says_no_files |= !value.trim_matches(is_decoration).is_empty() && says_none(value);
            }
            _ => body.cites_files |= !body.cites_files && !citations::paths(line.text).is_empty(),
        }
    }
    bodies
}

fn bracketed_ids(rest: &str) -> Option<Vec<SpecId>> {
    parse_id_list(rest.split_once(']')?.0)
}

fn is_requirement(id: &SpecId) -> bool {
    matches!(id.kind, IdKind::Story | IdKind::Requirement | IdKind::NonFunctional)
}

/// The components and decisions whose section names a requirement: a task for one of them covers that
/// requirement.
fn components_with_requirements(design: &str) -> BTreeSet<SpecId> {
    let mut found = BTreeSet::new();
    let mut open: Option<SpecId> = None;
    for line in outline(design).lines.iter().filter(|line| !line.fenced) {
        if let Some((_, title)) = heading(line.text) {
            open = SpecId::parse_prefix(title.trim_start_matches(is_decoration))
                .map(|(id, _)| id)
                .filter(|id| matches!(id.kind, IdKind::Component | IdKind::Decision));
        }
        if let Some(id) = &open
            && mentions(line.text).any(|(_, id)| is_requirement(&id))
        {
            found.insert(id.clone());
        }
    }
    found
}
