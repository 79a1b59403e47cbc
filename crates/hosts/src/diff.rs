//! The difference between two texts, for people.

use similar::TextDiff;

/// Lines around a change.
const CONTEXT: usize = 3;

/// Unified diff without a header.
pub fn diff(before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(CONTEXT).to_string()
}
