//! Log entry of a rejected diagram: one line under `### Warnings`, with reason tokens and never any text.

use crate::escape::one_line;
use crate::ledger::issues;

/// Heading of the entries.
pub const HEADING: &str = "### Warnings";

/// Formats the entry for a step whose diagram was rejected.
pub fn entry(step: &str, tokens: &str) -> String {
    format!("- **Step {} — mermaid sanitizer rejected:** {tokens}", one_line(step))
}

/// The entry for an architecture diagram that a design run goes on without.
pub fn architecture_entry(tokens: &str) -> String {
    format!("- **Step 3b — architecture diagram rejected:** {tokens}")
}

/// Warning of a design whose architecture diagram was rejected.
pub fn architecture_line(tokens: &str) -> String {
    format!(
        "**⚠ 3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN={tokens}); proceeding without diagram.**"
    )
}

/// The log with an entry at the end of its warnings, which are added if there are none yet.
pub fn append(log: &str, entry: &str) -> String {
    issues::append(log, HEADING, entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_cannot_forge_a_second_line() {
        assert_eq!(
            entry("3b\n### Q/A", "pipe-in-node-label"),
            "- **Step 3b\\n### Q/A — mermaid sanitizer rejected:** pipe-in-node-label"
        );
    }
}
