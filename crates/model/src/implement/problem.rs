//! Reasons to refuse a task list or a selection, before anything is spent.

use crate::escape::printable;
use std::fmt;

/// Task list that cannot be implemented; every problem is named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PlanRefusal {
    pub problems: Vec<PlanProblem>,
}

impl From<PlanProblem> for PlanRefusal {
    fn from(problem: PlanProblem) -> PlanRefusal {
        PlanRefusal { problems: vec![problem] }
    }
}

/// One problem per line.
impl fmt::Display for PlanRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// Problem of a task list or of a selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanProblem {
    #[error("{}", printable(.0))]
    Record(String),
    #[error("the specification has no tasks")]
    NoTasks,
    #[error("{} is there twice", printable(.id))]
    Duplicate { id: String },
    #[error("{} is in spec.json and not in tasks.md; run charrette check", printable(.id))]
    OnlyInRecord { id: String },
    #[error("{} is in tasks.md and not in spec.json; run charrette check", printable(.id))]
    OnlyInList { id: String },
    #[error("{} has another {member} in spec.json than in tasks.md", printable(.id))]
    Contradiction { id: String, member: &'static str },
    #[error("{} depends on {}, which does not exist", printable(.id), printable(.missing))]
    UnknownDependency { id: String, missing: String },
    #[error("Dependency cycle detected: {}", printable(&.ids.join(" -> ")))]
    Cycle { ids: Vec<String> },
    #[error("{}: {reason}", printable(.id))]
    Proof { id: String, reason: String },
    #[error("Task '{}' not found. Tasks: {}", printable(.id), .known.join(", "))]
    UnknownTask { id: String, known: Vec<String> },
    #[error("Phase {number} not found. Phases: {}", .known.join(", "))]
    UnknownPhase { number: u32, known: Vec<String> },
    #[error("--from {} comes after --until {}", printable(.from), printable(.until))]
    FromAfterUntil { from: String, until: String },
    #[error("No task matches {}. Tasks: {}", printable(.filter), .known.join(", "))]
    EmptySelection { filter: String, known: Vec<String> },
    #[error("{} depends on {}, which is neither done nor selected", printable(.id), printable(.missing))]
    MissingPrerequisite { id: String, missing: String },
}
