//! The commands, a folder each, and the registry of them.

pub mod design;
mod registry;
pub mod research;

pub use registry::{FLOWS, seats};
