//! Messages of the commits that an implementation makes. The author is the user; agents are named as assistants.

use super::state::AcceptedWork;
use super::work::Work;
use crate::ports::worktrees::CommitMessage;
use charrette_model::implement::{CommitFacts, CommitText, ImplementTask, run_commit, task_commit};

/// Message of the commit of a task.
pub(super) fn commit_message(work: &Work, task: &ImplementTask, accepted: &AcceptedWork) -> CommitMessage {
    let assistant = accepted.agent.as_deref().unwrap_or_default();
    message(task_commit(task, &CommitFacts { run: &work.run, assistant, files: &accepted.files }))
}

/// Message of a commit of a run that belongs to no task: its kind, such as `docs`, and its subject.
pub(super) fn run_message(run: &str, kind: &str, subject: &str, agent: Option<&str>) -> CommitMessage {
    message(run_commit(kind, subject, run, agent.unwrap_or_default()))
}

fn message(text: CommitText) -> CommitMessage {
    let CommitText { title, body, trailers } = text;
    CommitMessage { title, body, trailers }
}
