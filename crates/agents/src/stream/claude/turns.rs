//! Turns of a Claude Code process, and its background tasks.
//!
//! One process may run several turns, each with an `init` and a `result`: when a background task ends, the
//! agent gets another turn, whose result supersedes the earlier one. The last result is final when every
//! started turn has its result, no turn is queued, no background task runs, and none has ended whose turn is
//! still to come.

use crate::stream::event::Object;

/// Maximum number of tasks that are remembered.
const MAX_TASKS: usize = 1024;

/// Turns of a process, and the tasks that may lead to more.
#[derive(Debug, Default)]
pub(super) struct Turns {
    started: usize,
    finished: usize,
    queued: u64,
    tasks: Vec<Task>,
    /// A task ended between two turns: another turn will follow.
    expects_turn: bool,
    /// A subagent was stopped between two turns: its report never came.
    lost_report: bool,
    /// A command was stopped between two turns.
    command_stopped: bool,
}

/// A background task.
#[derive(Debug)]
struct Task {
    id: String,
    is_command: bool,
}

impl Turns {
    pub(super) fn start_turn(&mut self) {
        self.started += 1;
        (self.expects_turn, self.lost_report) = (false, false);
    }

    pub(super) fn finish_turn(&mut self, result: &Object<'_>) {
        self.finished += 1;
        self.queued = result.count("queued_turn_count").unwrap_or_default();
    }

    /// Reads a `task_started`.
    pub(super) fn task_started(&mut self, task: &Object<'_>) {
        let Some(id) = task.text("task_id").filter(|id| id.len() <= 128) else { return };
        let is_command = task.text("task_type").is_some_and(|kind| kind.contains("bash"));
        if self.tasks.len() < MAX_TASKS && !self.tasks.iter().any(|task| task.id == id) {
            self.tasks.push(Task { id, is_command });
        }
    }

    /// Reads a `task_updated`.
    pub(super) fn task_updated(&mut self, event: &Object<'_>) {
        let status = event.object("patch").and_then(|patch| patch.text("status"));
        self.set_status(event, &status.unwrap_or_default());
    }

    /// Reads a `task_notification`, which leads to another turn.
    pub(super) fn task_notified(&mut self, event: &Object<'_>) {
        let status = event.text("status").unwrap_or_default();
        self.set_status(event, &status);
        self.expects_turn |= self.have_results() && !is_stopped(&status);
    }

    /// Reads a `background_tasks_changed`: the list of running tasks.
    pub(super) fn tasks_changed(&mut self, event: &Object<'_>) {
        self.tasks.clear();
        for task in event.objects("tasks") {
            self.task_started(&task);
        }
    }

    /// True if every started turn has its result.
    pub(super) fn have_results(&self) -> bool {
        self.finished >= self.started
    }

    /// True if the last result is final.
    pub(super) fn are_finished(&self) -> bool {
        self.have_results() && self.tasks.is_empty() && !self.expect_more()
    }

    /// True if the last result will be superseded. A running command, such as a server, may never end, so it
    /// does not count.
    pub(super) fn expect_more(&self) -> bool {
        self.lost_report
            || self.expects_turn
            || self.queued > 0
            || self.tasks.iter().any(|task| !task.is_command)
    }

    /// True if a command was still running after the last turn.
    pub(super) fn have_running_command(&self) -> bool {
        self.command_stopped || !self.tasks.is_empty()
    }

    fn set_status(&mut self, event: &Object<'_>, status: &str) {
        if matches!(status, "" | "running" | "pending" | "paused") {
            return;
        }
        let id = event.text("task_id");
        let Some(at) = self.tasks.iter().position(|task| Some(&task.id) == id.as_ref()) else { return };
        let task = self.tasks.swap_remove(at);
        if is_stopped(status) && self.have_results() {
            self.lost_report |= !task.is_command;
            self.command_stopped |= task.is_command;
        }
    }
}

/// True if a task was stopped from outside. No turn follows such a task.
fn is_stopped(status: &str) -> bool {
    matches!(status, "stopped" | "killed")
}
