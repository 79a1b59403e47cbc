//! Disposition of a contested decision.

use serde::{Deserialize, Serialize};

/// Disposition of a contested decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disposition {
    /// Settled by the judges.
    Voted,
    /// Debated, but not settled.
    FallbackToSynthesis,
    /// Not debated: the bucket has no debaters.
    BucketSkipped,
    /// Not debated: ranked outside the cap.
    OverCap,
}

impl Disposition {
    /// In the order of the closing line.
    pub const ALL: [Disposition; 4] = [
        Disposition::Voted,
        Disposition::FallbackToSynthesis,
        Disposition::BucketSkipped,
        Disposition::OverCap,
    ];

    /// In plain words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Disposition::Voted => "voted",
            Disposition::FallbackToSynthesis => "debated, not settled",
            Disposition::BucketSkipped => "not debated: nobody could take the other side",
            Disposition::OverCap => "not debated: others mattered more",
        }
    }

    /// The token of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Disposition::Voted => "voted",
            Disposition::FallbackToSynthesis => "fallback-to-synthesis",
            Disposition::BucketSkipped => "bucket-skipped",
            Disposition::OverCap => "over-cap",
        }
    }
}
