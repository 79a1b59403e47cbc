//! Ports: the traits through which flows reach the outside world. The adapters that implement them live in their own
//! crates, and `app` wires them together.
//!
//! [`journal`] records a run, [`artifacts`] stores its files, [`launcher`] launches agents, [`asker`] asks a person,
//! [`clock`] tells the time. [`checkout`] is the work tree of a run, [`survey`] surveys the repository,
//! [`diagram_renderer`] renders diagrams, [`tracker`] creates issues. [`caller`] receives the results of a nested run,
//! [`worker`] drives a part of a run in another process, [`children`] opens child runs. [`worktrees`] are the places
//! where tasks are implemented, and [`verifier`] runs the commands that prove them.

pub mod artifacts;
pub mod asker;
pub mod caller;
pub mod checkout;
pub mod children;
pub mod clock;
pub mod diagram_renderer;
mod future;
pub mod journal;
pub mod launcher;
pub mod survey;
pub mod tracker;
pub mod tree;
pub mod verifier;
pub mod worker;
pub mod worktrees;

pub use artifacts::ArtifactStore;
pub use asker::Asker;
pub use caller::Caller;
pub use checkout::{BranchOrder, BranchReport, Checkout, EntryReport, PortError};
pub use children::{ChildOrder, Children};
pub use clock::Clock;
pub use diagram_renderer::DiagramRenderer;
pub use future::BoxFuture;
pub use journal::{Journal, Lane, PhaseEnd, StagedFiles, StepBody, StepCall, StepOutcome, StepReach};
pub use launcher::{
    AgentAnswer, AnswerCitations, AnswerKeeper, FailedAgent, FailedLaunch, InputLayer, KeptAnswer,
    LaunchError, LaunchOrder, Launcher, PromptInput, Quotation, TreeAccess, Workplace,
};
pub use survey::{EmbeddedAgent, SurveyTexts, Surveyor};
pub use tracker::{IssueOrder, Tracker, TrackerError, TrackerState};
pub use tree::{Tree, TreeSnapshot};
pub use verifier::Verifier;
pub use worker::Worker;
pub use worktrees::Worktrees;
