//! Kind of work of a task, by its words and files: the `mode` of its handoff request.

use super::task::ImplementTask;
use serde::{Deserialize, Serialize};

/// Kind of work; the order is the order in which several kinds of work on one thing are done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkKind {
    #[default]
    Code,
    Ui,
    Docs,
    Eval,
}

impl WorkKind {
    /// Mode in handoff requests.
    pub fn mode(self) -> &'static str {
        match self {
            WorkKind::Code => "code",
            WorkKind::Ui => "ui",
            WorkKind::Docs => "docs",
            WorkKind::Eval => "eval",
        }
    }
}

/// Words that point to a kind of work, in lower case.
const WORDS: [(WorkKind, &[&str]); 4] = [
    (WorkKind::Code, &["trpc", "prisma", "api", "database", "model", "schema", "server"]),
    (WorkKind::Ui, &["react", "component", "form", "ui", "hook", "page", "layout"]),
    (WorkKind::Docs, &["readme", "documentation", "guide", "tutorial"]),
    (WorkKind::Eval, &["evaluation", "grader", "benchmark", "pass@k", "llm test"]),
];

/// The kinds of work that a text speaks of, in their order; none if no word points to one.
pub fn work_kinds(text: &str) -> Vec<WorkKind> {
    let words: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '@'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let has = |wanted: &&str| {
        let wanted: Vec<&str> = wanted.split(' ').collect();
        words.windows(wanted.len()).any(|found| {
            found.iter().zip(&wanted).all(|(found, wanted)| {
                found == wanted || found.strip_suffix('s').is_some_and(|one| one == *wanted)
            })
        })
    };
    WORDS.iter().filter(|(_, words)| words.iter().any(&has)).map(|(kind, _)| *kind).collect()
}

/// The kind of work of a task: by its files where they are all documents, else the first that its title and text speak
/// of, else code.
pub fn task_kind(task: &ImplementTask) -> WorkKind {
    let is_document =
        |path: &str| [".md", ".rst", ".adoc", ".txt"].iter().any(|end| path.to_lowercase().ends_with(end));
    let paths = &task.files.patterns;
    if !paths.is_empty() && !task.files.is_unknown && paths.iter().all(|pattern| is_document(&pattern.path)) {
        return WorkKind::Docs;
    }
    let by_title = work_kinds(&task.title);
    let kinds = if by_title.is_empty() { work_kinds(&task.text) } else { by_title };
    // A task that changes more than documents is no documentation task, whatever it mentions.
    let is_possible = |kind: &WorkKind| *kind != WorkKind::Docs || paths.is_empty();
    kinds.into_iter().find(is_possible).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implement::scope::FileScope;

    #[test]
    fn words_point_to_kinds_in_their_order() {
        for (text, kinds) in [
            ("A React form for the API", vec![WorkKind::Code, WorkKind::Ui]),
            ("Write a guide", vec![WorkKind::Docs]),
            ("pass@k of the grader", vec![WorkKind::Eval]),
            ("an LLM test", vec![WorkKind::Eval]),
            ("Schemas and pages", vec![WorkKind::Code, WorkKind::Ui]),
            ("build the bucket; perform, capital", vec![]),
        ] {
            assert_eq!(work_kinds(text), kinds, "{text}");
        }
    }

    #[test]
    fn files_decide_before_words() {
        let task = |title: &str, files: &[&str]| ImplementTask {
            title: title.to_owned(),
            files: FileScope::parse(Some(&files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>())),
            ..ImplementTask::default()
        };
        assert_eq!(task_kind(&task("The server's manual", &["docs/a.md"])), WorkKind::Docs);
        assert_eq!(task_kind(&task("Documentation in code", &["src/a.rs"])), WorkKind::Code);
        assert_eq!(task_kind(&task("A login page", &["src/login.tsx"])), WorkKind::Ui);
        assert_eq!(task_kind(&task("The bucket", &["src/limit.rs"])), WorkKind::Code);
    }
}
