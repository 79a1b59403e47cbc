//! `tasks.md`: whether each task leads to a requirement and to files, and says what its agent is told.

use super::all::{Read, is_missing};
use super::issue::{Code, Issue};
use super::paths::{FileRef, says_none};
use crate::panel::cited;
use crate::shown::shown;
use crate::spec::Problem;
use crate::spec::ids::{Id, IdKind, list, mentioned};
use crate::spec::outline::{heading, is_decoration, labelled, outline};
use crate::spec::tasks::{Task, TaskList, depends, progress};
use std::collections::BTreeSet;

const FILE: &str = "tasks.md";

pub(super) fn issues(read: &Read<'_>) -> Vec<Issue> {
    if is_missing(read.files.tasks) {
        return Vec::new();
    }
    let list = &read.tasks;
    let mut issues = problems(list);
    if list.tasks.is_empty() {
        issues.push(Issue::new(FILE, 1, Code::NoTask, "there is no task"));
    }
    let traced = components_with_requirements(read.files.design);
    let bodies = bodies(read.files.tasks, list);
    for (task, body) in list.tasks.iter().zip(&bodies) {
        let mut issue = |code, message: String| issues.push(Issue::new(FILE, task.line, code, message));
        let id = &task.id;
        if !body.names_requirement && !task.refs.iter().any(|id| is_demand(id) || traced.contains(id)) {
            issue(Code::UntracedTask, format!("{id} names no requirement it covers"));
        }
        match &task.prompt {
            None => issue(Code::NoPrompt, format!("{id} has no prompt")),
            Some(prompt) if prompt.task.is_empty() && prompt.role.is_empty() && prompt.success.is_empty() => {
                issue(Code::NoPrompt, format!("the prompt of {id} says nothing"));
            }
            Some(_) => {}
        }
        if task.files.is_empty() && !body.says_no_files && !body.cites_files {
            issue(
                Code::NoFiles,
                format!("{id} does not say which files it touches; \"**Files:** none\" if there are none"),
            );
        }
        for named in files_of(task).filter(|named| !named.is_new && !read.files_known.has(&named.path)) {
            let path = shown(&named.path);
            issue(
                Code::UnknownFile,
                format!("{id} names {path}, which does not exist and is not marked (new)"),
            );
        }
    }
    issues
}

/// The files that tasks declare new.
pub(super) fn declared_new(list: &TaskList) -> BTreeSet<String> {
    list.tasks.iter().flat_map(files_of).filter(|named| named.is_new).map(|named| named.path).collect()
}

fn files_of(task: &Task) -> impl Iterator<Item = FileRef> {
    task.files.iter().filter_map(|entry| FileRef::parse(entry))
}

/// What the reader of the list did not like, by what it is about. Counts have a place of their own.
fn problems(list: &TaskList) -> Vec<Issue> {
    let waiting: BTreeSet<Problem> = depends::problems(list).into_iter().collect();
    let counted = progress::problems(list);
    let others = list.problems.iter().filter(|problem| Some(*problem) != counted.as_ref());
    let issue = |problem: &Problem| {
        let code = if waiting.contains(problem) { Code::Dependency } else { Code::Malformed };
        Issue::new(FILE, problem.line, code, &problem.message)
    };
    others.map(issue).collect()
}

/// What stands below a task, as far as it is asked about here.
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
    for line in outline(text).lines.iter().filter(|line| !line.code) {
        if list.tasks.get(next).is_some_and(|task| task.line == line.number) {
            open = Some(next);
            next += 1;
        } else if heading(line.text).is_some_and(|(level, _)| level <= 2) {
            open = None;
        }
        let Some(body) = open.and_then(|index: usize| bodies.get_mut(index)) else { continue };
        let in_brackets = || line.text.split('[').skip(1).filter_map(list_of).flatten();
        body.names_requirement |=
            mentioned(line.text).any(|(_, id)| is_demand(&id)) || in_brackets().any(|id| is_demand(&id));
        match labelled(line.text) {
            Some((label, value)) if label == "files" => {
                body.says_no_files |= !value.trim_matches(is_decoration).is_empty() && says_none(value);
            }
            _ => body.cites_files |= !body.cites_files && !cited::paths(line.text).is_empty(),
        }
    }
    bodies
}

fn list_of(rest: &str) -> Option<Vec<Id>> {
    list(rest.split_once(']')?.0)
}

fn is_demand(id: &Id) -> bool {
    matches!(id.kind, IdKind::Story | IdKind::Requirement | IdKind::NonFunctional)
}

/// The components and decisions whose section names a requirement: a task for one of them is for that requirement.
fn components_with_requirements(design: &str) -> BTreeSet<Id> {
    let mut found = BTreeSet::new();
    let mut open: Option<Id> = None;
    for line in outline(design).lines.iter().filter(|line| !line.code) {
        if let Some((_, title)) = heading(line.text) {
            open = Id::at_start(title.trim_start_matches(is_decoration))
                .map(|(id, _)| id)
                .filter(|id| matches!(id.kind, IdKind::Component | IdKind::Decision));
        }
        if let Some(id) = &open
            && mentioned(line.text).any(|(_, id)| is_demand(&id))
        {
            found.insert(id.clone());
        }
    }
    found
}
