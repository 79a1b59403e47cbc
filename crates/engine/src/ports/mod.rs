//! What the outside world provides. A flow knows these traits and nothing behind them; the adapters live in the crates
//! they belong to, and `app` puts them together.
//!
//! [`journal`] remembers a run, [`artifacts`] holds its files, [`launcher`] runs agents, [`asker`] asks a person,
//! [`clock`] knows the time. [`checkout`] is the work tree a run stands in, [`survey`] what a repository says for itself,
//! [`drawing`] draws diagrams, [`tracker`] makes issues. [`caller`] takes what a nested run hands over, [`worker`] does a
//! part of a run in another process, [`children`] opens runs inside a run.

pub mod artifacts;
pub mod asker;
pub mod caller;
pub mod checkout;
pub mod children;
pub mod clock;
pub mod drawing;
mod future;
pub mod journal;
pub mod launcher;
pub mod survey;
pub mod tracker;
pub mod tree;
pub mod worker;

pub use artifacts::ArtifactStore;
pub use asker::Asker;
pub use caller::Caller;
pub use checkout::{BranchOrder, Branched, Checkout, Entrance, Refusal};
pub use children::{ChildOrder, Children};
pub use clock::Clock;
pub use drawing::Drawing;
pub use future::BoxFuture;
pub use journal::{Body, Call, Journal, Lane, PhaseEnd, Recorded, Staged};
pub use launcher::{AgentAnswer, FailedLaunch, LaunchError, LaunchOrder, Launcher, Readable, Touch};
pub use survey::{EmbeddedAgent, Surveyor};
pub use tracker::{IssueOrder, Tracker, TrackerError, TrackerState};
pub use tree::{Tree, TreeState};
pub use worker::Worker;
