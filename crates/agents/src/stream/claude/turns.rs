//! How many turns there are, and whether more will come.
//!
//! One process may run several turns, each with an `init` and a `result` of its own: when something that it
//! started in the background ends, the agent is woken for another turn, and the result of that one supersedes the
//! earlier. So nothing more is to come when every turn that began has its result, none is queued, and no
//! background task runs, or has just ended without having woken anybody yet.

use crate::stream::event::Object;

/// How many tasks are remembered.
const MOST_TASKS: usize = 1024;

/// The turns of a process, and what may lead to more.
#[derive(Debug, Default)]
pub(super) struct Turns {
    begun: usize,
    ended: usize,
    queued: u64,
    tasks: Vec<Task>,
    /// A task ended between two turns: somebody will be woken.
    owed: bool,
    /// An agent was stopped between two turns: what it was to report never came.
    cut_off: bool,
    /// A command was stopped between two turns.
    command_stopped: bool,
}

/// A task in the background.
#[derive(Debug)]
struct Task {
    id: String,
    is_command: bool,
}

impl Turns {
    pub(super) fn begin(&mut self) {
        self.begun += 1;
        (self.owed, self.cut_off) = (false, false);
    }

    pub(super) fn end(&mut self, result: &Object<'_>) {
        self.ended += 1;
        self.queued = result.count("queued_turn_count").unwrap_or_default();
    }

    /// A `task_started`.
    pub(super) fn task_started(&mut self, task: &Object<'_>) {
        let Some(id) = task.text("task_id").filter(|id| id.len() <= 128) else { return };
        let is_command = task.text("task_type").is_some_and(|kind| kind.contains("bash"));
        if self.tasks.len() < MOST_TASKS && !self.tasks.iter().any(|task| task.id == id) {
            self.tasks.push(Task { id, is_command });
        }
    }

    /// A `task_updated`.
    pub(super) fn task_updated(&mut self, event: &Object<'_>) {
        let status = event.object("patch").and_then(|patch| patch.text("status"));
        self.task_is(event, &status.unwrap_or_default());
    }

    /// A `task_notification`: this is what wakes the agent.
    pub(super) fn task_notified(&mut self, event: &Object<'_>) {
        let status = event.text("status").unwrap_or_default();
        self.task_is(event, &status);
        self.owed |= self.have_results() && !is_stopped(&status);
    }

    /// A `background_tasks_changed`: all that run.
    pub(super) fn tasks_changed(&mut self, event: &Object<'_>) {
        self.tasks.clear();
        for task in event.objects("tasks") {
            self.task_started(&task);
        }
    }

    /// Whether every turn that began has its result.
    pub(super) fn have_results(&self) -> bool {
        self.ended >= self.begun
    }

    /// Whether nothing more is to come.
    pub(super) fn are_over(&self) -> bool {
        self.have_results() && self.tasks.is_empty() && !self.await_more()
    }

    /// Whether something will supersede the last result. A command that was left running, such as a server, may
    /// never end.
    pub(super) fn await_more(&self) -> bool {
        self.cut_off || self.owed || self.queued > 0 || self.tasks.iter().any(|task| !task.is_command)
    }

    /// Whether a command was left running.
    pub(super) fn left_a_command(&self) -> bool {
        self.command_stopped || !self.tasks.is_empty()
    }

    fn task_is(&mut self, event: &Object<'_>, status: &str) {
        if matches!(status, "" | "running" | "pending" | "paused") {
            return;
        }
        let id = event.text("task_id");
        let Some(at) = self.tasks.iter().position(|task| Some(&task.id) == id.as_ref()) else { return };
        let task = self.tasks.swap_remove(at);
        if is_stopped(status) && self.have_results() {
            self.cut_off |= !task.is_command;
            self.command_stopped |= task.is_command;
        }
    }
}

/// Whether a task did not come to its own end. Nobody is woken for such a one.
fn is_stopped(status: &str) -> bool {
    matches!(status, "stopped" | "killed")
}
