//! Judges what came of the calls.

use crate::calls::{ProofCall, Trace, tool_event};
use crate::model::{Lane, ScriptLog};
use crate::stage::{MAIN_BRANCH, Stage};
use charrette_hosts::Client;
use serde::{Deserialize, Serialize};

/// Beginning of every denial of the hook.
const DENIAL: &str = "charrette: ";
/// Beginning of what the hook tells a session at its start.
const CONTEXT: &str = "charrette in this repository: ";
const SESSION_EVENT: &str = "SessionStart";

/// Result of a proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Calls that were made and judged.
    pub calls: usize,
    pub failures: Vec<Failure>,
}

impl Verdict {
    /// True if every call ended as it must.
    pub fn holds(&self) -> bool {
        self.failures.is_empty()
    }
}

/// A hook that does not hold, or a program that does not work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Name of the hook's event, or of the program.
    pub culprit: String,
    pub reason: String,
}

impl Failure {
    pub(crate) fn new(culprit: &str, reason: impl Into<String>) -> Failure {
        Failure { culprit: culprit.to_owned(), reason: reason.into() }
    }
}

/// Compares the traces and results with what must be.
pub(crate) fn judge(client: Client, calls: &[ProofCall], log: &ScriptLog, stage: &Stage) -> Verdict {
    let failure = |reason| Failure::new(tool_event(client), reason);
    let reasons = calls.iter().filter_map(|call| judge_call(call, log, stage));
    let mut failures: Vec<Failure> = reasons.map(failure).collect();
    if !log.first_request.contains(CONTEXT) {
        let reason = "the session was not told about the run at its start";
        failures.push(Failure::new(SESSION_EVENT, reason));
    }
    Verdict { calls: calls.len() + 1, failures }
}

/// Reason for which a call failed.
fn judge_call(call: &ProofCall, log: &ScriptLog, stage: &Stage) -> Option<String> {
    let place = match call.lane {
        Lane::Main => "main thread",
        Lane::Subagent => "subagent",
    };
    let result = log.results.get(&(call.lane, call.number));
    let Some(result) = result else {
        return Some(format!("{place}: {} was never answered by the client", call.name));
    };
    let has_run = match &call.trace {
        Trace::File(path) => path.exists(),
        Trace::MainBranch => stage.branch().as_deref() == Some(MAIN_BRANCH),
        Trace::Result(text) => result.contains(text),
    };
    let is_denied = result.contains(DENIAL);
    Some(match (call.must_pass, has_run, is_denied) {
        (true, true, false) | (false, false, true) => return None,
        (false, true, _) => format!("{place}: {} was not blocked", call.name),
        (false, false, false) => {
            format!("{place}: {} was not answered by the hook: {}", call.name, short(result))
        }
        (true, _, true) => format!("{place}: {} was blocked, but must pass", call.name),
        (true, false, false) => format!("{place}: {} did not run: {}", call.name, short(result)),
    })
}

/// The beginning of a text, on one line.
pub(crate) fn short(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect()
}
