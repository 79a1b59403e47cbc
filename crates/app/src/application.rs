//! What a binary can do.

use charrette_engine::Registry;
use charrette_engine::flows::FLOWS;
use charrette_model::config::Layer;

/// What a binary can do.
#[derive(Debug, Clone)]
pub struct App {
    /// The commands it can drive.
    pub registry: Registry,
    /// Settings that are laid over all others, as in `charrette.toml`.
    pub settings: Option<Layer>,
}

impl App {
    /// What the published binary can do.
    pub fn product() -> App {
        App { registry: Registry::new(FLOWS), settings: None }
    }
}
