//! Messages of the commits that charrette makes: a conventional title, what the commit covers, and trailers.

use super::paths::is_test_path;
use super::routing::{WorkKind, task_kind};
use super::task::ImplementTask;
use serde::{Deserialize, Serialize};

/// Trailer that names the task of a commit.
pub const TASK_TRAILER: &str = "Charrette-Task";

/// Maximum number of characters of a title.
pub const MAX_TITLE: usize = 72;

/// Message of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitText {
    pub title: String,
    pub body: String,
    /// Trailers, as key and value.
    pub trailers: Vec<(String, String)>,
}

/// Who made the work of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitFacts<'a> {
    /// Run id.
    pub run: &'a str,
    /// Agent and model, such as `claude claude-opus-5`; empty if a person did it.
    pub assistant: &'a str,
    /// Files of the commit.
    pub files: &'a [String],
}

/// Types of conventional commits.
const TYPES: [&str; 11] =
    ["feat", "fix", "docs", "test", "refactor", "perf", "build", "ci", "chore", "style", "revert"];

/// The message for the work of a task.
pub fn task_commit(task: &ImplementTask, facts: &CommitFacts<'_>) -> CommitText {
    let title = clean(&task.title);
    let subject = if title.is_empty() { format!("task {}", task.id) } else { title };
    let title = if is_conventional(&subject) {
        cut(&subject, MAX_TITLE)
    } else {
        let kind = commit_type(task, facts.files);
        cut(&format!("{kind}: {}", lower_first(subject.trim_end_matches(['.', ' ']))), MAX_TITLE)
    };
    let mut body = Vec::new();
    if !task.requirements.is_empty() {
        body.push(format!("Covers {}.", task.requirements.join(", ")));
    }
    body.push(clean(&format!("Proven by {}.", task.proof)));
    let mut trailers = run_trailers(facts.run);
    trailers.push((TASK_TRAILER.to_owned(), task.id.clone()));
    let assistant = clean(facts.assistant);
    if !assistant.is_empty() {
        trailers.push(("Assisted-by".to_owned(), assistant));
    }
    CommitText { title, body: body.join("\n"), trailers }
}

/// The message of a commit that belongs to no single task: the specification, repairs, progress.
pub fn run_commit(kind: &str, subject: &str, run: &str, assistant: &str) -> CommitText {
    let mut trailers = run_trailers(run);
    let assistant = clean(assistant);
    if !assistant.is_empty() {
        trailers.push(("Assisted-by".to_owned(), assistant));
    }
    CommitText {
        title: cut(&format!("{kind}: {}", clean(subject)), MAX_TITLE),
        body: String::new(),
        trailers,
    }
}

fn run_trailers(run: &str) -> Vec<(String, String)> {
    vec![("Charrette-Run".to_owned(), clean(run))]
}

fn is_conventional(title: &str) -> bool {
    let Some((head, subject)) = title.split_once(": ") else { return false };
    let kind = head.trim_end_matches('!').split('(').next().unwrap_or_default();
    let scope = head.trim_end_matches('!').strip_prefix(kind).unwrap_or_default();
    TYPES.contains(&kind) && (scope.is_empty() || scope.ends_with(')')) && !subject.trim().is_empty()
}

/// The type of a commit, by the task's files and the first words of its title.
fn commit_type(task: &ImplementTask, files: &[String]) -> &'static str {
    if !files.is_empty() && files.iter().all(|path| is_test_path(path)) {
        return "test";
    }
    if task_kind(task) == WorkKind::Docs {
        return "docs";
    }
    if task_kind(task) == WorkKind::Eval {
        return "test";
    }
    let title = task.title.to_lowercase();
    let words: Vec<&str> = title.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |stems: &[&str]| words.iter().any(|word| stems.contains(word));
    if has(&["fix", "fixes", "repair", "correct", "bug"]) {
        "fix"
    } else if has(&["refactor", "rename", "extract", "move", "simplify", "restructure", "split"]) {
        "refactor"
    } else if has(&["faster", "speed", "performance", "optimise", "optimize"]) {
        "perf"
    } else if has(&["ci", "workflow", "pipeline"]) {
        "ci"
    } else if has(&["dependency", "dependencies", "upgrade", "lockfile"]) {
        "build"
    } else {
        "feat"
    }
}

/// One line without control characters.
fn clean(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Lowers the first letter, unless the first word is an acronym or a name in code.
fn lower_first(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_word = first.chars().skip(1).all(|c| c.is_lowercase() || c == '-');
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if is_word => c.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// Cuts a text at the last word that fits.
fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    // The last character that fits may end a word.
    let cut = if text[end..].starts_with(' ') {
        end
    } else {
        text[..end].rfind(' ').filter(|at| *at > limit / 2).unwrap_or(end)
    };
    text[..cut].trim_end_matches([' ', ',', ';', ':', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implement::proof::{Proof, TaskProof};
    use crate::implement::scope::FileScope;

    fn task(title: &str, files: &[&str]) -> ImplementTask {
        ImplementTask {
            id: "T002".to_owned(),
            title: title.to_owned(),
            files: FileScope::parse(Some(&files.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>())),
            requirements: vec!["REQ-1.1".to_owned(), "NFR-2".to_owned()],
            proof: TaskProof { proof: Proof::Test("limit::burst".to_owned()), is_derived: false },
            ..ImplementTask::default()
        }
    }

    fn title(title: &str, files: &[&str]) -> String {
        let changed: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        task_commit(&task(title, files), &CommitFacts { run: "r", assistant: "", files: &changed }).title
    }

    #[test]
    fn titles_are_conventional_and_short() {
        for (given, files, expected) in [
            (
                "The layer behind authentication.",
                vec!["src/http/mod.rs"],
                "feat: the layer behind authentication",
            ),
            ("Fix the bound", vec!["src/a.rs"], "fix: fix the bound"),
            ("Rename the bucket", vec!["src/a.rs"], "refactor: rename the bucket"),
            ("Say what holds", vec!["docs/limits.md"], "docs: say what holds"),
            ("Cover the bound", vec!["tests/limit.rs"], "test: cover the bound"),
            ("HTTP 429 for refusals", vec!["src/a.rs"], "feat: HTTP 429 for refusals"),
            ("fix(http): close it", vec!["src/a.rs"], "fix(http): close it"),
            ("", vec!["src/a.rs"], "feat: task T002"),
            ("a\nb\u{7}c", vec!["src/a.rs"], "feat: a b c"),
        ] {
            assert_eq!(title(given, &files), expected, "{given}");
        }
        let long = title(&"word ".repeat(40), &["src/a.rs"]);
        assert!(long.chars().count() <= MAX_TITLE && long.ends_with("word"), "{long}");
        assert_eq!(title(&"ü".repeat(200), &["src/a.rs"]).chars().count(), MAX_TITLE);
    }

    #[test]
    fn trailers_name_run_task_and_assistant() {
        let facts = CommitFacts { run: "add-limits-1", assistant: "claude opus\n5", files: &[] };
        let text = task_commit(&task("The bucket", &["src/a.rs"]), &facts);
        assert_eq!(text.body, "Covers REQ-1.1, NFR-2.\nProven by test `limit::burst`.");
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            text.trailers,
            [
                pair("Charrette-Run", "add-limits-1"),
                pair("Charrette-Task", "T002"),
                pair("Assisted-by", "claude opus 5")
            ]
        );
        let spec = run_commit("docs", "approved specification of add-limits", "add-limits-1", "");
        assert_eq!(
            (spec.title.as_str(), spec.trailers.len()),
            ("docs: approved specification of add-limits", 1)
        );
    }
}
