//! Runs as tasks of the protocol: the id of a task is the id of its run, and its state is read from the run's document, so
//! that any server answers for it.

use crate::forms;
use crate::results::{RunResult, success};
use charrette_app::look::{Look, Standing};
use rmcp::model::{CallToolResult, DetailedTask, InputRequests, JsonObject, Task, TaskPayload, TaskStatus};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write as _;

/// Interval at which a host asks for a task, in milliseconds.
const POLL_INTERVAL: u64 = 2_000;

/// The task of a run, without its payload.
pub(crate) fn seed(look: &Look) -> Task {
    let status =
        if look.state == Standing::Waiting { TaskStatus::InputRequired } else { TaskStatus::Working };
    Task::new(&look.run, status, &look.started_at, &look.updated_at)
        .with_status_message(message(look))
        .with_poll_interval_ms(POLL_INTERVAL)
}

/// The task of a run. `dismissed` are the forms that the person closed in this session; none for a host without forms.
pub(crate) fn detailed(look: &Look, dismissed: Option<&HashSet<String>>, is_cancelled: bool) -> DetailedTask {
    DetailedTask::new(seed(look), payload(look, dismissed, is_cancelled))
}

fn payload(look: &Look, dismissed: Option<&HashSet<String>>, is_cancelled: bool) -> TaskPayload {
    match look.state {
        Standing::Working => TaskPayload::Working,
        Standing::Waiting => {
            // A form that the host cannot show would keep the task open for ever.
            let Some(dismissed) = dismissed else {
                return completed(&RunResult::of(look.clone(), false).did("The run waits at a gate."), false);
            };
            let forms = look.gates.iter().filter(|gate| !dismissed.contains(&forms::key(gate)));
            let requests: InputRequests = forms
                .filter_map(|gate| Some((forms::key(gate), forms::request(&look.feature, gate).ok()?)))
                .collect();
            if requests.is_empty() {
                let did =
                    "The person closed the form without an answer. The run waits; do not answer for them.";
                return completed(&RunResult::of(look.clone(), false).did(did), false);
            }
            TaskPayload::InputRequired { input_requests: requests }
        }
        Standing::Ready if is_cancelled => TaskPayload::Cancelled,
        Standing::Complete => {
            completed(&RunResult::of(look.clone(), false).did("The run is complete."), false)
        }
        Standing::Rejected => {
            completed(&RunResult::of(look.clone(), false).did("The person rejected the result."), true)
        }
        Standing::Stopped | Standing::Ready => {
            completed(&RunResult::of(look.clone(), false).did("The run stopped before its end."), true)
        }
    }
}

/// The result of the call that started the run.
fn completed(result: &RunResult, is_error: bool) -> TaskPayload {
    let mut call: CallToolResult = success(result.text(), result);
    call.is_error = Some(is_error);
    let value = serde_json::to_value(&call).unwrap_or_default();
    let result = match value {
        Value::Object(result) => result,
        _ => JsonObject::new(),
    };
    TaskPayload::Completed { result }
}

/// One line about a run for the person.
pub(crate) fn message(look: &Look) -> String {
    let mut line = format!("{} {}: {}", look.command, look.feature, look.state.as_str());
    if let Some(phase) = &look.phase {
        let _ = write!(line, ", {phase}");
    }
    let _ = write!(line, ", {} steps done", look.steps_done);
    if !look.at_work.is_empty() {
        let _ = write!(line, ", at work: {}", look.at_work.join(", "));
    }
    line
}
