//! Rules of an implementation: tasks and their proofs, the order of work, what a change may do, and when to give up.
//!
//! [`task`] reads the tasks of a specification into a [`TaskPlan`], [`filter`] selects some, [`schedule`] says which may
//! begin. [`proof`] is what shows that a task is done, [`argv`] splits its command, [`scope`] holds the files that a task
//! may touch. [`change`] judges what an agent left, [`runner`] reads the output of test runners and [`verdict`] says what
//! that proves, [`rounds`] says who tries next. [`routing`], [`commit_text`], [`mod@drift`], [`report`], [`follow_ups`] and
//! [`follow_up_issue`] are what a run writes about itself. Nothing here runs anything: worktrees, commands and agents come
//! in as values.

pub mod argv;
pub mod change;
pub mod commit_text;
pub mod drift;
pub mod filter;
pub mod follow_up_issue;
pub mod follow_ups;
pub mod paths;
pub mod problem;
pub mod proof;
pub mod report;
pub mod rounds;
pub mod routing;
pub mod runner;
pub mod schedule;
pub mod scope;
pub mod task;
mod validate;
pub mod verdict;

pub use crate::config::verify as settings;

pub use change::{ChangeIssue, ChangeReport, ChangeRules, FileChange, FileChangeKind, judge_change};
pub use commit_text::{CommitFacts, CommitText, run_commit, task_commit};
pub use drift::{DriftTable, TaskResult, find_drift};
pub use filter::{Selection, TaskFilter};
pub use problem::{PlanProblem, PlanRefusal};
pub use proof::{Proof, ProofError, TaskProof};
pub use rounds::{NextMove, Round, RoundHistory, RoundLimits, RoundOutcome};
pub use runner::{TestOutcome, TestReading, read_test};
pub use schedule::{NextTasks, TaskState, TaskStates, initial_states, next_tasks, waves};
pub use scope::{FilePattern, FileScope};
pub use task::{ImplementTask, TaskPlan, WorkMode};
pub use verdict::{GreenState, ProofRun, ProofStrength, ProofVerdict, RedState, judge_green, judge_red};
