//! Configuration: layers of `charrette.toml`, whose values remember their origin, and
//! `.claude/config/integrations.json`.
//!
//! [`keys`] is the list of settings, [`layers`] parses and merges the files, [`integrations`] parses the file
//! of trackers and deployment services. Finding the files is the binary's business.

pub mod integrations;
pub mod keys;
pub mod layers;

pub use integrations::{Integrations, IntegrationsError};
pub use keys::{SettingKey, SettingKind};
pub use layers::{ConfigProblem, Layer, Setting, Settings, read_layers};
