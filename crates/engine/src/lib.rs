//! Flows as plain functions. A flow reads like the specification it implements; durability is not visible in
//! it: every effect is a step that is recorded, reused while its inputs are unchanged, and run again when they
//! are not.
//!
//! [`run`] has the handles a flow works with, [`step`] and [`agent`] what can be done, [`gate`] what is asked
//! of a person, [`artifact`] what is read. [`ports`] is what the outside world must provide; [`journal`] keeps
//! the record in files. [`driver`] takes a flow from its start or its last stop to the next one, [`flow`] is a command as a value, [`child`] a run
//! inside a run. [`explain`]
//! says why a step will run, [`roles`] what each seat is told, [`deliverable`] what a design leaves behind; [`pause`] and `attended` are what may come between.
//! Processes, the network and the terminal are deliberately absent.

#![warn(missing_docs)]

pub mod agent;
pub mod artifact;
mod attended;
mod batch;
pub mod cancel;
pub mod child;
pub mod deliverable;
pub mod driver;
pub mod event;
pub mod explain;
pub mod flow;
pub mod flows;
pub mod gate;
pub mod journal;
pub mod order;
pub mod pages;
pub mod panel;
mod parallel;
pub mod pause;
pub mod ports;
mod prompt;
pub mod roles;
pub mod room;
pub mod run;
pub mod stage;
pub mod step;
pub mod stop;
mod template;

pub use agent::{AgentCall, Asked, Grammar, seat};
pub use artifact::{Artifact, ArtifactSpec, Artifacts, Input, Inputs};
pub use attended::Seated;
pub use cancel::Cancel;
pub use driver::drive;
pub use event::{Broadcast, Ending, Event, EventKind, Watcher};
pub use flow::{FlowSpec, OptionSpec, OptionValue, Registry};
pub use gate::{Answers, Gate, Question};
pub use order::Order;
pub use pause::{Grant, Pause};
pub use room::{Part, Ports};
pub use run::{PhaseHandle, Run};
pub use stage::Stage;
pub use step::{Step, StepContext, StepError};
pub use stop::{Flow, Stop, Wait};
