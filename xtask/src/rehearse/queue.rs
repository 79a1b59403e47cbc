//! The queue of a run: `queue/AGENT/CALL/{prompt.md,call.json,answer.md}` below charrette's state folder, or a copy of it
//! ([`super::keeper`]). Nothing else has prompts and raw answers.

use super::cassette::RecordedCall;
use crate::TaskResult;
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};

pub(super) const CALL: &str = "call.json";
pub(super) const PROMPT: &str = "prompt.md";
pub(super) const ANSWER: &str = "answer.md";
/// The answer, once the run has read it.
pub(super) const TAKEN: &str = "taken.md";

/// The members of `call.json` that matter here.
#[derive(Debug, Deserialize)]
struct QueuedCall {
    #[serde(default)]
    run: String,
    seat: String,
    #[serde(default)]
    step: Option<String>,
    #[serde(default)]
    agent: Option<String>,
    #[serde(default)]
    vendor: Option<String>,
    #[serde(default = "first")]
    attempt: u32,
    #[serde(default)]
    created_at: String,
}

fn first() -> u32 {
    1
}

/// Reads the calls of a queue, of one run or of all, in the order they were made. Calls that are over have no texts and
/// are left out.
pub(crate) fn read_queue(queue: &Path, run: Option<&str>) -> TaskResult<Vec<RecordedCall>> {
    let mut calls = Vec::new();
    for agent in folders(queue)? {
        for folder in folders(&agent)? {
            let Ok(text) = fs_err::read(folder.join(CALL)) else { continue };
            let Ok(prompt) = fs_err::read_to_string(folder.join(PROMPT)) else { continue };
            let call: QueuedCall = serde_json::from_slice(&text)
                .map_err(|error| format!("{}: {error}", folder.join(CALL).display()))?;
            if run.is_some_and(|run| run != call.run) {
                continue;
            }
            let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let read = RecordedCall {
                step: call.step.unwrap_or_else(|| call.seat.clone()),
                seat: call.seat,
                agent: call.agent.unwrap_or_else(|| name(&agent)),
                vendor: call.vendor.unwrap_or_default(),
                attempt: call.attempt,
                prompt,
                answer: [ANSWER, TAKEN]
                    .iter()
                    .find_map(|name| fs_err::read_to_string(folder.join(name)).ok()),
            };
            calls.push((call.created_at, name(&folder), read));
        }
    }
    calls.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    Ok(calls.into_iter().map(|(_, _, call)| call).collect())
}

/// Visible folders in a folder, sorted; none if it does not exist.
pub(super) fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let Ok(entries) = fs_err::read_dir(path) else { return Ok(Vec::new()) };
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && !is_hidden {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_run_are_read_in_order() {
        let queue = tempfile::tempdir().unwrap();
        let write = |place: &str, record: &str, answer: Option<&str>| {
            let folder = queue.path().join(place);
            fs_err::create_dir_all(&folder).unwrap();
            fs_err::write(folder.join("call.json"), record).unwrap();
            fs_err::write(folder.join("prompt.md"), format!("Prompt of {place}")).unwrap();
            if let Some(answer) = answer {
                fs_err::write(folder.join("answer.md"), answer).unwrap();
            }
        };
        write(
            "codex/b",
            r#"{"v":1,"run":"r1","seat":"planner","step":"reviser/walk-through","agent":"codex","vendor":"openai","attempt":2,"created_at":"2026-11-15T12:00:02Z"}"#,
            Some("Plan."),
        );
        write("claude/a", r#"{"run":"r1","seat":"scoper","created_at":"2026-11-15T12:00:01Z"}"#, None);
        write(
            "claude/c",
            r#"{"run":"other","seat":"scoper","created_at":"2026-11-15T12:00:00Z"}"#,
            Some("x"),
        );
        let calls = read_queue(queue.path(), Some("r1")).unwrap();
        let short: Vec<_> = calls
            .iter()
            .map(|call| (call.step.as_str(), call.agent.as_str(), call.attempt, call.answer.as_deref()))
            .collect();
        assert_eq!(
            short,
            [("scoper", "claude", 1, None), ("reviser/walk-through", "codex", 2, Some("Plan."))]
        );
        assert_eq!(read_queue(queue.path(), None).unwrap().len(), 3);
        assert_eq!(read_queue(&queue.path().join("absent"), None).unwrap(), []);
    }
}
