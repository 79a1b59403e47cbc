//! Sandbox around the process of a call: [`config`] is what the user and the system allow, [`call`] makes the rules of
//! one call from it, [`paths`] reads the paths of profiles and settings, [`watch`] notices a client whose settings
//! changed.

mod call;
mod config;
mod paths;
mod watch;

pub(crate) use call::CallPlaces;
pub use call::CallSandbox;
pub use config::{SandboxConfig, SandboxMode};
pub use paths::expand_path;
pub use watch::SettingsWatch;
