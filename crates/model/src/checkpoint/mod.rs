//! The state document (checkpoint) of a run: its contents, its legal changes, its resume point.
//!
//! [`document`] has the types, [`custody`] what others may not change while a run is driven, [`given`] the proof of a
//! person's answers, [`read`] the parser, [`transition`] the changes made by commands, [`progress`] those made by a driver,
//! [`run`] those of the run as a whole, [`incidents`] the unplanned ones, [`gate`] questions and answers, [`resume`] the resume
//! point, [`overview`] the few members a listing needs, [`summaries`] the length limit, [`patch`] the difference of two
//! versions, [`name`] commands, document names and phase names. Paths on disk are the store's business.

pub mod custody;
pub mod document;
pub mod gate;
pub mod given;
pub mod incidents;
mod merge;
pub mod name;
pub mod overview;
pub mod patch;
pub mod progress;
pub mod read;
pub mod resume;
pub mod run;
pub mod shown;
mod standing;
pub mod summaries;
pub mod tasks;
pub mod transition;

pub use document::{
    CheckoutMove, Checkpoint, GateRecord, GateState, ImplementationTask, PhaseRecord, PhaseStatus,
    RunProgress, RunRecord, ShipGate, StepRecord, StepStatus, Usage, Vercel,
};
pub use name::{Command, DocumentName, InvalidPhaseName, RunKey, phase_name};
pub use overview::CheckpointOverview;
pub use read::{ReadError, read};
pub use resume::{ResumePoint, resume_point};
pub use run::{ChildRun, ParentRun, StopKind, StopRecord};
pub use standing::Standing;
pub use transition::TransitionError;
