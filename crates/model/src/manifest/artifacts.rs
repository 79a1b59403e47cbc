//! Artifacts listed in a manifest, in order.

use crate::panel::file_names::{ACCEPTED, CONTESTED, DIAGRAM, OUT_OF_SCOPE, PLAN, REJECTED, TALLY};

/// Export directory, inside the caller's.
pub const EXPORT_DIR: &str = "design-export";
/// File name of the manifest in that directory.
pub const MANIFEST_FILE: &str = "manifest.env";
/// Version of the format, the only one accepted.
pub const VERSION: &str = "1";

pub(super) const VERSION_KEY: &str = "MANIFEST_VERSION";
pub(super) const TIMESTAMP_KEY: &str = "TIMESTAMP";
pub(super) const SESSION_ID_KEY: &str = "SESSION_ID";

/// One file of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManifestArtifact {
    pub file: &'static str,
    /// Key in the manifest.
    pub key: &'static str,
    pub requirement: ArtifactRule,
}

/// Requirement on an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactRule {
    /// Must exist and not be empty.
    NonEmpty,
    /// Must exist.
    Present,
    /// May be missing; its key is then left out.
    Optional,
}

/// In the order of their keys.
pub const ARTIFACTS: [ManifestArtifact; 7] = [
    ManifestArtifact { file: PLAN, key: "PLAN_FILE", requirement: ArtifactRule::NonEmpty },
    ManifestArtifact { file: TALLY, key: "PLAN_REVIEW_TALLY_FILE", requirement: ArtifactRule::NonEmpty },
    // The key says "criteria" and the file "decisions"; readers rely on both.
    ManifestArtifact { file: CONTESTED, key: "CONTESTED_CRITERIA_FILE", requirement: ArtifactRule::Present },
    ManifestArtifact { file: OUT_OF_SCOPE, key: "OOS_FILE", requirement: ArtifactRule::Present },
    ManifestArtifact { file: REJECTED, key: "REJECTED_FINDINGS_FILE", requirement: ArtifactRule::Present },
    ManifestArtifact {
        file: ACCEPTED,
        key: "ACCEPTED_PLAN_FINDINGS_FILE",
        requirement: ArtifactRule::Present,
    },
    ManifestArtifact { file: DIAGRAM, key: "ARCHITECTURE_DIAGRAM_FILE", requirement: ArtifactRule::Optional },
];
