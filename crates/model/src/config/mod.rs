//! Configuration: layers of `charrette.toml`, whose values remember their origin, and
//! `.claude/config/integrations.json`.
//!
//! [`keys`] is the list of settings, [`layers`] parses and merges the files, [`repository_rules`] says what a repository's
//! own file may set and [`site_settings`] applies that, [`verify`] reads the commands that verify work, [`integrations`]
//! parses the file of trackers and deployment services. Finding the files is the binary's business.

pub mod integrations;
pub mod keys;
pub mod layers;
pub mod repository_rules;
pub mod site_settings;
pub mod verify;

pub use integrations::{Integrations, IntegrationsError};
pub use keys::{SettingKey, SettingKind};
pub use layers::{ConfigProblem, Layer, ParsedLayer, ParsedSetting, Setting, Settings, read_layers};
pub use repository_rules::RepositoryRule;
pub use site_settings::{IgnoredSetting, SiteLayers, SiteSettings};
pub use verify::{ImplementSettings, VerifyCommand, VerifyKind, VerifySettings};
