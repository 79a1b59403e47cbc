//! Configuration: `charrette.toml` in layers, where every value knows where it came from, and
//! `.claude/config/integrations.json`.
//!
//! [`keys`] is the one list of settings, [`layers`] reads files against it and lays them over each other,
//! [`integrations`] the file that
//! turns trackers and deployment services on. Finding the files is the binary's business.

pub mod integrations;
pub mod keys;
pub mod layers;

pub use integrations::{Integrations, IntegrationsProblem};
pub use keys::{Key, Kind};
pub use layers::{Layer, Problem, Setting, Settings, read_layers};
