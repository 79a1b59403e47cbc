//! Flows: a folder for each command, and their registry.

pub mod design;
mod registry;
pub mod research;

pub use registry::{FLOWS, seats};
