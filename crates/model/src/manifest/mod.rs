//! The manifest of a design: result of a nested run for its caller, as a file of `KEY=VALUE` lines.
//!
//! [`artifacts`] lists its artifacts, [`mod@write`] plans the export and the manifest's text, [`read`]
//! validates a manifest before any path in it is trusted. Both read files through [`FileSystem`]; copying,
//! staging and swapping directories is the binary's business.

pub mod artifacts;
pub mod files;
pub mod read;
pub mod write;

pub use artifacts::{ARTIFACTS, ArtifactRule, EXPORT_DIR, MANIFEST_FILE, ManifestArtifact};
pub use files::{FileSystem, PathKind};
