//! What a manifest names, in the order it names it.

use crate::panel::names::{ACCEPTED, CONTESTED, DIAGRAM, OUT_OF_SCOPE, PLAN, REJECTED, TALLY};

/// The directory the artifacts are exported to, inside the caller's.
pub const EXPORT_DIR: &str = "design-export";
/// The manifest's name in that directory.
pub const MANIFEST_FILE: &str = "manifest.env";
/// The version written, and the only one read.
pub const VERSION: &str = "1";

pub(super) const VERSION_KEY: &str = "MANIFEST_VERSION";
pub(super) const TIMESTAMP_KEY: &str = "TIMESTAMP";
pub(super) const SESSION_ID_KEY: &str = "SESSION_ID";

/// One file of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Artifact {
    /// Its name.
    pub file: &'static str,
    /// Its key in the manifest.
    pub key: &'static str,
    /// What it must be.
    pub need: Need,
}

/// What an artifact must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// There, and not empty.
    Content,
    /// There.
    Presence,
    /// Nothing: its key is left out if it is not there.
    Nothing,
}

/// The artifacts, in the order of their keys.
pub const ARTIFACTS: [Artifact; 7] = [
    Artifact { file: PLAN, key: "PLAN_FILE", need: Need::Content },
    Artifact { file: TALLY, key: "PLAN_REVIEW_TALLY_FILE", need: Need::Content },
    // The key says "criteria" and the file "decisions"; readers rely on both.
    Artifact { file: CONTESTED, key: "CONTESTED_CRITERIA_FILE", need: Need::Presence },
    Artifact { file: OUT_OF_SCOPE, key: "OOS_FILE", need: Need::Presence },
    Artifact { file: REJECTED, key: "REJECTED_FINDINGS_FILE", need: Need::Presence },
    Artifact { file: ACCEPTED, key: "ACCEPTED_PLAN_FINDINGS_FILE", need: Need::Presence },
    Artifact { file: DIAGRAM, key: "ARCHITECTURE_DIAGRAM_FILE", need: Need::Nothing },
];
