//! The state document of a run: what it holds, how it may change, where work resumes.
//!
//! [`document`] has the shape, [`read`] turns bytes into it, [`transition`] has every legal change by hand, [`progress`] those of a driver,
//! [`run`] those of a run as a whole, [`incidents`] those nobody plans for, [`gate`] who answers what and what that amounts to, [`resume`] the point to continue from, [`glance`] the little that a list of runs needs, [`summaries`] the length rule, [`patch`] the difference between two versions, [`name`] which command, feature and
//! phase a document is about. Where documents live on disk is the business of the store.

pub mod document;
pub mod gate;
pub mod glance;
pub mod incidents;
mod merge;
pub mod name;
pub mod patch;
pub mod progress;
pub mod read;
pub mod resume;
pub mod run;
pub mod summaries;
pub mod transition;

pub use document::{
    Checkpoint, GateRecord, GateState, Phase, PhaseStatus, RunRecord, ShipGate, State, Step, StepStatus,
    Task, Usage, Vercel,
};
pub use glance::Glance;
pub use name::{Command, DocumentName, InvalidPhaseName, phase_name};
pub use read::{ReadError, read};
pub use resume::{ResumePoint, resume_point};
pub use run::{ChildRun, ParentRun, StopKind, Stopped};
pub use transition::TransitionError;
