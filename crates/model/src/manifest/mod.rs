//! The manifest of a design: what a nested run hands to its caller, as a file of `KEY=VALUE` lines.
//!
//! [`artifacts`] is the one list of what belongs to it, [`mod@write`] decides what is copied and what the manifest
//! says, [`read`] checks a manifest before anybody trusts a path in it. Both look at files through [`Files`];
//! copying, staging and swapping directories is the binary's business.

pub mod artifacts;
pub mod files;
pub mod read;
pub mod write;

pub use artifacts::{ARTIFACTS, Artifact, EXPORT_DIR, MANIFEST_FILE, Need};
pub use files::{Files, Kind};
