//! Flows as plain functions. A flow reads like the specification it implements; durability is not visible in
//! it: every effect is a step that is recorded, reused while its inputs are unchanged, and run again when they
//! are not.
//!
//! - [`flow`]: a command as a value ([`FlowSpec`]); [`flows`]: the commands of the product.
//! - [`run`]: the handles a flow works with; [`step`], [`agent`], [`gate`], [`child`]: steps, agent calls, questions to a
//!   person and child runs; [`artifact`]: the inputs of a step; [`pause`]: decisions that are needed before an agent is
//!   launched.
//! - [`driver`]: drives a flow from its start, or its last stop, to the next stop.
//! - [`ports`]: the traits the outside world implements; [`journal`]: the durable record of a run.
//! - [`explain`]: forecast of the steps that will run again; [`roles`]: the prompts of each seat; [`deliverable`]: the
//!   files of a finished design.
//!
//! Processes, the network and the terminal are deliberately absent.

pub mod agent;
mod agent_answer;
mod agent_step;
pub mod artifact;
pub mod authorship;
mod batch;
pub mod cancel;
pub mod child;
mod citation_check;
pub mod deliverable;
mod difference;
pub mod driver;
pub mod event;
mod evidence_note;
pub mod explain;
pub mod flow;
pub mod flows;
pub mod gate;
pub mod journal;
pub mod order;
pub mod pages;
pub mod panel;
mod parallel;
pub mod participation;
pub mod pause;
pub mod ports;
mod prompt;
mod retry;
pub mod roles;
pub mod run;
pub mod run_ports;
pub mod stage;
pub mod start_check;
pub mod step;
pub mod stop;
mod template;
mod tracked_issue;

pub use agent::{AgentCall, AgentPrompt, AgentSession, AnswerFiles, CallInputs, Grammar, seat};
pub use agent_step::AgentOutcome;
pub use artifact::{Artifact, ArtifactSpec, Artifacts, Input, Inputs};
pub use cancel::Cancel;
pub use citation_check::CitationPolicy;
pub use driver::drive;
pub use event::{Broadcast, Event, EventKind, StageOutcome, Watcher};
pub use flow::{FlowSpec, GateSpec, OptionSpec, OptionValue, Registry};
pub use gate::{Answers, Gate, GateQuestion};
pub use order::RunOrder;
pub use pause::{Pause, PauseDecision};
pub use run::{PhaseHandle, Run};
pub use run_ports::{Ports, ProcessRole};
pub use stage::StageHandle;
pub use start_check::{RecordedApproval, StartFacts, StartProblem, StartProblemKind};
pub use step::{Step, StepContext, StepError};
pub use stop::{FlowResult, PendingGate, Stop};
