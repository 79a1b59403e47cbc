//! Application: the commands and built-in settings of a binary.

use charrette_engine::Registry;
use charrette_engine::flows::FLOWS;
use charrette_model::config::Layer;

/// Commands and built-in settings of a binary.
#[derive(Debug, Clone)]
pub struct App {
    /// Commands that can be driven.
    pub registry: Registry,
    /// Settings that override all others, in the format of `charrette.toml`.
    pub settings: Option<Layer>,
}

impl App {
    /// The published binary.
    pub fn product() -> App {
        App { registry: Registry::new(FLOWS), settings: None }
    }
}
