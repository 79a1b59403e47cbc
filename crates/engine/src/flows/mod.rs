//! Flows: a folder for each command, and their registry.

pub mod design;
pub mod implement;
mod registry;
pub mod research;

pub use registry::{FLOWS, seats};
