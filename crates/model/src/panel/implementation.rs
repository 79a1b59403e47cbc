//! Answer of an agent that changed a worktree: a handoff response with what it did and what it did not do.
//!
//! What it says is a remark. The change itself is captured and judged by [`crate::implement`].

use crate::handoff::markdown::response_in_markdown;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Parsed answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplementationAnswer {
    pub status: WorkStatus,
    /// Files that it says it changed.
    pub files_changed: Vec<String>,
    pub context_summary: String,
    /// What it says it did not do, with the reason.
    pub not_done: Vec<String>,
}

/// What an agent says about its work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkStatus {
    #[default]
    Complete,
    Partial,
    Blocked,
}

/// Parses an answer. It counts only without errors; they tell the agent what to change.
pub fn read_implementation(answer: &str, summary_words: usize) -> (ImplementationAnswer, Vec<String>) {
    let read = response_in_markdown(answer, summary_words);
    let mut errors = read.report.errors;
    let response = read.response.unwrap_or_default();
    let status = match response.get("status").and_then(Value::as_str) {
        Some("partial") => WorkStatus::Partial,
        Some("blocked") => WorkStatus::Blocked,
        _ => WorkStatus::Complete,
    };
    let findings = response.get("findings").unwrap_or(&Value::Null);
    let mut files_changed = paths_of(response.get("files_changed"));
    for member in ["files_changed", "files_created", "files_modified", "tests_written"] {
        files_changed.extend(paths_of(findings.get(member)));
    }
    let mut seen = std::collections::BTreeSet::new();
    files_changed.retain(|path| seen.insert(path.clone()));
    let texts = |value: Option<&Value>| -> Vec<String> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items
            .filter_map(Value::as_str)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect()
    };
    let mut not_done = texts(response.get("not_done"));
    not_done.extend(texts(findings.get("not_done")));
    not_done.extend(texts(response.get("issues")));
    if errors.is_empty() && status != WorkStatus::Complete && not_done.is_empty() {
        errors.push("issues: name what was not done, and why, if the status is not complete".to_owned());
    }
    let summary = response.get("context_summary").and_then(Value::as_str).unwrap_or_default();
    if errors.is_empty() && summary.trim().is_empty() {
        errors.push("context_summary: is empty; say what was changed, for those who build on it".to_owned());
    }
    let context_summary = summary.trim().to_owned();
    (ImplementationAnswer { status, files_changed, context_summary, not_done }, errors)
}

/// Paths of a list of texts or of objects with a `path`.
fn paths_of(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    let path = |item: &Value| item.as_str().or_else(|| item.get("path")?.as_str()).map(str::to_owned);
    items.filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"```json
{"task_id": "T001", "phase": "write", "status": "complete", "decision": "PROCEED",
 "findings": {"files_created": [{"path": "src/limit.rs", "purpose": "the bucket"}],
  "files_modified": [{"path": "src/http/mod.rs", "changes": "one more module"}],
  "tests_written": [{"path": "src/limit.rs", "test_count": 4, "coverage_areas": ["burst"]}]},
 "context_summary": "The bucket is in src/limit.rs.", "issues": []}
```
Done.
"#;

    #[test]
    fn a_response_is_read_with_its_files() {
        let (answer, errors) = read_implementation(ANSWER, 500);
        assert_eq!(errors, [""; 0]);
        assert_eq!(answer.files_changed, ["src/limit.rs", "src/http/mod.rs"]);
        assert_eq!((answer.status, answer.not_done.len()), (WorkStatus::Complete, 0));
        assert_eq!(answer.context_summary, "The bucket is in src/limit.rs.");
    }

    #[test]
    fn what_is_left_undone_must_be_named() {
        let partial = ANSWER.replace("\"complete\"", "\"partial\"");
        assert_eq!(
            read_implementation(&partial, 500).1,
            ["issues: name what was not done, and why, if the status is not complete"]
        );
        let named = partial.replace("\"issues\": []", "\"issues\": [\"sweep: needs a timer\"]");
        let (answer, errors) = read_implementation(&named, 500);
        assert_eq!((errors.len(), answer.not_done), (0, vec!["sweep: needs a timer".to_owned()]));
        let silent = ANSWER.replace("The bucket is in src/limit.rs.", " ");
        assert_eq!(read_implementation(&silent, 500).1.len(), 1);
        assert_eq!(read_implementation("All done!", 500).1, ["there is no JSON block"]);
    }
}
