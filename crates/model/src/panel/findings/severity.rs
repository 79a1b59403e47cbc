//! Severity of a finding about the plan. Tags of a review with a verdict are in [`crate::panel::severity`].

use crate::markdown::{MARKS, is_blank};
use serde::{Deserialize, Serialize};

/// Severity of a finding; the gravest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// The plan fails its purpose, loses data or opens a hole.
    Critical,
    /// A part of the plan does not work, or costs much more than it says.
    Major,
    /// Worth changing, nothing fails without it.
    Minor,
}

impl FindingSeverity {
    pub const ALL: [FindingSeverity; 3] =
        [FindingSeverity::Critical, FindingSeverity::Major, FindingSeverity::Minor];

    pub fn name(self) -> &'static str {
        match self {
            FindingSeverity::Critical => "critical",
            FindingSeverity::Major => "major",
            FindingSeverity::Minor => "minor",
        }
    }

    /// Parses a name, ignoring case and decoration; nothing else may stand beside it.
    pub fn parse(text: &str) -> Option<FindingSeverity> {
        let is_decoration = |c| is_blank(c) || MARKS.contains(&c) || matches!(c, '[' | ']' | '.');
        let word = text.trim_matches(is_decoration);
        FindingSeverity::ALL.into_iter().find(|severity| severity.name().eq_ignore_ascii_case(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_severity_is_one_word() {
        for (text, severity) in [
            ("critical", Some(FindingSeverity::Critical)),
            (" **Major** ", Some(FindingSeverity::Major)),
            ("[MINOR].", Some(FindingSeverity::Minor)),
            ("critical path", None),
            ("majority", None),
            ("high", None),
            ("", None),
        ] {
            assert_eq!(FindingSeverity::parse(text), severity, "{text}");
        }
        assert!(FindingSeverity::ALL.is_sorted());
        assert_eq!(serde_json::to_value(FindingSeverity::Major).unwrap(), "major");
    }
}
